"""SL102 to SL108: what plain Lua takes from C's library, from clocks and from addresses."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from samebits.lint.rule import Confidence
from samebits.lua.lint.kinds import FLOAT, INT, kind_of
from samebits.lua.lint.rule import LuaHit, LuaRule, text_of
from samebits.lua.lint.script import LuaScript, bare, inside
from samebits.lua.source import operator_of

if TYPE_CHECKING:
    from tree_sitter import Node

_LIBM = frozenset({
    f"math.{name}" for name in (
        "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "log10", "sinh",
        "cosh", "tanh",
    )
})  # fmt: skip
_CASES = frozenset({"string.upper", "string.lower"})
_MOST_EXACT = 53
"""Bits that a float holds."""


def _libm(node: Node, script: LuaScript) -> Iterable[LuaHit]:
    name = script.qualified(node)
    if name in _LIBM and not _is_alias(node):
        yield node, f"`{name}` is the C library's"


def _is_alias(node: Node) -> bool:
    """Whether it only gets another name, `local sin = math.sin`: the uses are told of."""
    above = node.parent and node.parent.parent
    return node.parent is not None and (
        node.parent.type == "variable_list"
        or (
            above is not None
            and above.type == "assignment_statement"
            and above.parent is not None
            and above.parent.type == "variable_declaration"
        )
    )


def _power(node: Node, script: LuaScript) -> Iterable[LuaHit]:
    if node.type == "function_call":
        if script.call_name(node) == "math.pow":
            yield node, "`math.pow` is the C library's"
        return
    if operator_of(node).type != "^":
        return
    base, exponent = (bare(node.child_by_field_name(n)) for n in ("left", "right"))
    if text_of(exponent) == "2":
        yield node, "`^` is the C library's `pow` in Lua before 5.4", Confidence.LOW
    elif not (_is_two(base) and kind_of(exponent, script) == INT) and not _is_exact(base, exponent):
        yield node, "`^` is the C library's `pow`"


def _is_two(node: Node | None) -> bool:
    return text_of(node) in ("2", "2.0")


def _is_exact(base: Node | None, exponent: Node | None) -> bool:
    """Whether a power of literals is a whole number that a float holds, as `10 ^ 3`."""
    texts = text_of(base), text_of(exponent)
    if not all(t.isascii() and t.isdecimal() and len(t) < 4 for t in texts):
        return False
    return int(texts[0]).bit_length() * int(texts[1]) <= _MOST_EXACT


def _random(node: Node, script: LuaScript) -> Iterable[LuaHit]:
    name = script.call_name(node)
    if name == "math.randomseed":
        if not script.given(node):
            yield node, "`math.randomseed()` takes a seed from the clock and an address"
    elif name == "math.random":
        if _has_seed(script):
            yield node, "each version of Lua has a generator of its own", Confidence.LOW
        else:
            yield node, "`math.random` has a seed from the clock and an address"


def _has_seed(script: LuaScript) -> bool:
    return any(script.given(n) for n in script.calls.get("math.randomseed", ()))


def _compared(node: Node, script: LuaScript) -> tuple[Node, list[Node]] | None:
    """The comparator of a `table.sort`, and what it returns."""
    if script.call_name(node) != "table.sort":
        return None
    given = script.given(node)
    function = bare(given[1]) if len(given) > 1 else None
    found = script.binding(function)
    if found is not None:
        function = found.values[0] if len(found.values) == 1 else None
    if function is None or function.type not in ("function_definition", "function_declaration"):
        return None
    body = function.child_by_field_name("body")
    if body is None:
        return None
    returned = [n for n in inside(body) if n.type == "return_statement"]
    return given[1], [bare(e) or e for r in returned for n in r.named_children
                      for e in n.named_children]  # fmt: skip


def _tied(node: Node, script: LuaScript) -> Iterable[LuaHit]:
    found = _compared(node, script)
    if found is None or len(found[1]) != 1:
        return
    value = found[1][0]
    if value.type == "binary_expression" and operator_of(value).type in ("<", ">"):
        sides = [bare(n) for n in value.named_children]
        if all(n is not None and n.type != "identifier" for n in sides):
            yield found[0], f"nothing but `{text_of(value)}` orders it: ties fall anyhow"


def _inconsistent(node: Node, script: LuaScript) -> Iterable[LuaHit]:
    found = _compared(node, script)
    for value in () if found is None else found[1]:
        if value.type == "binary_expression" and operator_of(value).type in ("<=", ">="):
            yield value, f"`{text_of(value)}` says of equals that each is before the other"


def _case(node: Node, script: LuaScript) -> Iterable[LuaHit]:
    name = script.call_name(node)
    if name in _CASES:
        yield node, f"`{name}` goes by the process's locale"


def _remainder(node: Node, script: LuaScript) -> Iterable[LuaHit]:
    is_float = operator_of(node).type == "%" and kind_of(node, script) == FLOAT
    if is_float and not _is_power_of_two(node):
        yield node, "`%` of floats has other bits in LuaJIT"


def _is_power_of_two(node: Node) -> bool:
    """Whether the remainder is by 1, 2, 4 …, which all compute exactly."""
    text = text_of(bare(node.child_by_field_name("right"))).removesuffix(".0")
    return text.isdecimal() and int(text) > 0 and not int(text) & (int(text) - 1)


RULES = (
    LuaRule(
        "SL102",
        "libm",
        "C libraries round these functions differently: glibc, musl, Apple's and Microsoft's have "
        "other bits for some arguments",
        "run it in `samebits.lua`, or a host that is linked with libsbmath: "
        "`samebits build --math-library`",
        ("dot_index_expression", "identifier"),
        _libm,
    ),
    LuaRule(
        "SL103",
        "power",
        "`^` calls C's `pow`, which C libraries round differently, and engines treat some "
        "exponents in ways of their own",
        "write `x * x`, `math.sqrt(x)` for `x ^ 0.5`, or run it in `samebits.lua`, or a host that "
        "is linked with libsbmath",
        ("binary_expression", "function_call"),
        _power,
    ),
    LuaRule(
        "SL104",
        "random",
        "Lua 5.4 seeds `math.random` anew in each process, Lua 5.1 to 5.3 ask C's `rand`, LuaJIT "
        "has another generator",
        "run it in `samebits.lua`, whose host gives the seed, or keep a generator in the state",
        ("function_call",),
        _random,
    ),
    LuaRule(
        "SL105",
        "tied-sort",
        "`table.sort` is not stable, takes pivots by the clock in large tables, and differs "
        "between versions: equals come in any order",
        "compare something that no two share where they are equal: "
        "`if a.k ~= b.k then return a.k < b.k end return a.id < b.id`",
        ("function_call",),
        _tied,
        Confidence.MEDIUM,
    ),
    LuaRule(
        "SL106",
        "inconsistent-comparator",
        "a comparator that holds for equals is none: `table.sort` raises an error for some tables, "
        "or gives an order of its own, by version",
        "write `<` or `>`",
        ("function_call",),
        _inconsistent,
    ),
    LuaRule(
        "SL107",
        "locale-case",
        "C's `toupper` and `tolower` follow the locale, which a host or its libraries may set",
        "keep names in one case, or run it in `samebits.lua`, where these are of ASCII",
        ("function_call",),
        _case,
        Confidence.MEDIUM,
    ),
    LuaRule(
        "SL108",
        "float-remainder",
        "LuaJIT and Lua 5.1 round `a - floor(a/b)*b` three times, Lua 5.3 and 5.4 ask C's `fmod`, "
        "which is exact",
        "write `math.fmod(a, b)` for numbers of one sign, or run it in `samebits.lua`, where "
        "`%` is Lua 5.4's",
        ("binary_expression",),
        _remainder,
        Confidence.MEDIUM,
    ),
)
