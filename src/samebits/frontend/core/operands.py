"""Operands, the values of expressions: literals, scalars, vectors, memory, Python objects."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

from samebits.errors import Span
from samebits.ir.grammar import Value
from samebits.types import (
    FLOAT,
    INT,
    NONE,
    ArrayType,
    FixedArrayType,
    NoneType,
    ScalarType,
    StructType,
    TupleType,
    Type,
    VectorType,
)


@dataclass(frozen=True, slots=True)
class Literal:
    """A weak number known at compile time; folded as CPython folds it, of any size if an int.

    `span` is where it is written, if it is.
    """

    value: int | float
    span: Span | None = field(default=None, compare=False)

    @property
    def type(self) -> ScalarType:
        return FLOAT if isinstance(self.value, float) else INT


@dataclass(frozen=True, slots=True)
class Scalar:
    value: Value
    type: ScalarType


@dataclass(frozen=True, slots=True)
class Vector:
    items: tuple[Value, ...]
    type: VectorType


@dataclass(frozen=True, slots=True)
class MemoryOperand:
    """A struct or fixed array in memory.

    `roots` are the parameters whose memory it may lie in; empty for memory of this call.
    `temporary` says that it is fresh, and owned by no variable yet.
    """

    value: Value
    type: StructType | FixedArrayType
    roots: frozenset[str]
    readonly: bool
    temporary: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """An array: address and lengths. `roots` are the parameters and local names whose memory it may
    lie in."""

    value: Value
    type: ArrayType
    roots: frozenset[str]
    fresh: bool = False
    """Whether it is new memory of the call's arena, which has no name yet."""


@dataclass(frozen=True, slots=True)
class Tuple:
    items: tuple[Operand, ...]
    constant: tuple[object, ...] | None = field(default=None, compare=False)
    """The tuple of Python's that it is, of one from outside the kernel."""

    @property
    def type(self) -> TupleType:
        # Only results are typed by it; what else is in a tuple never becomes one.
        return TupleType(cast("tuple[ScalarType, ...]", tuple(item.type for item in self.items)))


@dataclass(frozen=True, slots=True)
class Nothing:
    """The value of a call that returns none."""

    type: NoneType = NONE


@dataclass(frozen=True, slots=True)
class Static:
    """A Python object that exists only at compile time: module, class, function, kernel."""

    object: object

    @property
    def type(self) -> Type:
        return NONE


Operand = Literal | Scalar | Vector | MemoryOperand | View | Tuple | Nothing | Static


def number_text(value: int | float) -> str:
    """A literal as an error shows it; CPython refuses to print very long ints."""
    if isinstance(value, int) and value.bit_length() > 256:
        return f"of {value.bit_length():,} bits"
    return repr(value)


def describe(operand: Operand) -> str:
    """The words for an operand in an error."""
    match operand:
        case Literal():
            return f"the Python {operand.type} {number_text(operand.value)}"
        case Static():
            name = getattr(operand.object, "__name__", None)
            return f"'{name}'" if name else f"a {type(operand.object).__name__}"
        case Nothing():
            return "nothing (the call returns no value)"
        case Scalar() if operand.type.weak:
            return f"a Python {operand.type}"
        case _:
            return str(operand.type)


def dimensions(base: Operand) -> int:
    """How many dimensions an array has; 0 for what is none."""
    if isinstance(base, View):
        return base.type.ndim
    if isinstance(base, MemoryOperand) and isinstance(base.type, FixedArrayType):
        return len(base.type.shape)
    return 0
