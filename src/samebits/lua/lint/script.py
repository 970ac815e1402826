"""The names of a script, resolved: locals by block, globals, and functions of libraries.

Owns bindings. Knows nothing of values' kinds or of hazards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from samebits.lua.source import nodes

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

_T = TypeVar("_T")
_MOST_ALIASES = 8
_FUNCTIONS = ("function_declaration", "function_definition")
_BLOCKS = ("do_statement", "while_statement", "else_statement", "elseif_statement")
STRING_METHODS = frozenset({
    "byte", "find", "format", "gmatch", "gsub", "len", "lower", "match", "pack", "rep", "reverse",
    "sub", "upper",
})  # fmt: skip
"""Methods that are taken for those of texts."""

Path = tuple[object, ...]
"""A variable's binding and the names of the fields from there on."""


@dataclass(eq=False, slots=True)
class Binding:
    """A local, parameter, loop variable or global, with what it is assigned."""

    name: str
    kind: str
    """local, parameter, numeric, generic or global."""
    place: Node
    values: list[Node | None] = field(default_factory=list["Node | None"])
    """All values it is assigned; None for an unknown one."""


class LuaScript:
    """A script's tree with its names. Raises RecursionError where it is nested too deeply."""

    def __init__(self, tree: Tree) -> None:
        self.root = tree.root_node
        self.bound: dict[int, Binding] = {}
        """The binding of an identifier, by the node's identity."""
        self._globals: dict[str, Binding] = {}
        self._walk(self.root, {})
        self.all = list(nodes(tree))
        self._known: dict[object, Any] = {}

    def once(self, asked: Callable[[LuaScript], _T]) -> _T:
        """What a rule asks of the whole script, computed once."""
        if asked not in self._known:
            self._known[asked] = asked(self)
        return self._known[asked]

    @cached_property
    def calls(self) -> dict[str, list[Node]]:
        """The calls of each function of a library, in the order of the text."""
        found: dict[str, list[Node]] = {}
        for node in self.all:
            name = self.call_name(node) if node.type == "function_call" else None
            if name is not None:
                found.setdefault(name, []).append(node)
        return found

    @cached_property
    def last_sorted(self) -> dict[Path | None, int]:
        """Where each list is sorted last, in bytes."""
        sorts = ((self.given(n), n.start_byte) for n in self.calls.get("table.sort", ()))
        places = {self.path(given[0]): at for given, at in sorts if given}
        places.pop(None, None)
        return places

    @cached_property
    def stores(self) -> list[tuple[Node, Node | None]]:
        """The targets and values of all assignments and declarations."""
        return [pair for n in self.all if n.type == "assignment_statement" for pair in assigned(n)]

    def binding(self, node: Node | None) -> Binding | None:
        """What an identifier is bound to; None for all other nodes."""
        return None if node is None else self.bound.get(node.id)

    def qualified(self, node: Node | None, most: int = _MOST_ALIASES) -> str | None:
        """The name of a library's function, `math.sin`, through locals that stand for it."""
        node = bare(node)
        if node is None or most == 0:
            return None
        if node.type == "identifier":
            found = self.binding(node)
            if found is None:
                return None
            if found.kind == "global":
                return None if found.values else found.name
            if found.kind == "local" and len(found.values) == 1:
                return self.qualified(found.values[0], most - 1)
            return None
        if node.type == "dot_index_expression":
            table = self.qualified(node.child_by_field_name("table"), most - 1)
            name = _text(node.child_by_field_name("field"))
            if table is None:
                return None
            return name if table == "_G" else f"{table}.{name}"
        is_call = node.type == "function_call"
        if is_call and self.qualified(called(node), most - 1) == "require":
            given = arguments(node)
            return string_of(given[0]) if len(given) == 1 else None
        return None

    def call_name(self, node: Node) -> str | None:
        """What a call calls: `math.sin`, and `string.upper` for `s:upper()`."""
        name = called(node)
        if name is not None and name.type == "method_index_expression":
            method = _text(name.child_by_field_name("method"))
            return f"string.{method}" if method in STRING_METHODS else None
        return self.qualified(name)

    def given(self, node: Node) -> list[Node]:
        """A call's arguments, with the text of a method call of texts first."""
        name = called(node)
        found = arguments(node)
        if name is not None and name.type == "method_index_expression":
            table = name.child_by_field_name("table")
            return found if table is None else [table, *found]
        return found

    def path(self, node: Node | None) -> Path | None:
        """What tells a variable or a field of one from others: `state.list`."""
        node = bare(node)
        if node is None:
            return None
        if node.type == "identifier":
            found = self.binding(node)
            return None if found is None else (found,)
        if node.type == "dot_index_expression":
            table = self.path(node.child_by_field_name("table"))
            return table and (*table, _text(node.child_by_field_name("field")))
        return None

    def root_binding(self, node: Node | None) -> Binding | None:
        """The variable that a field of a field is reached by."""
        node = bare(node)
        while node is not None and node.type.endswith("index_expression"):
            node = bare(node.child_by_field_name("table"))
        return self.binding(node)

    def _walk(self, node: Node, scope: dict[str, Binding]) -> None:
        """Bind the names of a node in the order of the text; `scope` takes up its locals."""
        kind = node.type
        if kind == "identifier":
            self.bound[node.id] = self._find(node, scope)
        elif kind in ("dot_index_expression", "method_index_expression"):
            self._walk(node.named_children[0], scope)
        elif kind == "field":
            self._field(node, scope)
        elif kind == "variable_declaration":
            self._declaration(node, scope)
        elif kind == "assignment_statement":
            self._children(node, scope)
            for target, value in assigned(node):
                found = self.binding(target)
                if found is not None:
                    found.values.append(value)
        elif kind in _FUNCTIONS:
            self._function(node, scope)
        elif kind == "for_statement":
            self._loop(node, scope)
        elif kind in ("goto_statement", "label_statement", "attribute"):
            pass
        elif kind == "repeat_statement" or kind in _BLOCKS:
            self._children(node, {**scope})
        elif kind == "if_statement":
            inner = {**scope}
            for child in node.named_children:
                self._walk(child, {**inner} if child.type == "block" else inner)
        else:
            self._children(node, scope)

    def _children(self, node: Node, scope: dict[str, Binding]) -> None:
        for child in node.named_children:
            self._walk(child, scope)

    def _find(self, node: Node, scope: dict[str, Binding]) -> Binding:
        name = _text(node)
        if name in scope:
            return scope[name]
        return self._globals.setdefault(name, Binding(name, "global", node))

    def _field(self, node: Node, scope: dict[str, Binding]) -> None:
        """A field of a constructor: `x = 1` names no variable, `[x] = 1` does."""
        name = node.child_by_field_name("name")
        is_key = name is not None and node.children[0].type != "["
        for child in node.named_children:
            if not (is_key and child == name):
                self._walk(child, scope)

    def _bind(self, node: Node, kind: str, scope: dict[str, Binding], *values: Node | None) -> None:
        made = Binding(_text(node), kind, node, list(values))
        scope[made.name] = self.bound[node.id] = made

    def _declaration(self, node: Node, scope: dict[str, Binding]) -> None:
        (inner,) = [each for each in node.named_children if each.type != "comment"]
        if inner.type != "assignment_statement":
            for name in (each for each in inner.named_children if each.type == "identifier"):
                self._bind(name, "local", scope)
            return
        pairs = assigned(inner)
        for child in inner.named_children:
            if child.type == "expression_list":
                self._walk(child, scope)
        for name, value in pairs:
            self._bind(name, "local", scope, value)

    def _function(self, node: Node, scope: dict[str, Binding]) -> None:
        name = node.child_by_field_name("name")
        if name is not None:
            if node.children[0].type == "local":
                self._bind(name, "local", scope, node)
            else:
                self._walk(name, scope)
                found = self.binding(name)
                if found is not None:
                    found.values.append(node)
        inner = {**scope}
        if name is not None and name.type == "method_index_expression":
            inner["self"] = Binding("self", "parameter", node)
        parameters = node.child_by_field_name("parameters")
        for each in () if parameters is None else parameters.named_children:
            if each.type == "identifier":
                self._bind(each, "parameter", inner)
        body = node.child_by_field_name("body")
        if body is not None:
            self._walk(body, inner)

    def _loop(self, node: Node, scope: dict[str, Binding]) -> None:
        clause = node.child_by_field_name("clause")
        inner = {**scope}
        if clause is not None and clause.type == "for_numeric_clause":
            name = clause.child_by_field_name("name")
            values = [each for each in clause.named_children if each != name]
            for each in values:
                self._walk(each, scope)
            if name is not None:
                self._bind(name, "numeric", inner, *(values[:1] + values[2:]))
        elif clause is not None:
            variables, *rest = clause.named_children
            for each in rest:
                self._walk(each, scope)
            for each in variables.named_children:
                self._bind(each, "generic", inner)
        body = node.child_by_field_name("body")
        if body is not None:
            self._walk(body, inner)


def _text(node: Node | None) -> str:
    return "" if node is None or node.text is None else node.text.decode(errors="replace")


def bare(node: Node | None) -> Node | None:
    """An expression without its parentheses."""
    while node is not None and node.type == "parenthesized_expression" and node.named_children:
        node = node.named_children[0]
    return node


def called(node: Node) -> Node | None:
    """What stands before a call's arguments."""
    return bare(node.child_by_field_name("name"))


def arguments(node: Node) -> list[Node]:
    """The arguments of a call, without comments."""
    found = node.child_by_field_name("arguments")
    return [] if found is None else [n for n in found.named_children if n.type != "comment"]


def string_of(node: Node | None) -> str | None:
    """The text of a literal; None for all else."""
    node = bare(node)
    if node is None or node.type != "string":
        return None
    return _text(node.child_by_field_name("content"))


def assigned(node: Node) -> list[tuple[Node, Node | None]]:
    """The targets of an assignment with their values; None where a call gives several."""
    lists = {each.type: each for each in node.named_children}
    targets = [
        n for n in lists["variable_list"].named_children if n.type not in ("attribute", "comment")
    ]
    values: list[Node | None] = [
        n for n in lists["expression_list"].named_children if n.type != "comment"
    ]
    last = values[-1] if values else None
    if len(targets) > len(values) and last is not None:
        many = last.type in ("function_call", "vararg_expression")
        values = [*(values[:-1] if many else values), *[None] * len(targets)]
    return list(zip(targets, values, strict=False))


def inside(node: Node) -> Iterator[Node]:
    """A node and all below it, but not what functions in it do later."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        yield each
        if each.type not in _FUNCTIONS:
            waiting.extend(reversed(each.named_children))
