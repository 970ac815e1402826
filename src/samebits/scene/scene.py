"""The scene of a simulation: its function of shapes, and the part that pictures show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from samebits.errors import SimulationError
from samebits.lang.kernel import Kernel
from samebits.lang.signal_safe import keeps_flags, own_environment
from samebits.scene.shapes import Shape, color, numbers

if TYPE_CHECKING:
    from samebits.types import StructType

LEAST_PIXELS, MOST_PIXELS = 16, 8192


@dataclass(frozen=True)
class Scene:
    """How a simulation's state is drawn.

    `draw(state)` gives shapes, first what lies behind; it is ordinary Python, to which arrays in
    the state are NumPy's by `np.asarray`. Or it is a kernel `draw(state, marks)`, which appends to
    a `List[Mark, N]` what `disc`, `line` and their like give: pages can draw that too. `bounds` is
    ((left, bottom), (right, top)): the part that pictures show, y upwards, or downwards where the
    second y is the lesser. `pixels` is a picture's width, 16 to 8,192. Raises SimulationError.
    """

    draw: Callable[[Any], Iterable[Shape]] | Callable[[Any, Any], None]
    bounds: tuple[tuple[float, float], tuple[float, float]]
    pixels: int = 640
    background: str = "#10141f"

    @keeps_flags
    def __post_init__(self) -> None:
        if not callable(self.draw):
            raise SimulationError(
                f"a scene's draw is {type(self.draw).__name__}, not a function",
                fix="give a function draw(state) that yields sb.scene.Discs and its like",
            )
        if isinstance(self.draw, Kernel) and self.kernel is None:
            raise SimulationError(
                f"a scene's kernel takes ({', '.join(map(str, self.draw.fixed_types or ('?',)))})",
                fix="write `def draw(state: State, marks: sb.List[sb.scene.Mark, 256]) -> None:`",
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

    @cached_property
    def kernel(self) -> tuple[Kernel, StructType, int] | None:
        """`draw` where it is a kernel, the state that it takes, and how many marks it may make."""
        if not isinstance(self.draw, Kernel):
            return None
        from samebits.scene.drawn import capacity_of  # with the containers, which few scenes need

        found = capacity_of(self.draw)
        return None if found is None else (self.draw, *found)

    def shapes(self, state: Any) -> Iterator[Shape]:
        """The shapes of a state. Raises SimulationError for what is none, and a kernel's Trap."""
        if self.kernel is not None:
            from samebits.scene.drawn import drawn

            kernel, _, capacity = self.kernel
            yield from _each(lambda: drawn(kernel, capacity, state))
            return
        draw: Any = self.draw
        with own_environment():
            found: Any = draw(state)
        if not hasattr(found, "__iter__"):
            raise SimulationError(
                f"a scene's draw returned {type(found).__name__}, not shapes",
                fix="yield sb.scene.Discs and its like, or return a list of them",
            )
        given: Any
        for given in _each(lambda: iter(found)):
            if not isinstance(given, Shape):
                raise SimulationError(
                    f"a scene's draw gave {type(given).__name__}, which is no shape",
                    fix="yield sb.scene.Discs, Balls, Line, Polygon or Text",
                )
            yield given


def _each(make: Callable[[], Iterator[Any]]) -> Iterator[Any]:
    """What an iterator gives, each time with the caller's sticky flags afterwards."""
    with own_environment():
        items = make()
    while True:
        with own_environment():
            try:
                item = next(items)
            except StopIteration:
                return
        yield item
