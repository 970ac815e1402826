"""binary16 from float32 and float64 and back, as kernels on a half's bits.

Rounded to nearest, ties to even, subnormals kept: what every conversion of `float16` in compiled
code is made of, so that no target's own instructions decide.
"""

# pyright: reportReturnType=false, reportOperatorIssue=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from samebits.errors import ArgumentError, folding
from samebits.lang.intrinsics import bitcast, select
from samebits.lang.kernel import Kernel
from samebits.lang.values.conversions import kind_of
from samebits.lang.values.elementwise import has_array, over_arrays
from samebits.lang.values.scalars import float32, float64, uint16, uint32, uint64


class _ForArrays(Kernel):
    """A kernel of one number that Python may call with an array too."""

    @folding
    def __call__(self, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        if out is not None or has_array(*args):
            return over_arrays(self, args, out)
        found = kind_of(args[0]) if args else None
        if found in (list, tuple) and self.fixed_types:
            raise ArgumentError(
                f"{self.__name__}() takes numbers and arrays, got {found.__name__}",
                fix=f"write math.{self.__name__}(np.array(x, np.{self.fixed_types[0]}))",
            )
        return super().__call__(*args, **kwargs)


def _kernel(function: Callable[..., Any]) -> Kernel:
    return _ForArrays(function)


NAN_16 = 0x7E00
"""The canonical NaN of binary16."""
INFINITY_16 = 0x7C00


@_kernel
def f64_to_f16(x: float64) -> uint16:
    """The bits of x as a half, rounded once: to nearest, ties to even.

    65,520 and more give infinity; below 2^-14 halves are subnormal, 2^-25 and less give 0. NaN
    gives 7e00.
    """
    bits = bitcast(uint64, x)
    sign = uint32(bits >> 48) & 0x8000
    size = bits & 0x7FFF_FFFF_FFFF_FFFF
    exponent = uint32(size >> 52)
    # Down to 2^-14 ten bits of the fraction stay, below that one less a binade.
    drop = uint64(42) + uint64(select(exponent < 1009, 1009 - exponent, uint32(0)))
    drop = select(drop > 60, uint64(60), drop)
    whole = (size & 0x000F_FFFF_FFFF_FFFF) | 0x0010_0000_0000_0000
    kept = whole >> drop
    rest = whole & ((uint64(1) << drop) - 1)
    half = uint64(1) << (drop - 1)
    up = (rest > half) or (rest == half and (kept & 1) != 0)
    rounded = uint32(kept) + uint32(up)
    # The leading bit adds one to the exponent's field.
    normal = select(exponent >= 1009, ((exponent - 1009) << 10) + rounded, rounded)
    result = select(exponent >= 1039, uint32(INFINITY_16), normal)
    result = select(size > 0x7FF0_0000_0000_0000, uint32(NAN_16), sign | result)
    return uint16(result)


@_kernel
def f32_to_f16(x: float32) -> uint16:
    """The bits of x as a half, rounded to nearest, ties to even: as `f64_to_f16`."""
    return f64_to_f16(float64(x))


@_kernel
def f16_to_f32(h: uint16) -> float32:
    """The value of a half's bits, exactly; NaN for every NaN."""
    bits = uint32(h)
    size = bits & 0x7FFF
    # With the fraction at its place and the exponent 112 too small, a product puts both right:
    # subnormal halves are normal floats afterwards.
    value = bitcast(float32, size << 13) * SCALE
    value = select(size >= INFINITY_16, bitcast(float32, (size << 13) | 0x7F80_0000), value)
    return select((bits & 0x8000) != 0, -value, value)


@_kernel
def f16_to_f64(h: uint16) -> float64:
    """The value of a half's bits, exactly; NaN for every NaN."""
    return float64(f16_to_f32(h))


SCALE = 2.0**112
