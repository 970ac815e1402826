"""The class that a value is an instance of: one of the module's own, or the name of another.

Owns that inference: from annotations, calls of classes, and what names, attributes and elements of
containers are. Kinds are asked of nothing here.
"""

from __future__ import annotations

import ast
from functools import cached_property

from samebits.lint.names import ModuleScopes, Scope

_ELEMENTS = frozenset({
    "list", "set", "frozenset", "tuple", "collections.deque", "collections.abc.Sequence",
    "collections.abc.Iterable", "collections.abc.Iterator", "collections.abc.Collection",
    "collections.abc.Set", "typing.List", "typing.Set", "typing.FrozenSet", "typing.Tuple",
    "typing.Sequence", "typing.Iterable", "weakref.WeakSet",
})  # fmt: skip
"""Containers whose annotation names the class of the elements that iterating gives."""
_MAPPINGS = frozenset({
    "dict", "collections.defaultdict", "collections.OrderedDict", "typing.Dict",
    "collections.abc.Mapping", "typing.Mapping",
})  # fmt: skip
"""Containers whose annotation names a key's class, and a value's."""
_OPTIONAL = frozenset({"typing.Optional", "typing.Final", "typing.ClassVar", "typing.Annotated"})
_DEPTH = 12
"""How many steps an expression is followed."""

Class = Scope | str
"""A class of this module, by its scope; one of another, by its dotted name."""


class Classes:
    """The classes of the values of one module's expressions."""

    def __init__(self, names: ModuleScopes) -> None:
        self.names = names

    @cached_property
    def _scopes(self) -> dict[int, Scope]:
        return {
            id(scope.node): scope
            for scope in self.names.every
            if isinstance(scope.node, ast.ClassDef)
        }

    def of(self, node: ast.AST | None, depth: int = _DEPTH) -> Class | None:
        """The class that a value is an instance of; None where that can't be inferred."""
        if node is None or not depth:
            return None
        match node:
            case ast.Name(id=name):
                return self._of_name(node, name, depth)
            case ast.Attribute(value=owner, attr=name):
                found = self.of(owner, depth - 1)
                if not isinstance(found, Scope):
                    return None
                said = self.attribute(found, name)
                return (
                    self.said(said) if said is not None else self._of_attribute(found, name, depth)
                )
            case ast.Call(func=function):
                return self._called(function, depth)
            case ast.Subscript(value=value, slice=part) if not isinstance(part, ast.Slice):
                return self.element(value, depth - 1, values=True)
            case ast.Starred(value=value):  # an element, as `names` notes it
                return self.element(value, depth - 1)
            case ast.NamedExpr(value=value) | ast.Await(value=value):
                return self.of(value, depth - 1)
            case ast.BoolOp(values=[*_, last]):
                return self.of(last, depth - 1)
            case _:
                return None

    def element(self, node: ast.AST, depth: int = _DEPTH, *, values: bool = False) -> Class | None:
        """The class of what iterating over a value gives, or with `values` of what indices give."""
        if not depth:
            return None
        match node:
            case (
                ast.List(elts=[first, *_]) | ast.Tuple(elts=[first, *_]) | ast.Set(elts=[first, *_])
            ):
                return self.of(first, depth - 1)
            case ast.ListComp(elt=made) | ast.SetComp(elt=made) | ast.GeneratorExp(elt=made):
                return self.of(made, depth - 1)
            case ast.Call(func=ast.Attribute(value=owner, attr="values"), args=[]):
                return self.element(owner, depth - 1, values=True)
            case ast.Call(func=function, args=[first, *_]):
                name = self.names.qualified(function)
                if name in ("sorted", "list", "tuple", "reversed", "set", "frozenset", "iter"):
                    return self.element(first, depth - 1)
                return None
            case _:
                said = self.annotation(node, depth - 1)
                part = None if said is None else self._part(said, values)
                return None if part is None else self.said(part)

    def annotation(self, node: ast.AST, depth: int = _DEPTH) -> ast.expr | None:
        """The annotation of what an expression names, or of what was assigned to it alone."""
        match node:
            case ast.Name(id=name):
                scope = self.names.scope(node).find(name)
                return None if scope is None else scope.annotations.get(name)
            case ast.Attribute(value=owner, attr=name):
                found = self.of(owner, depth)
                return self.attribute(found, name) if isinstance(found, Scope) else None
            case _:
                return None

    def held(self, node: ast.AST) -> str | None:
        """The dotted name of what an attribute of an object was given, such as a module's; None
        where that is no name that is imported, or several are."""
        owner = self.of(node.value) if isinstance(node, ast.Attribute) else None
        if not isinstance(node, ast.Attribute) or not isinstance(owner, Scope):
            return None
        values = self.defining(owner, node.attr).attributes.get(node.attr, [])
        names = {None if value is None else self.names.qualified(value) for value in values}
        return names.pop() if len(names) == 1 else None

    def attribute(self, owner: Scope, name: str) -> ast.expr | None:
        """The annotation of an attribute of a class or of its bases in this module."""
        for scope in self._with_bases(owner):
            if name in scope.attribute_annotations:
                return scope.attribute_annotations[name]
        return None

    def defining(self, owner: Scope, name: str) -> Scope:
        """The class, `owner` or a base of it in this module, that has an attribute."""
        for scope in self._with_bases(owner):
            if name in scope.attribute_annotations or name in scope.attributes:
                return scope
        return owner

    def said(self, annotation: ast.expr) -> Class | None:
        """The class that an annotation names, `None` beside it left out."""
        match self._parsed(annotation):
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                known = [self.said(side) for side in (left, right) if not _is_none(side)]
                return known[0] if len(known) == 1 else None
            case ast.Subscript(value=base, slice=inner):
                name = self.names.qualified(base)
                if name in _OPTIONAL:
                    return self.said(inner.elts[0] if isinstance(inner, ast.Tuple) else inner)
                return self.said(base)
            case ast.Name() | ast.Attribute() as named:
                return self._named(named)
            case _:
                return None

    def element_annotation(self, node: ast.AST, *, values: bool = False) -> ast.expr | None:
        """The annotation of what iterating over a value gives, or with `values` of what indices
        give."""
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr="values"), args=[]):
                return self.element_annotation(owner, values=True)
            case _:
                said = self.annotation(node)
                return None if said is None else self._part(said, values)

    def _part(self, annotation: ast.expr, values: bool) -> ast.expr | None:
        """The annotation of the elements of what an annotation names."""
        match self._parsed(annotation):
            case ast.Subscript(value=base, slice=inner):
                name = self.names.qualified(base)
                parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
                if name in _ELEMENTS and parts:
                    return parts[0]
                if name in _MAPPINGS and len(parts) == 2:
                    return parts[1 if values else 0]
            case _:
                pass
        return None

    def _of_name(self, node: ast.Name, name: str, depth: int) -> Class | None:
        scope = self.names.scope(node).find(name)
        if scope is None:
            return None
        if name == "self" and name not in scope.annotations:
            return scope.enclosing_class()
        if name in scope.annotations:
            return self.said(scope.annotations[name])
        return self._joined(scope.values.get(name, [None]), depth)

    def _of_attribute(self, owner: Scope, name: str, depth: int) -> Class | None:
        for scope in self._with_bases(owner):
            if name in scope.attributes:
                return self._joined(scope.attributes[name], depth)
        return None

    def _joined(self, values: list[ast.AST | None], depth: int) -> Class | None:
        """The one class of all that is assigned; `None` counts for nothing."""
        given = [value for value in values if value is None or not _is_none(value)]
        found = [self.of(value, depth - 1) for value in given]
        same = bool(found) and all(one is found[0] or one == found[0] for one in found)
        return found[0] if same else None

    def _called(self, function: ast.expr, depth: int) -> Class | None:
        match self._named(function):
            case None if isinstance(function, ast.Name):
                made = self.names.assigned(function)
                match made:
                    case [ast.FunctionDef(returns=ast.expr() as said)]:
                        return self.said(said)
                    case _:
                        return None
            case found:
                return found

    def _named(self, node: ast.expr) -> Class | None:
        """The class that a name in an annotation or a call stands for."""
        name = self.names.qualified(node)
        if name is not None:
            return name
        if isinstance(node, ast.Name):
            match self.names.assigned(node):
                case [ast.ClassDef() as made]:
                    return self._scopes.get(id(made))
                case _:
                    pass
        return None

    def _with_bases(self, owner: Scope) -> list[Scope]:
        found: list[Scope] = []
        waiting = [owner]
        while waiting and len(found) < _DEPTH:
            scope = waiting.pop(0)
            found.append(scope)
            assert isinstance(scope.node, ast.ClassDef)
            bases = [self._named(base) for base in scope.node.bases]
            waiting += [base for base in bases if isinstance(base, Scope) and base not in found]
        return found

    def _parsed(self, annotation: ast.expr) -> ast.expr:
        """An annotation that is text, as an expression."""
        if not (isinstance(annotation, ast.Constant) and isinstance(annotation.value, str)):
            return annotation
        try:
            inner = ast.parse(annotation.value, mode="eval").body
        except SyntaxError:
            return annotation
        for part in ast.walk(inner):
            self.names.scopes[id(part)] = self.names.scope(annotation)
        self.names.keep(inner)
        return inner


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
