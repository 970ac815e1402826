"""The vectors of fixed-point numbers: `fix32x3` is three `fix32`, `fix32x3_sat` three `fix32_sat`.

Owns the classes. What they do is that of every vector, and of their elements.
"""

# ruff: noqa: N801  (the names are the language's)

from __future__ import annotations

from samebits.lang.values.vectors import Vector, register
from samebits.types import VECTORS


class fix16x2(Vector):
    """Two fix16."""

    __slots__ = ()
    __sb_type__ = VECTORS["fix16x2"]


class fix16x3(Vector):
    """Three fix16."""

    __slots__ = ()
    __sb_type__ = VECTORS["fix16x3"]


class fix16x4(Vector):
    """Four fix16."""

    __slots__ = ()
    __sb_type__ = VECTORS["fix16x4"]


class fix16x2_sat(Vector):
    """Two fix16_sat."""

    __slots__ = ()
    __sb_type__ = VECTORS["fix16x2_sat"]


class fix16x3_sat(Vector):
    """Three fix16_sat."""

    __slots__ = ()
    __sb_type__ = VECTORS["fix16x3_sat"]


class fix16x4_sat(Vector):
    """Four fix16_sat."""

    __slots__ = ()
    __sb_type__ = VECTORS["fix16x4_sat"]


class fix16x2_wrap(Vector):
    """Two fix16_wrap."""

    __slots__ = ()
    __sb_type__ = VECTORS["fix16x2_wrap"]


class fix16x3_wrap(Vector):
    """Three fix16_wrap."""

    __slots__ = ()
    __sb_type__ = VECTORS["fix16x3_wrap"]


class fix16x4_wrap(Vector):
    """Four fix16_wrap."""

    __slots__ = ()
    __sb_type__ = VECTORS["fix16x4_wrap"]


class fix32x2(Vector):
    """Two fix32."""

    __slots__ = ()
    __sb_type__ = VECTORS["fix32x2"]


class fix32x3(Vector):
    """Three fix32."""

    __slots__ = ()
    __sb_type__ = VECTORS["fix32x3"]


class fix32x4(Vector):
    """Four fix32."""

    __slots__ = ()
    __sb_type__ = VECTORS["fix32x4"]


class fix32x2_sat(Vector):
    """Two fix32_sat."""

    __slots__ = ()
    __sb_type__ = VECTORS["fix32x2_sat"]


class fix32x3_sat(Vector):
    """Three fix32_sat."""

    __slots__ = ()
    __sb_type__ = VECTORS["fix32x3_sat"]


class fix32x4_sat(Vector):
    """Four fix32_sat."""

    __slots__ = ()
    __sb_type__ = VECTORS["fix32x4_sat"]


class fix32x2_wrap(Vector):
    """Two fix32_wrap."""

    __slots__ = ()
    __sb_type__ = VECTORS["fix32x2_wrap"]


class fix32x3_wrap(Vector):
    """Three fix32_wrap."""

    __slots__ = ()
    __sb_type__ = VECTORS["fix32x3_wrap"]


class fix32x4_wrap(Vector):
    """Four fix32_wrap."""

    __slots__ = ()
    __sb_type__ = VECTORS["fix32x4_wrap"]


class fix48x2(Vector):
    """Two fix48."""

    __slots__ = ()
    __sb_type__ = VECTORS["fix48x2"]


class fix48x3(Vector):
    """Three fix48."""

    __slots__ = ()
    __sb_type__ = VECTORS["fix48x3"]


class fix48x4(Vector):
    """Four fix48."""

    __slots__ = ()
    __sb_type__ = VECTORS["fix48x4"]


class fix48x2_sat(Vector):
    """Two fix48_sat."""

    __slots__ = ()
    __sb_type__ = VECTORS["fix48x2_sat"]


class fix48x3_sat(Vector):
    """Three fix48_sat."""

    __slots__ = ()
    __sb_type__ = VECTORS["fix48x3_sat"]


class fix48x4_sat(Vector):
    """Four fix48_sat."""

    __slots__ = ()
    __sb_type__ = VECTORS["fix48x4_sat"]


class fix48x2_wrap(Vector):
    """Two fix48_wrap."""

    __slots__ = ()
    __sb_type__ = VECTORS["fix48x2_wrap"]


class fix48x3_wrap(Vector):
    """Three fix48_wrap."""

    __slots__ = ()
    __sb_type__ = VECTORS["fix48x3_wrap"]


class fix48x4_wrap(Vector):
    """Four fix48_wrap."""

    __slots__ = ()
    __sb_type__ = VECTORS["fix48x4_wrap"]


for _cls in (
    fix16x2,
    fix16x3,
    fix16x4,
    fix16x2_sat,
    fix16x3_sat,
    fix16x4_sat,
    fix16x2_wrap,
    fix16x3_wrap,
    fix16x4_wrap,
    fix32x2,
    fix32x3,
    fix32x4,
    fix32x2_sat,
    fix32x3_sat,
    fix32x4_sat,
    fix32x2_wrap,
    fix32x3_wrap,
    fix32x4_wrap,
    fix48x2,
    fix48x3,
    fix48x4,
    fix48x2_sat,
    fix48x3_sat,
    fix48x4_sat,
    fix48x2_wrap,
    fix48x3_wrap,
    fix48x4_wrap,
):
    register(_cls)
