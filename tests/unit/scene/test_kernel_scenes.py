"""Scenes that are kernels: their marks as shapes, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import float2, float32, int8, scene, uint64
from samebits.errors import SimulationError, Trap
from samebits.scene.drawn import shapes_of

BOUNDS = ((0.0, 0.0), (4.0, 2.0))


@sb.struct
class State(sb.Struct):
    at: float2
    count: int8


@sb.struct
class Other(sb.Struct):
    at: float2


@sb.struct
class Input(sb.Struct):
    push: int8


@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.at = float2(1.0, 2.0)
    state.count = int8(3)


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    state.at += 1.0


@sb.kernel
def every(state: State, marks: sb.List[scene.Mark, 9]) -> None:
    for k in range(int(state.count)):
        marks.append(scene.disc(state.at + float32(k), 0.5, 0x102030))
    marks.append(scene.ring(state.at, 1.0, 0.25, 0x102030))
    marks.append(scene.line(state.at, float2(0.0), 0.125, 0xFFFFFF, 0.5))
    marks.append(scene.triangle(float2(0.0), float2(1.0, 0.0), state.at, 0x000001))
    marks.append(scene.quad(float2(0.0), float2(1.0, 0.0), float2(1.0), state.at, 0x000002))
    marks.append(scene.number(state.at, 2.5, 2, 0.75, 0x000003))


@sb.kernel
def of_other(state: Other, marks: sb.List[scene.Mark, 4]) -> None:
    pass


@sb.kernel
def of_one(state: State) -> None:
    pass


@sb.kernel
def of_numbers(state: State, marks: sb.List[float32, 4]) -> None:
    pass


def simulation(draw: Any) -> sb.Simulation:
    return sb.Simulation(
        name="kernel-scene", version="1", state=State, input=Input, players=1, init=init,
        step=step, scene=scene.Scene(draw, BOUNDS),
    )  # fmt: skip


def drawn(count: int = 3) -> list[scene.Shape]:
    state: Any = State(at=float2(1.0, 2.0), count=int8(count))
    return [*scene.Scene(every, BOUNDS).shapes(state)]


def test_marks_are_shapes_and_discs_alike_are_one() -> None:
    discs, ring, line, triangle, quad, number = drawn()
    assert isinstance(discs, scene.Discs)
    assert np.asarray(discs.at).tolist() == [[1, 2], [2, 3], [3, 4]]
    assert np.asarray(discs.radius).tolist() == [0.5] * 3
    assert (discs.color, discs.outline) == ("#102030ff", 0)
    assert isinstance(ring, scene.Discs)
    assert (np.asarray(ring.radius).tolist(), ring.outline) == ([1], 0.25)
    assert isinstance(line, scene.Line)
    assert (np.asarray(line.points).tolist(), line.width) == ([[1, 2], [0, 0]], 0.125)
    assert line.color == "#ffffff80"
    assert isinstance(triangle, scene.Polygon)
    assert isinstance(quad, scene.Polygon)
    assert np.asarray(triangle.points).tolist() == [[0, 0], [1, 0], [1, 2]]
    assert np.asarray(quad.points).tolist() == [[0, 0], [1, 0], [1, 1], [1, 2]]
    assert isinstance(number, scene.Text)
    assert (number.text, number.size, number.color) == ("2.50", 0.75, "#000003ff")


def test_more_marks_than_the_list_holds_are_a_trap() -> None:
    assert len(drawn(4)) == 6
    with pytest.raises(Trap, match="the list is full"):
        drawn(5)


def test_numbers_that_no_picture_has_are_taken_as_near_ones() -> None:
    marks = np.zeros(3, scene.Mark.dtype)
    marks["kind"] = (5, 5, 99)
    marks["opacity"] = (np.nan, 7, 0)
    marks["decimals"] = (-3, 1000, 0)
    first, second = shapes_of(marks)
    assert isinstance(first, scene.Text)
    assert isinstance(second, scene.Text)
    assert (first.color, first.text) == ("#00000000", "0")
    assert (second.color, second.text) == ("#000000ff", f"{0:.20f}")


@pytest.mark.parametrize("draw", [of_one, of_numbers])
def test_a_kernel_of_other_parameters_is_no_scene(draw: Any) -> None:
    with pytest.raises(SimulationError, match=r"kernel takes[\s\S]*sb\.List\[sb\.scene\.Mark"):
        scene.Scene(draw, BOUNDS)


def test_a_scene_is_of_the_simulation_s_state() -> None:
    with pytest.raises(SimulationError, match="draws Other, not State"):
        simulation(of_other)


def test_a_scene_is_no_part_of_the_simulation() -> None:
    def nothing(state: Any) -> list[scene.Shape]:
        return []

    assert simulation(every).digest == simulation(nothing).digest
