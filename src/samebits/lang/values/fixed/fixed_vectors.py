"""The vectors of fixed-point numbers: `fix32x3` is three `fix32`, `fix32x3_sat` three `fix32_sat`.

Owns the classes. What they do is that of every vector, and of their elements.
"""

# ruff: noqa: N801  (the names are the language's)

from __future__ import annotations

from samebits.lang.values.vectors import PlainVector


class fix16x2(PlainVector):
    """Two fix16."""


class fix16x3(PlainVector):
    """Three fix16."""


class fix16x4(PlainVector):
    """Four fix16."""


class fix16x2_sat(PlainVector):
    """Two fix16_sat."""


class fix16x3_sat(PlainVector):
    """Three fix16_sat."""


class fix16x4_sat(PlainVector):
    """Four fix16_sat."""


class fix16x2_wrap(PlainVector):
    """Two fix16_wrap."""


class fix16x3_wrap(PlainVector):
    """Three fix16_wrap."""


class fix16x4_wrap(PlainVector):
    """Four fix16_wrap."""


class fix32x2(PlainVector):
    """Two fix32."""


class fix32x3(PlainVector):
    """Three fix32."""


class fix32x4(PlainVector):
    """Four fix32."""


class fix32x2_sat(PlainVector):
    """Two fix32_sat."""


class fix32x3_sat(PlainVector):
    """Three fix32_sat."""


class fix32x4_sat(PlainVector):
    """Four fix32_sat."""


class fix32x2_wrap(PlainVector):
    """Two fix32_wrap."""


class fix32x3_wrap(PlainVector):
    """Three fix32_wrap."""


class fix32x4_wrap(PlainVector):
    """Four fix32_wrap."""


class fix48x2(PlainVector):
    """Two fix48."""


class fix48x3(PlainVector):
    """Three fix48."""


class fix48x4(PlainVector):
    """Four fix48."""


class fix48x2_sat(PlainVector):
    """Two fix48_sat."""


class fix48x3_sat(PlainVector):
    """Three fix48_sat."""


class fix48x4_sat(PlainVector):
    """Four fix48_sat."""


class fix48x2_wrap(PlainVector):
    """Two fix48_wrap."""


class fix48x3_wrap(PlainVector):
    """Three fix48_wrap."""


class fix48x4_wrap(PlainVector):
    """Four fix48_wrap."""
