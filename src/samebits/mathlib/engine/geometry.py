"""Reflection, refraction, projection and distance of vectors of any length."""

# pyright: reportInvalidTypeForm=false, reportReturnType=false, reportUnknownParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportOperatorIssue=false, reportMissingParameterType=false
# The parameters' types are arguments of `_kernels`: annotations here are evaluated, not text.

from typing import Any

from samebits.lang import intrinsics as functions
from samebits.lang.decorators import kernel
from samebits.lang.families import Family
from samebits.lang.kernel import Kernel
from samebits.lang.values.scalars import float32, float64
from samebits.lang.values.vectors import double2, double3, double4, float2, float3, float4


def _kernels(V: Any, F: Any) -> dict[str, Kernel]:  # noqa: N803 - types
    @kernel
    def reflect(i: V, n: V) -> V:
        return i - 2.0 * functions.dot(n, i) * n

    @kernel
    def refract(i: V, n: V, eta: F) -> V:
        c = functions.dot(n, i)
        k = 1.0 - eta * eta * (1.0 - c * c)
        if k < 0.0:
            return V(0.0)
        return eta * i - (eta * c + functions.sqrt(k)) * n

    @kernel
    def project(a: V, b: V) -> V:
        return functions.dot(a, b) / functions.dot(b, b) * b

    @kernel
    def distance(a: V, b: V) -> F:
        return functions.length(b - a)

    return {k.__name__: k for k in (reflect, refract, project, distance)}


def _between(F: Any) -> Kernel:  # noqa: N803 - a type
    @kernel
    def distance(a: F, b: F) -> F:
        return functions.abs(b - a)

    return distance


_ROWS = [
    _kernels(v, f)
    for f, vectors in ((float32, (float2, float3, float4)), (float64, (double2, double3, double4)))
    for v in vectors
]


def _family(name: str, doc: str, *more: Kernel) -> Family:
    return Family(name, [*(row[name] for row in _ROWS), *more], doc)


reflect = _family(
    "reflect", "i − 2·dot(n, i)·n: the direction i thrown back by a surface of unit normal n."
)
refract = _family(
    "refract",
    """eta·i − (eta·c + √k)·n with c = dot(n, i) and k = 1 − eta·eta·(1 − c·c): the unit direction i
    bent by a surface of unit normal n, eta the ratio of refractive indices. 0 where k < 0, which
    is total reflection.""",
)
project = _family("project", "(dot(a, b)/dot(b, b))·b: the part of a along b; NaN for b = 0.")
distance = _family(
    "distance", "length(b − a), of numbers |b − a|.", _between(float64), _between(float32)
)
