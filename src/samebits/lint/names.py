"""The names of a module, resolved: imports, builtins, and bindings by scope.

Owns the scopes of one module. Knows nothing of values or of hazards.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module

_STARRED = frozenset({
    "cmath", "datetime", "glob", "itertools", "locale", "math", "numpy", "numpy.linalg",
    "numpy.random", "os", "random", "statistics", "time",
})  # fmt: skip
"""The modules that rules know. No other is imported, as the checked code is not trusted."""
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_BUILTINS = frozenset(vars(builtins))


@dataclass(eq=False, slots=True)
class Scope:
    """A module, class, function or comprehension, with the bindings of its names."""

    node: ast.AST
    outer: Scope | None
    imports: dict[str, str] = field(default_factory=dict[str, str])
    """Names bound by imports, with their targets, such as `np` to `numpy`."""
    values: dict[str, list[ast.AST | None]] = field(default_factory=dict[str, list[ast.AST | None]])
    """Assigned names, with all assigned values; None for an unknown value."""
    annotations: dict[str, ast.expr] = field(default_factory=dict[str, ast.expr])
    attributes: dict[str, list[ast.AST | None]] = field(
        default_factory=dict[str, list[ast.AST | None]]
    )
    """Of a class: the values assigned to `self.name`."""
    attribute_annotations: dict[str, ast.expr] = field(default_factory=dict[str, ast.expr])
    outside: set[str] = field(default_factory=set[str])
    """Names that `global` or `nonlocal` binds elsewhere."""

    def binds(self, name: str) -> bool:
        return name in self.imports or name in self.values or name in self.annotations

    def find(self, name: str) -> Scope | None:
        """The scope that binds `name`, as seen from here; None if none does."""
        scope: Scope | None = self
        while scope is not None:
            is_class = isinstance(scope.node, ast.ClassDef) and scope is not self
            if not is_class and name not in scope.outside and scope.binds(name):
                return scope
            scope = scope.outer
        return None

    def enclosing_class(self) -> Scope | None:
        """The class whose method this is, or is in."""
        scope: Scope | None = self
        while scope is not None and not isinstance(scope.node, ast.ClassDef):
            scope = scope.outer
        return scope


class ModuleScopes:
    """The scopes of a module, and the scope and parent of each of its nodes."""

    def __init__(self, tree: ast.Module) -> None:
        self.module = Scope(tree, None)
        self.scopes: dict[int, Scope] = {}
        """The scope that a node stands in, by the node's identity."""
        self.every: list[Scope] = [self.module]
        self._parsed: list[ast.AST] = []
        self.parents: dict[int, ast.AST] = {}
        self._walk(tree, self.module)

    def scope(self, node: ast.AST) -> Scope:
        return self.scopes.get(id(node), self.module)

    def keep(self, parsed: ast.AST) -> None:
        """Keep the nodes of a text that stand by their identity."""
        self._parsed.append(parsed)

    def assigned(self, node: ast.Name) -> list[ast.AST | None]:
        """All values that are assigned to a name, None for an unknown one."""
        scope = self.scope(node).find(node.id)
        return [] if scope is None else scope.values.get(node.id, [])

    def parent(self, node: ast.AST) -> ast.AST | None:
        return self.parents.get(id(node))

    def above(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around `node`, innermost first."""
        found = self.parent(node)
        while found is not None:
            yield found
            found = self.parent(found)

    def qualified(self, node: ast.AST) -> str | None:
        """The dotted name that an expression refers to: `numpy.random.default_rng`, `sum`.

        None unless it is imported, a builtin, or an attribute of one of these.
        """
        if isinstance(node, ast.Attribute):
            base = self.qualified(node.value)
            return None if base is None else f"{base}.{node.attr}"
        if not isinstance(node, ast.Name):
            return None
        scope = self.scope(node).find(node.id)
        if scope is None:
            return node.id if node.id in _BUILTINS else None
        # If it is assigned as well, it may be anything.
        return None if node.id in scope.values else scope.imports.get(node.id)

    # How it is made ----------------------------------------------------------------------

    def _walk(self, root: ast.AST, scope: Scope) -> None:
        waiting: list[tuple[ast.AST, Scope]] = [(root, scope)]
        while waiting:
            node, scope = waiting.pop()
            self.scopes[id(node)] = scope
            self._bind(node, scope)
            inner = scope
            if isinstance(node, (ast.ClassDef, *FUNCTIONS, *COMPREHENSIONS)):
                inner = Scope(node, scope)
                self.every.append(inner)
                self._parameters(node, inner)
            outer_parts = self._evaluated_outside(node)
            for child in ast.iter_child_nodes(node):
                self.parents[id(child)] = node
                waiting.append((child, scope if id(child) in outer_parts else inner))

    @staticmethod
    def _evaluated_outside(node: ast.AST) -> set[int]:
        """Children of a scope's node that belong to the scope around it."""
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                parts: list[ast.AST] = [*node.decorator_list]
                parts += [] if node.returns is None else [node.returns]
                return set(map(id, parts))
            case ast.ClassDef():
                return set(map(id, (*node.decorator_list, *node.bases, *node.keywords)))
            case _:
                return set()

    @staticmethod
    def _parameters(node: ast.AST, scope: Scope) -> None:
        if not isinstance(node, FUNCTIONS):
            return
        a = node.args
        others = [x for x in (a.vararg, a.kwarg) if x is not None]
        for argument in (*a.posonlyargs, *a.args, *a.kwonlyargs, *others):
            scope.values.setdefault(argument.arg, []).append(None)
            if argument.annotation is not None and argument not in others:
                scope.annotations[argument.arg] = argument.annotation

    def _bind(self, node: ast.AST, scope: Scope) -> None:
        match node:
            case ast.Import(names=names):
                for alias in names:
                    bound = alias.asname or alias.name.partition(".")[0]
                    scope.imports[bound] = alias.name if alias.asname else bound
            case ast.ImportFrom(module=str(module), names=[ast.alias(name="*")], level=0):
                for name in _starred(module):
                    scope.imports[name] = f"{module}.{name}"
            case ast.ImportFrom(module=module, names=names, level=0):
                for alias in names:
                    scope.imports[alias.asname or alias.name] = f"{module}.{alias.name}"
            case ast.ImportFrom(names=names):
                for alias in names:
                    scope.values.setdefault(alias.asname or alias.name, []).append(None)
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                scope.outside.update(names)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                scope.values.setdefault(node.name, []).append(node)
            case ast.Assign():
                for target in node.targets:
                    self._assign(target, node.value, scope)
            case ast.AnnAssign():
                self._annotate(node, scope)
            case ast.AugAssign():
                self._assign(node.target, node, scope)
            case ast.NamedExpr():
                self._assign(node.target, node.value, _function_of(scope))
            case ast.For() | ast.AsyncFor() | ast.comprehension():
                self._assign(node.target, ast.Starred(node.iter, ast.Load()), scope)
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    if item.optional_vars is not None:
                        self._assign(item.optional_vars, None, scope)
            case ast.ExceptHandler(name=str(name)):
                scope.values.setdefault(name, []).append(None)
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                scope.values.setdefault(name, []).append(None)
            case _:
                pass

    def _annotate(self, node: ast.AnnAssign, scope: Scope) -> None:
        match node.target:
            case ast.Name(id=name):
                scope.annotations[name] = node.annotation
                if node.value is not None:
                    scope.values.setdefault(name, []).append(node.value)
                if isinstance(scope.node, ast.ClassDef):
                    scope.attribute_annotations[name] = node.annotation
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                owner = scope.enclosing_class()
                if owner is not None:
                    owner.attribute_annotations[name] = node.annotation
            case _:
                pass

    def _assign(self, target: ast.AST, value: ast.AST | None, scope: Scope) -> None:
        """Bind an assigned name or `self.name`; `Starred` stands for an element of its value."""
        match target:
            case ast.Name(id=name):
                scope.values.setdefault(name, []).append(value)
                if isinstance(scope.node, ast.ClassDef):
                    scope.attributes.setdefault(name, []).append(value)
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                owner = scope.enclosing_class()
                if owner is not None:
                    owner.attributes.setdefault(name, []).append(value)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                given: list[ast.AST | None] = [None] * len(parts)
                if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(parts):
                    given = [*value.elts]
                for part, one in zip(parts, given, strict=True):
                    self._assign(part, one, scope)
            case ast.Starred(value=inner):
                self._assign(inner, None, scope)
            case _:
                pass


@cache
def _starred(module: str) -> frozenset[str]:
    """The names that `from module import *` imports; empty for an unknown module."""
    if module not in _STARRED:
        return frozenset()
    found = import_module(module)
    public = [name for name in vars(found) if not name.startswith("_")]
    return frozenset(getattr(found, "__all__", public))


def _function_of(scope: Scope) -> Scope:
    """The scope in which `:=` inside comprehensions binds."""
    while isinstance(scope.node, COMPREHENSIONS) and scope.outer is not None:
        scope = scope.outer
    return scope
