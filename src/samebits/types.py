"""The types of the language and their memory layout: scalars, vectors, arrays, structs.

Owns names, sizes, NumPy dtypes and NumPy's promotion table. Knows nothing of values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any

import numpy as np


class Kind(Enum):
    """The meaning of a scalar's bits."""

    BOOL = "bool"
    SIGNED = "signed"
    UNSIGNED = "unsigned"
    FLOAT = "float"
    FIXED = "fixed"
    HALF = "half"


class Overflow(Enum):
    """The effect of a fixed-point result outside its type's range."""

    TRAP = "trap"
    SATURATE = "saturate"
    WRAP = "wrap"


@dataclass(frozen=True)
class ScalarType:
    """A scalar. `weak` marks Python's own int and float, which promote to whatever they meet.

    Weak `int` is a 64-bit signed integer that traps on overflow; weak `float` is a binary64
    whose division traps on a zero divisor, as CPython's does.
    """

    name: str
    kind: Kind
    bits: int
    weak: bool = False

    def __str__(self) -> str:
        return self.name

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def is_float(self) -> bool:
        return self.kind is Kind.FLOAT

    @property
    def is_int(self) -> bool:
        return self.kind in (Kind.SIGNED, Kind.UNSIGNED)

    @property
    def is_ieee(self) -> bool:
        """Whether the bits are an IEEE 754 number: a float's, or those of a half, which is kept
        but not computed with."""
        return self.kind in (Kind.FLOAT, Kind.HALF)

    @property
    def is_signed(self) -> bool:
        return self.kind in (Kind.SIGNED, Kind.FIXED)

    @property
    def storage(self) -> ScalarType:
        """The type that a value has in IR: itself, or the integer that a fixed-point number or a
        half is."""
        return self

    @property
    def size(self) -> int:
        return max(1, self.bits // 8)

    @property
    def align(self) -> int:
        return self.size

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy dtype of the scalar in memory, native byte order."""
        if self.kind is Kind.BOOL:
            return np.dtype(np.bool_)
        return np.dtype(f"{_DTYPE_LETTERS[self.kind]}{self.bits // 8}")

    @property
    def minimum(self) -> int:
        """Least value of an integer type; of a fixed-point type, its integer."""
        return -(1 << (self.bits - 1)) if self.is_signed else 0

    @property
    def maximum(self) -> int:
        """Greatest value of an integer type; of a fixed-point type, its integer."""
        return (1 << (self.bits - 1)) - 1 if self.is_signed else (1 << self.bits) - 1

    def wrapped(self, number: int) -> int:
        """The number of an integer type that has the low bits of `number`."""
        return (number - self.minimum) % (1 << self.bits) + self.minimum


_DTYPE_LETTERS = {
    Kind.SIGNED: "i", Kind.UNSIGNED: "u", Kind.FLOAT: "f", Kind.FIXED: "i", Kind.HALF: "f",
}  # fmt: skip

BOOL = ScalarType("bool", Kind.BOOL, 1)
INT8 = ScalarType("int8", Kind.SIGNED, 8)
INT16 = ScalarType("int16", Kind.SIGNED, 16)
INT32 = ScalarType("int32", Kind.SIGNED, 32)
INT64 = ScalarType("int64", Kind.SIGNED, 64)
UINT8 = ScalarType("uint8", Kind.UNSIGNED, 8)
UINT16 = ScalarType("uint16", Kind.UNSIGNED, 16)
UINT32 = ScalarType("uint32", Kind.UNSIGNED, 32)
UINT64 = ScalarType("uint64", Kind.UNSIGNED, 64)
FLOAT32 = ScalarType("float32", Kind.FLOAT, 32)
FLOAT64 = ScalarType("float64", Kind.FLOAT, 64)
INT = ScalarType("int", Kind.SIGNED, 64, weak=True)
FLOAT = ScalarType("float", Kind.FLOAT, 64, weak=True)

STRONG_SCALARS = (
    BOOL, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64, FLOAT32, FLOAT64,
)  # fmt: skip


@dataclass(frozen=True)
class FixedPointType(ScalarType):
    """A signed integer of `bits` that counts steps of 2^-`fraction`.

    Types that differ in `overflow` alone are different types.
    """

    fraction: int = 0
    overflow: Overflow = Overflow.TRAP

    __hash__ = ScalarType.__hash__

    @property
    def storage(self) -> ScalarType:
        return INT32 if self.bits == 32 else INT64


@dataclass(frozen=True)
class HalfType(ScalarType):
    """binary16, in which numbers are kept: it converts from and to other types, and computes
    nothing."""

    __hash__ = ScalarType.__hash__

    @property
    def storage(self) -> ScalarType:
        return UINT16


FLOAT16 = HalfType("float16", Kind.HALF, 16)

_SUFFIXES = {Overflow.TRAP: "", Overflow.SATURATE: "_sat", Overflow.WRAP: "_wrap"}
FIXED_POINT = {
    f"{name}{suffix}": FixedPointType(
        f"{name}{suffix}", Kind.FIXED, bits, fraction=fraction, overflow=overflow
    )
    for name, bits, fraction in (("fix16", 32, 16), ("fix32", 64, 32), ("fix48", 64, 16))
    for overflow, suffix in _SUFFIXES.items()
}
"""Q16.16, Q32.32 and Q48.16 by name, each with the three ways to overflow."""

SCALARS = {t.name: t for t in (*STRONG_SCALARS, FLOAT16, INT, FLOAT, *FIXED_POINT.values())}


@dataclass(frozen=True)
class VectorType:
    """Two to four scalars of one type, side by side in memory, aligned as one of them."""

    name: str
    element: ScalarType
    length: int

    def __str__(self) -> str:
        return self.name

    @property
    def size(self) -> int:
        return self.element.size * self.length

    @property
    def align(self) -> int:
        return self.element.align

    @property
    def shape(self) -> tuple[int, ...]:
        """The axes that a value adds to an ndarray of such values."""
        return (self.length,)

    @property
    def components(self) -> tuple[str, ...]:
        """The path of each scalar, in memory order."""
        return tuple(COMPONENTS[: self.length])

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype((self.element.dtype, self.shape))

    def of(self, element: ScalarType) -> VectorType:
        """The type of as many scalars of another type: what comparing component by component
        gives. KeyError."""
        return vector_of(element, self.length)


@dataclass(frozen=True)
class MatrixType(VectorType):
    """Two to four columns, each a vector of two to four scalars, one after another in memory."""

    rows: int

    @property
    def columns(self) -> int:
        return self.length // self.rows

    @property
    def column(self) -> VectorType:
        """The type of one column."""
        return vector_of(self.element, self.rows)

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.columns, self.rows)

    @property
    def components(self) -> tuple[str, ...]:
        return tuple(f"c{j}.{COMPONENTS[i]}" for j in range(self.columns) for i in range(self.rows))

    def of(self, element: ScalarType) -> VectorType:
        return matrix_of(element, self.rows, self.columns)


@dataclass(frozen=True)
class QuaternionType(VectorType):
    """x·i + y·j + z·k + w: four floats with a product of their own."""


def _fixed_vectors() -> dict[str, VectorType]:
    vectors: dict[str, VectorType] = {}
    for t in FIXED_POINT.values():
        base, *policy = t.name.split("_")
        for n in (2, 3, 4):
            name = "_".join([f"{base}x{n}", *policy])
            vectors[name] = VectorType(name, t, n)
    return vectors


VECTOR_ELEMENTS = {
    "float": FLOAT32, "double": FLOAT64, "int": INT32, "uint": UINT32, "bool": BOOL,
}  # fmt: skip
VECTORS = (
    {
        f"{base}{n}": VectorType(f"{base}{n}", element, n)
        for base, element in VECTOR_ELEMENTS.items()
        for n in (2, 3, 4)
    }
    | _fixed_vectors()
    | {f"half{n}": VectorType(f"half{n}", FLOAT16, n) for n in (2, 3, 4)}
)
COMPONENTS = "xyzw"


_VECTOR_OF = {(v.element, v.length): v for v in VECTORS.values()}


def vector_of(element: ScalarType, length: int) -> VectorType:
    """The vector of 2 to 4 elements of float32, float64, int32, uint32, bool, half or fixed-point.
    KeyError."""
    return _VECTOR_OF[element, length]


MATRICES = {
    f"{base}{rows}x{columns}": MatrixType(
        f"{base}{rows}x{columns}", VECTOR_ELEMENTS[base], rows * columns, rows
    )
    for base in VECTOR_ELEMENTS
    for rows in (2, 3, 4)
    for columns in (2, 3, 4)
}
"""By name: rows, then columns."""
_MATRIX_OF = {(m.element, m.rows, m.columns): m for m in MATRICES.values()}


def matrix_of(element: ScalarType, rows: int, columns: int) -> MatrixType:
    """The matrix of 2 to 4 rows and columns of a vector's elements, fixed-point ones aside.

    KeyError."""
    return _MATRIX_OF[element, rows, columns]


QUATERNIONS = {
    "quaternion": QuaternionType("quaternion", FLOAT32, 4),
    "dquaternion": QuaternionType("dquaternion", FLOAT64, 4),
}
COMPOSITES: dict[str, VectorType] = {**VECTORS, **MATRICES, **QUATERNIONS}
"""Every type of several scalars that is a value, by name."""


MOST_DIMENSIONS = 4
"""Most dimensions of an array, whether its shape is part of its type or not."""


@dataclass(frozen=True)
class FixedArrayType:
    """An array whose shape (one to `MOST_DIMENSIONS`) is part of its type, C order."""

    element: MemoryType
    shape: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.element}[{', '.join(map(str, self.shape))}]"

    @cached_property
    def count(self) -> int:
        return math.prod(self.shape)

    @cached_property
    def size(self) -> int:
        return self.element.size * self.count

    @property
    def align(self) -> int:
        return self.element.align

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype((self.element.dtype, self.shape))


@dataclass(frozen=True)
class StructType:
    """Named fields laid out as C would: declared order, natural alignment."""

    name: str
    fields: tuple[tuple[str, MemoryType], ...]

    def __str__(self) -> str:
        return self.name

    @cached_property
    def field_types(self) -> dict[str, MemoryType]:
        return dict(self.fields)

    @cached_property
    def offsets(self) -> dict[str, int]:
        """Byte offset of each field."""
        result: dict[str, int] = {}
        offset = 0
        for name, t in self.fields:
            offset = -(-offset // t.align) * t.align
            result[name] = offset
            offset += t.size
        return result

    @cached_property
    def align(self) -> int:
        return max((t.align for _, t in self.fields), default=1)

    @cached_property
    def size(self) -> int:
        if not self.fields:
            return 0
        name, t = self.fields[-1]
        end = self.offsets[name] + t.size
        return -(-end // self.align) * self.align

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(
            {
                "names": [name for name, _ in self.fields],
                "formats": [t.dtype for _, t in self.fields],
                "offsets": [self.offsets[name] for name, _ in self.fields],
                "itemsize": self.size,
            }
        )


MemoryType = ScalarType | VectorType | FixedArrayType | StructType
"""Every type that memory of the host can hold."""


@dataclass(frozen=True)
class ArrayType:
    """A parameter that views host memory: C-contiguous, `ndim` 1 to `MOST_DIMENSIONS`."""

    element: MemoryType
    ndim: int
    readonly: bool = False

    def __str__(self) -> str:
        head = "ReadOnly" if self.readonly else "Array"
        return f"{head}[{self.element}{f', {self.ndim}' if self.ndim > 1 else ''}]"


@dataclass(frozen=True)
class RefType:
    """The address of a value in memory; only the IR has it."""

    target: MemoryType

    def __str__(self) -> str:
        return f"ref<{self.target}>"


@dataclass(frozen=True)
class TupleType:
    """Several results of one call."""

    items: tuple[ScalarType | VectorType | StructType, ...]

    def __str__(self) -> str:
        return f"tuple[{', '.join(map(str, self.items))}]"


@dataclass(frozen=True)
class NoneType:
    """The result of a kernel that returns nothing."""

    def __str__(self) -> str:
        return "None"


NONE = NoneType()
Type = ScalarType | VectorType | FixedArrayType | StructType | ArrayType | TupleType | NoneType


BY_DTYPE = {t.dtype: t for t in (*STRONG_SCALARS, FLOAT16)}


def _promotions() -> dict[tuple[ScalarType, ScalarType], ScalarType]:
    numbers = [t for t in STRONG_SCALARS if t is not BOOL]
    return {
        (a, b): BY_DTYPE[np.promote_types(a.dtype, b.dtype)]
        for a in numbers
        for b in numbers
        if np.promote_types(a.dtype, b.dtype) in BY_DTYPE
    }


PROMOTIONS = _promotions()
"""Result type of arithmetic on two strong number types, as NumPy 2 has it."""


def widens(source: ScalarType, target: ScalarType) -> bool:
    """Whether a place declared as `target` takes a number of type `source` unasked: a parameter, a
    result, a field, an element, a component, an annotated local name.

    Integers and floats are taken by wider ones of their kind, which have each of their numbers; a
    place annotated int takes every integer, of a uint64 those that int64 has.
    """
    if source.is_int and target.is_int:
        contained = target.minimum <= source.minimum and source.maximum <= target.maximum
        return contained or target is INT
    return source.is_float and target.is_float and source.bits <= target.bits


def promote(a: ScalarType, b: ScalarType) -> ScalarType | None:
    """The common type of `a` and `b` in arithmetic; None where there is none (bool, float16, or
    a weak float beside an integer).

    NEP 50: a weak type takes the strong one's side; weak int beside weak float gives float.
    """
    if FLOAT16 in (a, b):
        return None
    if a == b:
        return None if a is BOOL else a
    if BOOL in (a, b):
        return None
    if a.weak and b.weak:
        return FLOAT
    if a.weak or b.weak:
        weak, strong = (a, b) if a.weak else (b, a)
        if isinstance(strong, FixedPointType):
            return strong
        if weak is FLOAT and not strong.is_float:
            return FLOAT64
        return strong
    return PROMOTIONS.get((a, b))


def operands_type(types: Sequence[ScalarType]) -> ScalarType | None:
    """The common type of the operands of a function, promoted from left to right as `min(min(a, b),
    c)` would be; None where there is none, which integers have too whose numbers only float64
    covers."""
    found = types[0]
    for t in types[1:]:
        common = found if found == t else promote(found, t)
        if common is None or (common.is_float and found.is_int and t.is_int):
            return None
        found = common
    return found
