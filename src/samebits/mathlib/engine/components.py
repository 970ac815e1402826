"""Functions over a vector's components: extremes, sums, squared lengths, unit vectors, bases."""

# pyright: reportInvalidTypeForm=false, reportReturnType=false, reportUnknownParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportOperatorIssue=false, reportMissingParameterType=false
# pyright: reportUnknownLambdaType=false
# The parameters' types are arguments of `_kernels`: annotations here are evaluated, not text.

from functools import cache
from typing import Any

from samebits.lang import intrinsics as functions
from samebits.lang.decorators import kernel
from samebits.lang.families import Family
from samebits.lang.kernel import Kernel
from samebits.lang.values.scalars import float32, float64, int32, uint32
from samebits.lang.values.vectors import (
    double2,
    double3,
    double4,
    float2,
    float3,
    float4,
    int2,
    int3,
    int4,
    uint2,
    uint3,
    uint4,
)

_VECTORS: dict[Any, tuple[Any, ...]] = {
    float32: (float2, float3, float4), float64: (double2, double3, double4),
    int32: (int2, int3, int4), uint32: (uint2, uint3, uint4),
}  # fmt: skip
_LEAST_NORMAL = {float32: 2.0**-126, float64: 2.0**-1022}


@cache
def _sum(T: Any) -> Kernel:  # noqa: N803 - a type
    @kernel
    def plus(a: T, b: T) -> T:
        return a + b

    return plus


def _of_two(V: Any, T: Any, join: Any) -> Kernel:  # noqa: N803 - types
    @kernel
    def joined(v: V) -> T:
        return join(v.x, v.y)

    return joined


def _of_three(V: Any, T: Any, join: Any) -> Kernel:  # noqa: N803 - types
    @kernel
    def joined(v: V) -> T:
        return join(join(v.x, v.y), v.z)

    return joined


def _of_four(V: Any, T: Any, join: Any) -> Kernel:  # noqa: N803 - types
    @kernel
    def joined(v: V) -> T:
        return join(join(join(v.x, v.y), v.z), v.w)

    return joined


def _joining(name: str, join: Any, doc: str) -> Family:
    """Of all vectors of numbers; `join` gives the function of two components of a type."""
    rows = [
        make(v, t, join(t))
        for t, vectors in _VECTORS.items()
        for make, v in zip((_of_two, _of_three, _of_four), vectors, strict=True)
    ]
    return Family(name, rows, doc)


def _of_floats(V: Any, F: Any, least_normal: float) -> dict[str, Kernel]:  # noqa: N803 - types
    @kernel
    def lengthsq(v: V) -> F:
        return functions.dot(v, v)

    @kernel
    def distancesq(a: V, b: V) -> F:
        return functions.dot(b - a, b - a)

    @kernel
    def faceforward(n: V, i: V, g: V) -> V:
        return functions.select(functions.dot(g, i) >= 0.0, -n, n)

    @kernel
    def normalizesafe(v: V, other: V) -> V:
        square = functions.dot(v, v)
        if square > least_normal:
            return v / functions.sqrt(square)
        return other

    found = (lengthsq, distancesq, faceforward, normalizesafe)
    return {k.__name__: k for k in found}


def _without_other(V: Any, safe: Kernel) -> Kernel:  # noqa: N803 - a type
    @kernel
    def normalizesafe(v: V) -> V:
        return safe(v, V(0))

    return normalizesafe


_FLOATS = [_of_floats(v, t, _LEAST_NORMAL[t]) for t in _LEAST_NORMAL for v in _VECTORS[t]]
_ALONE = [
    _without_other(v, row["normalizesafe"])
    for row, v in zip(_FLOATS, (v for t in _LEAST_NORMAL for v in _VECTORS[t]), strict=True)
]


def _family(name: str, doc: str, *more: Kernel) -> Family:
    return Family(name, [*(row[name] for row in _FLOATS), *more], doc)


cmin = _joining(
    "cmin", lambda _: functions.min, "The least component, as `min` finds it; NaN if one is NaN."
)
cmax = _joining(
    "cmax", lambda _: functions.max, "The greatest component, as `max` finds it; NaN if one is NaN."
)
csum = _joining("csum", _sum, "The sum of the components, from left to right.")
lengthsq = _family("lengthsq", "dot(v, v): the square of the length.")
distancesq = _family("distancesq", "dot(b − a, b − a): the square of the distance.")
faceforward = _family(
    "faceforward",
    "−n where dot(g, i) ≥ 0, else n: a normal turned against the direction i, by the normal g.",
)
normalizesafe = _family(
    "normalizesafe",
    """v/√dot(v, v) where dot(v, v) is above the least normal number, else `other`, or 0: a unit
    vector, with one of your own for what has no direction. NaN has none either.""",
    *_ALONE,
)


def _basis(V: Any, F: Any) -> Kernel:  # noqa: N803 - types
    @kernel
    def orthonormal_basis(n: V) -> tuple[V, V]:
        side = functions.copysign(F(1.0), n.z)
        a = -1.0 / (side + n.z)
        b = n.x * n.y * a
        first = V(1.0 + side * n.x * n.x * a, side * b, -side * n.x)
        return first, V(b, side + n.y * n.y * a, -n.y)

    return orthonormal_basis


orthonormal_basis = Family(
    "orthonormal_basis",
    [_basis(float3, float32), _basis(double3, float64)],
    """Two unit vectors at right angles to the unit vector n and to each other, without a branch:
    Duff and others, "Building an Orthonormal Basis, Revisited", JCGT 6(1), 2017.""",
)
