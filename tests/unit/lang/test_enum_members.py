"""Members of an IntEnum at calls from Python are numbers; of a plain Enum the message says so."""

from __future__ import annotations

from enum import Enum, IntEnum
from typing import Literal

import numpy as np
import pytest
from tests.support.executions import refusal_of, same

import samebits as sb
from samebits import float3, float64, int32


class Cell(IntEnum):
    FREE = 1
    WALL = 2


class Plain(Enum):
    WALL = 2


@sb.kernel
def next_of(x: int32) -> int32:
    return x + 1


@sb.kernel
def half_of(x: float64) -> float64:
    return x * 0.5


@sb.kernel
def adds_plain(x: int32) -> int32:
    return x + Plain.WALL  # type: ignore[operator]


@sb.kernel
def adds_plain_to_vector(x: float3) -> float3:
    return x + Plain.WALL  # type: ignore[operator]


def test_members_are_numbers_at_calls_from_python() -> None:
    assert same(next_of, Cell.WALL) == 3
    assert same(half_of, Cell.FREE) == 0.5
    assert (int32(Cell.WALL), float64(Cell.WALL)) == (2, 2.0)
    assert type(int32(Cell.WALL)) is int32
    assert tuple(float3(Cell.WALL, 0, 1)) == (2, 0, 1)
    assert sb.math.pow(Cell.WALL, 3) == 8
    assert sb.max(Cell.WALL, 1) == 2
    assert sb.math.clamp(int32(7), Cell.FREE, Cell.WALL) == 2
    assert int32(3) + Cell.WALL == 5


def test_a_plain_enum_is_refused_with_intenum_as_the_fix() -> None:
    fix = "derive Plain from IntEnum, whose members are numbers"
    for kernel, given in ((adds_plain, 1), (adds_plain_to_vector, (1, 2, 3))):
        assert refusal_of(kernel, given).fix == fix
    for call in (
        lambda: adds_plain.managed(1),
        lambda: next_of(Plain.WALL),
        lambda: int32(Plain.WALL),
        lambda: sb.max(Plain.WALL, 1),
    ):
        with pytest.raises(sb.ArgumentError) as caught:
            call()
        assert caught.value.fix == fix


def test_powers_that_are_refused_say_what_is_true() -> None:
    @sb.kernel
    def element(a: sb.Array[float64]) -> None:
        a[0] **= 2

    with pytest.raises(sb.ArgumentError) as caught:
        element.managed(np.ones(1))
    assert "takes a constant Python int from 1 to 1,024" in caught.value.message
    assert (
        caught.value.fix == "write x**2, or math.pow(x, y) where the exponent is no such constant"
    )


@sb.struct
class Place(sb.Struct):
    cell: sb.uint8 = Cell.WALL
    number: int32 = 0


def test_members_are_numbers_for_fields_and_containers_too() -> None:
    place = Place()
    assert place.cell == 2
    place.cell = Cell.FREE
    place.number = Cell.WALL
    assert (place.cell, place.number) == (1, 2)
    assert Place(Cell.WALL, number=Cell.FREE).number == 1
    assert list(sb.List[sb.uint8, Literal[4]]([Cell.FREE, Cell.WALL])) == [1, 2]


def test_a_member_that_does_not_fit_and_one_of_a_plain_enum_are_refused() -> None:
    class Large(IntEnum):
        MOST = 300

    place = Place()
    with pytest.raises(sb.Trap, match="300 does not fit uint8"):
        place.cell = Large.MOST
    with pytest.raises(sb.ArgumentError, match="got Plain") as caught:
        place.cell = Plain.WALL  # type: ignore[assignment]
    assert caught.value.fix == "derive Plain from IntEnum, whose members are numbers"
