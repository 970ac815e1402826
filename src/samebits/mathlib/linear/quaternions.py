"""Quaternions as rotations, in the order of operations of docs/reference/linear-algebra.md."""

# pyright: reportInvalidTypeForm=false, reportReturnType=false, reportUnknownParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportOperatorIssue=false, reportMissingParameterType=false
# pyright: reportAttributeAccessIssue=false, reportCallIssue=false
# The parameters' types are arguments of the factories: annotations here are evaluated, not text.

from typing import Any

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, cross, dot, length, normalize, sqrt
from samebits.lang.kernel import Kernel
from samebits.lang.values.matrices import double3x3, float3x3
from samebits.lang.values.products import mul
from samebits.lang.values.quaternions import dquaternion, quaternion
from samebits.lang.values.scalars import float32, float64
from samebits.lang.values.vectors import double3, float3
from samebits.mathlib.trigonometric import acos, atan2, sin, sincos

NEAR = 0.9995
"""From this cosine on slerp is nlerp: the sine that it would divide by loses its digits."""


def _basics(Q: Any, V: Any, F: Any) -> dict[str, Kernel]:  # noqa: N803 - types
    @kernel
    def conjugate(q: Q) -> Q:
        return Q(-q.x, -q.y, -q.z, q.w)

    @kernel
    def inverse(q: Q) -> Q:
        return Q(-q.x, -q.y, -q.z, q.w) / dot(q, q)

    @kernel
    def rotate(q: Q, v: V) -> V:
        return mul(q, v)

    @kernel
    def axis_angle(axis: V, angle: F) -> Q:
        s, c = sincos(0.5 * angle)
        return Q(axis * s, c)

    @kernel
    def nlerp(a: Q, b: Q, t: F) -> Q:
        if dot(a, b) < 0.0:
            b = -b
        return normalize(a + t * (b - a))

    @kernel
    def slerp(a: Q, b: Q, t: F) -> Q:
        d = dot(a, b)
        if d < 0.0:
            d = -d
            b = -b
        if d < NEAR:
            angle = acos(d)
            s = sqrt(1.0 - d * d)
            return (sin((1.0 - t) * angle) / s) * a + (sin(t * angle) / s) * b
        return normalize(a + t * (b - a))

    @kernel
    def angle(a: Q, b: Q) -> F:
        d = mul(conjugate(a), b)
        return 2.0 * atan2(length(d.xyz), abs(d.w))

    found = (conjugate, inverse, rotate, axis_angle, nlerp, slerp, angle)
    return {k.__name__: k for k in found}


def _matrices(Q: Any, V: Any, M: Any) -> dict[str, Kernel]:  # noqa: N803 - types
    @kernel
    def to_matrix(q: Q) -> M:
        d = q + q
        xx, xy, xz = q.x * d.x, q.x * d.y, q.x * d.z
        yy, yz, zz = q.y * d.y, q.y * d.z, q.z * d.z
        wx, wy, wz = q.w * d.x, q.w * d.y, q.w * d.z
        return M(
            V(1.0 - (yy + zz), xy + wz, xz - wy),
            V(xy - wz, 1.0 - (xx + zz), yz + wx),
            V(xz + wy, yz - wx, 1.0 - (xx + yy)),
        )

    # Mike Day, "Converting a Rotation Matrix to a Quaternion" (2013): of four formulas the one
    # whose square root is of at least 1.
    @kernel
    def to_quaternion(m: M) -> Q:
        a, b, c = m.c0, m.c1, m.c2
        if c.z < 0.0:
            if a.x > b.y:
                t = 1.0 + a.x - b.y - c.z
                q = Q(t, a.y + b.x, c.x + a.z, b.z - c.y)
            else:
                t = 1.0 - a.x + b.y - c.z
                q = Q(a.y + b.x, t, b.z + c.y, c.x - a.z)
        elif a.x < -b.y:
            t = 1.0 - a.x - b.y + c.z
            q = Q(c.x + a.z, b.z + c.y, t, a.y - b.x)
        else:
            t = 1.0 + a.x + b.y + c.z
            q = Q(b.z - c.y, c.x - a.z, a.y - b.x, t)
        return q * (0.5 / sqrt(t))

    @kernel
    def look_rotation(forward: V, up: V) -> Q:
        side = normalize(cross(up, forward))
        return to_quaternion(M(side, cross(forward, side), forward))

    return {k.__name__: k for k in (to_matrix, to_quaternion, look_rotation)}


def _euler(Q: Any, V: Any, x: float, y: float, z: float, w: float) -> Kernel:  # noqa: N803
    @kernel
    def euler(angles: V) -> Q:
        s, c = sincos(0.5 * angles)
        return Q(
            s.x * c.y * c.z + x * (s.y * s.z * c.x),
            s.y * c.x * c.z + y * (s.x * s.z * c.y),
            s.z * c.x * c.y + z * (s.x * s.y * c.z),
            c.x * c.y * c.z + w * (s.y * s.z * s.x),
        )

    return euler


EULER_SIGNS = {
    "euler_xyz": (-1.0, 1.0, -1.0, 1.0),
    "euler_xzy": (1.0, 1.0, -1.0, -1.0),
    "euler_yxz": (-1.0, 1.0, 1.0, -1.0),
    "euler_yzx": (-1.0, -1.0, 1.0, 1.0),
    "euler_zxy": (1.0, -1.0, -1.0, 1.0),
    "euler_zyx": (1.0, -1.0, 1.0, -1.0),
}
"""The signs of the second product of x, y, z and w, from multiplying out the three turns."""


def _all(Q: Any, V: Any, F: Any, M: Any) -> dict[str, Kernel]:  # noqa: N803 - types
    eulers = {name: _euler(Q, V, *signs) for name, signs in EULER_SIGNS.items()}
    return _basics(Q, V, F) | _matrices(Q, V, M) | eulers


ROWS = [_all(quaternion, float3, float32, float3x3), _all(dquaternion, double3, float64, double3x3)]
"""The kernels of each quaternion type, by name."""
