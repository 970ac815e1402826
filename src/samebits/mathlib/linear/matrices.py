"""Determinants and inverses of square matrices, in docs/reference/linear-algebra.md's order."""

# pyright: reportInvalidTypeForm=false, reportReturnType=false, reportUnknownParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportOperatorIssue=false, reportMissingParameterType=false
# The parameters' types are arguments of the factories: annotations here are evaluated, not text.

from typing import Any

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import cross, dot
from samebits.lang.kernel import Kernel
from samebits.lang.values.matrices import (
    double2x2,
    double3x3,
    double4x4,
    float2x2,
    float3x3,
    float4x4,
)
from samebits.lang.values.products import transpose
from samebits.lang.values.scalars import float32, float64


def _of_two(M: Any, F: Any) -> dict[str, Kernel]:  # noqa: N803 - types
    @kernel
    def determinant(m: M) -> F:
        return m.c0.x * m.c1.y - m.c1.x * m.c0.y

    @kernel
    def inverse(m: M) -> M:
        d = m.c0.x * m.c1.y - m.c1.x * m.c0.y
        return M(m.c1.y, -m.c1.x, -m.c0.y, m.c0.x) / d

    return {"determinant": determinant, "inverse": inverse}


def _of_three(M: Any, F: Any) -> dict[str, Kernel]:  # noqa: N803 - types
    @kernel
    def determinant(m: M) -> F:
        return dot(m.c0, cross(m.c1, m.c2))

    @kernel
    def inverse(m: M) -> M:
        a = cross(m.c1, m.c2)
        return transpose(M(a, cross(m.c2, m.c0), cross(m.c0, m.c1))) / dot(m.c0, a)

    return {"determinant": determinant, "inverse": inverse}


def _of_four(M: Any, F: Any) -> dict[str, Kernel]:  # noqa: N803 - types
    # Laplace's expansion by the minors of the upper two rows, s, and of the lower two, t.
    @kernel
    def determinant(m: M) -> F:
        a, b, c, d = m.c0, m.c1, m.c2, m.c3
        s0, s1, s2 = a.x * b.y - a.y * b.x, a.x * c.y - a.y * c.x, a.x * d.y - a.y * d.x
        s3, s4, s5 = b.x * c.y - b.y * c.x, b.x * d.y - b.y * d.x, c.x * d.y - c.y * d.x
        t0, t1, t2 = a.z * b.w - a.w * b.z, a.z * c.w - a.w * c.z, a.z * d.w - a.w * d.z
        t3, t4, t5 = b.z * c.w - b.w * c.z, b.z * d.w - b.w * d.z, c.z * d.w - c.w * d.z
        return s0 * t5 - s1 * t4 + s2 * t3 + s3 * t2 - s4 * t1 + s5 * t0

    @kernel
    def inverse(m: M) -> M:
        a, b, c, d = m.c0, m.c1, m.c2, m.c3
        s0, s1, s2 = a.x * b.y - a.y * b.x, a.x * c.y - a.y * c.x, a.x * d.y - a.y * d.x
        s3, s4, s5 = b.x * c.y - b.y * c.x, b.x * d.y - b.y * d.x, c.x * d.y - c.y * d.x
        t0, t1, t2 = a.z * b.w - a.w * b.z, a.z * c.w - a.w * c.z, a.z * d.w - a.w * d.z
        t3, t4, t5 = b.z * c.w - b.w * c.z, b.z * d.w - b.w * d.z, c.z * d.w - c.w * d.z
        adjugate = M(
            b.y * t5 - c.y * t4 + d.y * t3, c.x * t4 - b.x * t5 - d.x * t3,
            b.w * s5 - c.w * s4 + d.w * s3, c.z * s4 - b.z * s5 - d.z * s3,
            c.y * t2 - a.y * t5 - d.y * t1, a.x * t5 - c.x * t2 + d.x * t1,
            c.w * s2 - a.w * s5 - d.w * s1, a.z * s5 - c.z * s2 + d.z * s1,
            a.y * t4 - b.y * t2 + d.y * t0, b.x * t2 - a.x * t4 - d.x * t0,
            a.w * s4 - b.w * s2 + d.w * s0, b.z * s2 - a.z * s4 - d.z * s0,
            b.y * t1 - a.y * t3 - c.y * t0, a.x * t3 - b.x * t1 + c.x * t0,
            b.w * s1 - a.w * s3 - c.w * s0, a.z * s3 - b.z * s1 + c.z * s0,
        )  # fmt: skip
        return adjugate / (s0 * t5 - s1 * t4 + s2 * t3 + s3 * t2 - s4 * t1 + s5 * t0)

    return {"determinant": determinant, "inverse": inverse}


ROWS = [
    _of_two(float2x2, float32),
    _of_three(float3x3, float32),
    _of_four(float4x4, float32),
    _of_two(double2x2, float64),
    _of_three(double3x3, float64),
    _of_four(double4x4, float64),
]
"""The kernels of each square matrix type, by name."""
