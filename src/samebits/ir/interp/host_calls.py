"""Calls of C functions of this machine."""

from __future__ import annotations

import ctypes
from typing import Any

from samebits.ir.grammar import HostFunction, ValueType
from samebits.types import FLOAT32, FLOAT64, INT32, INT64, UINT32, UINT64, ScalarType

_C: dict[ScalarType, Any] = {
    FLOAT32: ctypes.c_float,
    FLOAT64: ctypes.c_double,
    INT32: ctypes.c_int32,
    UINT32: ctypes.c_uint32,
    INT64: ctypes.c_int64,
    UINT64: ctypes.c_uint64,
}


def host_call(function: HostFunction, args: list[Any]) -> tuple[Any, ...]:
    """The one result of a function of scalars."""
    (result,) = function.results
    form = ctypes.CFUNCTYPE(_c(result), *(_c(t) for _, t in function.params))
    return (form(function.address)(*args),)


def _c(t: ValueType) -> Any:
    assert isinstance(t, ScalarType)
    return _C[t]
