"""Shapes in the units of a simulation, and the checks of what they are given."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samebits.errors import SimulationError

Places = ArrayLike | Sequence[Any]
"""Points as NumPy takes them: arrays, or tuples and lists of them."""
Color = tuple[float, float, float, float]
_HEX = re.compile(r"#(?:[0-9a-fA-F]{6}|[0-9a-fA-F]{8})")
_FIX = "give places as [(x, y), ...] and colors as '#rrggbb'"


@dataclass(frozen=True)
class Discs:
    """Flat discs, one for each place of `at`, an array of shape (n, 2), or one place.

    `radius` is one number or one a disc; `color` is "#rrggbb" or "#rrggbbaa". With `outline` they
    are rings of that width.
    """

    at: Places
    radius: ArrayLike
    color: str = "#d8dee9"
    outline: float = 0.0


@dataclass(frozen=True)
class Balls:
    """Balls, one for each place of `at`, an array of shape (n, 3), or one place; see `Discs`."""

    at: Places
    radius: ArrayLike
    color: str = "#d8dee9"


@dataclass(frozen=True)
class Line:
    """A line through `points`, of shape (n, 2) or (n, 3), and back to the first if `closed`."""

    points: Places
    width: float = 1.0
    color: str = "#d8dee9"
    closed: bool = False


@dataclass(frozen=True)
class Polygon:
    """A filled convex polygon with the corners `points`, an array of shape (n, 2), n at least 3."""

    points: Places
    color: str = "#d8dee9"


@dataclass(frozen=True)
class Text:
    """A text whose middle is at the place `at`, `size` high."""

    at: Places
    text: str
    size: float = 1.0
    color: str = "#d8dee9"


Shape = Discs | Balls | Line | Polygon | Text


def color(text: object) -> Color:
    """Red, green, blue and opacity, 0 to 1, of "#rrggbb" or "#rrggbbaa". Raises SimulationError."""
    if not isinstance(text, str) or not _HEX.fullmatch(text):
        raise SimulationError(f"a color {text!r:.40}", fix="give '#rrggbb' or '#rrggbbaa'")
    red, green, blue, opacity = bytes.fromhex(f"{text[1:]}ff"[:8])
    return red / 255, green / 255, blue / 255, opacity / 255


def places(what: str, given: Places, least: int = 0) -> NDArray[np.float64]:
    """Points as an array of shape (n, 2) or (n, 3), n at least `least`. Raises SimulationError."""
    found = numbers(what, given)
    if found.ndim == 1 and found.size:
        found = found[None]
    if found.ndim == 1:
        found = found.reshape(0, 2)
    if found.ndim != 2 or found.shape[1] not in (2, 3) or len(found) < least:
        raise SimulationError(f"{what} of a shape has the shape {found.shape}", fix=_FIX)
    return found


def spread(what: str, given: ArrayLike, count: int) -> NDArray[np.float64]:
    """`count` numbers, of one or of as many. Raises SimulationError."""
    found = numbers(what, given)
    if found.shape not in ((), (count,)):
        raise SimulationError(
            f"{what} of a shape has the shape {found.shape} for {count} places",
            fix="give one number, or one a place",
        )
    return np.broadcast_to(found, (count,))


def numbers(what: str, given: Places) -> NDArray[np.float64]:
    """Any numbers as float64. Raises SimulationError."""
    try:
        return np.asarray(given, np.float64)
    except (TypeError, ValueError):
        raise SimulationError(f"{what} of a shape is {given!r:.60}", fix=_FIX) from None
