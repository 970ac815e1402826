"""`to_python`: values of the language as Python's own numbers, lists and dictionaries."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from samebits.errors import ArgumentError, folding
from samebits.lang.memory.structs import Struct
from samebits.lang.values.fixed.fixed_point import FixedPoint
from samebits.lang.values.vectors import Vector


@folding
def to_python(value: object) -> Any:
    """`value` as `json.dumps` and the like take it: a scalar as int, float or bool, a vector, a
    matrix's columns, a quaternion and an array as a list, a struct as a dictionary of its fields.

    Tuples, lists and dictionaries are gone through. Integers, float32 and float64 keep their value
    exactly, fixed-point numbers of 64 bits are rounded to a float. `json.dumps(x,
    default=sb.to_python)` writes anything that a kernel returns. Raises ArgumentError for a value
    of no such kind.
    """
    return _plain(value)


def _plain(value: object) -> Any:
    match value:
        case bool() | None:
            return value
        case int():  # subclasses too: what is left is Python's own
            return int(value)
        case float():
            return float(value)
        case str():
            return str(value)
        case np.generic() | np.ndarray():
            return _from_numpy(cast("Any", value))
        case FixedPoint():
            return float(cast("Any", value))
        case Vector():
            return [_plain(item) for item in cast("Any", value)]
        case Struct():
            fields = type(value).__sb_type__.field_types
            return {name: _plain(getattr(value, name)) for name in fields}
        case tuple():
            return tuple([_plain(item) for item in cast("tuple[Any, ...]", value)])
        case list():
            return [_plain(item) for item in cast("list[Any]", value)]
        case dict():
            return {k: _plain(item) for k, item in cast("dict[Any, Any]", value).items()}
        case _:
            memory = getattr(value, "memory", None)
            if isinstance(memory, np.ndarray):
                return _from_numpy(memory)
            raise ArgumentError(
                f"to_python: {type(value).__name__} is no value of a kernel",
                fix="give a scalar, a vector, a struct, an array, or tuples, lists and "
                "dictionaries of them",
            )


def _from_numpy(value: Any) -> Any:
    """Records as dictionaries by name, where `tolist` gives tuples."""
    if value.dtype.names is None:
        return value.tolist()
    if value.ndim:
        return [_from_numpy(item) for item in value]
    return {name: _from_numpy(np.asarray(value[name])) for name in value.dtype.names}
