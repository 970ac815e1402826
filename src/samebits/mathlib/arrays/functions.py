"""The functions of whole arrays, with their public documentation: `sum` to `exact_sum`."""

from __future__ import annotations

from samebits.lang import intrinsics as functions
from samebits.lang.reductions import Reduction, Scan
from samebits.mathlib.arrays import exact_sum as _exact
from samebits.mathlib.arrays import extremes, reductions, scan, truths
from samebits.types import (
    BOOL,
    FLOAT32,
    FLOAT64,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
)

_FLOATS = (FLOAT32, FLOAT64)
_SIGNED = (INT8, INT16, INT32, INT64)
_UNSIGNED = (UINT8, UINT16, UINT32, UINT64)
_NUMBERS = (*_FLOATS, *_SIGNED, *_UNSIGNED)

sum = Reduction(
    "sum", 1,
    {
        **dict.fromkeys(_FLOATS, reductions.sum),
        **dict.fromkeys(_SIGNED, reductions.sum_signed),
        **dict.fromkeys(_UNSIGNED, reductions.sum_unsigned),
        BOOL: reductions.sum_signed,
    },
    """Sum of an array, in the shape of docs/reference/reductions.md; 0 of an empty one.

    Floats give their own type, signed integers int64 and unsigned ones uint64, modulo 2⁶⁴, bools
    how many are true, an int64. Error
    at most about (38 + log₂(n / 2048))·ε·Σ|x|, ε the type's rounding error.
    """,
)  # fmt: skip
dot = Reduction(
    "dot", 2,
    {
        **dict.fromkeys(_FLOATS, reductions.dot),
        **dict.fromkeys(_SIGNED, reductions.dot_signed),
        **dict.fromkeys(_UNSIGNED, reductions.dot_unsigned),
    },
    """Sum of products: of two vectors left to right, of two arrays of one length as `sum` adds.

    Each product is rounded; integers as in `sum`. Arrays of two lengths raise: ArgumentError from
    Python, a trap in a kernel.
    """,
    functions.dot,
)  # fmt: skip
mean = Reduction(
    "mean", 1,
    {
        **dict.fromkeys(_FLOATS, reductions.mean),
        **dict.fromkeys(_SIGNED, reductions.mean_signed),
        **dict.fromkeys(_UNSIGNED, reductions.mean_unsigned),
    },
    """sum(x) / len(x), in the elements' type, of integers in float64; NaN of an empty array.""",
)  # fmt: skip
variance = Reduction(
    "variance", 1, dict.fromkeys(_FLOATS, reductions.variance),
    """Mean of the squared deviations from `mean(x)`, of an array of floats; NaN of an empty one.

    Two passes: the mean, then the sum of (x - mean)² in the shape of `sum`, divided by the length.
    Multiply by n / (n - 1) for the variance of what x is a sample of. From Python integers count
    as float64.
    """,
    widens=True,
)  # fmt: skip
norm = Reduction(
    "norm", 1,
    {FLOAT32: reductions.norm_f32, FLOAT64: reductions.norm_f64},
    """Euclidean length √(Σx²) of an array of floats; 0 of an empty one. From Python integers
    count as float64.

    Never overflows or vanishes where the result does not: float32 is summed in float64, float64
    scaled by a power of two where needed. The sum has the shape of `sum`.
    """,
    widens=True,
)  # fmt: skip
min = Reduction(
    "min", 1, dict.fromkeys(_NUMBERS, extremes.min),
    """The least of two numbers or vectors' components, or of an array.

    −0 is below +0, and a NaN gives NaN. An empty array traps.
    """,
    functions.min,
)  # fmt: skip
max = Reduction(
    "max", 1, dict.fromkeys(_NUMBERS, extremes.max),
    """The greatest of two numbers or vectors' components, or of an array.

    −0 is below +0, and a NaN gives NaN. An empty array traps.
    """,
    functions.max,
)  # fmt: skip
argmin = Reduction(
    "argmin", 1, dict.fromkeys(_NUMBERS, extremes.argmin),
    """The first index of an element equal to the least, −0 and +0 being equal, or of the first NaN.

    An empty array traps.
    """,
)  # fmt: skip
argmax = Reduction(
    "argmax", 1, dict.fromkeys(_NUMBERS, extremes.argmax),
    """The first index of an element equal to the greatest, −0 and +0 being equal, or of the first
    NaN. An empty array traps.
    """,
)  # fmt: skip
cumsum = Scan(
    "cumsum", 2, dict.fromkeys(_NUMBERS, scan.cumsum),
    """Running sums, as docs/reference/reductions.md has them, in the elements' type; integers wrap.

    In a kernel `cumsum(x, result)`, two arrays of one length, which may be the same array; from
    Python `cumsum(x)`, which returns a new array.
    """,
)  # fmt: skip
exact_sum = Reduction(
    "exact_sum", 1, {FLOAT32: _exact.exact_sum_f32, FLOAT64: _exact.exact_sum_f64},
    """The sum of an array of floats as if in exact arithmetic, rounded once to their type.

    It does not depend on the elements' order. 0 of an empty array; −0 where all are −0; NaN for a
    NaN or infinities of both signs. Some ten times slower than `sum`.
    """,
)  # fmt: skip


_any = Reduction("any", 1, {BOOL: truths.any}, "Whether some element of an array is true.")
_all = Reduction("all", 1, {BOOL: truths.all}, "Whether every element of an array is true.")
_BUILTINS = {"sum": sum, "min": min, "max": max, "any": _any, "all": _all}


def of_builtin(name: str) -> Reduction:
    """The function that a builtin of Python's is of an array in a kernel."""
    return _BUILTINS[name]
