"""The functions that kernels call, typed. Written by `python -m tools.stubs`."""

from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar, overload

import numpy as np

from samebits.modes import Precision
from samebits.typed.bases import Matrix, Value, Vector
from samebits.typed.dimensions import Array, ReadOnly
from samebits.typed.values import (
    double3,
    double3x3,
    dquaternion,
    float3,
    float3x3,
    quaternion,
)

_T = TypeVar("_T")
_S = TypeVar("_S")
_B = TypeVar("_B")
_C = TypeVar("_C")
_V = TypeVar("_V", bound=Value)
_Result = TypeVar("_Result", covariant=True)
_Other = TypeVar("_Other", contravariant=True)
_Numbers = np.ndarray[Any, Any]
_Truths = Vector[bool, Any] | Matrix[bool, Any, Any, Any]

class _Multiplied(Protocol[_Other, _Result]):
    def __matmul__(self, other: _Other, /) -> _Result: ...

e: float
inf: float
nan: float
pi: float
tau: float

@overload
def abs(x: int, /) -> int: ...
@overload
def abs(x: float, /) -> float: ...
@overload
def abs(x: _V, /) -> _V: ...
@overload
def abs(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def abs(x: np.generic | float, /) -> float:
    """Magnitude; the least integer of a fixed-width type stays itself."""

@overload
def acos(x: float, /) -> float: ...
@overload
def acos(x: _V, /) -> _V: ...
@overload
def acos(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def acos(x: np.generic | float, /) -> float:
    """Arc cosine of x, in radians from 0 to π; NaN beyond ±1, +0 for 1.

    float32: correctly rounded, proven on all 2³² inputs; LOW: 27 ULP.
    float64: correctly rounded; LOW: 60 ULP.
    """

@overload
def acosh(x: float, /) -> float: ...
@overload
def acosh(x: _V, /) -> _V: ...
@overload
def acosh(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def acosh(x: np.generic | float, /) -> float:
    """Inverse hyperbolic cosine of x; NaN for x < 1, inf for inf.

    float32: correctly rounded, proven on all 2³² inputs.
    float32 at MEDIUM: at most 0.51 ULP off; at LOW: at most 20 for x < 2^62.
    float64: correctly rounded on every published hard case and all inputs tried;
    at MEDIUM the same; at LOW at most 10 ULP off.
    """

@overload
def acospi(x: float, /) -> float: ...
@overload
def acospi(x: _V, /) -> _V: ...
@overload
def acospi(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def acospi(x: np.generic | float, /) -> float:
    """Arc cosine of x in half turns, from 0 to 1; NaN beyond ±1, +0 for 1.

    float32: correctly rounded, proven on all 2³² inputs; LOW: 30 ULP.
    float64: correctly rounded; LOW: 60 ULP.
    """

def all(a: _Truths | ReadOnly[bool], /) -> bool:
    """Whether every component of a bool vector or matrix is true; in a kernel also of an array."""

def angle(a: _V, b: _V, /) -> float:
    """Radians from 0 to π, of vectors and of turns: atan2(length(cross(a, b)), dot(a, b)), of
    2-vectors with |a.x·b.y − a.y·b.x| for the length; of unit quaternions
    2·atan2(length(d.xyz), |d.w|), d = conjugate(a) @ b.
    """

def any(a: _Truths | ReadOnly[bool], /) -> bool:
    """Whether some component of a bool vector or matrix is true; in a kernel also of an array."""

def argmax(x: ReadOnly[_T], /) -> int:
    """The first index of an element equal to the greatest, −0 and +0 being equal, or of the first
    NaN. An empty array traps.
    """

def argmin(x: ReadOnly[_T], /) -> int:
    """The first index of an element equal to the least, −0 and +0 being equal, or of the first NaN.

    An empty array traps.
    """

@overload
def asin(x: float, /) -> float: ...
@overload
def asin(x: _V, /) -> _V: ...
@overload
def asin(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def asin(x: np.generic | float, /) -> float:
    """Arc sine of x, in radians from −π/2 to π/2; NaN beyond ±1, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs; LOW: 30 ULP.
    float64: correctly rounded; LOW: 60 ULP.
    """

@overload
def asinh(x: float, /) -> float: ...
@overload
def asinh(x: _V, /) -> _V: ...
@overload
def asinh(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def asinh(x: np.generic | float, /) -> float:
    """Inverse hyperbolic sine of x; ±inf for ±inf, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs.
    float32 at MEDIUM: at most 0.51 ULP off; at LOW: at most 20 for |x| < 2^62.
    float64: correctly rounded on every published hard case and all inputs tried;
    at MEDIUM the same; at LOW at most 8 ULP off.
    """

@overload
def asinpi(x: float, /) -> float: ...
@overload
def asinpi(x: _V, /) -> _V: ...
@overload
def asinpi(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def asinpi(x: np.generic | float, /) -> float:
    """Arc sine of x in half turns, from −1/2 to 1/2; NaN beyond ±1, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs; LOW: 40 ULP.
    float64: correctly rounded; LOW: 60 ULP.
    """

@overload
def atan(x: float, /) -> float: ...
@overload
def atan(x: _V, /) -> _V: ...
@overload
def atan(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def atan(x: np.generic | float, /) -> float:
    """Arc tangent of x, in radians from −π/2 to π/2, which ±∞ give; −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs; LOW: 75 ULP.
    float64: correctly rounded; LOW: 300 ULP.
    """

@overload
def atan2(y: float, x: float, /) -> float: ...
@overload
def atan2(y: _V, x: _V | float, /) -> _V: ...
@overload
def atan2(y: _V | float, x: _V, /) -> _V: ...
@overload
def atan2(y: _Numbers, x: _Numbers | float, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def atan2(y: float, x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def atan2(y: np.generic | float, x: np.generic | float, /) -> float:
    """The angle of the point (x, y) in radians, from −π to π, called atan2(y, x); −0 counts as a
    number below 0, infinities as equal, as in IEEE 754-2019; NaN if x or y is NaN.

    float32: correctly rounded on every published hard case and on 10⁹ random pairs, beyond which
    a 90-bit evaluation leaves next to nothing; LOW: 80 ULP.
    float64: correctly rounded; LOW: 300 ULP, NaN for (0, 0) and two infinities, and some number
    where both legs are below 2^-1021 or one is above 2^1022.
    """

@overload
def atan2pi(y: float, x: float, /) -> float: ...
@overload
def atan2pi(y: _V, x: _V | float, /) -> _V: ...
@overload
def atan2pi(y: _V | float, x: _V, /) -> _V: ...
@overload
def atan2pi(y: _Numbers, x: _Numbers | float, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def atan2pi(y: float, x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def atan2pi(y: np.generic | float, x: np.generic | float, /) -> float:
    """The angle of the point (x, y) in half turns, from −1 to 1, called atan2pi(y, x); −0 counts
    as a number below 0, infinities as equal, as in IEEE 754-2019; NaN if x or y is NaN.

    float32: correctly rounded; what float64 leaves open is decided by 192-bit integers;
    LOW: 80 ULP.
    float64: correctly rounded; LOW: 300 ULP, NaN for (0, 0) and two infinities, and some number
    where both legs are below 2^-1021 or one is above 2^1022.
    """

@overload
def atanh(x: float, /) -> float: ...
@overload
def atanh(x: _V, /) -> _V: ...
@overload
def atanh(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def atanh(x: np.generic | float, /) -> float:
    """Inverse hyperbolic tangent of x; ±inf for ±1, NaN for |x| > 1, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs.
    float32 at MEDIUM: at most 0.51 ULP off; at LOW: at most 20.
    float64: correctly rounded on every published hard case and all inputs tried;
    at MEDIUM the same; at LOW at most 8 ULP off.
    """

@overload
def atanpi(x: float, /) -> float: ...
@overload
def atanpi(x: _V, /) -> _V: ...
@overload
def atanpi(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def atanpi(x: np.generic | float, /) -> float:
    """Arc tangent of x in half turns, from −1/2 to 1/2, which ±∞ give; −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs; LOW: 80 ULP.
    float64: correctly rounded; LOW: 300 ULP.
    """

@overload
def axis_angle(axis: float3, angle: float, /) -> quaternion: ...
@overload
def axis_angle(axis: double3, angle: float, /) -> dquaternion:
    """(axis·sin(angle/2), cos(angle/2)): the turn by angle, in radians, about a unit axis."""

def bitcast(target: type[_T], x: Any, /) -> _T:
    """The bits of `x` (those of the canonical NaN for any NaN) as a type of the same size."""

@overload
def cbrt(x: float, /) -> float: ...
@overload
def cbrt(x: _V, /) -> _V: ...
@overload
def cbrt(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def cbrt(x: np.generic | float, /) -> float:
    """Cube root of x, exact for cubes; ±inf for ±inf, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs.
    float32 at MEDIUM: at most 0.51 ULP off; at LOW: at most 250 for normal x.
    float64: correctly rounded at HIGH and MEDIUM; at LOW within 8 ULP for normal x and special
    values, and some number for a subnormal x.
    """

@overload
def ceil(x: float, /) -> float: ...
@overload
def ceil(x: _V, /) -> _V: ...
@overload
def ceil(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def ceil(x: np.generic | float, /) -> float:
    """Floats rounded up to whole ones; zero keeps its sign."""

@overload
def ceillog2(x: int, /) -> int: ...
@overload
def ceillog2(x: _V, /) -> _V: ...
@overload
def ceillog2(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def ceillog2(x: np.generic | float, /) -> int:
    """The least n with 2^n ≥ x, an int32; 32 or 64, the number of bits, for 0. A signed x counts as
    its bits.
    """

@overload
def ceilpow2(x: int, /) -> int: ...
@overload
def ceilpow2(x: _V, /) -> _V: ...
@overload
def ceilpow2(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def ceilpow2(x: np.generic | float, /) -> int:
    """The least power of two that is x or more, in its type; 0 for 0, and where it would be 2^32 or
    2^64. A signed x counts as its bits.
    """

@overload
def chgsign(x: float, y: float, /) -> float: ...
@overload
def chgsign(x: _V, y: _V | float, /) -> _V: ...
@overload
def chgsign(x: _V | float, y: _V, /) -> _V: ...
@overload
def chgsign(x: _Numbers, y: _Numbers | float, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def chgsign(x: float, y: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def chgsign(x: np.generic | float, y: np.generic | float, /) -> float:
    """−x where y has a minus sign, −0 included, else x; a NaN y has none."""

@overload
def clamp(x: int, lo: int, hi: int, /) -> int: ...
@overload
def clamp(x: float, lo: float, hi: float, /) -> float: ...
@overload
def clamp(x: _V, lo: _V | float, hi: _V | float, /) -> _V: ...
@overload
def clamp(x: _V | float, lo: _V | float, hi: _V, /) -> _V: ...
@overload
def clamp(
    x: _Numbers, lo: _Numbers | float, hi: _Numbers | float, /, *, out: _Numbers | None = None
) -> _Numbers: ...
@overload
def clamp(
    x: float, lo: _Numbers, hi: _Numbers | float, /, *, out: _Numbers | None = None
) -> _Numbers: ...
@overload
def clamp(x: float, lo: float, hi: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def clamp(x: np.generic | float, lo: np.generic | float, hi: np.generic | float, /) -> float:
    """min(max(x, lo), hi)."""

@overload
def clz(x: int, /) -> int: ...
@overload
def clz(x: _V, /) -> _V: ...
@overload
def clz(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def clz(x: np.generic | float, /) -> int:
    """Leading zero bits of an integer, in its type; the width for 0."""

def cmax(v: Vector[_S, Any], /) -> _S:
    """The greatest component, as `max` finds it; NaN if one is NaN."""

def cmin(v: Vector[_S, Any], /) -> _S:
    """The least component, as `min` finds it; NaN if one is NaN."""

@overload
def compound(x: float, n: int, /) -> float: ...
@overload
def compound(x: _V, n: Any, /) -> _V: ...
@overload
def compound(x: _Numbers, n: _Numbers | int, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def compound(x: float, n: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers:
    """(1 + x)^n for an int32 n: what grows by x, n times; C's compoundn. 1 for n = 0 unless
    x < −1, and NaN for x < −1.

    float32: correctly rounded; what float64 leaves open is decided by 192-bit integers.
    float64: correctly rounded on all inputs tried. The same at every precision.
    """

def compress(*args: Any, out: Any = None) -> Any:
    """Write those components of the 4-vector v whose mask holds to out[at], out[at + 1], …; the
    index behind the last one written. Traps where the array ends before them.
    """

def conjugate(q: _V, /) -> _V:
    """(−x, −y, −z, w): the inverse of a unit quaternion."""

@overload
def copysign(a: float, b: float, /) -> float: ...
@overload
def copysign(a: _V, b: _V | float, /) -> _V: ...
@overload
def copysign(a: _V | float, b: _V, /) -> _V: ...
@overload
def copysign(a: _Numbers, b: _Numbers | float, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def copysign(a: float, b: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def copysign(a: np.generic | float, b: np.generic | float, /) -> float:
    """Float `a` with the sign bit of `b`; a NaN `b` counts as positive."""

@overload
def cos(x: float, /) -> float: ...
@overload
def cos(x: _V, /) -> _V: ...
@overload
def cos(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def cos(x: np.generic | float, /) -> float:
    """Cosine of x radians; any float32 or float64, NaN for NaN and infinities.

    float32: correctly rounded, proven on all 2³² inputs; LOW: 40 ULP for |x| ≤ 1600.
    float64: correctly rounded; MEDIUM: 1 ULP; LOW: 6 ULP for |x| ≤ 2²⁰.
    From Python x may be a float, a NumPy or samebits float, a vector, or an
    array of float32 or float64.
    """

@overload
def cosh(x: float, /) -> float: ...
@overload
def cosh(x: _V, /) -> _V: ...
@overload
def cosh(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def cosh(x: np.generic | float, /) -> float:
    """Hyperbolic cosine of x; inf beyond the range.

    float32: correctly rounded, proven on all 2³² inputs.
    float32 at MEDIUM: at most 0.51 ULP off; at LOW: at most 100 for |x| < 87.
    float64: correctly rounded on every published hard case and all inputs tried;
    at MEDIUM the same; at LOW at most 40 ULP off.
    """

@overload
def cospi(x: float, /) -> float: ...
@overload
def cospi(x: _V, /) -> _V: ...
@overload
def cospi(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def cospi(x: np.generic | float, /) -> float:
    """Cosine of x half turns, cos(πx); NaN for NaN and infinities, +0 half way between integers.

    float32: correctly rounded, proven on all 2³² inputs; LOW: 19 ULP for |x| ≤ 2²¹.
    float64: correctly rounded; MEDIUM: 1 ULP; LOW: 6 ULP for |x| ≤ 2⁵⁰.
    """

def cross(a: _V, b: _V, /) -> _V:
    """Cross product of two vectors of three components."""

def csum(v: Vector[_S, Any], /) -> _S:
    """The sum of the components, from left to right."""

@overload
def ctz(x: int, /) -> int: ...
@overload
def ctz(x: _V, /) -> _V: ...
@overload
def ctz(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def ctz(x: np.generic | float, /) -> int:
    """Trailing zero bits of an integer, in its type; the width for 0."""

@overload
def cumsum(x: _Numbers, /) -> _Numbers: ...
@overload
def cumsum(x: ReadOnly[_T], out: Array[_T], /) -> None:
    """Running sums, as docs/reference/reductions.md has them, in the elements' type; integers wrap.

    In a kernel `cumsum(x, result)`, two arrays of one length, which may be the same array; from
    Python `cumsum(x)`, which returns a new array.
    """

@overload
def degrees(x: float, /) -> float: ...
@overload
def degrees(x: _V, /) -> _V: ...
@overload
def degrees(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def degrees(x: np.generic | float, /) -> float:
    """x radians in degrees: x times 180/π rounded to x's type."""

def determinant(m: Matrix[_S, Any, Any, Any], /) -> _S:
    """The determinant of a square matrix."""

@overload
def distance(a: float, b: float, /) -> float: ...
@overload
def distance(a: Vector[_S, Any], b: Vector[_S, Any], /) -> _S:
    """length(b − a), of numbers |b − a|."""

@overload
def distancesq(a: float, b: float, /) -> float: ...
@overload
def distancesq(a: Vector[_S, Any], b: Vector[_S, Any], /) -> _S:
    """dot(b − a, b − a): the square of the distance."""

@overload
def dot(a: Vector[_S, Any], b: Vector[_S, Any], /) -> _S: ...
@overload
def dot(x: ReadOnly[_T], y: ReadOnly[_T], /) -> _T:
    """Sum of products: of two vectors left to right, of two arrays of one length as `sum` adds.

    Each product is rounded; integers as in `sum`. Arrays of two lengths raise: ArgumentError from
    Python, a trap in a kernel.
    """

@overload
def erf(x: float, /) -> float: ...
@overload
def erf(x: _V, /) -> _V: ...
@overload
def erf(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def erf(x: np.generic | float, /) -> float:
    """The error function, 2/√π times the integral of e^(−t²) from 0 to x; ±1 for ±inf, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs.
    float64: correctly rounded on every published hard case and all inputs tried. The same at every
    precision.
    """

@overload
def erfc(x: float, /) -> float: ...
@overload
def erfc(x: _V, /) -> _V: ...
@overload
def erfc(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def erfc(x: np.generic | float, /) -> float:
    """1 − erf x, accurate where that is next to 0 too; 0 for inf, 2 for −inf.

    float32: correctly rounded, proven on all 2³² inputs.
    float64: correctly rounded on every published hard case and all inputs tried. The same at every
    precision.
    """

@overload
def euler_xyz(angles: float3, /) -> quaternion: ...
@overload
def euler_xyz(angles: double3, /) -> dquaternion:
    """The turn about x by angles.x, then y by angles.y, then z by angles.z: fixed axes, radians."""

@overload
def euler_xzy(angles: float3, /) -> quaternion: ...
@overload
def euler_xzy(angles: double3, /) -> dquaternion:
    """The turn about x by angles.x, then z by angles.z, then y by angles.y: fixed axes, radians."""

@overload
def euler_yxz(angles: float3, /) -> quaternion: ...
@overload
def euler_yxz(angles: double3, /) -> dquaternion:
    """The turn about y by angles.y, then x by angles.x, then z by angles.z: fixed axes, radians."""

@overload
def euler_yzx(angles: float3, /) -> quaternion: ...
@overload
def euler_yzx(angles: double3, /) -> dquaternion:
    """The turn about y by angles.y, then z by angles.z, then x by angles.x: fixed axes, radians."""

@overload
def euler_zxy(angles: float3, /) -> quaternion: ...
@overload
def euler_zxy(angles: double3, /) -> dquaternion:
    """The turn about z by angles.z, then x by angles.x, then y by angles.y: fixed axes, radians."""

@overload
def euler_zyx(angles: float3, /) -> quaternion: ...
@overload
def euler_zyx(angles: double3, /) -> dquaternion:
    """The turn about z by angles.z, then y by angles.y, then x by angles.x: fixed axes, radians."""

def exact_sum(x: ReadOnly[_T], /) -> float:
    """The sum of an array of floats as if in exact arithmetic, rounded once to their type.

    It does not depend on the elements' order. 0 of an empty array; −0 where all are −0; NaN for a
    NaN or infinities of both signs. Some ten times slower than `sum`.
    """

@overload
def exp(x: float, /) -> float: ...
@overload
def exp(x: _V, /) -> _V: ...
@overload
def exp(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def exp(x: np.generic | float, /) -> float:
    """e^x; 0 for −inf, inf beyond the range.

    float32: correctly rounded, proven on all 2³² inputs.
    float32 at MEDIUM: at most 0.81 ULP off; at LOW: at most 150 for −87.3 < x < 88.3.
    float64: correctly rounded on every published hard case and all inputs tried.
    float64 at MEDIUM: at most 0.8 ULP off; at LOW: at most 10.
    """

@overload
def exp2(x: float, /) -> float: ...
@overload
def exp2(x: _V, /) -> _V: ...
@overload
def exp2(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def exp2(x: np.generic | float, /) -> float:
    """2^x, exact for integers; 0 for −inf, inf beyond the range.

    float32: correctly rounded, proven on all 2³² inputs.
    float32 at MEDIUM: at most 0.9 ULP off; at LOW: at most 60 for −126 ≤ x < 127.5.
    float64: correctly rounded on every published hard case and all inputs tried.
    float64 at MEDIUM: at most 0.8 ULP off; at LOW: at most 10.
    """

@overload
def exp2m1(x: float, /) -> float: ...
@overload
def exp2m1(x: _V, /) -> _V: ...
@overload
def exp2m1(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def exp2m1(x: np.generic | float, /) -> float:
    """2^x − 1, accurate near 0 too, exact for integers that allow it; −1 for −inf, inf beyond the
    range, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs.
    float32 at MEDIUM: at most 0.51 ULP off; at LOW: at most 20.
    float64: correctly rounded on all inputs tried; at MEDIUM the same; at LOW at most 40 ULP off.
    """

@overload
def exp10(x: float, /) -> float: ...
@overload
def exp10(x: _V, /) -> _V: ...
@overload
def exp10(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def exp10(x: np.generic | float, /) -> float:
    """10^x; 0 for −inf, inf beyond the range.

    float32: correctly rounded, proven on all 2³² inputs.
    float32 at MEDIUM: at most 1 ULP off; at LOW: at most 250 for −37.9 < x < 38.3.
    float64: correctly rounded on every published hard case and all inputs tried.
    float64 at MEDIUM: at most 0.8 ULP off; at LOW: at most 10.
    """

@overload
def exp10m1(x: float, /) -> float: ...
@overload
def exp10m1(x: _V, /) -> _V: ...
@overload
def exp10m1(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def exp10m1(x: np.generic | float, /) -> float:
    """10^x − 1, accurate near 0 too, exact for integers that allow it; −1 for −inf, inf beyond the
    range, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs.
    float32 at MEDIUM: at most 0.51 ULP off; at LOW: at most 20.
    float64: correctly rounded on all inputs tried; at MEDIUM the same; at LOW at most 40 ULP off.
    """

@overload
def expm1(x: float, /) -> float: ...
@overload
def expm1(x: _V, /) -> _V: ...
@overload
def expm1(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def expm1(x: np.generic | float, /) -> float:
    """e^x − 1, accurate near 0 too; −1 for −inf, inf beyond the range, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs.
    float32 at MEDIUM: at most 0.51 ULP off; at LOW: at most 100.
    float64: correctly rounded on every published hard case and all inputs tried;
    at MEDIUM the same; at LOW at most 40 ULP off.
    """

def f16_to_f32(*args: Any, out: Any = None) -> Any:
    """The value of a half's bits, exactly; NaN for every NaN."""

def f16_to_f64(*args: Any, out: Any = None) -> Any:
    """The value of a half's bits, exactly; NaN for every NaN."""

def f32_to_f16(*args: Any, out: Any = None) -> Any:
    """The bits of x as a half, rounded to nearest, ties to even: as `f64_to_f16`."""

def f64_to_f16(*args: Any, out: Any = None) -> Any:
    """The bits of x as a half, rounded once: to nearest, ties to even.

    65,520 and more give infinity; below 2^-14 halves are subnormal, 2^-25 and less give 0. NaN
    gives 7e00.
    """

def faceforward(n: _V, i: _V, ng: _V, /) -> _V:
    """−n where dot(g, i) ≥ 0, else n: a normal turned against the direction i, by the normal g."""

@overload
def fdim(x: float, y: float, /) -> float: ...
@overload
def fdim(x: _V, y: _V | float, /) -> _V: ...
@overload
def fdim(x: _V | float, y: _V, /) -> _V: ...
@overload
def fdim(x: _Numbers, y: _Numbers | float, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def fdim(x: float, y: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def fdim(x: np.generic | float, y: np.generic | float, /) -> float:
    """How much x is above y: x − y, rounded once, or +0 where x ≤ y."""

@overload
def floor(x: float, /) -> float: ...
@overload
def floor(x: _V, /) -> _V: ...
@overload
def floor(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def floor(x: np.generic | float, /) -> float:
    """Floats rounded down to whole ones; zero keeps its sign."""

@overload
def floorlog2(x: int, /) -> int: ...
@overload
def floorlog2(x: _V, /) -> _V: ...
@overload
def floorlog2(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def floorlog2(x: np.generic | float, /) -> int:
    """The greatest n with 2^n ≤ x, an int32; −1 for 0. A signed x counts as its bits."""

@overload
def fma(a: float, b: float, c: float, /) -> float: ...
@overload
def fma(a: _V, b: _V | float, c: _V | float, /) -> _V: ...
@overload
def fma(a: _V | float, b: _V | float, c: _V, /) -> _V: ...
@overload
def fma(
    a: _Numbers, b: _Numbers | float, c: _Numbers | float, /, *, out: _Numbers | None = None
) -> _Numbers: ...
@overload
def fma(
    a: float, b: _Numbers, c: _Numbers | float, /, *, out: _Numbers | None = None
) -> _Numbers: ...
@overload
def fma(a: float, b: float, c: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def fma(a: np.generic | float, b: np.generic | float, c: np.generic | float, /) -> float:
    """a×b+c of floats, rounded once."""

@overload
def fmax(a: float, b: float, /) -> float: ...
@overload
def fmax(a: _V, b: _V | float, /) -> _V: ...
@overload
def fmax(a: _V | float, b: _V, /) -> _V: ...
@overload
def fmax(a: _Numbers, b: _Numbers | float, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def fmax(a: float, b: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def fmax(a: np.generic | float, b: np.generic | float, /) -> float:
    """The greater of two numbers, of a number and a NaN the number; −0 is below +0. IEEE 754-2019's maximumNumber; `max` gives NaN for NaN."""

@overload
def fmin(a: float, b: float, /) -> float: ...
@overload
def fmin(a: _V, b: _V | float, /) -> _V: ...
@overload
def fmin(a: _V | float, b: _V, /) -> _V: ...
@overload
def fmin(a: _Numbers, b: _Numbers | float, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def fmin(a: float, b: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def fmin(a: np.generic | float, b: np.generic | float, /) -> float:
    """The lesser of two numbers, of a number and a NaN the number; −0 is below +0. IEEE 754-2019's minimumNumber; `min` gives NaN for NaN."""

@overload
def fmod(x: float, y: float, /) -> float: ...
@overload
def fmod(x: _V, y: _V | float, /) -> _V: ...
@overload
def fmod(x: _V | float, y: _V, /) -> _V: ...
@overload
def fmod(x: _Numbers, y: _Numbers | float, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def fmod(x: float, y: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def fmod(x: np.generic | float, y: np.generic | float, /) -> float:
    """x − n·y with n = x/y truncated, exactly; it has the sign of x, as C's fmod and NumPy's.

    NaN if x is infinite or y is 0; x if y is infinite.
    """

@overload
def fract(x: float, /) -> float: ...
@overload
def fract(x: _V, /) -> _V: ...
@overload
def fract(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def fract(x: np.generic | float, /) -> float:
    """x − floor(x), in [0, 1]: 1 where a tiny negative x is rounded up to it."""

@overload
def frexp(x: float, /) -> tuple[float, int]: ...
@overload
def frexp(x: _V, /) -> tuple[_V, Any]: ...
@overload
def frexp(x: _Numbers, /, *, out: _Numbers | None = None) -> tuple[_Numbers, _Numbers]: ...
@overload
def frexp(x: np.generic | float, /) -> tuple[float, int]:
    """(m, n) with x = m·2^n, exactly: m a float with 1/2 ≤ |m| < 1, n an int32.

    (x, 0) for zeros, infinities and NaN.
    """

def hash(*args: Any, out: Any = None) -> Any:
    """XXH32, seed 0, of the bytes of a number or vector, the lowest of each component first.

    Every NaN is the canonical one. 0 and −0 are equal and have different hashes: add 0.0 first.
    Not for secrets.
    """

@overload
def hypot(x: float, y: float, /) -> float: ...
@overload
def hypot(x: _V, y: _V | float, /) -> _V: ...
@overload
def hypot(x: _V | float, y: _V, /) -> _V: ...
@overload
def hypot(x: _Numbers, y: _Numbers | float, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def hypot(x: float, y: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def hypot(x: np.generic | float, y: np.generic | float, /) -> float:
    """√(x² + y²) without needless overflow; inf where x or y is infinite, else NaN for a NaN.

    float32: correctly rounded.
    float32 at MEDIUM: at most 0.51 ULP off; at LOW: at most 2 if the greater is from 2^-50
    to 2^63.
    float64: correctly rounded at HIGH and MEDIUM; at LOW within 2.5 ULP where the larger of |x| and
    |y| is between 2^-480 and 2^510: beyond it may be 0 or inf, and for inf beside a NaN it is NaN.
    """

@overload
def ilogb(x: float, /) -> int: ...
@overload
def ilogb(x: Value, /) -> Any: ...
@overload
def ilogb(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def ilogb(x: np.generic | float, /) -> int:
    """The exponent of x as an int32: the greatest n with 2^n ≤ |x|, subnormal numbers included.

    −2147483648 for zeros and NaN, 2147483647 for infinities (C leaves the platform the choice).
    """

def inverse(a: _V, /) -> _V:
    """Of a square matrix the adjugate over the determinant, ±∞ and NaN where that is 0; of a
    quaternion conjugate(q)/dot(q, q).
    """

@overload
def isfinite(x: float, /) -> bool: ...
@overload
def isfinite(x: Vector[Any, _B], /) -> _B: ...
@overload
def isfinite(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers:
    """Whether x is neither an infinity nor NaN; a bool."""

@overload
def isinf(x: float, /) -> bool: ...
@overload
def isinf(x: Vector[Any, _B], /) -> _B: ...
@overload
def isinf(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers:
    """Whether x is an infinity of either sign; a bool."""

@overload
def isnan(x: float, /) -> bool: ...
@overload
def isnan(x: Vector[Any, _B], /) -> _B: ...
@overload
def isnan(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers:
    """Whether x is a NaN; a bool."""

@overload
def ispow2(x: int, /) -> bool: ...
@overload
def ispow2(x: Vector[Any, _B], /) -> _B:
    """Whether x is a power of two; a bool, False for 0 and below."""

@overload
def ldexp(x: float, n: int, /) -> float: ...
@overload
def ldexp(x: _V, n: Any, /) -> _V: ...
@overload
def ldexp(x: _Numbers, n: _Numbers | int, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def ldexp(x: float, n: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers:
    """x·2^n for any int32 n, rounded once (where the result is subnormal); infinity beyond the
    largest float.
    """

def length(a: Vector[_S, Any], /) -> _S:
    """sqrt(dot(a, a)) of a float vector."""

def lengthsq(v: Vector[_S, Any], /) -> _S:
    """dot(v, v): the square of the length."""

@overload
def lerp(a: float, b: float, t: float, /) -> float: ...
@overload
def lerp(a: _V, b: _V | float, t: _V | float, /) -> _V: ...
@overload
def lerp(a: _V | float, b: _V | float, t: _V, /) -> _V: ...
@overload
def lerp(
    a: _Numbers, b: _Numbers | float, t: _Numbers | float, /, *, out: _Numbers | None = None
) -> _Numbers: ...
@overload
def lerp(
    a: float, b: _Numbers, t: _Numbers | float, /, *, out: _Numbers | None = None
) -> _Numbers: ...
@overload
def lerp(a: float, b: float, t: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def lerp(a: np.generic | float, b: np.generic | float, t: np.generic | float, /) -> float:
    """a + t·(b − a): a at t = 0, about b at t = 1; t is not held to [0, 1]."""

@overload
def lgamma(x: float, /) -> float: ...
@overload
def lgamma(x: _V, /) -> _V: ...
@overload
def lgamma(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def lgamma(x: np.generic | float, /) -> float:
    """The natural logarithm of |Γ(x)|; inf for zeros, negative integers and infinities, +0 for 1
    and 2.

    float32: correctly rounded, proven on all 2³² inputs.
    float64: correctly rounded on all inputs tried; the margins are proven. The same at every
    precision.
    """

@overload
def log(x: float, /) -> float: ...
@overload
def log(x: _V, /) -> _V: ...
@overload
def log(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def log(x: np.generic | float, /) -> float:
    """Natural logarithm of x; −inf for ±0, NaN for x < 0, inf for inf.

    float32: correctly rounded, proven on all 2³² inputs.
    float32 at MEDIUM: at most 0.51 ULP off; at LOW: at most 30 for normal x.
    float64: correctly rounded on every published hard case and all inputs tried;
    at MEDIUM the same; at LOW at most 6 ULP off.
    """

@overload
def log1p(x: float, /) -> float: ...
@overload
def log1p(x: _V, /) -> _V: ...
@overload
def log1p(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def log1p(x: np.generic | float, /) -> float:
    """log(1 + x), accurate near 0 too; −inf for −1, NaN for x < −1, inf for inf, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs.
    float32 at MEDIUM: at most 0.51 ULP off; at LOW: at most 30.
    float64: correctly rounded on every published hard case and all inputs tried;
    at MEDIUM the same; at LOW at most 6 ULP off.
    """

@overload
def log2(x: float, /) -> float: ...
@overload
def log2(x: _V, /) -> _V: ...
@overload
def log2(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def log2(x: np.generic | float, /) -> float:
    """Logarithm of x to base 2, exact for powers of 2; −inf for ±0, NaN for x < 0, inf for inf.

    float32: correctly rounded, proven on all 2³² inputs.
    float32 at MEDIUM: at most 0.52 ULP off; at LOW: at most 30 for normal x.
    float64: correctly rounded on every published hard case and all inputs tried;
    at MEDIUM the same; at LOW at most 8 ULP off.
    """

@overload
def log2p1(x: float, /) -> float: ...
@overload
def log2p1(x: _V, /) -> _V: ...
@overload
def log2p1(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def log2p1(x: np.generic | float, /) -> float:
    """log2(1 + x), accurate near 0 too, exact for 2^k − 1; −inf for −1, NaN for x < −1, inf for
    inf, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs.
    float32 at MEDIUM: at most 0.52 ULP off; at LOW: at most 30.
    float64: correctly rounded on all inputs tried; at MEDIUM the same; at LOW at most 8 ULP off.
    """

@overload
def log10(x: float, /) -> float: ...
@overload
def log10(x: _V, /) -> _V: ...
@overload
def log10(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def log10(x: np.generic | float, /) -> float:
    """Logarithm of x to base 10, exact for powers of 10; −inf for ±0, NaN for x < 0, inf for inf.

    float32: correctly rounded, proven on all 2³² inputs.
    float32 at MEDIUM: at most 0.52 ULP off; at LOW: at most 30 for normal x.
    float64: correctly rounded on every published hard case and all inputs tried;
    at MEDIUM the same; at LOW at most 6 ULP off.
    """

@overload
def log10p1(x: float, /) -> float: ...
@overload
def log10p1(x: _V, /) -> _V: ...
@overload
def log10p1(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def log10p1(x: np.generic | float, /) -> float:
    """log10(1 + x), accurate near 0 too, exact for 10^k − 1; −inf for −1, NaN for x < −1, inf for
    inf, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs.
    float32 at MEDIUM: at most 0.52 ULP off; at LOW: at most 30.
    float64: correctly rounded on all inputs tried; at MEDIUM the same; at LOW at most 8 ULP off.
    """

@overload
def logaddexp(x: float, y: float, /) -> float: ...
@overload
def logaddexp(x: _V, y: _V | float, /) -> _V: ...
@overload
def logaddexp(x: _V | float, y: _V, /) -> _V: ...
@overload
def logaddexp(x: _Numbers, y: _Numbers | float, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def logaddexp(x: float, y: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def logaddexp(x: np.generic | float, y: np.generic | float, /) -> float:
    """log(e^x + e^y) without needless overflow: the sum of two numbers given by their logarithms,
    as NumPy's. NaN if x or y is NaN, inf if one is inf, −inf for two −inf.

    float32 and float64: correctly rounded on all inputs tried, next to 0 too, where x and y nearly
    cancel; the margins are proven. The same at every precision.
    """

@overload
def logb(x: float, /) -> float: ...
@overload
def logb(x: _V, /) -> _V: ...
@overload
def logb(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def logb(x: np.generic | float, /) -> float:
    """The exponent of x as a float: the greatest n with 2^n ≤ |x|, subnormal numbers included.

    −∞ for zeros, ∞ for infinities, NaN for NaN.
    """

@overload
def look_rotation(forward: float3, up: float3, /) -> quaternion: ...
@overload
def look_rotation(forward: double3, up: double3, /) -> dquaternion:
    """The rotation that turns +z to forward and +y into the plane of forward and up.

    forward has length 1, up any but 0; NaN where they are parallel.
    """

@overload
def mad(a: float, b: float, c: float, /) -> float: ...
@overload
def mad(a: _V, b: _V | float, c: _V | float, /) -> _V: ...
@overload
def mad(a: _V | float, b: _V | float, c: _V, /) -> _V: ...
@overload
def mad(
    a: _Numbers, b: _Numbers | float, c: _Numbers | float, /, *, out: _Numbers | None = None
) -> _Numbers: ...
@overload
def mad(
    a: float, b: _Numbers, c: _Numbers | float, /, *, out: _Numbers | None = None
) -> _Numbers: ...
@overload
def mad(a: float, b: float, c: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def mad(a: np.generic | float, b: np.generic | float, c: np.generic | float, /) -> float:
    """a·b + c, rounded twice, as in any kernel; `fma` rounds once."""

@overload
def max(a: int, b: int, /) -> int: ...
@overload
def max(a: float, b: float, /) -> float: ...
@overload
def max(a: _V, b: _V | float, /) -> _V: ...
@overload
def max(a: _V | float, b: _V, /) -> _V: ...
@overload
def max(a: _Numbers, b: _Numbers | float, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def max(a: float, b: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def max(a: np.generic | float, b: np.generic | float, /) -> float: ...
@overload
def max(a: _T, b: _T, /) -> _T: ...
@overload
def max(x: ReadOnly[_T], /) -> _T:
    """The greatest of two numbers or vectors' components, or of an array.

    −0 is below +0, and a NaN gives NaN. An empty array traps.
    """

def mean(x: ReadOnly[_T], /) -> float:
    """sum(x) / len(x), in the elements' type, of integers in float64; NaN of an empty array."""

@overload
def min(a: int, b: int, /) -> int: ...
@overload
def min(a: float, b: float, /) -> float: ...
@overload
def min(a: _V, b: _V | float, /) -> _V: ...
@overload
def min(a: _V | float, b: _V, /) -> _V: ...
@overload
def min(a: _Numbers, b: _Numbers | float, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def min(a: float, b: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def min(a: np.generic | float, b: np.generic | float, /) -> float: ...
@overload
def min(a: _T, b: _T, /) -> _T: ...
@overload
def min(x: ReadOnly[_T], /) -> _T:
    """The least of two numbers or vectors' components, or of an array.

    −0 is below +0, and a NaN gives NaN. An empty array traps.
    """

@overload
def modf(x: float, /) -> tuple[float, float]: ...
@overload
def modf(x: _V, /) -> tuple[_V, _V]: ...
@overload
def modf(x: _Numbers, /, *, out: _Numbers | None = None) -> tuple[_Numbers, _Numbers]: ...
@overload
def modf(x: np.generic | float, /) -> tuple[float, float]:
    """(fraction, whole part) of x, exactly, both of x's type and sign; (±0, ±∞) for infinities."""

def mul(a: _Multiplied[_Other, _Result], b: _Other) -> _Result:
    """The product, as `a @ b`: of matrices, of a matrix and a column vector, of a row vector and a
    matrix, of two quaternions, or the vector b turned by the unit quaternion a.

    Sums of products go from left to right. docs/reference/linear-algebra.md has the formulas.
    """

@overload
def nextafter(x: float, y: float, /) -> float: ...
@overload
def nextafter(x: _V, y: _V | float, /) -> _V: ...
@overload
def nextafter(x: _V | float, y: _V, /) -> _V: ...
@overload
def nextafter(x: _Numbers, y: _Numbers | float, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def nextafter(x: float, y: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def nextafter(x: np.generic | float, y: np.generic | float, /) -> float:
    """The number next to x on the way to y; y where they are equal, NaN if one is NaN."""

@overload
def nextdown(x: float, /) -> float: ...
@overload
def nextdown(x: _V, /) -> _V: ...
@overload
def nextdown(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def nextdown(x: np.generic | float, /) -> float:
    """The greatest number less than x: IEEE 754's nextDown, −nextup(−x)."""

@overload
def nextup(x: float, /) -> float: ...
@overload
def nextup(x: _V, /) -> _V: ...
@overload
def nextup(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def nextup(x: np.generic | float, /) -> float:
    """The least number greater than x: IEEE 754's nextUp. 2^-149 or 2^-1074 for zeros, −0 for
    the greatest number below them; ∞ and NaN stay.
    """

def nlerp(a: _V, b: _V, t: float, /) -> _V:
    """normalize(a + t·(±b − a)): from a to b, the shorter way, at a speed that varies. The sign is
    that of dot(a, b).
    """

def norm(x: ReadOnly[_T], /) -> float:
    """Euclidean length √(Σx²) of an array of floats; 0 of an empty one. From Python integers
    count as float64.

    Never overflows or vanishes where the result does not: float32 is summed in float64, float64
    scaled by a power of two where needed. The sum has the shape of `sum`.
    """

def normalize(a: _V, /) -> _V:
    """a / length(a), element by element; NaN for a zero vector."""

def normalizesafe(v: _V, default: _V = ..., /) -> _V:
    """v/√dot(v, v) where dot(v, v) is above the least normal number, else `other`, or 0: a unit
    vector, with one of your own for what has no direction. NaN has none either.
    """

def orthonormal_basis(*args: Any, out: Any = None) -> Any:
    """Two unit vectors at right angles to the unit vector n and to each other, without a branch:
    Duff and others, "Building an Orthonormal Basis, Revisited", JCGT 6(1), 2017.
    """

@overload
def popcount(x: int, /) -> int: ...
@overload
def popcount(x: _V, /) -> _V: ...
@overload
def popcount(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def popcount(x: np.generic | float, /) -> int:
    """Number of one bits of an integer, in its type."""

@overload
def pow(x: float, y: float, /) -> float: ...
@overload
def pow(x: _V, y: _V | float, /) -> _V: ...
@overload
def pow(x: _V | float, y: _V, /) -> _V: ...
@overload
def pow(x: _Numbers, y: _Numbers | float, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def pow(x: float, y: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def pow(x: np.generic | float, y: np.generic | float, /) -> float:
    """x^y, exact and half-way cases included; special cases as IEEE 754-2019 has them.

    1 for y = ±0 and for x = 1, even where the other is NaN; NaN for x < 0 unless y is an integer.
    ±0 and ±inf as x keep their sign for an odd y; (−1)^±inf is 1.

    float32: correctly rounded; what float64 leaves open is decided by 192-bit integers.
    float32 at MEDIUM: at most 0.55 ULP off; at LOW: at most 560 for normal x and results from
    2^-126 to 2^127.4, for x < 0 with |y| ≤ 2^22 only.
    float64: correctly rounded on every published hard case and all inputs tried;
    at MEDIUM the same; at LOW at most 575 ULP off for normal x and results from
    1e-40 to 1e40.
    """

@overload
def pown(x: float, n: int, /) -> float: ...
@overload
def pown(x: _V, n: Any, /) -> _V: ...
@overload
def pown(x: _Numbers, n: _Numbers | int, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def pown(x: float, n: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers:
    """x^n for an int32 n, exact and half-way cases included; 1 for n = 0, even where x is NaN.

    ±0 and ±inf as x keep their sign for an odd n.

    float32: correctly rounded; what float64 leaves open is decided by 192-bit integers;
    at MEDIUM the same; at LOW at most 560 ULP off for normal x, |n| ≤ 2^22 and results from
    2^-126 to 2^127.4.
    float64: correctly rounded on all inputs tried; at MEDIUM the same; at LOW at most 575 ULP off
    for normal x and results from 1e-40 to 1e40.
    """

@overload
def powr(x: float, y: float, /) -> float: ...
@overload
def powr(x: _V, y: _V | float, /) -> _V: ...
@overload
def powr(x: _V | float, y: _V, /) -> _V: ...
@overload
def powr(x: _Numbers, y: _Numbers | float, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def powr(x: float, y: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def powr(x: np.generic | float, y: np.generic | float, /) -> float:
    """x^y as e^(y·log x), for x ≥ 0: NaN for x < 0, and where that has no limit, of 0^0, inf^0,
    1^±inf and a NaN; −0 counts as 0.

    float32: correctly rounded; what float64 leaves open is decided by 192-bit integers;
    at MEDIUM the same; at LOW at most 560 ULP off for normal x and results from 2^-126 to 2^127.4.
    float64: correctly rounded on all inputs tried; at MEDIUM the same; at LOW at most 575 ULP off
    for normal x and results from 1e-40 to 1e40.
    """

def precision(value: Precision) -> AbstractContextManager[None]:
    """In a `with` block: math functions called from Python have this precision.

    It holds for this thread or asynchronous task, and for calls of `math` functions alone: a
    kernel, also one called in the block, keeps the precision that it was decorated with. Raises
    ArgumentError for anything but `sb.HIGH`, `sb.MEDIUM` and `sb.LOW`.
    """

def project(a: _V, b: _V, /) -> _V:
    """(dot(a, b)/dot(b, b))·b: the part of a along b; NaN for b = 0."""

@overload
def radians(x: float, /) -> float: ...
@overload
def radians(x: _V, /) -> _V: ...
@overload
def radians(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def radians(x: np.generic | float, /) -> float:
    """x degrees in radians: x times π/180 rounded to x's type."""

@overload
def rcp(x: float, /) -> float: ...
@overload
def rcp(x: _V, /) -> _V: ...
@overload
def rcp(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def rcp(x: np.generic | float, /) -> float:
    """1/x, rounded once; infinity of its sign for a zero."""

def reflect(i: _V, n: _V, /) -> _V:
    """i − 2·dot(n, i)·n: the direction i thrown back by a surface of unit normal n."""

def refract(i: _V, n: _V, eta: float, /) -> _V:
    """eta·i − (eta·c + √k)·n with c = dot(n, i) and k = 1 − eta·eta·(1 − c·c): the unit direction i
    bent by a surface of unit normal n, eta the ratio of refractive indices. 0 where k < 0, which
    is total reflection.
    """

@overload
def remainder(x: float, y: float, /) -> float: ...
@overload
def remainder(x: _V, y: _V | float, /) -> _V: ...
@overload
def remainder(x: _V | float, y: _V, /) -> _V: ...
@overload
def remainder(x: _Numbers, y: _Numbers | float, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def remainder(x: float, y: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def remainder(x: np.generic | float, y: np.generic | float, /) -> float:
    """x − n·y with n the integer nearest to x/y, ties to even, exactly: IEEE 754's remainder, from
    −|y|/2 to |y|/2, as Python's math.remainder (not NumPy's, which is `%`).

    A result of 0 has the sign of x. NaN if x is infinite or y is 0; x if y is infinite.
    """

@overload
def remap(a: float, b: float, c: float, d: float, x: float, /) -> float: ...
@overload
def remap(a: _V, b: _V | float, c: _V | float, d: _V | float, x: _V | float, /) -> _V: ...
@overload
def remap(a: _V | float, b: _V | float, c: _V | float, d: _V | float, x: _V, /) -> _V: ...
@overload
def remap(
    a: _Numbers,
    b: _Numbers | float,
    c: _Numbers | float,
    d: _Numbers | float,
    x: _Numbers | float,
    /,
    *,
    out: _Numbers | None = None,
) -> _Numbers: ...
@overload
def remap(
    a: float,
    b: _Numbers,
    c: _Numbers | float,
    d: _Numbers | float,
    x: _Numbers | float,
    /,
    *,
    out: _Numbers | None = None,
) -> _Numbers: ...
@overload
def remap(
    a: float,
    b: float,
    c: _Numbers,
    d: _Numbers | float,
    x: _Numbers | float,
    /,
    *,
    out: _Numbers | None = None,
) -> _Numbers: ...
@overload
def remap(
    a: float,
    b: float,
    c: float,
    d: _Numbers,
    x: _Numbers | float,
    /,
    *,
    out: _Numbers | None = None,
) -> _Numbers: ...
@overload
def remap(
    a: float, b: float, c: float, d: float, x: _Numbers, /, *, out: _Numbers | None = None
) -> _Numbers: ...
@overload
def remap(
    a: np.generic | float,
    b: np.generic | float,
    c: np.generic | float,
    d: np.generic | float,
    x: np.generic | float,
    /,
) -> float:
    """c + ((x − a)/(b − a))·(d − c): x from [a, b] to [c, d], not clamped."""

@overload
def remquo(x: float, y: float, /) -> tuple[float, int]: ...
@overload
def remquo(x: _V, y: _V | float, /) -> tuple[_V, Any]: ...
@overload
def remquo(x: _V | float, y: _V, /) -> tuple[_V, Any]: ...
@overload
def remquo(
    x: _Numbers, y: _Numbers | float, /, *, out: _Numbers | None = None
) -> tuple[_Numbers, _Numbers]: ...
@overload
def remquo(
    x: float, y: _Numbers, /, *, out: _Numbers | None = None
) -> tuple[_Numbers, _Numbers]: ...
@overload
def remquo(x: np.generic | float, y: np.generic | float, /) -> tuple[float, int]:
    """(r, q): r = x − n·y with n the integer nearest to x/y, ties to even, exactly, as `remainder`;
    q an int32, the last three bits of |n| with the sign of x/y.

    (NaN, 0) if x is infinite or y is 0; (x, 0) if y is infinite.
    """

@overload
def reversebits(x: int, /) -> int: ...
@overload
def reversebits(x: _V, /) -> _V: ...
@overload
def reversebits(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def reversebits(x: np.generic | float, /) -> int:
    """The bits of an integer in the other order, in its type."""

@overload
def rootn(x: float, n: int, /) -> float: ...
@overload
def rootn(x: _V, n: Any, /) -> _V: ...
@overload
def rootn(x: _Numbers, n: _Numbers | int, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def rootn(x: float, n: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers:
    """The n-th root of x, x^(1/n), for an int32 n, exact for powers; NaN for n = 0, and for x < 0
    where n is even. ±0 and ±inf as x keep their sign for an odd n.

    float32: correctly rounded; what float64 leaves open is decided by 192-bit integers;
    at MEDIUM the same; at LOW at most 250 ULP off for normal x and |n| ≥ 2.
    float64: correctly rounded on all inputs tried; at MEDIUM the same; at LOW at most 450 ULP off
    for normal x and results from 1e-40 to 1e40.
    """

@overload
def rotate(q: quaternion, v: float3, /) -> float3: ...
@overload
def rotate(q: dquaternion, v: double3, /) -> double3:
    """q @ v: the vector v turned by the unit quaternion q."""

@overload
def rotl(x: int, count: int, /) -> int: ...
@overload
def rotl(x: _V, count: _V | int, /) -> _V: ...
@overload
def rotl(x: _V | int, count: _V, /) -> _V: ...
@overload
def rotl(x: _Numbers, count: _Numbers | float, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def rotl(x: float, count: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def rotl(x: np.generic | float, count: np.generic | float, /) -> int:
    """The bits of integer `x` rotated left by `count` modulo the width."""

@overload
def rotr(x: int, count: int, /) -> int: ...
@overload
def rotr(x: _V, count: _V | int, /) -> _V: ...
@overload
def rotr(x: _V | int, count: _V, /) -> _V: ...
@overload
def rotr(x: _Numbers, count: _Numbers | float, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def rotr(x: float, count: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def rotr(x: np.generic | float, count: np.generic | float, /) -> int:
    """The bits of integer `x` rotated right by `count` modulo the width."""

@overload
def round(x: float, /) -> float: ...
@overload
def round(x: _V, /) -> _V: ...
@overload
def round(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def round(x: np.generic | float, /) -> float:
    """Floats rounded to the nearest whole one, ties to even; zero keeps its sign."""

@overload
def round_half_away(x: float, /) -> float: ...
@overload
def round_half_away(x: _V, /) -> _V: ...
@overload
def round_half_away(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def round_half_away(x: np.generic | float, /) -> float:
    """The nearest whole number, halves away from zero, as C's `round`; zero keeps its sign. `round` takes halves to even."""

@overload
def rsqrt(x: float, /) -> float: ...
@overload
def rsqrt(x: _V, /) -> _V: ...
@overload
def rsqrt(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def rsqrt(x: np.generic | float, /) -> float:
    """1/√x; ±inf for ±0, NaN for x < 0, 0 for inf.

    float32: correctly rounded, proven on all 2³² inputs.
    float32 at MEDIUM: at most 0.51 ULP off; at LOW: at most 2.
    float64: correctly rounded at HIGH and MEDIUM; at LOW within 14 ULP for normal x and special
    values, and some number for a subnormal x.
    """

@overload
def saturate(x: float, /) -> float: ...
@overload
def saturate(x: _V, /) -> _V: ...
@overload
def saturate(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def saturate(x: np.generic | float, /) -> float:
    """x held to [0, 1]; NaN for NaN."""

@overload
def select(condition: bool, a: int, b: int, /) -> int: ...
@overload
def select(condition: bool, a: float, b: float, /) -> float: ...
@overload
def select(condition: bool | Vector[bool, Any], a: _V, b: float, /) -> _V: ...
@overload
def select(condition: bool | Vector[bool, Any], a: float, b: _V, /) -> _V: ...
@overload
def select(condition: bool | _Truths, a: _T, b: _T, /) -> _T:
    """`a` where the bool (or bool vector or matrix) `condition` holds, else `b`; both are
    evaluated.
    """

def shuffle(*args: Any, out: Any = None) -> Any:
    """The components of the 4-vectors a and b by number, 0 to 3 those of a, 4 to 7 those of b: a
    number of one, a vector of two to four. Traps where a number is none of these.
    """

@overload
def sign(x: int, /) -> int: ...
@overload
def sign(x: float, /) -> float: ...
@overload
def sign(x: _V, /) -> _V: ...
@overload
def sign(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def sign(x: np.generic | float, /) -> float:
    """−1, 0 or 1 in the type of `x`; a NaN and zeros of either sign stay."""

@overload
def signbit(x: float, /) -> bool: ...
@overload
def signbit(x: Vector[Any, _B], /) -> _B: ...
@overload
def signbit(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers:
    """Whether x has a minus sign, −0 included; False for NaN. A bool."""

@overload
def sin(x: float, /) -> float: ...
@overload
def sin(x: _V, /) -> _V: ...
@overload
def sin(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def sin(x: np.generic | float, /) -> float:
    """Sine of x radians; any float32 or float64, NaN for NaN and infinities, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs; LOW: 40 ULP for |x| ≤ 1600.
    float64: correctly rounded; MEDIUM: 1 ULP; LOW: 6 ULP for |x| ≤ 2²⁰.
    From Python x may be a float, a NumPy or samebits float, a vector, or an
    array of float32 or float64.
    """

@overload
def sincos(x: float, /) -> tuple[float, float]: ...
@overload
def sincos(x: _V, /) -> tuple[_V, _V]: ...
@overload
def sincos(x: _Numbers, /, *, out: _Numbers | None = None) -> tuple[_Numbers, _Numbers]: ...
@overload
def sincos(x: np.generic | float, /) -> tuple[float, float]:
    """(sin(x), cos(x)), the bits that `sin` and `cos` give."""

@overload
def sinh(x: float, /) -> float: ...
@overload
def sinh(x: _V, /) -> _V: ...
@overload
def sinh(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def sinh(x: np.generic | float, /) -> float:
    """Hyperbolic sine of x; ±inf beyond the range, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs.
    float32 at MEDIUM: at most 0.51 ULP off; at LOW: at most 100 for |x| < 87.
    float64: correctly rounded on every published hard case and all inputs tried;
    at MEDIUM the same; at LOW at most 40 ULP off.
    """

@overload
def sinpi(x: float, /) -> float: ...
@overload
def sinpi(x: _V, /) -> _V: ...
@overload
def sinpi(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def sinpi(x: np.generic | float, /) -> float:
    """Sine of x half turns, sin(πx); NaN for NaN and infinities, 0 with x's sign for integers.

    float32: correctly rounded, proven on all 2³² inputs; LOW: 19 ULP for |x| ≤ 2²¹.
    float64: correctly rounded; MEDIUM: 1 ULP; LOW: 6 ULP for |x| ≤ 2⁵⁰.
    """

def slerp(a: _V, b: _V, t: float, /) -> _V:
    """From unit quaternion a to b, the shorter way, at constant speed:
    (sin((1−t)·φ)/s)·a + (sin(t·φ)/s)·±b with cos φ = |dot(a, b)| and s = sin φ.

    Where the cosine is 0.9995 or more it is nlerp.
    """

@overload
def smoothstep(a: float, b: float, x: float, /) -> float: ...
@overload
def smoothstep(a: _V, b: _V | float, x: _V | float, /) -> _V: ...
@overload
def smoothstep(a: _V | float, b: _V | float, x: _V, /) -> _V: ...
@overload
def smoothstep(
    a: _Numbers, b: _Numbers | float, x: _Numbers | float, /, *, out: _Numbers | None = None
) -> _Numbers: ...
@overload
def smoothstep(
    a: float, b: _Numbers, x: _Numbers | float, /, *, out: _Numbers | None = None
) -> _Numbers: ...
@overload
def smoothstep(a: float, b: float, x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def smoothstep(a: np.generic | float, b: np.generic | float, x: np.generic | float, /) -> float:
    """t·t·(3 − 2·t) with t = (x − a)/(b − a) held to [0, 1]: 0 below a, 1 above b."""

@overload
def sqrt(x: float, /) -> float: ...
@overload
def sqrt(x: _V, /) -> _V: ...
@overload
def sqrt(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def sqrt(x: np.generic | float, /) -> float:
    """Square root of floats, correctly rounded; NaN below zero."""

@overload
def step(edge: float, x: float, /) -> float: ...
@overload
def step(edge: _V, x: _V | float, /) -> _V: ...
@overload
def step(edge: _V | float, x: _V, /) -> _V: ...
@overload
def step(edge: _Numbers, x: _Numbers | float, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def step(edge: float, x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def step(edge: np.generic | float, x: np.generic | float, /) -> float:
    """1 where x ≥ edge, else 0; 0 for NaN."""

def sum(x: ReadOnly[_T], /) -> _T:
    """Sum of an array, in the shape of docs/reference/reductions.md; 0 of an empty one.

    Floats give their own type, signed integers int64 and unsigned ones uint64, modulo 2⁶⁴, bools
    how many are true, an int64. Error
    at most about (38 + log₂(n / 2048))·ε·Σ|x|, ε the type's rounding error.
    """

@overload
def tan(x: float, /) -> float: ...
@overload
def tan(x: _V, /) -> _V: ...
@overload
def tan(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def tan(x: np.generic | float, /) -> float:
    """Tangent of x radians; NaN for NaN and infinities, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs; LOW: 157 ULP for |x| ≤ 1600.
    float64: correctly rounded; LOW: 64 ULP for |x| ≤ 2²⁰.
    """

@overload
def tanh(x: float, /) -> float: ...
@overload
def tanh(x: _V, /) -> _V: ...
@overload
def tanh(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def tanh(x: np.generic | float, /) -> float:
    """Hyperbolic tangent of x; ±1 for ±inf, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs.
    float32 at MEDIUM: at most 0.51 ULP off; at LOW: at most 20.
    float64: correctly rounded on every published hard case and all inputs tried;
    at MEDIUM the same; at LOW at most 40 ULP off.
    """

@overload
def tanpi(x: float, /) -> float: ...
@overload
def tanpi(x: _V, /) -> _V: ...
@overload
def tanpi(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def tanpi(x: np.generic | float, /) -> float:
    """Tangent of x half turns, tan(πx); NaN for NaN and infinities.

    An even integer gives 0 and an even one and a half inf, with the sign of x, odd ones with the
    other; odd quarters give 1 and −1.

    float32: correctly rounded, proven on all 2³² inputs; LOW: 160 ULP for |x| ≤ 2²⁰.
    float64: correctly rounded; LOW: 64 ULP for |x| ≤ 2⁵⁰.
    """

@overload
def tgamma(x: float, /) -> float: ...
@overload
def tgamma(x: _V, /) -> _V: ...
@overload
def tgamma(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def tgamma(x: np.generic | float, /) -> float:
    """The gamma function Γ(x), (x − 1)! of positive integers; an infinity with the sign of a zero,
    NaN for negative integers and −inf, inf for inf.

    float32: correctly rounded, proven on all 2³² inputs.
    float64: correctly rounded on all inputs tried; the margins are proven. The same at every
    precision.
    """

@overload
def to_matrix(q: quaternion, /) -> float3x3: ...
@overload
def to_matrix(q: dquaternion, /) -> double3x3:
    """The 3x3 matrix that turns vectors as the unit quaternion q does."""

@overload
def to_quaternion(m: float3x3, /) -> quaternion: ...
@overload
def to_quaternion(m: double3x3, /) -> dquaternion:
    """The quaternion of a 3x3 rotation matrix: orthonormal, determinant 1."""

def transpose(a: Matrix[Any, Any, Any, _T]) -> _T:
    """The matrix whose columns are the rows of a."""

@overload
def trunc(x: float, /) -> float: ...
@overload
def trunc(x: _V, /) -> _V: ...
@overload
def trunc(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def trunc(x: np.generic | float, /) -> float:
    """Floats rounded toward zero; zero keeps its sign."""

@overload
def unlerp(a: float, b: float, x: float, /) -> float: ...
@overload
def unlerp(a: _V, b: _V | float, x: _V | float, /) -> _V: ...
@overload
def unlerp(a: _V | float, b: _V | float, x: _V, /) -> _V: ...
@overload
def unlerp(
    a: _Numbers, b: _Numbers | float, x: _Numbers | float, /, *, out: _Numbers | None = None
) -> _Numbers: ...
@overload
def unlerp(
    a: float, b: _Numbers, x: _Numbers | float, /, *, out: _Numbers | None = None
) -> _Numbers: ...
@overload
def unlerp(a: float, b: float, x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def unlerp(a: np.generic | float, b: np.generic | float, x: np.generic | float, /) -> float:
    """(x − a)/(b − a): where x lies between a and b; NaN or ±∞ for a = b."""

def variance(x: ReadOnly[_T], /) -> float:
    """Mean of the squared deviations from `mean(x)`, of an array of floats; NaN of an empty one.

    Two passes: the mean, then the sum of (x - mean)² in the shape of `sum`, divided by the length.
    Multiply by n / (n - 1) for the variance of what x is a sample of. From Python integers count
    as float64.
    """
