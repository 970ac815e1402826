"""The vectors of halves, `half2` to `half4`: kept and converted whole, component by component.

Owns the classes. What they do is that of every vector; what they refuse, that of their elements.
"""

# ruff: noqa: N801  (the names are the language's)

from __future__ import annotations

from samebits.lang.values.vectors import Vector, register
from samebits.types import VECTORS


class half2(Vector):
    """Two float16."""

    __slots__ = ()
    __sb_type__ = VECTORS["half2"]


class half3(Vector):
    """Three float16."""

    __slots__ = ()
    __sb_type__ = VECTORS["half3"]


class half4(Vector):
    """Four float16."""

    __slots__ = ()
    __sb_type__ = VECTORS["half4"]


for _cls in (half2, half3, half4):
    register(_cls)
