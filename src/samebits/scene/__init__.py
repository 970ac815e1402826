"""The look of a state: shapes in the units of the simulation, `samebits.scene`.

A simulation's `scene` is read by `samebits replay export --protobuf`, for viewers, and by
environments that render. It never changes a state, and no bits hang on it. A shape with a number
that is not finite is left out.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from samebits.errors import hide as _hide
from samebits.scene.scene import Scene
from samebits.scene.shapes import Balls, Discs, Line, Polygon, Shape, Text

if TYPE_CHECKING:
    from samebits.scene.marks import Mark, disc, line, number, quad, ring, triangle

__all__ = [
    "Balls",
    "Discs",
    "Line",
    "Mark",
    "Polygon",
    "Scene",
    "Shape",
    "Text",
    "disc",
    "line",
    "number",
    "quad",
    "ring",
    "triangle",
]
_MARKS = ("Mark", "disc", "line", "number", "quad", "ring", "triangle")
"""What kernels draw with, which loads when it is first used."""


def __getattr__(name: str) -> Any:
    if name not in _MARKS:
        try:
            raise AttributeError(f"module 'samebits.scene' has no attribute {name!r}")
        except AttributeError as error:
            _hide(error)
            raise
    value = globals()[name] = getattr(importlib.import_module("samebits.scene.marks"), name)
    return value
