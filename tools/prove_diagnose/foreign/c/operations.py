"""Operations of the IR as expressions of C, by a table of templates."""

from __future__ import annotations

from collections.abc import Callable

from tools.prove_diagnose.foreign.c.node import Node
from tools.prove_diagnose.foreign.c.style import Style
from tools.prove_diagnose.foreign.c.types import base, is_flat, scalar, short, view, width, word

from samebits.ir.grammar import Op
from samebits.types import (
    ArrayType,
    FixedArrayType,
    Kind,
    RefType,
    ScalarType,
    StructType,
)

_BINARY = {"add": "+", "sub": "-", "mul": "*", "div": "/", "and": "&", "or": "|", "xor": "^"}
_COMPARED = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_OF_INT = ("floordiv", "mod", "shl", "shr", "rotl", "rotr", "popcount", "clz", "ctz")
_OF_FLOAT = {"sqrt": "sqrt", "floor": "floor", "ceil": "ceil", "trunc": "trunc", "round": "rint",
             "copysign": "copysign", "fma": "fma"}  # fmt: skip
ROUNDS = {"add", "sub", "mul", "div", "sqrt", "fma", "muladd", "min", "max", "convert", "neg"}


class Unsupported(Exception):
    """An operation that has no plain form in C."""


def _suffix(t: ScalarType, style: Style) -> str:
    return "f" if t.bits == 32 and not style.doubles else ""


def constant(t: ScalarType, value: object, style: Style) -> str:
    """A literal."""
    s = t.storage
    if s.kind is Kind.BOOL:
        return "true" if value else "false"
    if not s.is_float:
        assert isinstance(value, int)
        if s.bits == 64:
            if value == -(1 << 63):
                return "INT64_MIN"
            return f"INT64_C({value})" if s.is_signed else f"UINT64_C({value})"
        return f"(({scalar(t)}){value}{'' if s.is_signed else 'u'})"
    number = float(value)  # type: ignore[arg-type]
    if number != number:
        return f"(({scalar(t)})NAN)"
    if number in (float("inf"), float("-inf")):
        return "INFINITY" if number > 0 else "(-INFINITY)"
    suffix = "f" if s.bits == 32 and style.constants != "bare" and not style.doubles else ""
    if style.constants == "hex":
        text = number.hex()
    elif s.bits == 32:
        text = _shortest(number)
    else:
        text = repr(number)
    if "." not in text and "e" not in text and "p" not in text:
        text += ".0"
    return f"({text}{suffix})" if number < 0 or text.startswith("-") else f"{text}{suffix}"


def _shortest(number: float) -> str:
    """The shortest decimal of a float32."""
    import numpy as np

    return str(np.format_float_positional(np.float32(number), unique=True, trim="0")) if (
        1e-5 < abs(number) < 1e9 or number == 0) else str(
        np.format_float_scientific(np.float32(number), unique=True, trim="0"))  # fmt: skip


def node(op: Op, parts: tuple[Node, ...], style: Style) -> Node:
    """An operation that has one result and does nothing else."""
    made = _made(op, parts, style)
    if op.opcode in ROUNDS and _rounds(op):
        made.rounds = True
    made.lines |= {op.span.line}
    if op.opcode == "load":
        made.memory = True
    return made


def _rounds(op: Op) -> bool:
    t = op.result.type
    if not isinstance(t, ScalarType) or not t.storage.is_float:
        return False
    if op.opcode == "convert":
        source = op.args[0].type
        assert isinstance(source, ScalarType)
        return not source.storage.is_float or source.bits > t.bits
    return True


def _made(op: Op, parts: tuple[Node, ...], style: Style) -> Node:
    t, code = op.result.type, op.opcode
    if code in _ADDRESSES:
        return _ADDRESSES[code](op, parts)
    assert isinstance(t, ScalarType)
    is_float = t.storage.is_float
    first = op.args[0].type if op.args else t
    if code == "const":
        text = constant(t, op.attr, style).replace("{", "{{")
        return Node(t, text, constant=True)
    if code == "load":
        return Node(t, parts[0].pointed().replace("{", "{{").replace("}", "}}"),
                    slots=parts[0].slots, memory=True, lines=parts[0].lines)  # fmt: skip
    if code == "length":
        return Node(t, f"{{0}}.n{op.attr}", parts)
    if code in _BINARY:
        text = f"({{0}} {_BINARY[code]} {{1}})"
        if not is_float and t.storage.bits < 32 and code in ("add", "sub", "mul"):
            text = f"(({scalar(t)}){text})"
        return Node(t, text, parts)
    if code == "muladd":
        return Node(t, "({0} * {1} + {2})", parts)
    if code in _COMPARED:
        return Node(t, f"({{0}} {_COMPARED[code]} {{1}})", parts)
    if code in _OF_INT:
        return Node(t, called(f"sb_{code}_{short(t)}", len(parts)), parts)
    if code in _OF_FLOAT:
        return Node(t, called(_OF_FLOAT[code] + _suffix(t, style), len(parts)), parts)
    if code == "product_error":
        return Node(t, called(f"sb_product_error_{short(t)}", 2), parts)
    if code in ("min", "max"):
        if style.extremes == "ternary" or (style.doubles and is_float):
            sign = "<" if code == "min" else ">"
            return Node(t, f"({{0}} {sign} {{1}} ? {{0}} : {{1}})", parts)
        return Node(t, called(f"sb_{code}_{short(t)}", 2), parts)
    if code == "neg":
        text = "(-{0})" if is_float or t.storage.bits >= 32 else f"(({scalar(t)})-{{0}})"
        return Node(t, text, parts)
    if code == "abs":
        return Node(t, f"fabs{_suffix(t, style)}({{0}})" if is_float
                    else f"sb_abs_{short(t)}({{0}})", parts)  # fmt: skip
    if code == "not":
        return Node(t, "(!{0})" if t.storage.kind is Kind.BOOL else f"(({scalar(t)})~{{0}})", parts)
    if code in ("likely", "unlikely"):
        return Node(t, "{0}", parts)
    if code == "select":
        return Node(t, "({0} ? {1} : {2})", parts)
    if code in ("convert", "narrow"):
        assert isinstance(first, ScalarType)
        if t.storage.kind is Kind.BOOL:
            return Node(t, "({0} != 0)", parts)
        if first.storage.is_float and not is_float:
            return Node(t, f"sb_to_{short(t)}({{0}})", parts)
        if style.doubles and is_float and first.storage.is_float:
            return Node(t, "{0}", parts)
        if style.doubles and is_float:
            return Node(t, "((double){0})", parts)
        if scalar(first) == scalar(t):
            return Node(t, "{0}", parts)
        return Node(t, f"(({scalar(t)}){{0}})", parts)
    if code == "bitcast":
        assert isinstance(first, ScalarType)
        if is_float:
            return Node(t, f"sb_from_{short(t)}({{0}})", parts)
        if first.storage.is_float:
            return Node(t, f"(({scalar(t)})sb_bits_{short(first)}({{0}}))", parts)
        return Node(t, f"(({scalar(t)}){{0}})", parts)
    raise Unsupported(f"{code} in {op.span.file}:{op.span.line}")


def called(name: str, count: int) -> str:
    return f"{name}({', '.join(f'{{{i}}}' for i in range(count))})"


def _field(op: Op, parts: tuple[Node, ...]) -> Node:
    ref = op.args[0].type
    assert isinstance(ref, RefType)
    assert isinstance(ref.target, StructType)
    name = word(str(op.attr)) + "_"
    if is_flat(ref.target.field_types[str(op.attr)]):
        return Node(op.result.type, f"{{0}}->{name}", parts)
    return Node(op.result.type, f"(&{{0}}->{name})", parts, place=f"{{0}}->{name}")


def _component(op: Op, parts: tuple[Node, ...]) -> Node:
    return Node(op.result.type, f"({{0}} + {op.attr})", parts, place=f"{{0}}[{op.attr}]")


def _element(op: Op, parts: tuple[Node, ...]) -> Node:
    holder = op.args[0].type
    if isinstance(holder, ArrayType):
        element, start = holder.element, "{0}.p"
        lengths = [f"{{0}}.n{i}" for i in range(holder.ndim)]
    else:
        assert isinstance(holder, RefType)
        assert isinstance(holder.target, FixedArrayType)
        element, start = holder.target.element, "{0}"
        lengths = [str(n) for n in holder.target.shape]
    at = "{1}"
    for i in range(1, len(lengths)):
        at = f"({at} * {lengths[i]} + {{{i + 1}}})"
    step = width(element)
    if is_flat(element):
        return Node(op.result.type, f"({start} + {at} * {step})", parts)
    return Node(op.result.type, f"(&{start}[{at}])", parts, place=f"{start}[{at}]")


def _view(op: Op, parts: tuple[Node, ...]) -> Node:
    t, ref = op.result.type, op.args[0].type
    assert isinstance(t, ArrayType)
    assert isinstance(ref, RefType)
    assert isinstance(ref.target, FixedArrayType)
    shape = ", ".join(map(str, ref.target.shape))
    return Node(t, f"(({view(t)}){{{{{{0}}, {shape}}}}})", parts)


def _row(op: Op, parts: tuple[Node, ...]) -> Node:
    t = op.result.type
    assert isinstance(t, ArrayType)
    count = " * ".join(f"{{0}}.n{i + 1}" for i in range(t.ndim))
    lengths = ", ".join(f"{{0}}.n{i + 1}" for i in range(t.ndim))
    step = width(t.element)
    return Node(t, f"(({view(t)}){{{{{{0}}.p + {{1}} * {count} * {step}, {lengths}}}}})", parts)


def _slice(op: Op, parts: tuple[Node, ...]) -> Node:
    t = op.result.type
    assert isinstance(t, ArrayType)
    count = "".join(f" * {{0}}.n{i}" for i in range(1, t.ndim))
    lengths = "".join(f", {{0}}.n{i}" for i in range(1, t.ndim))
    length = "({2} > {1} ? {2} - {1} : 0)"
    step = width(t.element)
    return Node(
        t, f"(({view(t)}){{{{{{0}}.p + {{1}}{count} * {step}, {length}{lengths}}}}})", parts
    )


def _flat(op: Op, parts: tuple[Node, ...]) -> Node:
    t, held = op.result.type, op.args[0].type
    assert isinstance(t, ArrayType)
    assert isinstance(held, ArrayType)
    return Node(t, f"(({view(t)}){{{{{{0}}.p, {{0}}.n0 * {width(held.element)}}}}})", parts)


def _local(op: Op, parts: tuple[Node, ...]) -> Node:
    t = op.result.type
    assert isinstance(t, RefType)
    name = word(str(op.attr)) + "_m"
    return Node(t, name if is_flat(t.target) else f"(&{name})",
                place="" if is_flat(t.target) else name)  # fmt: skip


def _table(op: Op, parts: tuple[Node, ...]) -> Node:
    t = op.result.type
    assert isinstance(t, RefType)
    return Node(t, f"(({base(t.target)} *)tab_{word(str(op.attr))})")


def _apart(op: Op, parts: tuple[Node, ...]) -> Node:
    raise Unsupported("apart")


_ADDRESSES: dict[str, Callable[[Op, tuple[Node, ...]], Node]] = {
    "field": _field, "component": _component, "element": _element, "view": _view, "row": _row,
    "slice": _slice, "flat": _flat, "local": _local, "table": _table, "apart": _apart,
}  # fmt: skip
