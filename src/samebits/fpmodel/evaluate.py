"""The evaluator of expression trees in a given precision, rounding, flushing and NaN rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from samebits.fpmodel.estimates import ESTIMATES
from samebits.fpmodel.libm import call
from samebits.fpmodel.parse import exact
from samebits.fpmodel.softfloat import (
    BFLOAT16,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    FORMATS,
    NAN,
    QUIET,
    Flush,
    Format,
    Number,
    Rounding,
    added,
    compare,
    divided,
    from_bits,
    multiplied,
    negated,
    rounded,
    square_root,
    to_bits,
    zero,
)
from samebits.fpmodel.tree import Constant, Node, Operand, Tree


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """The arithmetic of an evaluation: how each operation rounds, flushes and treats NaN."""

    form: Format
    """The expression's format: that of operands and result."""
    working: Format
    """The format to which every operation in between is rounded."""
    rounding: Rounding = "nearest"
    flush: Flush = "no"
    flush_inputs: bool = False
    nans: str = "canonical"
    """A key of `NAN_RULES`."""


Values = list[Number]


def _first(args: Values) -> Number | None:
    return next((x for x in args if x.is_nan), None)


def _signalling_first(args: Values) -> Number | None:
    found = (x for x in args if x.is_nan and not x.mantissa & QUIET)
    return next(found, None) or _first(args)


_NEGATIVE_NAN = negated(NAN)
NAN_RULES: dict[str, tuple[Callable[[Values], Number | None], Number]] = {
    "canonical": (lambda args: NAN, NAN),
    "x86": (_first, _NEGATIVE_NAN),
    "x86, operands swapped": (lambda args: _first(args[::-1]), _NEGATIVE_NAN),
    "arm": (_signalling_first, NAN),
    "arm, operands swapped": (lambda args: _signalling_first(args[::-1]), NAN),
    "negative": (lambda args: _NEGATIVE_NAN, _NEGATIVE_NAN),
}
"""The NaN that results from NaN operands, and the one that an invalid operation produces."""


def _propagated(a: Arithmetic, args: Values) -> Number:
    """The quiet NaN that results from operands of which at least one is NaN."""
    chosen = NAN_RULES[a.nans][0](args) or NAN
    return chosen._replace(mantissa=chosen.mantissa | QUIET)


class Evaluator:
    """Evaluates trees under one arithmetic; shared subtrees are evaluated once."""

    def __init__(self, arithmetic: Arithmetic, operands: Mapping[str, Number]) -> None:
        self.arithmetic = arithmetic
        self.operands = operands
        self.known: dict[Tree, Number] = {}

    def bits(self, tree: Tree) -> int:
        """The bit pattern of the tree's result, in the expression's format."""
        a = self.arithmetic
        result = self.value(tree)
        if a.working is not a.form:
            result = rounded(result, a.form, a.rounding, a.flush)
        return to_bits(result, a.form)

    def value(self, tree: Tree) -> Number:
        """The tree's value, in the working format."""
        if isinstance(tree, Operand):
            return self.operands[tree.name]
        found = self.known.get(tree)
        if found is None:
            found = self.known[tree] = self._value(tree)
        return found

    def _value(self, tree: Node | Constant) -> Number:
        a = self.arithmetic
        if isinstance(tree, Constant):
            return constant(tree, a.form)
        args = [self.value(arg) for arg in tree.args]
        name = tree.name
        if name in _SIGN_OPERATIONS:
            (x,) = args
            return NAN if x.is_nan and a.nans == "canonical" else _SIGN_OPERATIONS[name](x)
        if a.flush_inputs:
            args = [self._flushed(x) for x in args]
        special = _SPECIAL.get(name)
        if special is not None:
            return special(a, tree.detail, args)
        for x in args:
            if x.kind == "nan":
                return _propagated(a, args)
        result = _EXACT[name](a, args)
        if result.kind == "nan":
            return NAN_RULES[a.nans][1]
        return rounded(result, a.working, a.rounding, a.flush)

    def _flushed(self, x: Number) -> Number:
        tiny = x.kind == "finite" and x.mantissa.bit_length() + x.exponent
        limit = self.arithmetic.working.smallest_normal
        return zero(x.negative) if x.kind == "finite" and x.mantissa and tiny <= limit else x


def constant(tree: Constant, form: Format) -> Number:
    """A constant's value in a format, or in its own, moved by its steps in ULP."""
    form = FORMATS.get(tree.form, form)
    number = exact(tree.text) or NAN
    near = rounded(number, form)
    if not tree.steps or near.kind != "finite":
        return near
    pattern = to_bits(near._replace(negative=False), form) + tree.steps
    return from_bits(max(pattern, 0), form)._replace(negative=near.negative)


_SIGN_OPERATIONS: dict[str, Callable[[Number], Number]] = {
    "neg": negated,
    "abs": lambda x: x._replace(negative=False),
}
"""Operations on the sign bit alone, which never flush."""
_EXACT: dict[str, Callable[[Arithmetic, Values], Number]] = {
    "add": lambda a, v: added(v[0], v[1], a.rounding),
    "sub": lambda a, v: added(v[0], negated(v[1]), a.rounding),
    "mul": lambda a, v: multiplied(v[0], v[1]),
    "div": lambda a, v: divided(v[0], v[1]),
    "sqrt": lambda a, v: square_root(v[0]),
    "fma": lambda a, v: _fused(v, a.rounding),
}
"""Exact results, before rounding; no operand is NaN."""


def _fused(v: Values, rounding: Rounding) -> Number:
    product = multiplied(v[0], v[1])
    return product if product.is_nan else added(product, v[2], rounding)


def _extreme(sign: int) -> Callable[[Arithmetic, str, Values], Number]:
    def choose(a: Arithmetic, rule: str, v: Values) -> Number:
        x, y = v
        unordered = x.is_nan or y.is_nan
        if rule == "lt":
            return x if not unordered and compare(x, y) * sign < 0 else y
        if rule == "gt":
            return y if not unordered and compare(y, x) * sign < 0 else x
        if unordered:
            if rule and not (x.is_nan and y.is_nan):
                return y if x.is_nan else x
            return _propagated(a, v)
        order = compare(x, y) * sign
        if order == 0 and x.negative != y.negative:
            return x if x.negative == (sign > 0) else y
        return x if order <= 0 else y

    return choose


def _ulps(a: Arithmetic, detail: str, v: Values) -> Number:
    """The value moved by some ULPs of the expression's format, away from zero if positive."""
    x = rounded(v[0], a.form)
    if x.kind != "finite":
        return x
    pattern = to_bits(x._replace(negative=False), a.form) + int(detail)
    if pattern < 0:
        return x
    return from_bits(pattern, a.form)._replace(negative=x.negative)


_INTEGERS = {
    "int32": (-(1 << 31), (1 << 31) - 1), "uint32": (0, (1 << 32) - 1),
    "int64": (-(1 << 63), (1 << 63) - 1), "uint64": (0, (1 << 64) - 1),
}  # fmt: skip


def _truncated(x: Number) -> int | None:
    """The integer part; None for NaN. That of an infinity is beyond every integer type, and 0
    modulo the size of each."""
    if x.is_nan:
        return None
    magnitude = 1 << 70 if x.kind == "infinite" else x.mantissa
    magnitude = magnitude << x.exponent if x.exponent >= 0 else magnitude >> -x.exponent
    return -magnitude if x.negative else magnitude


def _x86_integer(name: str, value: int | None) -> int:
    """The result of cvttss2si; for an unsigned type the low bits of its 64-bit form, as compilers
    emit it."""
    by = name if name in ("int32", "int64") else "int64"
    low, high = _INTEGERS[by]
    found = value if value is not None and low <= value <= high else low
    return found if by == name else found & _INTEGERS[name][1]


def _modular_integer(name: str, value: int | None) -> int:
    """JavaScript's conversion: modulo 2^bits, and 0 for NaN and infinities."""
    low, high = _INTEGERS[name]
    return 0 if value is None else (value - low) % (high - low + 1) + low


def _saturated_integer(name: str, value: int | None) -> int:
    low, high = _INTEGERS[name]
    return 0 if value is None else min(max(value, low), high)


def _riscv_integer(name: str, value: int | None) -> int:
    return _INTEGERS[name][1] if value is None else _saturated_integer(name, value)


INTEGER_RULES: dict[str, Callable[[str, int | None], int]] = {
    "": _saturated_integer,
    "x86": _x86_integer,
    "riscv": _riscv_integer,
    "modulo": _modular_integer,
}


def to_integer(detail: str, x: Number) -> int:
    """A number converted to an integer type by a rule; `detail` names both, as in `int32 x86`."""
    name, _, rule = detail.partition(" ")
    return INTEGER_RULES[rule](name, _truncated(x))


def _convert(a: Arithmetic, detail: str, v: Values) -> Number:
    integer = to_integer(detail, v[0])
    return rounded(Number(integer < 0, abs(integer)), a.working, a.rounding)


_STORED: dict[str, tuple[Format, Rounding]] = {
    "bfloat16": (BFLOAT16, "nearest"),
    "bfloat16_cut": (BFLOAT16, "zero"),
}
"""Formats of casts alone, with how they round; `bfloat16_cut` is the upper half of a float32."""


def _cast(a: Arithmetic, detail: str, v: Values) -> Number:
    if detail in _STORED:
        stored, rounding = _STORED[detail]
        return rounded(v[0], stored, rounding)
    form = FORMATS[detail]
    # No processor's float32 flush flag affects conversions to half precision.
    return rounded(v[0], form, a.rounding, "no" if form is FLOAT16 else a.flush)


def _estimate(a: Arithmetic, detail: str, v: Values) -> Number:
    return ESTIMATES[detail](v[0], a.form)


def _call(a: Arithmetic, detail: str, v: Values) -> Number:
    if detail == "copysign" and a.nans != "canonical":
        return v[0]._replace(negative=v[1].negative)
    form = FLOAT32 if a.working.precision <= 24 else FLOAT64
    result = call(detail, tuple([rounded(x, form) for x in v]), form)
    return result if result.is_nan else rounded(result, a.working, "nearest", a.flush)


_SPECIAL: dict[str, Callable[[Arithmetic, str, Values], Number]] = {
    "min": _extreme(1),
    "max": _extreme(-1),
    "ulps": _ulps,
    "convert": _convert,
    "cast": _cast,
    "estimate": _estimate,
    "call": _call,
}
"""Operations with a rule of their own for NaNs and rounding."""
