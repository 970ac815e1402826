"""The type in which a math function is computed from Python arguments; refused arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any, NoReturn, cast

import numpy as np

from samebits.errors import ArgumentError
from samebits.lang.overloads import Overloads
from samebits.lang.values.conversions import kind_of
from samebits.lang.values.scalars import TYPE_OF
from samebits.types import (
    BOOL,
    FLOAT32,
    FLOAT64,
    INT32,
    INT64,
    STRONG_SCALARS,
    ScalarType,
    promote,
)

_NDARRAY: Any = np.ndarray
_ARRAYS: tuple[Any, ...] = (np.ndarray, np.memmap)
_GENERIC: Any = np.generic
_SEQUENCES: tuple[Any, ...] = (list, tuple)
_BOOLS: tuple[Any, ...] = (bool, np.bool_)
_BY_DTYPE: dict[Any, ScalarType] = {t.dtype: t for t in STRONG_SCALARS if t is not BOOL}


def float_type(function: Overloads, args: tuple[Any, ...]) -> ScalarType:
    """float32 or float64, the type in which `function` is computed. Raises ArgumentError."""
    strong: list[ScalarType] = []
    for argument, integer in zip(args, function.integers, strict=True):
        if integer:
            _check_integer(function, argument)
        elif isinstance(argument, bool):
            strong.append(FLOAT32)
        elif type(argument) is not float and not isinstance(argument, int):
            strong.append(_strong_type(function, argument))
    if FLOAT64 in strong or not strong:
        return FLOAT64
    return FLOAT32


def _strong_type(function: Overloads, x: Any) -> ScalarType:
    """The float type of a value that is not weak, by NumPy's rules."""
    if type(x) in _ARRAYS or isinstance(x, _GENERIC):
        dtype = x.dtype
        if dtype.kind == "f" and dtype.itemsize <= 8:
            return FLOAT64 if dtype.itemsize == 8 else FLOAT32
        if dtype.kind in "biu":
            return FLOAT64 if dtype.itemsize > 2 else FLOAT32
    refuse(function, x)


def _check_integer(function: Overloads, x: Any) -> None:
    if isinstance(x, int):
        return
    if (type(x) in _ARRAYS or isinstance(x, _GENERIC)) and x.dtype.kind in "biu":
        return
    found = f"an array of {x.dtype}" if type(x) in _ARRAYS else type(x).__name__
    position = function.integers.index(True) + 1
    raise ArgumentError(
        f"{function.__name__}() takes an integer as argument {position}, got {found}",
        fix="convert it, for example x.astype(np.int32)" if type(x) in _ARRAYS else "write int(n)",
    )


def _refuse_subclass(function: Overloads, x: Any, takes: str) -> None:
    """Raise ArgumentError where `x` is an array of a class that may mean something else."""
    if isinstance(x, _NDARRAY) and type(x) not in _ARRAYS:
        plain = "x.filled(0)" if hasattr(x, "mask") else "np.asarray(x)"
        raise ArgumentError(
            f"{function.__name__}() takes {takes} in plain arrays, got {type(x).__name__}",
            fix=f"write math.{function.__name__}({plain})",
        )


def refuse(function: Overloads, x: Any) -> NoReturn:
    name = function.__name__
    message = f"{name}() takes floats and integers"
    _refuse_subclass(function, x, "floats and integers")
    if isinstance(x, _NDARRAY):
        raise ArgumentError(
            f"{message} of at most 64 bits, got an array of {x.dtype}",
            fix=f"write math.{name}({'x.real' if x.dtype.kind == 'c' else 'x.astype(np.float64)'})",
        )
    if isinstance(x, _SEQUENCES):
        raise ArgumentError(
            f"{message}, vectors and arrays, got {type(x).__name__}",
            fix=f"write math.{name}(np.array(x, np.float64))",
        )
    raise ArgumentError(
        f"{message}, vectors and arrays, got {type(x).__name__}",
        fix=f"write math.{name}(float64(x)) for a number x"
        if isinstance(x, _GENERIC)
        else f"write math.{name}(np.asarray(x)) for an array x",
    )


def number_type(function: Overloads, args: tuple[Any, ...]) -> ScalarType:
    """The type in which a function of floats or integers is computed, and of its result: the common
    type of integers, else as `float_type`. Raises ArgumentError."""
    integers: list[ScalarType] = []
    floats = False
    for x in args:
        if type(x) is int or type(x) is float:
            floats = floats or type(x) is float
            continue
        t = _number_of(x)
        if t is not None and t.is_int:
            integers.append(t)
        else:
            floats = True  # `float_type` refuses what is no number
        if isinstance(x, _BOOLS) or getattr(x, "dtype", None) == np.bool_:
            raise ArgumentError(
                f"{function.__name__}() takes numbers, got "
                f"{'an array of bool' if isinstance(x, _NDARRAY) else 'a bool'}",
                fix="convert it, for example x.astype(np.int32)",
            )
    if floats:
        return float_type(function, args)
    common = _common(integers)
    if common is None:
        found = " and ".join(dict.fromkeys(map(str, integers)))
        raise ArgumentError(
            f"{function.__name__}() of {found} has no common type",
            fix=f"convert one of them, for example x.astype(np.{integers[0]})",
        )
    return common


def integer_type(function: Overloads, args: tuple[Any, ...]) -> ScalarType:
    """As `number_type`, for a function of integers alone."""
    t = number_type(function, args)
    if t.is_float:
        raise ArgumentError(
            f"{function.__name__}() takes integers, got floats",
            fix="convert them, for example x.astype(np.int32), or give their bits: "
            "x.view(np.uint32)",
        )
    return t


def turned_type(function: Overloads, args: tuple[Any, ...]) -> ScalarType:
    """As `integer_type`, for an integer and a count, which is an int32. Raises ArgumentError."""
    _check_integer(function, args[1])
    return integer_type(function, (args[0], 0))


def family_type(
    kernels: Mapping[ScalarType, Any],
) -> Callable[[Overloads, tuple[Any, ...]], ScalarType]:
    """A function that finds a call's type for kernels of one number, one for each type: half floats
    count as float32. It raises ArgumentError."""

    def choose(function: Overloads, args: tuple[Any, ...]) -> ScalarType:
        (x,) = args
        halves = getattr(x, "dtype", None) == np.float16
        found = FLOAT32 if halves else _number_of(x)
        if found is not None and found in kernels:
            return found
        _refuse_subclass(function, x, ", ".join(map(str, kernels)))
        near = FLOAT32 if found is not None and found.is_float and FLOAT32 in kernels else INT32
        what = f"an array of {x.dtype}" if isinstance(x, _NDARRAY) else type(x).__name__
        raise ArgumentError(
            f"{function.__name__}() takes {', '.join(map(str, kernels))}, got {what}",
            fix=f"convert it: x.astype(np.{near})",
        )

    return choose


def exact_type(function: Overloads, args: tuple[Any, ...]) -> ScalarType:
    """The type of a kernel's one argument, to which an array's elements must convert exactly."""
    kernel = function.kernel_for(FLOAT32)
    (t,) = cast("tuple[ScalarType]", kernel.fixed_types)
    (x,) = args
    _refuse_subclass(function, x, str(t))
    found = _number_of(x)
    fits = found == t if t.is_int else float_type(function, args) == t or found is FLOAT32
    if not fits:
        what = f"an array of {x.dtype}" if isinstance(x, _NDARRAY) else type(x).__name__
        fix = f"convert it: x.astype(np.{t})"
        if t.is_float and found is FLOAT64:
            fix = "write math.f64_to_f16(x), which rounds once"
        elif getattr(x, "dtype", None) == np.float16:
            fix = "give their bits: x.view(np.uint16)"
        raise ArgumentError(f"{function.__name__}() takes {t}, got {what}", fix=fix)
    return t


def _number_of(x: Any) -> ScalarType | None:
    if type(x) in _ARRAYS or isinstance(x, _GENERIC):
        return _BY_DTYPE.get(x.dtype.newbyteorder("="))
    return TYPE_OF.get(kind_of(x))


def _common(types: list[ScalarType]) -> ScalarType | None:
    def join(a: ScalarType | None, b: ScalarType) -> ScalarType | None:
        found = None if a is None else a if a == b else promote(a, b)
        return None if found is None or found.is_float else found

    return reduce(join, types[1:], types[0]) if types else INT64
