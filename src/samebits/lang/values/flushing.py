"""The flushing of values that come from outside a kernel, in managed runs with `denormals="flush"`.

What a kernel itself makes is flushed where it is made: by `MAKERS` of `scalars.py`.
"""

from __future__ import annotations

from typing import Any, cast

from samebits.bits import flushed as flushed_number
from samebits.lang.values.conversions import kind_of
from samebits.lang.values.scalars import TYPE_OF
from samebits.lang.values.vectors import Vector, components, vector


def flushed(value: Any) -> Any:
    """A scalar, a vector or a tuple of them with zeros for subnormal numbers, signs kept.

    Other values are given back as they are: memory is flushed where it is read.
    """
    kind = kind_of(value)
    t = TYPE_OF.get(kind)
    if t is not None:
        return _flushed_float(value, kind, t.bits) if t.is_float else value
    if isinstance(value, Vector):
        if not value.__sb_type__.element.is_float:
            return value
        return vector(kind, tuple(map(flushed, components(value))))
    if kind is tuple:
        return tuple(map(flushed, cast("tuple[Any, ...]", value)))
    return value


def _flushed_float(value: Any, kind: type[Any], bits: int) -> Any:
    number = float(value)
    result = flushed_number(number, bits)
    return value if result == number else kind(result)


def flushed_weak(value: Any) -> Any:
    """`flushed` of Python's own floats, which no maker makes; any other value as it is."""
    return flushed_number(value, 64) if kind_of(value) is float else value
