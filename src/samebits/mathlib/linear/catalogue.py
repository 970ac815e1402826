"""The functions of matrices and quaternions, with their public documentation."""

from __future__ import annotations

from samebits.lang.families import Family
from samebits.mathlib.linear import angles, matrices, quaternions


def _family(name: str, doc: str) -> Family:
    rows = [*matrices.ROWS, *quaternions.ROWS, *angles.ROWS]
    return Family(name, [row[name] for row in rows if name in row], doc)


determinant = _family("determinant", "The determinant of a square matrix.")
inverse = _family(
    "inverse",
    """Of a square matrix the adjugate over the determinant, ±∞ and NaN where that is 0; of a
    quaternion conjugate(q)/dot(q, q).""",
)
conjugate = _family("conjugate", "(−x, −y, −z, w): the inverse of a unit quaternion.")
rotate = _family("rotate", "q @ v: the vector v turned by the unit quaternion q.")
axis_angle = _family(
    "axis_angle",
    "(axis·sin(angle/2), cos(angle/2)): the turn by angle, in radians, about a unit axis.",
)
angle = _family(
    "angle",
    """Radians from 0 to π, of vectors and of turns: atan2(length(cross(a, b)), dot(a, b)), of
    2-vectors with |a.x·b.y − a.y·b.x| for the length; of unit quaternions
    2·atan2(length(d.xyz), |d.w|), d = conjugate(a) @ b.""",
)
nlerp = _family(
    "nlerp",
    """normalize(a + t·(±b − a)): from a to b, the shorter way, at a speed that varies. The sign is
    that of dot(a, b).""",
)
slerp = _family(
    "slerp",
    """From unit quaternion a to b, the shorter way, at constant speed:
    (sin((1−t)·φ)/s)·a + (sin(t·φ)/s)·±b with cos φ = |dot(a, b)| and s = sin φ.

    Where the cosine is 0.9995 or more it is nlerp.
    """,
)
to_matrix = _family("to_matrix", "The 3x3 matrix that turns vectors as the unit quaternion q does.")
to_quaternion = _family(
    "to_quaternion", "The quaternion of a 3x3 rotation matrix: orthonormal, determinant 1."
)
look_rotation = _family(
    "look_rotation",
    """The rotation that turns +z to forward and +y into the plane of forward and up.

    forward has length 1, up any but 0; NaN where they are parallel.
    """,
)


def _euler(order: str) -> Family:
    turns = ", then ".join(f"{axis} by angles.{axis}" for axis in order)
    return _family(f"euler_{order}", f"The turn about {turns}: fixed axes, radians.")


euler_xyz = _euler("xyz")
euler_xzy = _euler("xzy")
euler_yxz = _euler("yxz")
euler_yzx = _euler("yzx")
euler_zxy = _euler("zxy")
euler_zyx = _euler("zyx")
