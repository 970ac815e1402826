"""Math functions called from Python: on a float, a vector, or every element of an array.

Owns what is accepted and the loop over arrays, which is a kernel like any other.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NoReturn, TypeVar

import numpy as np

from samebits.errors import ArgumentError
from samebits.lang.arrays import Array, ReadOnly
from samebits.lang.kernel import Kernel, Overloads
from samebits.lang.running import python_precision
from samebits.lang.scalars import float32, float64
from samebits.lang.vectors import Vector
from samebits.modes import Precision
from samebits.types import FLOAT32, FLOAT64

T = TypeVar("T")

_SCALARS: dict[Any, Any] = {
    float: float64, int: float64,
    np.float32: float32, float32: float32, np.float64: float64, float64: float64,
}  # fmt: skip
_TYPES: dict[Any, Any] = {float32: FLOAT32, float64: FLOAT64}
_DTYPES = (np.dtype(np.float32), np.dtype(np.float64))
_ARRAYS: tuple[type[Any], ...] = (np.ndarray, np.memmap)
_SEQUENCES: tuple[type[Any], ...] = (list, tuple)


def call(function: Overloads, args: tuple[Any, ...], out: Any = None) -> Any:
    """`function` of one argument, natively; the result has the argument's type, shape and dtype.

    Python's int and float count as float64. Raises ArgumentError for anything but a float32 or
    float64, a vector of them, or a native-order NumPy array of them (copied unless C-contiguous).
    """
    if len(args) != function.arity:
        raise ArgumentError(
            f"{function.__name__}() takes {function.arity} argument"
            f"{'s' * (function.arity != 1)}, but {len(args)} are given",
            fix=f"write math.{function.__name__}(x)",
        )
    (x,) = args
    if type(x) in _ARRAYS:
        return _array(function, x)
    if isinstance(x, Vector) and x.__sb_type__.element in (FLOAT32, FLOAT64):
        kernel = function.kernel_for(x.__sb_type__.element, python_precision.get())
        return type(x)(*(kernel(item) for item in x))
    scalar = _scalar_class(x)
    if scalar is None:
        _refuse(function, x)
    return function.kernel_for(_TYPES[scalar], python_precision.get())(scalar(x))


def _scalar_class(x: Any) -> Any:
    return _SCALARS.get(type(x))


def _array(function: Overloads, x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if x.dtype not in _DTYPES:
        _refuse(function, x)
    given = np.require(np.asarray(x), requirements=["C", "A"])
    result = np.empty(x.shape, x.dtype)
    _over_array(function, python_precision.get())(given.reshape(-1), result.reshape(-1))
    return result


@cache
def _over_array(function: Overloads, precision: Precision) -> Kernel:
    def map_elements(x: ReadOnly[T], result: Array[T]) -> None:
        for i in range(len(result)):  # pyright: ignore[reportArgumentType]
            result[i] = function(x[i])  # pyright: ignore[reportIndexIssue]

    return Kernel(map_elements, precision=precision)


def _refuse(function: Overloads, x: Any) -> NoReturn:
    name = function.__name__
    message = f"{name}() takes float32 or float64"
    if isinstance(x, _ARRAYS[0]):
        if type(x) not in _ARRAYS:
            raise ArgumentError(
                f"{message} arrays, got {type(x).__name__}", fix=f"write math.{name}(np.asarray(x))"
            )
        wanted = "float32" if x.dtype.kind == "f" and x.dtype.itemsize <= 4 else "float64"
        raise ArgumentError(
            f"{message} arrays, got one of {x.dtype.str if x.dtype.kind == 'f' else x.dtype}",
            note="in this machine's byte order" if x.dtype.newbyteorder("=") in _DTYPES else None,
            fix=f"write math.{name}(x.astype(np.{wanted}))",
        )
    if isinstance(x, Vector):
        raise ArgumentError(
            f"{message} vectors, got {x.__sb_type__}",
            fix=f"convert it: math.{name}(float{x.__sb_type__.length}(v))",
        )
    if isinstance(x, _SEQUENCES):
        raise ArgumentError(
            f"{message}, got {type(x).__name__}", fix=f"write math.{name}(np.array(x, np.float64))"
        )
    raise ArgumentError(
        f"{message}, got {type(x).__name__}", fix=f"write math.{name}(float32(x)) for a number x"
    )
