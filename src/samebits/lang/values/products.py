"""Products and transposes: the formulas, and what they do in CPython.

Owns which types have a product, and the order of its operations: the front end emits the same
formulas. Elements are whatever the given arithmetic works on.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Generic, TypeVar

from samebits.errors import ArgumentError
from samebits.lang.values.elementwise import has_array, is_half, refuse_halves
from samebits.lang.values.environment import in_default_environment
from samebits.lang.values.instead import instead_of
from samebits.lang.values.rules import intrinsic
from samebits.lang.values.scalars import describe
from samebits.lang.values.vectors import COMPOSITE_CLASSES, Vector, components, vector
from samebits.types import BOOL, MatrixType, QuaternionType, Type, VectorType, matrix_of, vector_of

T = TypeVar("T")
FORMS = "matrix @ matrix, matrix @ vector, vector @ matrix, quaternion @ quaternion or 3-vector"
"""The kinds of operands of a product, for messages."""


@dataclass(frozen=True, slots=True)
class Arithmetic(Generic[T]):
    """The addition, subtraction and multiplication of two elements."""

    add: Callable[[T, T], T]
    sub: Callable[[T, T], T]
    mul: Callable[[T, T], T]

    def dot(self, a: Sequence[T], b: Sequence[T]) -> T:
        """The sum of products, from left to right."""
        return reduce(self.add, map(self.mul, a, b))

    def cross(self, a: Sequence[T], b: Sequence[T]) -> tuple[T, T, T]:
        """(ay·bz − az·by, az·bx − ax·bz, ax·by − ay·bx)."""

        def term(i: int, j: int) -> T:
            return self.sub(self.mul(a[i], b[j]), self.mul(a[j], b[i]))

        return term(1, 2), term(2, 0), term(0, 1)


def product_type(a: Type | None, b: Type | None) -> VectorType | None:
    """The type of the product of values of these types; None if there is none."""
    if not isinstance(a, VectorType) or not isinstance(b, VectorType) or a.element != b.element:
        return None
    if a.element is BOOL:
        return None
    if isinstance(a, QuaternionType):
        return b if b in (a, vector_of(a.element, 3)) else None
    rows, inner = (a.rows, a.columns) if isinstance(a, MatrixType) else (1, a.length)
    same, columns = (b.rows, b.columns) if isinstance(b, MatrixType) else (b.length, 1)
    if inner != same or isinstance(b, QuaternionType):
        return None
    if isinstance(a, MatrixType) and isinstance(b, MatrixType):
        return matrix_of(a.element, rows, columns)
    if isinstance(a, MatrixType) or isinstance(b, MatrixType):
        return vector_of(a.element, max(rows, columns))
    return None


def product(
    on: Arithmetic[T], a: Sequence[T], ta: VectorType, b: Sequence[T], tb: VectorType
) -> tuple[T, ...]:
    """The components of the product of values that have one."""
    if isinstance(ta, QuaternionType):
        return quaternion_product(on, a, b) if tb == ta else rotated(on, a, b)
    rows = ta.rows if isinstance(ta, MatrixType) else 1
    size = tb.rows if isinstance(tb, MatrixType) else tb.length
    return tuple(
        on.dot(a[i::rows], b[j : j + size]) for j in range(0, len(b), size) for i in range(rows)
    )


def quaternion_product(on: Arithmetic[T], a: Sequence[T], b: Sequence[T]) -> tuple[T, ...]:
    """Hamilton's product: first the turn b, then a."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b

    def term(first: tuple[T, T], *more: tuple[Callable[[T, T], T], T, T]) -> T:
        total = on.mul(*first)
        for combine, left, right in more:
            total = combine(total, on.mul(left, right))
        return total

    return (
        term((aw, bx), (on.add, ax, bw), (on.add, ay, bz), (on.sub, az, by)),
        term((aw, by), (on.sub, ax, bz), (on.add, ay, bw), (on.add, az, bx)),
        term((aw, bz), (on.add, ax, by), (on.sub, ay, bx), (on.add, az, bw)),
        term((aw, bw), (on.sub, ax, bx), (on.sub, ay, by), (on.sub, az, bz)),
    )


def rotated(on: Arithmetic[T], q: Sequence[T], v: Sequence[T]) -> tuple[T, ...]:
    """(v + w·t) + cross(u, t), u the vector part of q, t = cross(u, v) + cross(u, v)."""
    u, w = q[:3], q[3]
    c = on.cross(u, v)
    t = tuple(on.add(x, x) for x in c)
    return tuple(
        on.add(on.add(x, on.mul(w, y)), z) for x, y, z in zip(v, t, on.cross(u, t), strict=True)
    )


def transposed(a: Sequence[T], t: MatrixType) -> tuple[T, ...]:
    """The components of the matrix whose columns are the rows of `a`."""
    return tuple(a[j * t.rows + i] for i in range(t.rows) for j in range(t.columns))


# In CPython -----------------------------------------------------------------------------

_MANAGED: Arithmetic[Any] = Arithmetic(operator.add, operator.sub, operator.mul)


@intrinsic()
@in_default_environment
def mul(a: Any, b: Any) -> Any:
    """The product, as `a @ b`: of matrices, of a matrix and a column vector, of a row vector and a
    matrix, of two quaternions, or the vector b turned by the unit quaternion a.

    Sums of products go from left to right. docs/reference/linear-algebra.md has the formulas.
    """
    ta, tb = getattr(a, "__sb_type__", None), getattr(b, "__sb_type__", None)
    t = product_type(ta, tb)
    if t is None or not isinstance(a, Vector) or not isinstance(b, Vector):
        for value in filter(is_half, (a, b)):
            refuse_halves("mul", value)
        raise ArgumentError(
            f"mul of {describe(a)} and {describe(b)} is not there",
            note=f"there is {FORMS}",
            fix=instead_of("mul")
            if has_array(a, b)
            else "give two that have a product, of one element type",
        )
    items = product(_MANAGED, components(a), a.__sb_type__, components(b), b.__sb_type__)
    return vector(COMPOSITE_CLASSES[t], items)


@intrinsic()
def transpose(a: Any) -> Any:
    """The matrix whose columns are the rows of a."""
    t = getattr(a, "__sb_type__", None)
    if not isinstance(t, MatrixType) or not isinstance(a, Vector):
        raise ArgumentError(
            f"transpose takes a matrix, got {describe(a)}",
            fix=instead_of("transpose") if has_array(a) else "make one: float2x2(c0, c1)",
        )
    turned = matrix_of(t.element, t.columns, t.rows)
    return vector(COMPOSITE_CLASSES[turned], transposed(components(a), t))
