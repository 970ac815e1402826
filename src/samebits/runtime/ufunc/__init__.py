"""Math functions called from Python: on numbers, vectors and NumPy arrays.

Owns the accepted arguments, the result's type, and a fast path for the commonest calls. The general
path for arrays is in `ufunc.arrays`.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from samebits.errors import ArgumentError
from samebits.lang.executions import executions
from samebits.lang.families import Family
from samebits.lang.kernel import Kernel
from samebits.lang.overloads import Overloads
from samebits.lang.values.enums import plain_number
from samebits.lang.values.scalars import CONVERTERS, TYPE_OF, float32, float64
from samebits.lang.values.thread_state import python_precision
from samebits.lang.values.vectors import COMPOSITE_CLASSES, Vector, as_element, vector
from samebits.modes import Precision
from samebits.runtime.guarded_arrays import GuardedArray, plain
from samebits.runtime.memory_claims import check_arrays
from samebits.runtime.pending_jobs import PENDING
from samebits.runtime.ufunc.arrays import as_int32, number, over_arrays
from samebits.runtime.ufunc.elementwise import ElementwiseFunction, elementwise
from samebits.runtime.ufunc.loops import IN_PLACE
from samebits.runtime.ufunc.types import float_type
from samebits.types import (
    FLOAT32,
    FLOAT64,
    STRONG_SCALARS,
    MatrixType,
    QuaternionType,
    ScalarType,
    vector_of,
)

_NDARRAY: Any = np.ndarray
_FLOAT32, _FLOAT64 = FLOAT32.dtype, FLOAT64.dtype
_INTEGERS = {t.dtype: t for t in STRONG_SCALARS if t.is_int}
_EXACT = 2**53
"""float64 represents every integer up to this magnitude."""
_SCALARS: dict[Any, ScalarType] = {
    float: FLOAT64, int: FLOAT64,
    np.float32: FLOAT32, float32: FLOAT32, np.float64: FLOAT64, float64: FLOAT64,
}  # fmt: skip


def call(function: Overloads, args: tuple[Any, ...], out: Any = None) -> Any:
    """`function(*args)`, compiled, at the precision set for calls from Python.

    Numbers give a samebits float, vectors a vector, arrays an array of their broadcast shape, in
    `out` if given. Floats promote as in NumPy 2; integers of 8 and 16 bits and bools count as
    float32, wider ones as float64. Raises ArgumentError.
    """
    precision = python_precision()
    if len(args) == 1 == function.arity and out is None:
        x: Any = args[0]
        t = _SCALARS.get(type(x))
        if t is not None:
            # Pass floats unconverted: conversion must not depend on this thread's register.
            value = CONVERTERS[t][int](x) if type(x) is int else x
            return function.kernel_for(t, precision)(value)
    if PENDING:
        outs = cast("tuple[object, ...]", out) if isinstance(out, tuple) else (out,)
        check_arrays(function.__name__, args, outs)
    result = _quick(function, precision, args, out)
    if result is not None:
        return result
    args = tuple(a if type(a) in TYPE_OF else plain_number(a) for a in args)
    outs = cast("tuple[object, ...]", out) if isinstance(out, tuple) else (out,)
    if any(isinstance(a, GuardedArray) for a in (*args, *outs)):
        return _unguarded(function, args, out)
    with executions.pinned():
        return _call(function, precision, args, out)


def map_elementwise(function: str | Kernel | Family, args: tuple[Any, ...], out: Any = None) -> Any:
    """As `call`, with arrays, for an intrinsic or kernels of one number."""
    return call(elementwise(function), args, out)


def _type_of(function: Overloads, args: tuple[Any, ...]) -> ScalarType:
    if isinstance(function, ElementwiseFunction):
        return function.type_of(args)
    return float_type(function, args)


def _unguarded(function: Overloads, args: tuple[Any, ...], out: Any) -> Any:
    """A call with guarded arrays, which are checked already: runs on plain arrays of their
    memory."""
    several = isinstance(out, tuple)
    outs = cast("tuple[Any, ...]", out) if several else (out,)
    memory = tuple(map(plain, outs))
    found = call(function, tuple(map(plain, args)), memory if several else memory[0])
    if not several:
        return found if out is None else out
    return tuple(f if o is None else o for f, o in zip(found, outs, strict=True))


def _quick(function: Overloads, precision: Precision, args: tuple[Any, ...], out: Any) -> Any:
    """The fast path: contiguous arrays of one shape and type, and floats, with the loop compiled.

    None for anything else, which `_call` handles.
    """
    first: Any = None
    dtype: Any = None
    shape: Any = None
    flat: list[Any] = []
    pattern = ""
    for x in args:
        kind = cast("Any", type(x))
        if kind is _NDARRAY:
            flags = x.flags
            if not (flags.c_contiguous and flags.aligned and x.size):
                return None
            if first is None:
                first, dtype, shape = x, x.dtype, x.shape
            elif x.dtype is not dtype or x.shape != shape:
                return None
            flat.append(x if x.ndim == 1 else x.reshape(-1))
            pattern += "a"
        elif kind is float:
            flat.append(x)
            pattern += "s"
        elif kind is int and -_EXACT <= x <= _EXACT:
            flat.append(float(x))
            pattern += "s"
        else:
            return None
    if first is None:
        return None
    if out is None:
        out = np.empty_like(first)
    elif out is first and pattern == "a" and first.flags.writeable:
        pattern = IN_PLACE
    elif type(out) is not _NDARRAY or out.dtype is not dtype or out.shape != shape:
        return None
    else:
        flags = out.flags
        if not (flags.c_contiguous and flags.aligned and flags.writeable):
            return None
        for x in args:
            if type(x) is _NDARRAY and np.may_share_memory(x, out):
                return None
    key: object = 32 if dtype is _FLOAT32 else 64 if dtype is _FLOAT64 else _INTEGERS.get(dtype)
    if key.__class__ is not int and "s" in pattern:
        return None  # a float beside integers, or an int of another type
    native = function.native.get((precision, key, pattern))
    if native is None:
        return None
    if pattern is not IN_PLACE:
        flat.append(out if out.ndim == 1 else out.reshape(-1))
    native(*flat)
    return out


def _call(function: Overloads, precision: Precision, args: tuple[Any, ...], out: Any) -> Any:
    function.check_count(args)
    if any(isinstance(a, Vector) for a in args):
        return _by_component(function, precision, args, out)
    t = _type_of(function, args)
    if out is not None or any(isinstance(a, _NDARRAY) for a in args):
        return over_arrays(function, precision, t, args, out)
    kernel = function.kernel_for(t, precision)
    with executions.pinned():
        return kernel(*_numbers(function, kernel, args))


# Numbers and vectors ---------------------------------------------------------------------


def _numbers(function: Overloads, kernel: Kernel, args: tuple[Any, ...]) -> list[Any]:
    """Scalar arguments converted to the classes that `kernel` takes."""
    types = cast("tuple[ScalarType, ...]", kernel.fixed_types)
    return [
        as_int32(function, int(x)) if integer else number(x, t)
        for x, t, integer in zip(args, types, function.integers, strict=True)
    ]


def _by_component(
    function: Overloads, precision: Precision, args: tuple[Any, ...], out: Any
) -> Any:
    """A call with vectors, by component: floats have one element type, scalars are repeated."""
    name = function.__name__
    if out is not None:
        raise ArgumentError(f"{name}(): `out` is for arrays", fix="leave it out for vectors")
    vectors = [type(a) for a in args if isinstance(a, Vector)]
    floats = [
        type(a)
        for a, integer in zip(args, function.integers, strict=True)
        if isinstance(a, Vector) and not integer
    ]
    for cls in vectors:
        if isinstance(cls.__sb_type__, (MatrixType, QuaternionType)):
            raise ArgumentError(f"{name}() works on numbers and vectors, got {cls.__sb_type__}")
    length = vectors[0].__sb_type__.length
    wrong = next((v for v in floats if v.__sb_type__.element not in (FLOAT32, FLOAT64)), None)
    if wrong is not None:
        raise ArgumentError(
            f"{name}() takes float32 or float64 vectors, got {wrong.__sb_type__}",
            fix=f"convert it: math.{name}(float{wrong.__sb_type__.length}(v))",
        )
    if len(set(floats)) > 1 or any(v.__sb_type__.length != length for v in vectors):
        found = " and ".join(str(v.__sb_type__) for v in vectors)
        raise ArgumentError(f"{name}() of {found}: the types differ", fix="convert one")
    if any(isinstance(a, _NDARRAY) for a in args):
        raise ArgumentError(f"{name}() of a vector and an array", fix="give arrays alone")
    if floats:
        t = floats[0].__sb_type__.element
        args = tuple(
            a if integer or isinstance(a, Vector) else as_element(a, floats[0], name)
            for a, integer in zip(args, function.integers, strict=True)
        )
    else:
        rest = [0 if isinstance(a, Vector) else a for a in args]
        t = float_type(function, tuple(rest))
    kernel = function.kernel_for(t, precision)
    columns = [a if isinstance(a, Vector) else (a,) * length for a in args]
    rows = [kernel(*_numbers(function, kernel, row)) for row in zip(*columns, strict=True)]
    if isinstance(rows[0], tuple):
        return tuple(map(_joined, zip(*rows, strict=True)))
    return _joined(tuple(rows))


def _joined(items: tuple[Any, ...]) -> Any:
    t = vector_of(TYPE_OF[type(items[0])], len(items))
    return vector(COMPOSITE_CLASSES[t], items)
