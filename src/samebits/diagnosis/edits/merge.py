"""Two versions of a module as a merged tree, with the edits that lead from one to the other.

Owns what one edit is: a number, an operator, an expression, a statement, a definition. Names that
changed throughout are `names`'s.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from itertools import count
from typing import Any

from samebits.diagnosis.edits.alike import (
    BODIES,
    alike_statements,
    blocks,
    key,
    listed,
    named,
    same,
    same_statements,
)
from samebits.diagnosis.edits.edit import Edit, is_number, kind_of
from samebits.diagnosis.edits.merged import Block, Choice, Inner, Item, Part, Same, Several
from samebits.diagnosis.report.findings import Place

_NEEDED = ("body",)
_SMALL = (ast.operator, ast.cmpop, ast.unaryop, ast.boolop)


@dataclass(eq=False)
class Numbers:
    """Numbers of edits and of sites, counted over all files of a version."""

    edits: Iterator[int] = field(default_factory=count)
    sites: Iterator[int] = field(default_factory=count)


@dataclass(frozen=True, eq=False)
class Text:
    """A file of one version: the name that it is told by, and its lines."""

    file: str
    lines: Sequence[str]

    @classmethod
    def of(cls, file: str, text: str) -> Text:
        return cls(file, text.split("\n"))

    def place(self, node: ast.AST, function: str) -> Place:
        """The first line of a node."""
        line, column = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
        source = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        one_line = getattr(node, "end_lineno", None) == line
        end = getattr(node, "end_col_offset", 0) if one_line else len(source)
        return Place(self.file, line, column, end, function, source)


_Field = object
"""What a field of a node holds: a node, a list of them, or a plain value."""


def _placed(value: _Field) -> ast.AST | None:
    """The first node with a place in what a field holds."""
    for each in [value] if (several := listed(value)) is None else several:
        if isinstance(each, ast.arguments):
            parts = [*each.posonlyargs, *each.args, *each.kwonlyargs, *each.defaults]
            return parts[0] if parts else None
        if isinstance(each, ast.AST) and hasattr(each, "lineno"):
            return each
    return None


@dataclass(eq=False)
class Merge:
    """The merging of one file's two versions. `edits` are those found so far."""

    a: Text
    b: Text
    numbers: Numbers
    edits: list[Edit] = field(default_factory=list[Edit])

    def __post_init__(self) -> None:
        self._function = ""
        self._kind = ""
        """The kind of all edits in what is being merged, if they have one of their own."""
        self._site = -1
        self._around: tuple[ast.AST, ast.AST] = (ast.Module([], []), ast.Module([], []))
        """The innermost nodes with a place: operators have none of their own."""
        self._crossing: dict[str, _Crossing] = {}
        """Definitions of the module whose order changed, by name."""
        self._gone: dict[tuple[str, str], list[int]] = defaultdict(list)
        """Edits that take a statement away, by function and statement."""
        self._come: list[tuple[int, tuple[str, str]]] = []
        self.together: dict[int, int] = {}
        """Edits that are made with another one: what brings a statement that it moves."""

    def modules(self, x: ast.Module, y: ast.Module) -> Part:
        """The merged tree of the whole file."""
        self._crossing = {name: _Crossing(*both) for name, both in _crossing(x, y).items()}
        found = Inner(x, {"body": self._block(x.body, y.body, needed=False)})
        self._join_moves()
        return found

    def _edit(self, x: _Field, y: _Field, kind: str = "") -> int:
        number = next(self.numbers.edits)
        a, b = (
            None if part is None else text.place(_placed(part) or around, self._function)
            for text, part, around in zip((self.a, self.b), (x, y), self._around, strict=True)
        )
        old, new = ("" if part is None else _shown(part) for part in (x, y))
        kind = kind or self._kind or kind_of(x, y)
        self.edits.append(Edit(number, self._site, kind, self._function, a, b, old, new))
        return number

    # Statements.

    def _block(self, a: Sequence[ast.stmt], b: Sequence[ast.stmt], needed: bool) -> Block:
        """Statements of both versions, in an order that is right for either. `pass` is no
        statement: it stands where there would be none."""
        a, b = ([s for s in block if not isinstance(s, ast.Pass)] for block in (a, b))
        items: list[Item] = []
        pairs = _module_pairs(a, b) if not self._function else same_statements(a, b)
        i = j = 0
        for p, q in [*pairs, (len(a), len(b))]:
            items += self._between(a[i:p], b[j:q])
            if p < len(a):
                items.append(Item(self._statement(a[p], b[q])))
            i, j = p + 1, q + 1
        return Block(items, needed)

    def _between(self, a: Sequence[ast.stmt], b: Sequence[ast.stmt]) -> Iterator[Item]:
        """Statements between two pairs that are the same: put under others, alike, gone or new."""
        around = _around(a, b) if self._function else None
        if around is not None:
            mine, its, kind = around
            before, after = [a[n] for n in mine], [b[n] for n in its]
            yield from self._between(a[: mine.start], b[: its.start])
            self._site = next(self.numbers.sites)
            with self._within(before[0], after[0]):
                edit = self._edit(before, after, kind)
            yield from (Item(Same(x), removed=edit) for x in before)
            yield from (Item(Same(y), added=edit) for y in after)
            yield from self._between(a[mine.stop :], b[its.stop :])
            return
        i = j = 0
        for p, q in [*alike_statements(a, b), (len(a), len(b))]:
            yield from self._one_sided(a[i:p], b[j:q])
            if p < len(a):
                yield Item(self._statement(a[p], b[q]))
            i, j = p + 1, q + 1

    def _one_sided(self, a: Sequence[ast.stmt], b: Sequence[ast.stmt]) -> Iterator[Item]:
        site = next(self.numbers.sites)
        for x in a:
            crossing = None if self._function else self._crossing.get(named(x) or "")
            if crossing is not None:
                yield Item(self._crossed(crossing), removed=crossing.edit)
                continue
            self._site = site
            with self._within(x, x):
                edit = self._edit(x, None)
            self._gone[self._function, key(x)].append(edit)
            yield Item(Same(x), removed=edit)
        for y in b:
            crossing = None if self._function else self._crossing.get(named(y) or "")
            if crossing is not None:
                yield Item(self._crossed(crossing), added=crossing.edit)
                continue
            self._site = site
            with self._within(y, y):
                edit = self._edit(None, y)
            self._come.append((edit, (self._function, key(y))))
            yield Item(Same(y), added=edit)

    def _crossed(self, crossing: _Crossing) -> Part:
        """A definition that stands elsewhere, with what changed inside it."""
        if crossing.part is None:
            crossing.part = self._statement(crossing.a, crossing.b)
            self._site = next(self.numbers.sites)
            with self._within(crossing.a, crossing.b):
                crossing.edit = self._edit(crossing.a, crossing.b, "moved")
        return crossing.part

    def _join_moves(self) -> None:
        """What goes in one place of a function and comes in another is one edit."""
        every = {edit.number: edit for edit in self.edits}
        for come, where in self._come:
            if self._gone[where]:
                gone = self._gone[where].pop(0)
                self.together[gone] = come
                made = every[gone], every.pop(come)
                every[gone] = replace(made[0], kind="moved", b=made[1].b, new=made[1].new)
        self.edits[:] = every.values()

    @contextmanager
    def _within(self, x: ast.stmt, y: ast.stmt) -> Generator[None]:
        """The block in which edits are inside these statements."""
        around, function, kind = self._around, self._function, self._kind
        self._around = x, y
        if isinstance(x, ast.FunctionDef | ast.ClassDef):
            self._function = f"{function}.{x.name}" if function else x.name
        try:
            yield
        finally:
            self._around, self._function, self._kind = around, function, kind

    def _statement(self, x: ast.stmt, y: ast.stmt) -> Part:
        if same(x, y):
            return Same(x)
        self._site = next(self.numbers.sites)
        with self._within(x, y):
            if type(x) is not type(y):
                return Choice(self._edit(x, y), x, y)
            if any(isinstance(getattr(x, name, None), list) for name in BODIES):
                return self._compound(x, y)
            return self._value(x, y)

    def _compound(self, x: ast.stmt, y: ast.stmt) -> Part:
        """The parts of a head one by one, and the blocks."""
        fields: dict[str, Part] = {}
        for name in x._fields:
            one, other = getattr(x, name, None), getattr(y, name, None)
            if same(one, other):
                continue
            before, after = _block(one), _block(other)
            if name in BODIES and before is not None and after is not None:
                if isinstance(x, ast.ClassDef):
                    self._kind = "field"
                fields[name] = self._block(before, after, name in _NEEDED)
                self._kind = ""
            else:
                self._site = next(self.numbers.sites)
                fields[name] = self._field(x, y, name)
        return Inner(x, fields)

    # Expressions.

    def _field(self, x: ast.AST, y: ast.AST, name: str) -> Part:
        one, other = getattr(x, name, None), getattr(y, name, None)
        kind, self._kind = self._kind, _KINDS_OF.get(name, self._kind)
        try:
            if isinstance(one, ast.AST) and isinstance(other, ast.AST):
                return self._value(one, other)
            pairs = _pairs(one, other)
            if pairs is not None:
                return Several([self._value(p, q) for p, q in pairs])
            return Choice(self._edit(one or x, other or y), one, other)
        finally:
            self._kind = kind

    def _value(self, x: ast.AST, y: ast.AST) -> Part:
        """Two expressions or simple statements: what differs is one edit, but for numbers and
        operators, each of which is one."""
        if same(x, y):
            return Same(x)
        if type(x) is not type(y) or is_number(x):
            return Choice(self._edit(x, y), x, y)
        differing = list(_differing(x, y))
        inner = all(isinstance(p, ast.AST) and isinstance(q, ast.AST) for p, q in differing)
        if not inner or (len(differing) > 1 and not all(_is_small(p, q) for p, q in differing)):
            return Choice(self._edit(x, y), x, y)
        around = self._around
        if hasattr(x, "lineno"):
            self._around = x, y
        try:
            names = [n for n in x._fields if not same(getattr(x, n, None), getattr(y, n, None))]
            return Inner(x, {name: self._field(x, y, name) for name in names})
        finally:
            self._around = around


_KINDS_OF = {
    "decorator_list": "decorator", "annotation": "field", "defaults": "default",
    "kw_defaults": "default",
}  # fmt: skip
"""Kinds of edits in some fields."""


@dataclass(eq=False)
class _Crossing:
    """A definition that stands elsewhere in the second version; `edit` moves it."""

    a: ast.stmt
    b: ast.stmt
    part: Part | None = None
    edit: int = -1


def _crossing(x: ast.Module, y: ast.Module) -> dict[str, tuple[ast.stmt, ast.stmt]]:
    """Definitions that are others' neighbours in the second version, by names given once."""
    pairs = _module_pairs(x.body, y.body)
    paired = {named(x.body[i]) for i, _ in pairs}
    both = [_once(block) for block in (x.body, y.body)]
    return {
        name: (node, both[1][name])
        for name, node in both[0].items()
        if name in both[1] and name not in paired and type(node) is type(both[1][name])
    }


def _once(block: Sequence[ast.stmt]) -> dict[str, ast.stmt]:
    names = Counter(filter(None, map(named, block)))
    return {name: s for s in block if (name := named(s)) is not None and names[name] == 1}


def _module_pairs(a: Sequence[ast.stmt], b: Sequence[ast.stmt]) -> list[tuple[int, int]]:
    """Statements of a module that are the same, or define the same, in the order of both."""
    left, right = ([named(s) or key(s) for s in block] for block in (a, b))
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    return [(m.a + k, m.b + k) for m in matcher.get_matching_blocks() for k in range(m.size)]


def _around(a: Sequence[ast.stmt], b: Sequence[ast.stmt]) -> tuple[range, range, str] | None:
    """Statements of one version that are a whole block of a statement of the other, by their
    indices, and the kind of edit that this is; None where there are none."""
    for several, some, kind in ((a, b, "put under"), (b, a, "no more under")):
        keys = [key(s) for s in several]
        for at, around in enumerate(some):
            for block in blocks(around):
                size = len(block)
                for first in range(len(several) - size + 1):
                    if keys[first : first + size] == [key(s) for s in block]:
                        found, other = range(first, first + size), range(at, at + 1)
                        return (found, other, kind) if several is a else (other, found, kind)
    return None


def _block(value: object) -> list[ast.stmt] | None:
    """The statements of a field, if it holds any."""
    found = listed(value)
    return found if found is not None and all(isinstance(s, ast.stmt) for s in found) else None


def _pairs(one: object, other: object) -> list[tuple[Any, Any]] | None:
    """The elements of two lists of one length; None of anything else."""
    x, y = listed(one), listed(other)
    return None if x is None or y is None or len(x) != len(y) else [*zip(x, y, strict=True)]


def _differing(x: ast.AST, y: ast.AST) -> Iterator[tuple[object, object]]:
    """The fields, or elements of fields, in which two nodes of a type differ."""
    for name in x._fields:
        one, other = getattr(x, name, None), getattr(y, name, None)
        if same(one, other):
            continue
        pairs = _pairs(one, other)
        if pairs is not None:
            yield from ((p, q) for p, q in pairs if not same(p, q))
        else:
            yield one, other


def _is_small(x: object, y: object) -> bool:
    """Whether two trees differ in numbers and operators alone."""
    if same(x, y):
        return True
    if not isinstance(x, ast.AST) or not isinstance(y, ast.AST):
        return False
    if isinstance(x, _SMALL) and isinstance(y, _SMALL):
        return True
    if is_number(x) and is_number(y):
        return True
    return type(x) is type(y) and all(_is_small(p, q) for p, q in _differing(x, y))


_SIGNS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.LShift: "<<", ast.RShift: ">>", ast.BitOr: "|", ast.BitXor: "^",
    ast.BitAnd: "&", ast.MatMult: "@", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Eq: "==", ast.NotEq: "!=", ast.And: "and", ast.Or: "or", ast.Not: "not", ast.USub: "-",
    ast.UAdd: "+", ast.Invert: "~", ast.Is: "is", ast.IsNot: "is not", ast.In: "in",
    ast.NotIn: "not in",
}  # fmt: skip


def _shown(value: _Field) -> str:
    """What a field holds, as source."""
    several = listed(value)
    if several is not None:
        between = "\n" if _block(value) else ", "
        return between.join(map(_shown, several))
    if not isinstance(value, ast.AST):
        return str(value)
    return _SIGNS.get(type(value)) or ast.unparse(value)
