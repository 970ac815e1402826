"""Operators, functions, and forms of expressions that tempt an optimiser."""

from __future__ import annotations

from samebits.types import PROMOTIONS, ScalarType
from tests.fuzz.literals import HALF_VECTORS, VECTOR_TYPES

COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
BY_RESULT: dict[ScalarType, list[tuple[ScalarType, ScalarType]]] = {}
for (_a, _b), _t in PROMOTIONS.items():
    if _a != _b:
        BY_RESULT.setdefault(_t, []).append((_a, _b))
NARROWER = {t: [a for a, b in pairs if b == t] for t, pairs in BY_RESULT.items()}
"""The types that give one way to each type in arithmetic."""
COMPARABLE = [
    (a, b)
    for (a, b), t in PROMOTIONS.items()
    if a != b and not ({a.name, b.name} & {"uint64"} and (a.is_signed or b.is_signed))
]
VECTOR_OF = {(t.element, t.length): t for t in (*VECTOR_TYPES, *HALF_VECTORS)}
TEMPTING_FLOATS = (
    "({a} * {b} + {c})",
    "({c} - {a} * {b})",
    "({a} * {b} - {c} * {a})",
    "({a} + {b} + {c})",
    "({a} - ({b} - {c}))",
    "({a} + 0.0)",
    "({a} - 0.0)",
    "(0.0 - {a})",
    "({a} * 0.0)",
    "({a} - {a})",
    "({a} / {a})",
    "(-({a} - {b}))",
    "({a} * 2.0 * 0.5)",
    "({a} / 3.0)",
    "({a} / {b} / {c})",
    "(1.0 / {a} * {b})",
    "({a} + {b} - {a})",
    "sb.sqrt({a} * {a})",
    "(1.0 / sb.sqrt({a}))",
    "sb.min({a}, sb.max({b}, {a}))",
    "({a} if {a} < {b} else {b})",
    "({a} if {a} == {b} else {c})",
    "({a} if {a} >= 0.0 else -{a})",
    "({a} * {b} + {a} * {c})",
    "(-{a} * -{b})",
    "sb.abs({a} - {b})",
)
"""Floats that an optimiser without scruples would rewrite: fused, reassociated, folded."""
TEMPTING_INTS = (
    "(({a} + {b}) - {b})",
    "({a} * 2 // 2)",
    "(({a} << 3) >> 3)",
    "(({a} >> 3) << 3)",
    "(-{a} // ({b} | 1))",
    "({a} % 8)",
    "({a} // 8)",
    "({a} * 3 // 3)",
    "sb.abs(-{a})",
    "({a} if {a} + 1 > {a} else {b})",
    "({a} if {a} - {b} < {a} else {b})",
    "({a} % 7 * 7)",
    "(({a} ^ {b}) & ~{b})",
    "({a} * {b} // ({b} | 1))",
    "sb.max({a} - {b}, {b} - {a})",
    "(({a} & {b}) + ({a} | {b}))",
    "({a} >> ({b} & 7) << ({b} & 7))",
    "sb.rotl({a}, {b} & 7)",
)
"""Integers whose wrapping, flooring or shifting an optimiser might forget."""
TEMPTING_HALVES = (
    "half(float32({a}))",
    "half(float64(float32({a})))",
    "half(float32(float64({a}) + float64({b})))",
    "half(float32({a}) + float32({b}))",
    "half(float32({a}) * float32({b}) - float32({c}))",
    "half(float64({a}) * float64({b}))",
    "half(float32({a}) / float32({b}))",
    "half(float32({a}) * 2.0 * 0.5)",
    "half(-float32({a}))",
    "half(sb.abs(float32({a})))",
    "half(sb.sqrt(float32({a})))",
    "half(sb.min(float32({a}), float32({b})))",
    "half(float32({a}) + 0.0)",
    "half(float32({a}) * 0.0009765625)",
    "half(float32(half(float64({a}) * 1.0001)))",
    "half(int32({a}))",
    "half(uint64({a}))",
    "half(int64({a}) * 2 + 1)",
    "sb.bitcast(half, sb.bitcast(uint16, {a}))",
    "sb.bitcast(half, sb.bitcast(uint16, {a}) ^ 32768)",
    "sb.bitcast(half, sb.bitcast(uint16, {a}) + 1)",
    "({a} if float32({a}) < float32({b}) else {b})",
)
"""Halves of halves, where an optimiser might round twice, drop a rounding or flush."""
ROUNDINGS = ("floor", "ceil", "trunc", "round")
BINARY_ELEMENTARY = ("atan2", "atan2pi", "fmod", "hypot", "logaddexp", "pow", "powr", "remainder")
ELEMENTARY = (
    "sin", "cos", "tan", "sinpi", "cospi", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh",
    "acosh", "atanh", "exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p", "cbrt",
    "rsqrt", "exp2m1", "exp10m1", "log2p1", "log10p1", "tanpi", "asinpi",
    "acospi", "atanpi", "erf", "erfc", "tgamma", "lgamma", *BINARY_ELEMENTARY,
)  # fmt: skip
"""Functions of the library that take floats or vectors of them and give the same."""
