"""The quaternion classes: x·i + y·j + z·k + w, immutable, four floats in that order.

Owns what of a vector's operators a quaternion has not. The product is that of
`samebits.lang.values.products`.
"""

# ruff: noqa: N801  (the names are the language's)

from __future__ import annotations

from typing import Any, ClassVar, cast

from samebits.errors import ArgumentError
from samebits.lang.values.conversions import ValueClass
from samebits.lang.values.scalars import MAKERS
from samebits.lang.values.vectors import Vector, vector
from samebits.types import QuaternionType


class _Constants(ValueClass):
    """Gives quaternion classes constants that a kernel may read."""

    __samebits_namespace__ = True

    @property
    def identity(cls) -> Any:  # noqa: N805  (of a metaclass)
        """No rotation: (0, 0, 0, 1)."""
        make = MAKERS[cast("type[Quaternion]", cls).__sb_type__.element]
        return vector(cls, (make(0.0), make(0.0), make(0.0), make(1.0)))


class Quaternion(Vector, metaclass=_Constants):
    """Base of the quaternions. A value, built and read as a vector of four: `q.xyz`, `q.w`.

    `+ -`, comparisons, and `* /` by a number work component by component; the product of two is
    `a @ b` or `math.mul(a, b)`, a vector turned is `q @ v`.
    """

    __sb_type__: ClassVar[QuaternionType]  # pyright: ignore[reportIncompatibleVariableOverride]

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Quaternion):
            raise no_component_product("*", self.__sb_type__)
        return super().__mul__(other)  # type: ignore[misc]  # the base's are made in a loop

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, Quaternion):
            raise no_component_product("/", self.__sb_type__)
        return super().__truediv__(other)  # type: ignore[misc]  # the base's are made in a loop


def no_component_product(sign: str, t: QuaternionType) -> ArgumentError:
    """The error of `*` or `/` of two quaternions, which might mean two things."""
    fix = "write `a @ b`" if sign == "*" else "write `a @ math.inverse(b)`"
    return ArgumentError(f"`{sign}` of two {t}s is not there", fix=fix)


class quaternion(Quaternion):
    """A quaternion of float32."""


class dquaternion(Quaternion):
    """A quaternion of float64."""
