"""Names that another version changed throughout: of functions, constants and local variables.

Owns which names are the same thing. A changed name is one edit, however often it stands there.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from samebits.diagnosis.edits.alike import dice, key, named, words

_RENAMED = 0.7
"""Part of their words that two definitions share where one is the other under another name."""


@dataclass(frozen=True, slots=True)
class Renaming:
    """`old` of the first version is `new` in the second, in function `scope` or, if that is empty,
    in the whole file. A field has its name wherever it is read."""

    scope: str
    old: str
    new: str
    is_field: bool = False

    def applied(self, tree: ast.Module) -> ast.Module:
        """A copy with the second version's name."""
        return self._renamed(tree, self.old, self.new)

    def undone(self, tree: ast.Module) -> ast.Module:
        """A copy with the first version's name."""
        return self._renamed(tree, self.new, self.old)

    def _renamed(self, tree: ast.Module, old: str, new: str) -> ast.Module:
        if self.is_field:
            return _FieldRenamer(old, new).visit(copy.deepcopy(tree))
        return _renamed(tree, self.scope, {old: new})


def renamings(a: ast.Module, b: ast.Module) -> tuple[tuple[Renaming, ...], ast.Module]:
    """The changed names, and the second version with the first one's names."""
    found: list[Renaming] = []
    for each in _definitions(a, b):
        found.append(each)
        b = each.undone(b)
    for each in _fields(a, b):
        found.append(each)
        b = each.undone(b)
    for name, (x, y) in _functions(a, b).items():
        for old, new in _locals(x, y):
            each = Renaming(name, old, new)
            found.append(each)
            b = each.undone(b)
    return tuple(found), b


def _definitions(a: ast.Module, b: ast.Module) -> Iterator[Renaming]:
    left, right = (_defined(tree) for tree in (a, b))
    used = [_names(tree) for tree in (a, b)]
    gone = [name for name in left if name not in right and name not in used[1]]
    come = [name for name in right if name not in left and name not in used[0]]
    for old in gone:
        likely = [(_same_thing(left[old], right[new]), new) for new in come]
        best, new = max(likely, default=(0.0, ""))
        if best >= _RENAMED:
            come.remove(new)
            yield Renaming("", old, new)


def _fields(a: ast.Module, b: ast.Module) -> Iterator[Renaming]:
    """Fields of one class and type that are called otherwise."""
    left, right = _defined(a), _defined(b)
    read = [{n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)} for tree in (a, b)]
    for name, x in left.items():
        y = right.get(name)
        if isinstance(x, ast.ClassDef) and isinstance(y, ast.ClassDef):
            mine, theirs = _annotated(x), _annotated(y)
            gone = [field for field in mine if field not in theirs and field not in read[1]]
            come = [field for field in theirs if field not in mine and field not in read[0]]
            if len(gone) == len(come):
                for old, new in zip(gone, come, strict=True):
                    if mine[old] == theirs[new]:
                        yield Renaming("", old, new, is_field=True)


def _annotated(node: ast.ClassDef) -> dict[str, str]:
    """Fields of a class, each with its type as it is written."""
    return {
        s.target.id: key(s.annotation)
        for s in node.body
        if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)
    }


def _same_thing(x: ast.stmt, y: ast.stmt) -> float:
    if type(x) is not type(y) or isinstance(x, ast.ClassDef):
        return 0.0
    if isinstance(x, ast.FunctionDef):
        return dice(words(x), words(y))
    return float(key(getattr(x, "value", None)) == key(getattr(y, "value", None)))


def _locals(x: ast.FunctionDef, y: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """Local names that changed: with the old one, more statements are the same."""
    left, right = _names(x), _names(y)
    gone = sorted(_bound(x) - right)
    come = sorted(_bound(y) - left)
    for old in gone:
        before = _same_parts(x, y)
        tried = [(_same_parts(x, _with(y, {new: old})) - before, new) for new in come]
        gained, new = max(tried, default=(0, ""))
        if gained > 0:
            come.remove(new)
            yield old, new
            y = _with(y, {new: old})


def _same_parts(x: ast.FunctionDef, y: ast.FunctionDef) -> int:
    """How many simple statements and parts of heads both have."""
    left, right = (Counter(map(key, _parts(node))) for node in (x, y))
    return (left & right).total()


def _parts(node: ast.FunctionDef) -> Iterator[ast.AST]:
    yield node.args
    for each in ast.walk(node):
        for name in ("test", "iter", "target") if isinstance(each, ast.stmt) else ():
            part = getattr(each, name, None)
            if isinstance(part, ast.AST):
                yield part
        if isinstance(each, ast.stmt) and not hasattr(each, "body"):
            yield each


def _functions(a: ast.Module, b: ast.Module) -> dict[str, tuple[ast.FunctionDef, ast.FunctionDef]]:
    left, right = (_defined(tree) for tree in (a, b))
    found = {name: (left[name], right[name]) for name in left if name in right}
    return {
        name: (x, y)
        for name, (x, y) in found.items()
        if isinstance(x, ast.FunctionDef) and isinstance(y, ast.FunctionDef) and key(x) != key(y)
    }


def _defined(tree: ast.Module) -> dict[str, ast.stmt]:
    return {name: s for s in tree.body if (name := named(s)) is not None}


def _names(tree: ast.AST) -> set[str]:
    """All names of variables, parameters, definitions and imports in a tree."""
    found: set[str] = set()
    for each in ast.walk(tree):
        match each:
            case ast.Name(id=name) | ast.arg(arg=name):
                found.add(name)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.alias(name=name, asname=other):
                found |= {name, other or name}
            case _:
                pass
    return found


def _bound(tree: ast.FunctionDef) -> set[str]:
    """Names of parameters and of what is assigned."""
    names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and _stores(n)}
    return names | {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}


def _stores(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def _renamed(tree: ast.Module, scope: str, names: Mapping[str, str]) -> ast.Module:
    made = copy.copy(tree)
    made.body = [_with(s, names) if not scope or named(s) == scope else s for s in tree.body]
    return made


def _with(node: ast.stmt, names: Mapping[str, str]) -> Any:
    return _Renamer(names).visit(copy.deepcopy(node))


class _Renamer(ast.NodeTransformer):
    """Exchanges names of variables, parameters and functions."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._of = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self._of.get(node.id, node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        self.generic_visit(node)
        node.arg = self._of.get(node.arg, node.arg)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        node.name = self._of.get(node.name, node.name)
        return node


class _FieldRenamer(ast.NodeTransformer):
    """Exchanges the name of a field, in its class and wherever it is read or given."""

    def __init__(self, old: str, new: str) -> None:
        self._old, self._new = old, new

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        node.attr = self._of(node.attr)
        return node

    def visit_keyword(self, node: ast.keyword) -> ast.AST:
        self.generic_visit(node)
        node.arg = None if node.arg is None else self._of(node.arg)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self.generic_visit(node)
        for s in node.body:
            if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name):
                s.target.id = self._of(s.target.id)
        return node

    def _of(self, name: str) -> str:
        return self._new if name == self._old else name
