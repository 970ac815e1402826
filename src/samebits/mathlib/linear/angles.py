"""Angles between vectors, without the loss of digits that the arc cosine has near 0 and π."""

# pyright: reportInvalidTypeForm=false, reportReturnType=false, reportUnknownParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportOperatorIssue=false, reportMissingParameterType=false
# The parameters' types are arguments of the factories: annotations here are evaluated, not text.

from typing import Any

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, cross, dot, length
from samebits.lang.kernel import Kernel
from samebits.lang.values.scalars import float32, float64
from samebits.lang.values.vectors import double2, double3, float2, float3
from samebits.mathlib.trigonometric import atan2


def _in_the_plane(V: Any, F: Any) -> dict[str, Kernel]:  # noqa: N803 - types
    @kernel
    def angle(a: V, b: V) -> F:
        return atan2(abs(a.x * b.y - a.y * b.x), dot(a, b))

    return {"angle": angle}


def _in_space(V: Any, F: Any) -> dict[str, Kernel]:  # noqa: N803 - types
    @kernel
    def angle(a: V, b: V) -> F:
        return atan2(length(cross(a, b)), dot(a, b))

    return {"angle": angle}


ROWS = [
    _in_the_plane(float2, float32), _in_the_plane(double2, float64),
    _in_space(float3, float32), _in_space(double3, float64),
]  # fmt: skip
"""The kernels of each vector type, by name."""
