"""SL101: loops over the fields of a table in which the order of its hashes decides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from samebits.lint.rule import Confidence
from samebits.lua.lint.kinds import INT, kind_of
from samebits.lua.lint.rule import LuaHit, LuaRule, text_of
from samebits.lua.lint.script import Binding, LuaScript, assigned, bare, inside
from samebits.lua.source import operator_of

if TYPE_CHECKING:
    from tree_sitter import Node

_CONSTANTS = frozenset({"true", "false", "nil", "number", "string"})
_HARMLESS = frozenset({"assert", "error", "math.max", "math.min"})
_NESTED = frozenset({
    "if_statement", "elseif_statement", "else_statement", "do_statement", "while_statement",
    "repeat_statement", "for_statement", "block",
})  # fmt: skip
_Decides = tuple[str, Confidence]


def check(node: Node, script: LuaScript) -> Iterable[LuaHit]:
    if node.type == "for_statement":
        call = _goes_through(node, script)
        if call is not None:
            for what, sure in _deciding(node, script):
                yield call, f"the order of `{text_of(call)}` decides: {what}", sure
                return
    elif script.call_name(node) == "next" and not _asks_for_empty(node):
        yield node, f"`{text_of(node)}` takes a field by the order of hashes"


def _goes_through(loop: Node, script: LuaScript) -> Node | None:
    """The expression of a loop that goes by `pairs` or `next`."""
    clause = loop.child_by_field_name("clause")
    if clause is None or clause.type != "for_generic_clause":
        return None
    found = clause.named_children[1]
    first = found.named_children[0] if found.named_children else None
    if first is None:
        return None
    if first.type == "function_call" and script.call_name(first) == "pairs":
        return first
    return found if script.qualified(first) == "next" else None


def _asks_for_empty(call: Node) -> bool:
    """Whether it only asks if there is a field: `next(t) == nil`, `not next(t)`."""
    above = call.parent
    if above is None:
        return False
    if above.type == "binary_expression" and operator_of(above).type in ("==", "~="):
        return any(n.type == "nil" for n in above.named_children)
    return above.type == "unary_expression" or above.type.startswith(("if_", "elseif_", "while_"))


def _deciding(loop: Node, script: LuaScript) -> Iterator[_Decides]:
    body = loop.child_by_field_name("body")
    if body is None:
        return
    for each in inside(loop):
        if each.type == "function_call" and script.call_name(each) == "math.random":
            yield "each takes the next random number", Confidence.HIGH
    for statement in _statements(body):
        if statement.type == "assignment_statement":
            for target, value in assigned(statement):
                yield from _store(target, value, loop, script)
        elif statement.type == "function_call":
            yield from _call(statement, loop, script)
        elif statement.type == "return_statement":
            given = [n for each in statement.named_children for n in each.named_children]
            if any(n.type not in _CONSTANTS for n in given):
                yield f"the first one ends it with `{text_of(statement)}`", Confidence.HIGH


def _statements(block: Node) -> Iterator[Node]:
    for each in block.named_children:
        if each.type in _NESTED:
            yield from _statements(each)
        else:
            yield each


def _store(target: Node, value: Node | None, loop: Node, script: LuaScript) -> Iterator[_Decides]:
    if _is_own(script.root_binding(target), loop) or _is_by_own_key(target, loop, script):
        return
    value = bare(value)
    if value is None or value.type in _CONSTANTS or _is_harmless(value, target, script):
        return
    if target.type == "bracket_index_expression":
        key = target.child_by_field_name("field")
        if key is not None and _is_behind_last(key):
            table = target.child_by_field_name("table")
            if not _is_sorted(table, loop, script):
                yield f"`{text_of(table)}` becomes a list in it", Confidence.HIGH
            return
        yield f"`{text_of(target)}` keeps what came last", Confidence.MEDIUM
    elif value.type == "binary_expression" and text_of(target) in {
        text_of(n) for n in value.named_children
    }:
        yield f"`{text_of(target)}` is added up in it", Confidence.HIGH
    else:
        yield f"`{text_of(target)}` keeps what came last", Confidence.MEDIUM


def _is_own(found: Binding | None, loop: Node) -> bool:
    """Whether a variable is the loop's, or declared within: each turn has its own."""
    if found is None or found.kind == "global":
        return False
    return loop.start_byte <= found.place.start_byte < loop.end_byte


def _is_by_own_key(target: Node, loop: Node, script: LuaScript) -> bool:
    """Whether it is `out[k]`, where `k` is a loop's variable: no two turns write one."""
    if target.type != "bracket_index_expression":
        return False
    key = script.binding(bare(target.child_by_field_name("field")))
    return key is not None and key.kind == "generic" and _is_own(key, loop)


def _is_behind_last(key: Node) -> bool:
    return key.type == "binary_expression" and key.named_children[0].type == "unary_expression"


def _is_harmless(value: Node, target: Node, script: LuaScript) -> bool:
    """Counting by whole numbers, the largest and the smallest: the same in any order."""
    if value.type == "function_call":
        return script.call_name(value) in _HARMLESS
    if value.type != "binary_expression" or operator_of(value).type not in ("+", "-"):
        return False
    left, right = (value.child_by_field_name(name) for name in ("left", "right"))
    return text_of(left) == text_of(target) and kind_of(right, script) == INT


def _call(call: Node, loop: Node, script: LuaScript) -> Iterator[_Decides]:
    name = script.call_name(call)
    if name == "table.insert":
        given = script.given(call)
        is_own = not given or _is_own(script.root_binding(given[0]), loop)
        if not is_own and not _is_sorted(given[0], loop, script):
            yield f"`{text_of(given[0])}` becomes a list in it", Confidence.HIGH
    elif name not in _HARMLESS and not _is_own(
        script.root_binding(call.child_by_field_name("name")), loop
    ):
        yield f"`{text_of(call)}` is called in it", Confidence.MEDIUM


def _is_sorted(table: Node | None, loop: Node, script: LuaScript) -> bool:
    """Whether the list is sorted behind the loop."""
    return script.last_sorted.get(script.path(table), -1) >= loop.end_byte


PAIRS_ORDER = LuaRule(
    "SL101",
    "pairs-order",
    "`pairs` and `next` go by hashes: those of texts have a new seed in each process of Lua 5.4, "
    "and other versions and engines have others",
    "go through a list by `ipairs`, collect the keys and sort them, or run it in `samebits.lua`, "
    "whose `pairs` sorts",
    ("for_statement", "function_call"),
    check,
)
