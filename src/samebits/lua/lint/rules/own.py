"""SL301 to SL305: what stays to the script, in `samebits.lua` too."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from samebits.lint.rule import Confidence
from samebits.lua.lint.kinds import FLOAT, NUMBER, TEXT, THREAD, is_float_literal, kind_of
from samebits.lua.lint.rule import LuaHit, LuaRule, text_of
from samebits.lua.lint.rules.outside import formatted
from samebits.lua.lint.script import LuaScript, Path, arguments, assigned, bare
from samebits.lua.source import operator_of

if TYPE_CHECKING:
    from tree_sitter import Node

_SURE = {FLOAT: Confidence.HIGH, NUMBER: Confidence.LOW}
_ENOUGH = 17
"""Digits that every float can be read back from."""
_BY_LENGTH = {"table.insert": 2, "table.remove": 1, "table.unpack": 1, "unpack": 1}
"""Functions that go by `#`, with the arguments with which they do."""
_OPERATORS = {
    "//": "LuaJIT has no `//`",
    "&": "LuaJIT has no `&`: `bit.band` has 32 bits",
    "|": "LuaJIT has no `|`: `bit.bor` has 32 bits",
    "~": "LuaJIT has no `~`: `bit.bxor` has 32 bits",
    "<<": "LuaJIT has no `<<`: `bit.lshift` has 32 bits",
    ">>": "LuaJIT has no `>>`: `bit.rshift` has 32 bits",
}
_INTEGERS = frozenset({
    "math.type", "math.tointeger", "math.ult", "math.maxinteger", "math.mininteger",
})  # fmt: skip
_MOST = 1 << 53


def _stored(node: Node) -> list[Node]:
    """What a node keeps in a field: values of fields, texts as keys."""
    if node.type == "assignment_statement":
        return [v for t, v in assigned(node) if v is not None and t.type.endswith("x_expression")]
    name = "field" if node.type == "bracket_index_expression" else "value"
    found = node.child_by_field_name(name)
    return [] if found is None else [found]


def _number_text(node: Node, script: LuaScript) -> Iterable[LuaHit]:
    for value in _stored(node):
        value = bare(value)
        if value is None:
            continue
        sure = _SURE.get(_rounded(value, script) or "")
        if sure is not None:
            yield value, f"`{text_of(value)}` keeps a number as a text", sure


def _rounded(value: Node, script: LuaScript) -> str | None:
    """The kind of a number that a text holds with 14 digits or so; None for none."""
    told: list[Node | None] = []
    if value.type == "binary_expression" and operator_of(value).type == "..":
        left, right = (bare(value.child_by_field_name(n)) for n in ("left", "right"))
        inner = next((k for k in (_rounded(n, script) for n in (left, right) if n) if k), None)
        if inner is not None:
            return inner
        told = [left, right]
    elif value.type == "function_call" and script.call_name(value) == "tostring":
        told = [*script.given(value)]
    for letter, precision, given in formatted(value, script) if value.type != "string" else ():
        if letter in "gGeEf" and (letter == "f" or (precision or 6) < _ENOUGH):
            return FLOAT
        if letter == "s":
            told.append(given)
    kinds = [kind_of(each, script) for each in told if each is not None]
    return FLOAT if FLOAT in kinds else NUMBER if NUMBER in kinds else None


def _holes(node: Node, script: LuaScript) -> Iterable[LuaHit]:
    if node.type == "unary_expression":
        if node.children[0].type != "#":
            return
        table = node.child_by_field_name("operand")
    else:
        name = script.call_name(node) or ""
        given = script.given(node)
        if _BY_LENGTH.get(name) != len(given):
            return
        table = given[0]
    line = script.once(_holed).get(script.path(table))
    if line is not None:
        yield node, f"`{text_of(node)}` asks for the length of a list that line {line} puts nil in"


def _holed(script: LuaScript) -> dict[Path | None, int]:
    """The lines on which lists first get holes; nil behind the last, `t[#t] = nil`, makes none."""
    found: dict[Path | None, int] = {}
    for target, value in script.stores:
        if value is None:
            continue
        path = None
        if value.type == "table_constructor":
            items = [n.named_children for n in value.named_children if n.type == "field"]
            if any(len(n) == 1 and n[0].type == "nil" for n in items[:-1]):
                path = script.path(target)
        elif value.type == "nil" and target.type == "bracket_index_expression":
            key = bare(target.child_by_field_name("field"))
            is_last = key is not None and key.type == "unary_expression"
            if not is_last and kind_of(key, script) != TEXT:
                path = script.path(target.child_by_field_name("table"))
        if path is not None:
            found.setdefault(path, target.start_point[0] + 1)
    return found


def _text_order(node: Node, script: LuaScript) -> Iterable[LuaHit]:
    if operator_of(node).type not in ("<", ">", "<=", ">="):
        return
    if TEXT in {kind_of(node.child_by_field_name(n), script) for n in ("left", "right")}:
        yield node, f"`{text_of(node)}` compares texts by the process's locale"


def _integers(node: Node, script: LuaScript) -> Iterable[LuaHit]:
    if node.type == "number":
        digits = text_of(node)
        if digits.isdecimal() and not is_float_literal(node) and int(digits) > _MOST:
            yield node, f"LuaJIT has floats alone, and none is {digits}"
    elif node.type == "dot_index_expression":
        name = script.qualified(node)
        if name in _INTEGERS:
            yield node, f"LuaJIT has no `{name}`"
    else:
        is_unary = node.type == "unary_expression"
        operator = (node.children[0] if is_unary else operator_of(node)).type
        if operator in _OPERATORS:
            yield node, _OPERATORS[operator]


def _coroutine(node: Node, script: LuaScript) -> Iterable[LuaHit]:
    if node.type == "function_call":
        if script.call_name(node) == "table.insert":
            for value in arguments(node)[1:]:
                if kind_of(value, script) == THREAD:
                    yield value, f"`{text_of(value)}` is kept in a list"
        return
    if node.type == "field":
        value = node.child_by_field_name("value")
        if kind_of(value, script) == THREAD and value is not None:
            yield value, f"`{text_of(value)}` is kept in a field"
        return
    for target, value in assigned(node):
        if value is not None and kind_of(value, script) == THREAD:
            found = script.binding(target)
            if found is None:
                yield value, f"`{text_of(target)}` keeps a coroutine"
            elif found.kind == "global" or found.place.start_byte != target.start_byte:
                yield value, f"`{text_of(target)}` keeps a coroutine", Confidence.MEDIUM


RULES = (
    LuaRule(
        "SL301",
        "number-text",
        "texts of numbers have 14 digits or fewer (`%.14g`), a NaN's has a sign on some "
        "processors, and 3.0 is `3.0` in Lua 5.4 and `3` in LuaJIT",
        "keep the number, and write it where it is shown; `%.17g` keeps a float's bits, `%d` a "
        "whole number",
        ("assignment_statement", "field", "bracket_index_expression"),
        _number_text,
    ),
    LuaRule(
        "SL302",
        "holes",
        "the length of a list with holes depends on how the table was filled, on the version and "
        "on seeds",
        "use `table.remove(t, i)`, or keep a count beside it; `t[#t] = nil` makes no hole",
        ("unary_expression", "function_call"),
        _holes,
        Confidence.MEDIUM,
    ),
    LuaRule(
        "SL303",
        "text-order",
        "Lua compares texts by C's `strcoll`, which follows the locale; LuaJIT by bytes",
        "compare numbers, or leave the locale at C in all hosts",
        ("binary_expression",),
        _text_order,
        Confidence.MEDIUM,
    ),
    LuaRule(
        "SL304",
        "integers",
        "Lua 5.3 and 5.4 have integers of 64 bits, LuaJIT and 5.1 floats alone, with other "
        "operators",
        "write `math.floor(a / b)`, whole numbers up to 2^53, or stay with one engine "
        "and `--ignore SL304`",
        ("binary_expression", "unary_expression", "dot_index_expression", "number"),
        _integers,
        Confidence.MEDIUM,
    ),
    LuaRule(
        "SL305",
        "kept-coroutine",
        "a coroutine's place and locals can be neither hashed nor saved: a rollback goes on from "
        "where it stopped last",
        "keep the step's number in the state and choose by it, or end the coroutine in its frame",
        ("assignment_statement", "field", "function_call"),
        _coroutine,
    ),
)
