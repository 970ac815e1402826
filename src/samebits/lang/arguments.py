"""Conversion of values from Python into a kernel (`wrap`) and back (`unwrap`).

Owns which Python, NumPy and language values a parameter of some type takes.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Any, cast

import numpy as np

from samebits.errors import ArgumentError, Trap
from samebits.lang.annotations import class_of_type
from samebits.lang.memory.arrays import ManagedArray, check_array, dtype_name, view_array
from samebits.lang.memory.namesakes import namesakes
from samebits.lang.memory.structs import Struct
from samebits.lang.values.classes import COMPOSITE_CLASSES
from samebits.lang.values.conversions import kind_of
from samebits.lang.values.enums import fix_of_enum, plain_number
from samebits.lang.values.scalars import CONVERTERS, MAKERS, TYPE_OF, describe
from samebits.lang.values.storage import implicit, implicit_vector
from samebits.lang.values.vectors import Vector, takes, vector
from samebits.types import (
    BOOL,
    ArrayType,
    FixedArrayType,
    Kind,
    MatrixType,
    ScalarType,
    StructType,
    TupleType,
    Type,
    VectorType,
    widens,
)


def wrap(value: Any, t: Type, name: str) -> Any:
    """A Python argument as the language value that parameter `name` of type `t` takes.

    Scalars: Python's int and float go into whatever holds them, NumPy's and the language's
    into their own type and wider ones of its kind. Vectors also come from a tuple or an ndarray
    of their length, structs from a structured ndarray of shape () or (1,), arrays from an
    ndarray, without a copy. Raises ArgumentError where the value does not fit.
    """
    match t:
        case ScalarType():
            return wrap_scalar(value, t, name)
        case VectorType():
            return _wrap_vector(value, t, name)
        case StructType():
            return _wrap_struct(value, t, name)
        case ArrayType():
            return _wrap_array(value, t, name)
        case _:
            raise ArgumentError(f"parameter '{name}': a value of type {t} cannot be passed")


@contextmanager
def naming(kernel: str) -> Generator[None]:
    """Inside, an ArgumentError says which kernel the argument was given to."""
    try:
        yield
    except ArgumentError as error:
        text = f"{kernel}(): {error.message}"
        raise ArgumentError(text, span=error.span, note=error.note, fix=error.fix) from None


def wrap_scalar(value: Any, t: ScalarType, name: str) -> Any:
    """`wrap` for a scalar parameter."""
    if kind_of(value) not in TYPE_OF:
        value = plain_number(value)
    source = TYPE_OF.get(kind_of(value))
    if source is None:
        raise ArgumentError(
            f"parameter '{name}': expected {t}; got {type(value).__name__}",
            fix=fix_of_enum(value) or _fix_of_no_number(value, t, name),
        )
    if not (takes(source, t) or widens(source, t)):
        example = _example(t, name)
        if t.kind is Kind.FIXED and source.is_float:
            example = f"samebits.{t}.from_float({name})"
        raise ArgumentError(
            f"parameter '{name}': expected {t}; got {source}", fix=f"pass {example}"
        )
    if t.kind is Kind.FIXED:
        try:
            return CONVERTERS[t][kind_of(value)](value)
        except (ArgumentError, Trap) as error:
            reason = error.message if isinstance(error, ArgumentError) else f"{value} is too large"
            raise ArgumentError(
                f"parameter '{name}': expected {t}; {reason}", fix=error.fix
            ) from None
    if not t.is_int:
        return CONVERTERS[t][kind_of(value)](value)
    number = int(value)
    if not t.minimum <= number <= t.maximum:
        raise ArgumentError(
            f"parameter '{name}': {number} does not fit {t} ({t.minimum} to {t.maximum})",
            fix=_fix_of_range(number, t),
        )
    return MAKERS[t](number)


def _fix_of_no_number(value: Any, t: ScalarType, name: str) -> str:
    if value is None:
        return f"pass a number, such as {t}(0)" if not t.weak else "pass a number, such as 0"
    if isinstance(value, str | bytes) and len(value) == 1 and not value.isdigit() and t.is_int:
        return f"pass ord({name})"
    if isinstance(value, str | bytes):
        return _fix_of_text(value, t, name)
    if isinstance(value, complex | np.complexfloating):
        return f"pass {name}.real, or its parts as two numbers"
    if isinstance(value, np.ndarray) and value.size == 1:
        return f"pass {name}.item()"
    return f"pass {_example(t, name)}"


def _fix_of_text(value: str | bytes, t: ScalarType, name: str) -> str:
    """What to pass in place of a text: the number that it says, if it does."""
    if t is BOOL:
        text = "b" * isinstance(value, bytes) + '"yes"'
        return f"pass a bool, as {name} == {text} is one"
    for convert, text in ((int, "int({})"), (float, "int(float({}))")):
        with suppress(ValueError, OverflowError):
            convert(value)
            return f"pass {(text if t.is_int else 'float({})').format(name)}"
    return f"pass a number, such as {'0' if t.is_int else '0.0'}"


def _fix_of_range(number: int, t: ScalarType) -> str | None:
    wraps = f"pass {t.wrapped(number)}, which it wraps to"
    wider = wraps if t.bits == 64 else f"declare a wider type, or {wraps}"
    return None if t.weak else wider


def _example(t: ScalarType, name: str) -> str:
    return f"{t}({name})" if t.weak or t is BOOL else f"samebits.{t}({name})"


def _wrap_vector(value: Any, t: VectorType, name: str) -> Any:
    cls = COMPOSITE_CLASSES[t]
    if isinstance(value, Vector):
        return implicit_vector(value, t, f"parameter '{name}'")
    if isinstance(value, np.ndarray):
        array = cast("np.ndarray[Any, Any]", value)
        if array.dtype != t.element.dtype or array.shape != t.shape:
            raise ArgumentError(
                f"parameter '{name}': expected {t}, shape {t.shape} of "
                f"{dtype_name(t)}; got shape {array.shape} of {array.dtype}",
                fix=f"pass {t}(*{name})",
            )
        if t.element.kind is Kind.FIXED:
            return vector(cls, tuple(map(MAKERS[t.element], array.tolist())))
        return cls(array)
    if isinstance(value, tuple) and not isinstance(t, MatrixType):
        items = cast("tuple[Any, ...]", value)
        if len(items) != t.length:
            raise ArgumentError(
                f"parameter '{name}': expected {t}, {t.length} components; got {len(items)}",
                fix=f"pass {t.length} numbers",
            )
        parts = (wrap_scalar(item, t.element, f"{name}[{i}]") for i, item in enumerate(items))
        return vector(cls, tuple(parts))
    numbers = "" if isinstance(t, MatrixType) else f" a tuple of {t.length} numbers,"
    raise ArgumentError(
        f"parameter '{name}': expected {t}; got {describe(value)}",
        fix=f"pass {t}(...),{numbers} or an ndarray of shape {t.shape}",
    )


def _wrap_struct(value: Any, t: StructType, name: str) -> Any:
    cls: Any = class_of_type(t)
    if isinstance(value, cls):
        return value
    if isinstance(value, np.ndarray):
        array = cast("np.ndarray[Any, Any]", value)
        if array.dtype != t.dtype or array.shape not in ((), (1,)):
            same_fields = array.dtype.names == t.dtype.names
            raise ArgumentError(
                f"parameter '{name}': expected {t}, one element of {t}.dtype; "
                f"got shape {array.shape} of {array.dtype}",
                fix=f"pass {t}.from_memory({name}, index)"
                if array.dtype == t.dtype
                else f"pass {name}.astype({t}.dtype), one element of it"
                if same_fields
                else f"pass {t}(...), or one element of an array of {t}.dtype",
            )
        check_array(array.reshape(1), ArrayType(t, 1), name)
        return cls.from_memory(array)
    fix = f"pass {t}(...), or an ndarray of {t}.dtype with shape () or (1,)"
    if isinstance(value, getattr(cls, "__sb_plain__", ())):
        fix = f"pass {t}({name}): the kernel may change it"
    if isinstance(value, np.void):
        fix = f"a copy would be changed: pass {t}.from_memory(array, index)"
    two = namesakes(cls, type(value)) if isinstance(value, Struct) else None
    if two is not None:
        raise ArgumentError(
            f"parameter '{name}': expected {two.wanted}; got {two.found}",
            note=two.note,
            fix=two.fix,
        )
    raise ArgumentError(f"parameter '{name}': expected {t}; got {describe(value)}", fix=fix)


def _wrap_array(value: Any, t: ArrayType, name: str) -> ManagedArray:
    if isinstance(value, ManagedArray):
        found = ArrayType(value.element, len(value.shape), value.readonly)
        if value.element != t.element or found.ndim != t.ndim:
            raise ArgumentError(f"parameter '{name}': expected {t}; got {found}")
        if value.readonly and not t.readonly:
            raise ArgumentError(
                f"parameter '{name}': expected {t}; got {found}",
                fix=f"declare the parameter {found}",
            )
        return value.as_readonly() if t.readonly else value
    check_array(value, t, name)
    return view_array(value, t)


def unwrap(value: Any, t: Type, place: str = "the result") -> Any:
    """A kernel's result as a value of its declared type: weak numbers take that type.

    Raises ArgumentError where the value has another type, Trap "overflow" where a weak int
    does not fit.
    """
    match t:
        case ScalarType():
            return implicit(value, t, place)
        case VectorType():
            return implicit_vector(value, t, place)
        case StructType():
            if isinstance(value, Struct) and value.__sb_type__ == t:
                return value
        case TupleType():
            if isinstance(value, tuple):
                values = cast("tuple[Any, ...]", value)
                if len(values) == len(t.items):
                    pairs = zip(values, t.items, strict=True)
                    return tuple(unwrap(v, item, place) for v, item in pairs)
        case ArrayType() | FixedArrayType():
            pass
        case _:
            if value is None:
                return None
    raise ArgumentError(f"{place} is {t}; got {describe(value)}")
