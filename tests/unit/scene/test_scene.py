"""Scenes refuse what they cannot show, and say what to give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from samebits import scene
from samebits.errors import SimulationError
from samebits.scene import shapes

BOUNDS = ((0.0, 0.0), (4.0, 2.0))


def nothing(state: Any) -> list[scene.Shape]:
    return []


def test_a_picture_s_size_follows_the_bounds() -> None:
    assert scene.Scene(nothing, BOUNDS, pixels=400).size == (400, 200)
    assert scene.Scene(nothing, ((0, 3), (-1, 1)), pixels=100).size == (100, 200)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"draw": 3}, "draw is int, not a function"),
        ({"bounds": ((0, 0), (0, 1))}, "bounds are"),
        ({"bounds": ((0, 0), (1, float("nan")))}, "bounds are"),
        ({"bounds": (0, 1)}, "bounds are"),
        ({"bounds": "wide"}, "bounds of a shape is 'wide'"),
        ({"bounds": ((0, 0), (1, 1e9))}, "pixels high"),
        ({"bounds": ((0, 0), (1e9, 1))}, "pixels high"),
        ({"pixels": 4}, "pixels are 4"),
        ({"pixels": 400.0}, "pixels are 400.0"),
        ({"background": "red"}, "a color 'red'"),
    ],
)
def test_what_is_no_scene(given: dict[str, Any], message: str) -> None:
    with pytest.raises(SimulationError) as found:
        scene.Scene(**{"draw": nothing, "bounds": BOUNDS, **given})
    assert message in str(found.value)


def test_what_draw_gives_is_checked() -> None:
    def found_of(given: Any) -> list[scene.Shape]:
        return list(scene.Scene(lambda state: given, BOUNDS).shapes(None))

    disc = scene.Discs((1, 2), 3)
    assert found_of([disc]) == [disc]
    assert found_of(iter([disc])) == [disc]
    with pytest.raises(SimulationError, match="returned NoneType, not shapes"):
        found_of(None)
    with pytest.raises(SimulationError, match="gave tuple, which is no shape"):
        found_of([disc, (1, 2)])


def test_places_are_points_of_a_plane_or_of_space() -> None:
    assert shapes.places("at", (1, 2)).shape == (1, 2)
    assert shapes.places("at", []).shape == (0, 2)
    assert shapes.places("at", np.zeros((4, 3))).shape == (4, 3)
    assert shapes.places("at", [(0, 1), np.array([2.0, 3.0])]).tolist() == [[0, 1], [2, 3]]
    for wrong in (1.0, [1], np.zeros((2, 4)), np.zeros((1, 2, 2)), "x", [(1, 2), 3]):
        with pytest.raises(SimulationError, match="at of a shape"):
            shapes.places("at", wrong)
    with pytest.raises(SimulationError, match=r"points of a shape has the shape \(1, 2\)"):
        shapes.places("points", [(1, 2)], 2)
    with pytest.raises(SimulationError, match=r"radius of a shape has the shape \(2,\) for 3"):
        shapes.spread("radius", [1, 2], 3)


def test_colors_are_hexadecimal() -> None:
    assert shapes.color("#ff0080") == (1, 0, 128 / 255, 1)
    assert shapes.color("#FF008000")[3] == 0
    for wrong in ("#fff", "ff0080", "#ff008g", "", None, 5):
        with pytest.raises(SimulationError, match="give '#rrggbb'"):
            shapes.color(wrong)
