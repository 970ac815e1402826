"""The preparation of scripts: `^`, `..` and, for LuaJIT, `%` and `*` become calls of the prelude.

No operator of numbers can be replaced from within Lua: it asks for metamethods where an operand is
no number alone. Every insertion stays on its line, so that lines are the script's own. The parser
is tree-sitter's; that Lua itself takes the script is known before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from samebits.lua.errors import LuaError

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Tree

NAMES = ("__sb_pow", "__sb_cat", "__sb_mod", "__sb_mul", "__sb_trace")
"""What the operators become; the last takes the results of a traced script."""
_HEAD = f"local {','.join(NAMES)}=...;return function(...) "
_TAIL = "\nend"
_CALLS = {"^": "__sb_pow", "%": "__sb_mod", "*": "__sb_mul"}
MOST_BYTES = 8 << 20
"""Bytes of the longest script."""


@cache
def _parser() -> Parser:
    try:
        import tree_sitter
        import tree_sitter_lua
    except ImportError as error:
        raise LuaError(
            f"Lua scripts cannot be read: {error}", fix="pip install samebits[lua]"
        ) from None
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_lua.language()))


def parse(text: bytes) -> Tree:
    """The syntax tree of a script. Raises LuaError where the parser is missing."""
    return _parser().parse(text)


def nodes(tree: Tree) -> Iterator[Node]:
    """Every node, parents before children, in the order of the text."""
    waiting = [tree.root_node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(node.children))


@dataclass
class _Edits:
    """Texts put into a script: before what begins at a place, behind what ends there, and in place
    of an operator. Outer ones open before and close behind inner ones."""

    opening: dict[int, list[bytes]] = field(default_factory=dict[int, "list[bytes]"])
    closing: dict[int, list[bytes]] = field(default_factory=dict[int, "list[bytes]"])
    instead: dict[int, tuple[int, bytes]] = field(default_factory=dict[int, tuple[int, bytes]])

    def around(self, node: Node, before: bytes, after: bytes) -> None:
        self.opening.setdefault(node.start_byte, []).append(before)
        self.closing.setdefault(node.end_byte, []).insert(0, after)

    def replace(self, node: Node, text: bytes) -> None:
        self.instead[node.start_byte] = node.end_byte, text

    def applied(self, text: bytes) -> bytes:
        places = sorted({*self.opening, *self.closing, *self.instead})
        parts: list[bytes] = []
        at = 0
        for place in places:
            parts.append(text[at:place])
            at = place
            parts += [*self.closing.get(place, ()), *self.opening.get(place, ())]
            if place in self.instead:
                at, new = self.instead[place]
                parts.append(new)
        parts.append(text[at:])
        return b"".join(parts)


def prepare(
    text: bytes, name: str, operators: frozenset[str], first_site: int | None = None
) -> bytes:
    """The script as it is loaded, with the same lines.

    `operators` are those of numbers that become calls, an engine's; a product with a positive
    number that is written out stays as it is. With `first_site` each place of `traced_sites` tells
    what it computes, numbered from there on. Raises LuaError where a name is one of
    the prelude's, or the parser does not follow the script.
    """
    text = without_head(text)
    tree = parsed(text, name)
    edits = _Edits()
    site = first_site
    for node in nodes(tree):
        if site is not None and _is_traced(node):
            _traced(node, site, edits)
            site += 1
        elif node.type == "binary_expression":
            _operator(node, operators, edits)
    return _HEAD.encode() + edits.applied(text) + _TAIL.encode()


def without_head(text: bytes) -> bytes:
    """A script without what Lua passes over in files: a byte order mark, a line that begins with
    `#`, which becomes a comment."""
    text = text.removeprefix(b"\xef\xbb\xbf")
    return b"--" + text if text.startswith(b"#") else text


def parsed(text: bytes, name: str) -> Tree:
    """The tree of a script that holds none of the prelude's names. Raises LuaError."""
    if len(text) > MOST_BYTES:
        raise LuaError(f"{name} is larger than {MOST_BYTES >> 20} MiB")
    tree = parse(text)
    for node in nodes(tree):
        if node.is_error or node.is_missing:
            line = node.start_point[0] + 1
            raise LuaError(
                f"{name}:{line}: the script cannot be prepared: its parser does not follow this",
                fix="write the statement in another way, one to a line",
            )
        if node.type == "identifier" and node.text is not None and node.text.startswith(b"__sb_"):
            raise LuaError(
                f"{name}:{node.start_point[0] + 1}: names that begin with __sb_ are samebits'",
                fix="give it another name",
            )
    return tree


def operator_of(node: Node) -> Node:
    """The operator's own node of a binary expression."""
    found = node.child_by_field_name("operator")
    if found is not None:
        return found
    return next(child for child in node.children if not child.is_named and child.type != "comment")


def _operator(node: Node, wanted: frozenset[str], edits: _Edits) -> None:
    operator = operator_of(node)
    if operator.type == "*" and any(_is_positive(child) for child in node.children):
        return
    if operator.type in wanted:
        edits.around(node, f" {_CALLS[operator.type]}(".encode(), b")")
        edits.replace(operator, b",")
    elif operator.type == "..":
        edits.replace(operator, b",")
        if not _is_concatenation(node.parent) or _is_first(node):
            edits.around(node, b" __sb_cat(", b")")
        last = node.children[-1]
        if not _is_concatenation(last):
            edits.around(last, b"(", b")")


def _is_positive(node: Node) -> bool:
    """Whether it is a number above zero, written out: no product with it loses a zero's sign."""
    try:
        return node.type == "number" and float(node.text or b"0") > 0
    except ValueError:  # a hexadecimal one
        return False


def _is_first(node: Node) -> bool:
    return node.parent is not None and node.parent.children[0] == node


def _is_concatenation(node: Node | None) -> bool:
    return node is not None and node.type == "binary_expression" and operator_of(node).type == ".."


@dataclass(frozen=True, slots=True)
class Site:
    """A place of a script that a traced one tells of: an operator of numbers, a call of math."""

    file: str
    line: int
    column: int
    """In bytes, from 0."""
    text: str


_ARITHMETIC = frozenset({"+", "-", "*", "/", "%", "^", "//"})
_TRACED_CALLS = frozenset({
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "log10", "sqrt", "pow",
    "fmod", "modf", "sinh", "cosh", "tanh", "random", "deg", "rad",
})  # fmt: skip
_TOLD = 60


def traced_sites(text: bytes, name: str) -> list[Site]:
    """The places of a script that are traced, in the order of their numbers. Raises LuaError."""
    text = without_head(text)
    return [
        Site(name, node.start_point[0] + 1, node.start_point[1], _said(node))
        for node in nodes(parsed(text, name))
        if _is_traced(node)
    ]


def _said(node: Node) -> str:
    said = " ".join((node.text or b"").decode(errors="replace").split())
    return said if len(said) <= _TOLD else f"{said[: _TOLD - 1]}…"


def _is_traced(node: Node) -> bool:
    if node.type == "binary_expression":
        return operator_of(node).type in _ARITHMETIC
    if node.type != "function_call":
        return False
    callee, arguments = node.children[0], node.children[-1]
    if callee.type not in ("identifier", "dot_index_expression") or arguments.type != "arguments":
        return False
    last = (callee.text or b"").decode(errors="replace").rpartition(".")[2]
    return last in _TRACED_CALLS and arguments.children[0].type == "("


def _traced(node: Node, site: int, edits: _Edits) -> None:
    if node.type == "binary_expression":
        operator = operator_of(node)
        edits.around(node, f' {NAMES[-1]}({site},"{operator.type}",'.encode(), b")")
        edits.replace(operator, b",")
        return
    arguments = node.children[-1]
    edits.around(node, f' {NAMES[-1]}({site},"call",'.encode(), b"")
    edits.replace(arguments.children[0], b"," if arguments.named_child_count else b"")
