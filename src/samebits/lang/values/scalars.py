"""The scalar classes that kernels import: NumPy's scalars with the language's operators.

Owns the classes, their constructors and how a result is made; `operators` gives them operators.
Every float that exists in one of these classes is canonical where it is a NaN.
"""

# ruff: noqa: N801  (the names are the language's)

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from samebits import types
from samebits.bits import flushed
from samebits.errors import ArgumentError, SamebitsError, hide
from samebits.lang.values import operators
from samebits.lang.values.conversions import FLOAT32_LIMIT, Raw, converter, kind_of, wrapper
from samebits.lang.values.enums import fix_of_enum, plain_number
from samebits.lang.values.thread_state import flushers, running
from samebits.lang.values.weak import Int, checked
from samebits.types import BOOL, FLOAT, INT, Kind, ScalarType


class int8(np.int8):
    """8-bit signed integer that wraps."""

    __slots__ = ()
    __sb_type__: ClassVar[ScalarType] = types.INT8


class int16(np.int16):
    """16-bit signed integer that wraps."""

    __slots__ = ()
    __sb_type__: ClassVar[ScalarType] = types.INT16


class int32(np.int32):
    """32-bit signed integer that wraps."""

    __slots__ = ()
    __sb_type__: ClassVar[ScalarType] = types.INT32


class int64(np.int64):
    """64-bit signed integer that wraps."""

    __slots__ = ()
    __sb_type__: ClassVar[ScalarType] = types.INT64


class uint8(np.uint8):
    """8-bit unsigned integer that wraps."""

    __slots__ = ()
    __sb_type__: ClassVar[ScalarType] = types.UINT8


class uint16(np.uint16):
    """16-bit unsigned integer that wraps."""

    __slots__ = ()
    __sb_type__: ClassVar[ScalarType] = types.UINT16


class uint32(np.uint32):
    """32-bit unsigned integer that wraps."""

    __slots__ = ()
    __sb_type__: ClassVar[ScalarType] = types.UINT32


class uint64(np.uint64):
    """64-bit unsigned integer that wraps."""

    __slots__ = ()
    __sb_type__: ClassVar[ScalarType] = types.UINT64


class float32(np.float32):
    """IEEE binary32, each operation rounded once to nearest even."""

    __slots__ = ()
    __sb_type__: ClassVar[ScalarType] = types.FLOAT32


class float64(np.float64):
    """IEEE binary64, each operation rounded once to nearest even."""

    __slots__ = ()
    __sb_type__: ClassVar[ScalarType] = types.FLOAT64


_CLASSES: tuple[Any, ...] = (
    int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64,
)  # fmt: skip

SCALAR_CLASSES: dict[ScalarType, type] = {
    **{cls.__sb_type__: cls for cls in _CLASSES},
    BOOL: bool,
    INT: Int,
    FLOAT: float,
}
"""The class of each scalar type; bool and weak float are Python's own."""


def _type_table() -> dict[type, ScalarType]:
    table: dict[type, ScalarType] = {cls: t for t, cls in SCALAR_CLASSES.items()}
    table[int] = INT
    for code in "?bBhHiIlLqQfd":
        # C's long and long long are two NumPy types of one width.
        table[np.dtype(code).type] = types.BY_DTYPE[np.dtype(np.dtype(code).str)]
    return table


TYPE_OF: dict[type, ScalarType] = _type_table()
"""The scalar type of a Python, NumPy or language scalar, by its exact class."""


def _float32_maker() -> Callable[[Any], Any]:
    new, cls = np.float32.__new__, float32
    limit, negative = FLOAT32_LIMIT, -FLOAT32_LIMIT
    nan = new(cls, math.nan)
    infinity, minus_infinity = new(cls, math.inf), new(cls, -math.inf)

    def make(value: Any) -> Any:
        if negative < value < limit:
            result = new(cls, value)
            if flushers and running.flush:
                return new(cls, flushed(float(result), 32))
            return result
        if value != value:
            return nan
        return infinity if value > 0 else minus_infinity

    return make


def _float64_maker() -> Callable[[Any], Any]:
    new, cls = np.float64.__new__, float64
    nan = new(cls, math.nan)

    def make(value: Any) -> Any:
        if flushers and running.flush:
            value = flushed(float(value), 64)
        return new(cls, value) if value == value else nan

    return make


def _int_maker(base: Any, cls: Any) -> Callable[[Any], Any]:
    new, wrap = base.__new__, wrapper(cls.__sb_type__)
    low, high = cls.__sb_type__.minimum, cls.__sb_type__.maximum

    def make(value: Any) -> Any:
        return new(cls, value if low <= value <= high else wrap(value))

    return make


def _weak_float(value: Any) -> float:
    if flushers and running.flush:
        value = flushed(value, 64)
    return value if value == value else math.nan


MAKERS: dict[ScalarType, Callable[[Any], Any]] = {
    **{cls.__sb_type__: _int_maker(cls.__base__, cls) for cls in _CLASSES[:8]},
    types.FLOAT32: _float32_maker(),
    types.FLOAT64: _float64_maker(),
    BOOL: bool,
    INT: checked,
    FLOAT: _weak_float,
}
"""From the raw result of an operation to a value of the type: integers wrap (weak ones trap),
binary64 is rounded once to the float type, NaN becomes canonical; then, while a kernel that
flushes runs managed, a subnormal number becomes a zero of its sign."""


def result_maker(t: ScalarType) -> Callable[[Any], Any]:
    """The same for results that leave a kernel for plain Python, where an int is Python's own."""
    return int if t is INT else MAKERS[t]


def _raw_of(t: ScalarType) -> Callable[[Any], Raw]:
    return {Kind.BOOL: bool, Kind.FLOAT: float}.get(t.kind, int)


RAW_OF: dict[ScalarType, Callable[[Any], Raw]] = {t: _raw_of(t) for t in SCALAR_CLASSES}
"""From a value of the type to the plain Python number."""


def conversion(source: ScalarType, target: ScalarType) -> Callable[[Any], Any]:
    """The conversion that calling `target` does, from values of `source`.

    Strong integers wrap, weak int traps "overflow" unless it fits, float to integer
    truncates and saturates, to float rounds once.
    """
    raw, rule, make = RAW_OF[source], converter(source, target), MAKERS[target]
    if target.is_float and source.is_float:
        return lambda value: make(raw(value))
    return lambda value: make(rule(raw(value)))


def _itself(value: Any) -> Any:
    return value


def _converters(t: ScalarType) -> dict[type, Callable[[Any], Any]]:
    own = SCALAR_CLASSES[t] if t is not FLOAT else None
    return {
        cls: _itself if cls is own else conversion(source, t) for cls, source in TYPE_OF.items()
    }


CONVERTERS: dict[ScalarType, dict[type, Callable[[Any], Any]]] = {
    t: _converters(t) for t in SCALAR_CLASSES
}
"""For each target type, `conversion` by the exact class of the value."""


def describe(value: Any) -> str:
    """The type of a value as messages name it; of a class, that it is one."""
    if isinstance(value, type):
        return f"the class {value.__name__}"
    t = getattr(value, "__sb_type__", None) or TYPE_OF.get(kind_of(value))
    return str(t) if t is not None else type(value).__name__


def type_of_scalar(value: Any) -> ScalarType:
    """The scalar type of a value. Raises ArgumentError if it is no scalar."""
    t = TYPE_OF.get(kind_of(value))
    if t is None:
        raise ArgumentError(f"expected a scalar, got {type(value).__name__}")
    return t


def convert(value: Any, target: ScalarType) -> Any:
    """`value` (any scalar) as the class of `target`, by the rules of `conversion`."""
    value = plain_number(value) if kind_of(value) not in TYPE_OF else value
    type_of_scalar(value)
    return CONVERTERS[target][kind_of(value)](value)


def _constructor(cls: Any) -> Any:
    t = cls.__sb_type__
    table = CONVERTERS[t]
    zero = MAKERS[t](0)

    def construct(kind: Any, value: Any = zero) -> Any:
        try:
            rule = table.get(kind_of(value))
            if rule is None:
                value = plain_number(value)
                rule = table.get(kind_of(value))
            if rule is None:
                raise ArgumentError(
                    f"{t} takes one scalar, got {type(value).__name__}",
                    fix=fix_of_enum(value) or f"write {t}(x) for a number x",
                )
            return rule(value)
        except SamebitsError as error:
            hide(error)
            raise

    return construct


def _representation(cls: Any) -> Any:
    name = cls.__name__

    def representation(self: Any) -> str:
        return f"{name}({self!s})"

    return representation


def _reduce(self: Any) -> tuple[Any, ...]:
    return self.__class__, (self.item(),)


def _install() -> None:
    scalars = operators.Scalars(TYPE_OF, SCALAR_CLASSES, MAKERS, RAW_OF)
    for cls in _CLASSES:
        cls.__repr__ = _representation(cls)
        cls.__reduce__ = _reduce
        operators.install(cls, scalars)
        cls.__new__ = staticmethod(_constructor(cls))


_install()
