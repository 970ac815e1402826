"""C expressions: text, how tightly it binds, and what it must not be moved past.

Owns how an operation on scalars is written. Knows nothing of statements.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from samebits.errors import SamebitsError
from samebits.export.plain_c.c_types import scalar_name, short_name
from samebits.export.plain_c.widths import Part, Widths
from samebits.ir.grammar import Op
from samebits.types import BOOL, ScalarType

PRIMARY, UNARY, PRODUCT, SUM, SHIFT, ORDER, EQUAL, AND, XOR, OR, BOTH, EITHER, CHOICE = range(
    13, 0, -1
)
"""How tightly operators bind, the tightest first."""


class UnwritableError(SamebitsError):
    """Something in a program that plain C has no form for here."""


@dataclass(frozen=True)
class Flat:
    """A vector in an array of its components, which are of a C type: `array`, and the index of the
    first of them."""

    type: str
    array: str
    index: str

    def component(self, number: int) -> str:
        """The place of one of them."""
        return f"{self.array}[{self.index} + {number}]"


@dataclass(frozen=True)
class Expr:
    """A C expression: `slots` and, where `reads`, the memory that it reads; `acts` says that a call
    in it writes memory. `cheap` is what may stand in several places."""

    text: str
    level: int = PRIMARY
    slots: frozenset[str] = frozenset()
    reads: bool = False
    acts: bool = False
    cheap: bool = False
    is_literal: bool = False
    narrow: Expr | None = None
    """An integer before it was widened, which is as good as an index."""
    pointer: str | None = None
    """Of a place: what points to it, where that has a name."""
    flat: Flat | None = None
    """Of a vector's place in a flat array: how its components are reached there."""

    def at(self, level: int) -> str:
        """The text as an operand of an operator that binds as `level` does."""
        return self.text if self.level >= level else f"({self.text})"

    @property
    def index(self) -> str:
        """The text as an index."""
        return (self.narrow or self).text

    @property
    def address(self) -> str:
        """Of a place: a pointer to it."""
        return self.pointer or f"&{self.at(PRIMARY)}"


Write = Callable[[ScalarType, Sequence[Expr]], Expr]
"""How an operation is written: from the operands' type, and the operands."""


def joined(text: str, level: int, parts: Sequence[Expr]) -> Expr:
    """An expression made of others."""
    return Expr(
        text,
        level,
        frozenset[str]().union(*(part.slots for part in parts)),
        any(part.reads for part in parts),
        any(part.acts for part in parts),
    )


def literal(t: ScalarType, value: object, own: ScalarType | None = None) -> Expr:
    """A constant of type `t`. Floats have the fewest digits that are read back as they are in their
    own type."""
    stored = t.storage
    if stored == BOOL:
        return Expr("true" if value else "false", cheap=True, is_literal=True)
    if stored.is_float:
        assert isinstance(value, int | float)
        text = _float_text(float(value), stored.bits, (own or t).bits)
    else:
        assert isinstance(value, int)
        text = _int_text(value, stored)
    level = UNARY if text.startswith("-") else PRIMARY
    return Expr(text, level, cheap=True, is_literal=True)


def _float_text(value: float, bits: int, digits_of: int) -> str:
    if math.isnan(value):
        return "NAN"
    if math.isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    text = str(np.float32(value)) if digits_of == 32 else repr(value)
    text = text if any(letter in text for letter in ".e") else f"{text}.0"
    return f"{text}f" if bits == 32 else text


def _int_text(value: int, t: ScalarType) -> str:
    suffix = "" if t.is_signed else "u"
    suffix += "ll" if t.bits == 64 else ""
    if t.is_signed and value == t.minimum and t.bits >= 32:
        return f"({value + 1}{suffix} - 1)"
    return f"{value}{suffix}"


def _infix(sign: str, level: int) -> Write:
    def write(t: ScalarType, parts: Sequence[Expr]) -> Expr:
        a, b = parts
        if a.is_literal and (b.is_literal or sign == "<<") and t.is_int and t.bits == 64:
            a = cast(t, a)
        # Mixed bit operators are not told apart by eye.
        within = UNARY if level in (AND, XOR, OR, SHIFT) else level
        right = PRODUCT if within == UNARY else level + 1
        left = PRODUCT if within == UNARY else level
        return joined(f"{a.at(left)} {sign} {b.at(right)}", level, parts)

    return write


def _wrapped(sign: str, level: int) -> Write:
    """As `_infix`; C computes short integers as int, so that these are cut again."""
    write = _infix(sign, level)

    def cut(t: ScalarType, parts: Sequence[Expr]) -> Expr:
        whole = write(t, parts)
        return cast(t, whole) if t.storage.bits < 32 and t.storage != BOOL else whole

    return cut


def _logical(sign: str, level: int, of_bools: str, bools: int) -> Write:
    bits, both = _infix(sign, level), _infix(of_bools, bools)
    return lambda t, parts: (both if t.storage == BOOL else bits)(t, parts)


def _called(name: str) -> Write:
    """A helper that there is for each type."""
    return lambda t, parts: call(f"{name}_{short_name(t)}", parts)


def _of_c(name: str) -> Write:
    """A function of C's library."""
    return lambda t, parts: call(name + ("f" if t.storage.bits == 32 else ""), parts)


def call(name: str, parts: Sequence[Expr]) -> Expr:
    """A call of a function that writes no memory."""
    return joined(f"{name}({', '.join(part.text for part in parts)})", PRIMARY, parts)


def cast(t: ScalarType, value: Expr) -> Expr:
    """`value` converted as C does."""
    return joined(f"({scalar_name(t)}){value.at(UNARY)}", UNARY, [value])


def _neg(t: ScalarType, parts: Sequence[Expr]) -> Expr:
    text = parts[0].at(UNARY)
    whole = joined(f"-({text})" if text.startswith("-") else f"-{text}", UNARY, parts)
    return whole if t.is_float or t.storage.bits >= 32 else cast(t, whole)


def _abs(t: ScalarType, parts: Sequence[Expr]) -> Expr:
    return (_of_c("fabs") if t.is_float else _called("abs"))(t, parts)


def _not(t: ScalarType, parts: Sequence[Expr]) -> Expr:
    if t.storage == BOOL:
        return joined(f"!{parts[0].at(UNARY)}", UNARY, parts)
    whole = joined(f"~{parts[0].at(UNARY)}", UNARY, parts)
    return whole if t.storage.bits >= 32 else cast(t, whole)


def _shift(sign: str, name: str) -> Write:
    plain, any_count = _wrapped(sign, SHIFT), _called(name)

    def write(t: ScalarType, parts: Sequence[Expr]) -> Expr:
        count = parts[1]
        known = count.is_literal and count.text.rstrip("ul").isdigit()
        within = known and int(count.text.rstrip("ul")) < t.storage.bits
        if within and (sign == ">>" or not t.storage.is_signed or t.weak):
            return plain(t, [parts[0], Expr(count.text.rstrip("ul"))])
        return any_count(t, parts)

    return write


def _muladd(t: ScalarType, parts: Sequence[Expr]) -> Expr:
    a, b, c = parts
    return joined(f"{a.at(PRODUCT)} * {b.at(UNARY)} + {c.at(PRODUCT)}", SUM, parts)


def _select(t: ScalarType, parts: Sequence[Expr]) -> Expr:
    a, b, c = parts
    return joined(f"{a.at(EITHER)} ? {b.at(EITHER)} : {c.at(CHOICE)}", CHOICE, parts)


SCALAR: dict[str, Write] = {
    "add": _wrapped("+", SUM),
    "sub": _wrapped("-", SUM),
    "mul": _wrapped("*", PRODUCT),
    "div": _infix("/", PRODUCT),
    "neg": _neg,
    "abs": _abs,
    "floordiv": _called("floordiv"),
    "mod": _called("mod"),
    "sqrt": _of_c("sqrt"),
    "fma": _of_c("fma"),
    "muladd": _muladd,
    "product_error": _called("product_error"),
    "min": _called("min"),
    "max": _called("max"),
    "floor": _of_c("floor"),
    "ceil": _of_c("ceil"),
    "trunc": _of_c("trunc"),
    "round": _of_c("rint"),
    "flush": _called("flush"),
    "copysign": _called("copysign"),
    "and": _logical("&", AND, "&&", BOTH),
    "or": _logical("|", OR, "||", EITHER),
    "xor": _logical("^", XOR, "!=", EQUAL),
    "not": _not,
    "shl": _shift("<<", "shl"),
    "shr": _shift(">>", "shr"),
    "popcount": _called("popcount"),
    "clz": _called("clz"),
    "ctz": _called("ctz"),
    "rotl": _called("rotl"),
    "rotr": _called("rotr"),
    "eq": _infix("==", EQUAL),
    "ne": _infix("!=", EQUAL),
    "lt": _infix("<", ORDER),
    "le": _infix("<=", ORDER),
    "gt": _infix(">", ORDER),
    "ge": _infix(">=", ORDER),
    "likely": lambda t, parts: parts[0],
    "unlikely": lambda t, parts: parts[0],
    "select": _select,
}
"""How each operation is written: by the operands' type, and the operands."""


def scalar(op: Op, parts: Sequence[Expr], widths: Widths = Widths.SAME) -> Expr:
    """An operation on scalars as C. Raises UnwritableError."""
    to = op.result.type
    assert isinstance(to, ScalarType)
    source = op.args[0].type
    assert isinstance(source, ScalarType)
    if op.opcode != "bitcast":
        # Where constants are doubles, nobody cuts what is made of them.
        narrows = op.opcode == "convert" and source.bits == 64 and source.is_float
        keeps = narrows and not widths.has(Part.CONSTANTS | Part.SHORT)
        source = widths.type_of(source, Part.FUNCTIONS)
        to = to if keeps else widths.type_of(to, Part.FUNCTIONS)
    if op.opcode in ("convert", "narrow"):
        return _converted(source, to, parts[0])
    if op.opcode == "bitcast":
        return _bitcast(source, to, parts[0])
    write = SCALAR.get(op.opcode)
    if write is None:
        raise UnwritableError(f"{op.opcode} has no form in plain C", span=op.span)
    return write(to if op.opcode == "select" else source, parts)


def _converted(source: ScalarType, to: ScalarType, value: Expr) -> Expr:
    one, other = source.storage, to.storage
    if scalar_name(one) == scalar_name(other):
        return value
    if other == BOOL:
        if one.is_float:
            raise UnwritableError("a float that becomes a bool has no form in plain C")
        return joined(f"({value.at(AND)} & 1) != 0", EQUAL, [value])
    if one.is_float and other.is_int:
        return call(f"{short_name(to)}_from_{short_name(source)}", [value])
    whole = cast(to, value)
    widens = one.is_int and other.bits == 64 and (one.is_signed or one.bits < 32)
    return replace(whole, narrow=value) if widens else whole


def _bitcast(source: ScalarType, to: ScalarType, value: Expr) -> Expr:
    one, other = source.storage, to.storage
    if one.is_float == other.is_float:
        return value if one == other else cast(to, value)
    if one.is_float:
        bits = call(f"bits_of_{short_name(source)}", [value])
        return cast(to, bits) if other.is_signed else bits
    unsigned = value if not one.is_signed else call(f"(uint{one.bits}_t)", [value])
    return call(f"{short_name(to)}_of_bits", [unsigned])
