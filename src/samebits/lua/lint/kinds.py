"""The kinds of a script's expressions, as far as literals, operators and libraries tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from samebits.lua.lint.script import Binding, LuaScript, bare
from samebits.lua.source import operator_of

if TYPE_CHECKING:
    from tree_sitter import Node

FLOAT, INT, NUMBER = "float", "int", "number"
TEXT, TABLE, FUNCTION, THREAD = "text", "table", "function", "thread"
NUMBERS = frozenset({FLOAT, INT, NUMBER})
_OTHER = "other"
_MOST_DEEP = 24
_LITERALS = {
    "string": TEXT, "table_constructor": TABLE, "function_definition": FUNCTION,
    "function_declaration": FUNCTION, "true": _OTHER, "false": _OTHER, "nil": _OTHER,
}  # fmt: skip
_COMPARED = frozenset({"==", "~=", "<", ">", "<=", ">="})
_BITS = frozenset({"&", "|", "~", "<<", ">>"})
_CALLS = {
    **dict.fromkeys(
        ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "log10", "sqrt",
         "pow", "sinh", "cosh", "tanh", "deg", "rad", "ldexp"), FLOAT,
    ),
    **dict.fromkeys(("floor", "ceil", "tointeger"), INT),
    **dict.fromkeys(("abs", "max", "min", "fmod", "modf"), NUMBER),
}  # fmt: skip
_LIBRARY = {
    **{f"math.{name}": kind for name, kind in _CALLS.items()},
    **dict.fromkeys(
        ("tostring", "type", "table.concat", "string.format", "string.sub", "string.rep",
         "string.upper", "string.lower", "string.reverse", "string.char", "string.gsub",
         "os.date"), TEXT,
    ),
    **dict.fromkeys(("tonumber", "os.clock", "os.time", "string.byte"), NUMBER),
    "setmetatable": TABLE, "coroutine.create": THREAD, "coroutine.wrap": THREAD,
    "string.len": INT,
}  # fmt: skip
_CONSTANTS = {"math.pi": FLOAT, "math.huge": FLOAT, "math.maxinteger": INT, "math.mininteger": INT}


def kind_of(node: Node | None, script: LuaScript, most: int = _MOST_DEEP) -> str | None:
    """float, int, number, text, table, function, thread or other; None where it is not known."""
    node = bare(node)
    if node is None or most == 0:
        return None
    kind = node.type
    if kind in _LITERALS:
        return _LITERALS[kind]
    if kind == "number":
        return FLOAT if is_float_literal(node) else INT
    if kind == "binary_expression":
        return _binary(node, script, most - 1)
    if kind == "unary_expression":
        operator = node.children[0].type
        if operator == "-":
            inner = kind_of(node.child_by_field_name("operand"), script, most - 1)
            return inner if inner in NUMBERS else NUMBER
        return {"#": INT, "not": _OTHER, "~": INT}.get(operator)
    if kind == "function_call":
        name = script.call_name(node)
        if name == "math.random":
            return INT if script.given(node) else FLOAT
        return None if name is None else _LIBRARY.get(name)
    if kind == "dot_index_expression":
        return _CONSTANTS.get(script.qualified(node) or "")
    if kind == "identifier":
        return _variable(node, script, most - 1)
    return None


def is_float_literal(node: Node) -> bool:
    """Whether a number is written as a float: `1.0`, `1e3`, `0x1p4`."""
    text = (node.text or b"").lower()
    return any(c in text for c in ((b".", b"p") if text.startswith(b"0x") else (b".", b"e")))


def _binary(node: Node, script: LuaScript, most: int) -> str | None:
    operator = operator_of(node).type
    if operator == "..":
        return TEXT
    if operator in _COMPARED:
        return _OTHER
    if operator in ("/", "^"):
        return FLOAT
    if operator in _BITS:
        return INT
    left, right = (kind_of(node.child_by_field_name(n), script, most) for n in ("left", "right"))
    if operator in ("and", "or"):
        return left if left == right else None
    if FLOAT in (left, right):
        return FLOAT
    return INT if (left, right) == (INT, INT) else NUMBER


def _variable(node: Node, script: LuaScript, most: int) -> str | None:
    """The kind of all that a variable is assigned; while that is looked at, of its first value."""
    found = script.binding(node)
    if found is None or not found.values or found.kind == "parameter":
        return None
    known = script.once(_kinds)
    if found not in known:
        known[found] = None
        known[found] = kind_of(found.values[0], script, most)
        kinds = {kind_of(value, script, most) for value in found.values}
        if len(kinds) == 1:
            known[found] = kinds.pop()
        elif kinds <= NUMBERS:
            known[found] = FLOAT if FLOAT in kinds else NUMBER
        else:
            known[found] = None
    return known[found]


def _kinds(script: LuaScript) -> dict[Binding, str | None]:
    """The kinds of variables that are known so far."""
    return {}
