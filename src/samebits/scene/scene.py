"""The scene of a simulation: its function of shapes, and the part that pictures show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from samebits.errors import SimulationError
from samebits.scene.shapes import Shape, color, numbers

LEAST_PIXELS, MOST_PIXELS = 16, 8192


@dataclass(frozen=True)
class Scene:
    """How a simulation's state is drawn.

    `draw(state)` gives shapes, first what lies behind; it is ordinary Python, to which arrays in
    the state are NumPy's by `np.asarray`. `bounds` is ((left, bottom), (right, top)): the part that
    pictures show, y upwards, or downwards where the second y is the lesser. `pixels` is a picture's
    width, 16 to 8,192. Raises SimulationError.
    """

    draw: Callable[[Any], Iterable[Shape]]
    bounds: tuple[tuple[float, float], tuple[float, float]]
    pixels: int = 640
    background: str = "#10141f"

    def __post_init__(self) -> None:
        if not callable(self.draw):
            raise SimulationError(
                f"a scene's draw is {type(self.draw).__name__}, not a function",
                fix="give a function draw(state) that yields sb.scene.Discs and its like",
            )
        corners = numbers("bounds", self.bounds)
        fits = corners.shape == (2, 2) and bool(np.isfinite(corners).all())
        if not fits or (corners[0] == corners[1]).any():
            raise SimulationError(
                f"a scene's bounds are {self.bounds!r:.60}",
                fix="give ((left, bottom), (right, top)) with some room between",
            )
        if type(self.pixels) is not int or not LEAST_PIXELS <= self.pixels <= MOST_PIXELS:
            raise SimulationError(
                f"a scene's pixels are {self.pixels!r:.40}, not an int from {LEAST_PIXELS} to"
                f" {MOST_PIXELS:,}"
            )
        if not LEAST_PIXELS <= self.size[1] <= MOST_PIXELS:
            raise SimulationError(
                f"a scene of bounds {self.bounds!r:.60} is {self.size[1]:,} pixels high, at"
                f" {self.pixels} across"
            )
        color(self.background)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of a picture in pixels."""
        (left, bottom), (right, top) = self.bounds
        height = self.pixels * abs((top - bottom) / (right - left))
        return self.pixels, max(1, round(min(height, 1e9)))

    def shapes(self, state: Any) -> Iterator[Shape]:
        """The shapes of a state. Raises SimulationError for what is none."""
        found: Any = self.draw(state)
        if not hasattr(found, "__iter__"):
            raise SimulationError(
                f"a scene's draw returned {type(found).__name__}, not shapes",
                fix="yield sb.scene.Discs and its like, or return a list of them",
            )
        given: Any
        for given in found:
            if not isinstance(given, Shape):
                raise SimulationError(
                    f"a scene's draw gave {type(given).__name__}, which is no shape",
                    fix="yield sb.scene.Discs, Balls, Line, Polygon or Text",
                )
            yield given
