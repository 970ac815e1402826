"""The matrix classes: two to four columns of two to four scalars, immutable, column-major.

Owns construction, columns and what of a vector's operators a matrix has not. Products are
`samebits.lang.values.products`'s.
"""

# ruff: noqa: N801  (the names are the language's)

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, ClassVar, NoReturn, TypeVar, cast

import numpy as np

from samebits.errors import ArgumentError, SamebitsError, folding, hide
from samebits.lang.values.conversions import ValueClass, kind_of
from samebits.lang.values.elementwise import is_half
from samebits.lang.values.scalars import MAKERS, TYPE_OF, convert
from samebits.lang.values.thread_state import running
from samebits.lang.values.vectors import COMPOSITE_CLASSES, Vector, components, vector
from samebits.lang.values.weak import counted
from samebits.types import FLOAT32, MATRICES, MatrixType
from samebits.value_text import trapped

_Item = TypeVar("_Item")


HALF_MATRICES = {f"half{t.rows}x{t.columns}": t for t in MATRICES.values() if t.element == FLOAT32}
"""The replacements for matrices of halves, by the name that they would have."""


def refuse_matrix_of_halves(name: str) -> None:
    """Raise ArgumentError where `name` would be that of a matrix of halves."""
    t = HALF_MATRICES.get(name)
    if t is not None:
        raise ArgumentError(
            f"there is no {name}: halves are kept as numbers and vectors",
            fix=f"write {t}, and keep its columns in halves: half{t.rows}(m.c0)",
        )


def of_columns(t: MatrixType, *, halves: bool = False) -> str:
    """The text of a matrix of its columns, c0 and so on, which may be vectors of halves."""
    columns = (f"{t.column}(c{j})" if halves else f"c{j}" for j in range(t.columns))
    return f"{t}({', '.join(columns)})"


class _Constants(ValueClass):
    """Gives matrix classes constants that a kernel may read."""

    __samebits_namespace__ = True

    @property
    def identity(cls) -> Any:  # noqa: N805  (of a metaclass)
        """Ones where row and column are the same, zeros elsewhere; of square matrices.

        Raises AttributeError of others.
        """
        t = cast("type[Matrix]", cls).__sb_type__
        if t.rows != t.columns:
            raise AttributeError(f"{t} is not square: it has no identity")
        make, number = MAKERS[t.element], float if t.element.is_float else int
        return vector(
            cls, tuple(make(number(i == j)) for j in range(t.columns) for i in range(t.rows))
        )


class Matrix(Vector, metaclass=_Constants):
    """Base of all matrices. A value: no component can be assigned.

    Built from its columns, from its numbers row by row as they stand on paper, from one number for
    all, from a matrix of its shape, or from an ndarray of shape (columns, rows). `m.c1` and `m[1]`
    are a column, `m.c1.x` a number. `+ - * /` work component by component; `@` is the product.
    """

    __sb_type__: ClassVar[MatrixType]  # pyright: ignore[reportIncompatibleVariableOverride]

    @folding
    def __new__(cls, *parts: Any) -> Any:
        t, element = cls.__sb_type__, cls.__sb_type__.element
        if len(parts) == 1 and isinstance(parts[0], (Matrix, np.ndarray)):
            return vector(
                cls, tuple(convert(item, element) for item in _flat(cast("Any", parts[0]), t))
            )
        if all(kind_of(part) in TYPE_OF for part in parts):
            items = [convert(part, element) for part in parts]
            if len(items) == 1:
                return vector(cls, tuple(items) * t.length)
            if len(items) == t.length:
                return vector(cls, by_column(items, t))
        column = COMPOSITE_CLASSES[t.column]
        if len(parts) == t.columns and all(kind_of(part) is column for part in parts):
            return vector(cls, tuple(chain.from_iterable(components(part) for part in parts)))
        raise ArgumentError(
            f"{t} is made of {t.columns} {t.column} columns, or of {t.length} numbers row by row",
            fix=f"write {of_columns(t, halves=any(map(is_half, parts)))}",
        )

    @folding
    def __setattr__(self, name: str, value: Any) -> NoReturn:
        t = self.__sb_type__
        others = ", ".join("value" if f"c{j}" == name else f"m.c{j}" for j in range(t.columns))
        raise ArgumentError(f"{t} is immutable", fix=f"make a new one: m = {t}({others})")

    def __getattr__(self, name: str) -> Any:
        t = self.__sb_type__
        if len(name) == 2 and name[0] == "c" and name[1] in "0123"[: t.columns]:
            return self[int(name[1])]
        try:
            raise AttributeError(f"{t} has no column {name!r}", name=name, obj=self)
        except AttributeError as error:
            hide(error)
            raise

    def __getitem__(self, index: Any) -> Any:
        t = self.__sb_type__
        try:
            j = operator.index(index) if running.managed else counted(index, t.columns)
            if not 0 <= j < t.columns:
                raise trapped("index", "index", j, t.columns)
        except (SamebitsError, IndexError, TypeError) as error:
            hide(error)
            raise
        return vector(COMPOSITE_CLASSES[t.column], self._items[j * t.rows : (j + 1) * t.rows])

    def __len__(self) -> int:
        return self.__sb_type__.columns

    def __iter__(self) -> Iterator[Any]:
        return (self[j] for j in range(len(self)))

    def __repr__(self) -> str:
        return f"{self.__sb_type__}({', '.join(map(repr, self))})"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        t = self.__sb_type__
        return np.array(self._items, dtype or t.element.dtype).reshape(t.shape)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(self)


def _flat(given: Matrix | np.ndarray[Any, Any], t: MatrixType) -> Iterable[Any]:
    """The numbers of a matrix or an array of the shape of `t`, in memory order."""
    found = given.__sb_type__.shape if isinstance(given, Matrix) else given.shape
    if found != t.shape:
        raise ArgumentError(
            f"{t} has {t.columns} columns of {t.rows}, got shape {found}",
            fix=f"give {t.columns} columns, an ndarray of shape {t.shape}",
        )
    return components(given) if isinstance(given, Matrix) else given.reshape(-1)


def by_column(items: Sequence[_Item], t: MatrixType) -> tuple[_Item, ...]:
    """Numbers given row by row, in memory order."""
    return tuple(items[i * t.columns + j] for j in range(t.columns) for i in range(t.rows))


class float2x2(Matrix):
    """Two rows, two columns of float32."""


class float2x3(Matrix):
    """Two rows, three columns of float32."""


class float2x4(Matrix):
    """Two rows, four columns of float32."""


class float3x2(Matrix):
    """Three rows, two columns of float32."""


class float3x3(Matrix):
    """Three rows, three columns of float32."""


class float3x4(Matrix):
    """Three rows, four columns of float32."""


class float4x2(Matrix):
    """Four rows, two columns of float32."""


class float4x3(Matrix):
    """Four rows, three columns of float32."""


class float4x4(Matrix):
    """Four rows, four columns of float32."""


class double2x2(Matrix):
    """Two rows, two columns of float64."""


class double2x3(Matrix):
    """Two rows, three columns of float64."""


class double2x4(Matrix):
    """Two rows, four columns of float64."""


class double3x2(Matrix):
    """Three rows, two columns of float64."""


class double3x3(Matrix):
    """Three rows, three columns of float64."""


class double3x4(Matrix):
    """Three rows, four columns of float64."""


class double4x2(Matrix):
    """Four rows, two columns of float64."""


class double4x3(Matrix):
    """Four rows, three columns of float64."""


class double4x4(Matrix):
    """Four rows, four columns of float64."""


class int2x2(Matrix):
    """Two rows, two columns of int32."""


class int2x3(Matrix):
    """Two rows, three columns of int32."""


class int2x4(Matrix):
    """Two rows, four columns of int32."""


class int3x2(Matrix):
    """Three rows, two columns of int32."""


class int3x3(Matrix):
    """Three rows, three columns of int32."""


class int3x4(Matrix):
    """Three rows, four columns of int32."""


class int4x2(Matrix):
    """Four rows, two columns of int32."""


class int4x3(Matrix):
    """Four rows, three columns of int32."""


class int4x4(Matrix):
    """Four rows, four columns of int32."""


class uint2x2(Matrix):
    """Two rows, two columns of uint32."""


class uint2x3(Matrix):
    """Two rows, three columns of uint32."""


class uint2x4(Matrix):
    """Two rows, four columns of uint32."""


class uint3x2(Matrix):
    """Three rows, two columns of uint32."""


class uint3x3(Matrix):
    """Three rows, three columns of uint32."""


class uint3x4(Matrix):
    """Three rows, four columns of uint32."""


class uint4x2(Matrix):
    """Four rows, two columns of uint32."""


class uint4x3(Matrix):
    """Four rows, three columns of uint32."""


class uint4x4(Matrix):
    """Four rows, four columns of uint32."""


class bool2x2(Matrix):
    """Two rows, two columns of bools."""


class bool2x3(Matrix):
    """Two rows, three columns of bools."""


class bool2x4(Matrix):
    """Two rows, four columns of bools."""


class bool3x2(Matrix):
    """Three rows, two columns of bools."""


class bool3x3(Matrix):
    """Three rows, three columns of bools."""


class bool3x4(Matrix):
    """Three rows, four columns of bools."""


class bool4x2(Matrix):
    """Four rows, two columns of bools."""


class bool4x3(Matrix):
    """Four rows, three columns of bools."""


class bool4x4(Matrix):
    """Four rows, four columns of bools."""
