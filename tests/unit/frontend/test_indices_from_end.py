"""A trap of a negative constant names the number that stands in the source, in every execution."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest

import samebits as sb
from samebits import float64, int32
from samebits.backend.targets.table import TARGETS
from samebits.runtime.emulation.machines import emulation_reason

BEFORE = -3
PRIMES = sb.table([2, 3], int32)
Numbers = sb.List[int32, Literal[4]]


@sb.struct
class Track(sb.Struct):
    laps: sb.FixedArray[float64, Literal[2]] = sb.zero
    grid: sb.FixedArray[int32, Literal[2], Literal[3]] = sb.zero


@sb.kernel
def element(a: sb.Array[float64]) -> float64:
    return a[-3]


@sb.kernel
def named(a: sb.Array[float64]) -> None:
    a[BEFORE] = 1.0


@sb.kernel
def swap(a: sb.Array[float64]) -> None:
    a[-1], a[-3] = a[-3], a[-1]


@sb.kernel
def in_parallel(a: sb.Array[float64]) -> None:
    for i in sb.prange(len(a)):
        a[i] = a[-3]


@sb.kernel
def of_two(a: sb.ReadOnly2D[float64]) -> float64:
    return a[0, -3]


@sb.kernel
def row(a: sb.ReadOnly2D[float64]) -> float64:
    total = 0.0
    for x in a[-3]:
        total += x
    return total


@sb.kernel
def of_three(a: sb.ReadOnly3D[float64]) -> float64:
    r = a[1, -3]
    return r[0]


@sb.kernel
def of_four(a: sb.ReadOnly4D[float64]) -> float64:
    return a[0, 1, 0, -3]


@sb.kernel
def start(a: sb.Array[float64]) -> float64:
    return sum(a[-3:])


@sb.kernel
def stop(a: sb.ReadOnly2D[float64]) -> float64:
    return sum(a[1, :BEFORE])


@sb.kernel
def of_a_part(a: sb.Array[float64]) -> float64:
    part = a[1:]
    return part[-2]


@sb.kernel
def of_a_field(track: Track) -> float64:
    return track.laps[-3]


@sb.kernel
def of_two_in_a_field(track: Track) -> int32:
    return track.grid[-3, 0]


@sb.kernel
def of_a_table(i: int32) -> int32:
    return PRIMES[-3] + i


@sb.kernel
def of_a_local(i: int32) -> float64:
    return sb.zeros(2, float64)[-3] + i


@sb.kernel
def of_an_arena_s(n: int32) -> float64:
    return sb.zeros((int(n), 2), float64)[-3, 0]


@sb.kernel
def of_a_list(numbers: Numbers) -> int32:
    return numbers[-2]


@sb.kernel
def into_a_list(numbers: Numbers) -> None:
    numbers[-2] = 1


@sb.kernel
def part_of_a_list(numbers: Numbers) -> int32:
    return numbers[-2:][0]


def ones(*shape: int) -> Any:
    return np.ones(shape)


_OF = "index -3 is out of range for an array of 2"
_AXIS = "index -3 is out of range for axis {} of length 2"
_BOUND = (
    "index out of range: the bound `{}` of a slice counts from the end, to before the start: it is "
    "{}, and the length {}"
)
_CASES: list[tuple[Any, Any, str]] = [
    (element, ones(2), _OF),
    (element, ones(0), "index -3 is out of range for an array of 0"),
    (named, ones(2), _OF),
    (swap, ones(2), _OF),
    (in_parallel, ones(2), _OF),
    (of_two, ones(1, 2), _AXIS.format(1)),
    (row, ones(2, 1), _AXIS.format(0)),
    (of_three, ones(2, 2, 1), _AXIS.format(1)),
    (of_four, ones(2, 2, 2, 2), _AXIS.format(3)),
    (start, ones(2), _BOUND.format("-3", -3, 2)),
    (stop, ones(2, 2), _BOUND.format("BEFORE", -3, 2)),
    (of_a_part, ones(2), "index -2 is out of range for an array of 1"),
    (of_a_field, Track(), _OF),
    (of_two_in_a_field, Track(), _AXIS.format(0)),
    (of_a_table, int32(1), _OF),
    (of_a_local, int32(1), _OF),
    (of_an_arena_s, int32(2), _AXIS.format(0)),
    (of_a_list, Numbers([7]), "index -2 is out of range for an array of 1"),
    (into_a_list, Numbers([7]), "index -2 is out of range for an array of 1"),
    (part_of_a_list, Numbers([7]), _BOUND.format("-2", -2, 1)),
]


@pytest.mark.parametrize(
    ("kernel", "argument", "message"), _CASES, ids=[case[0].__name__ for case in _CASES]
)
def test_a_trap_names_the_constant_and_the_length(kernel: Any, argument: Any, message: str) -> None:
    for call in (kernel, kernel.managed, lambda a: sb.evaluate(kernel, a)):
        with pytest.raises(sb.Trap) as caught:
            call(argument)
        assert caught.value.message == message
        assert caught.value.kind == "index"
        assert caught.value.detail is None


@pytest.mark.parametrize("target", ["s390x", "i686", "wasm32"])
def test_traps_say_the_same_on_targets(target: str) -> None:
    reason = emulation_reason(TARGETS[target])
    if reason is not None:
        pytest.skip(f"{target}: {reason}")
    for kernel, message in (
        (element, _OF),
        (of_a_list, "index -2 is out of range for an array of 1"),
        (start, _BOUND.format("-3", -3, 2)),
    ):
        with pytest.raises(sb.Trap) as caught:
            sb.assert_same_bits(
                kernel, Numbers([7]) if kernel is of_a_list else ones(2), targets=[target]
            )
        assert caught.value.message == message


def test_what_is_just_inside_does_not_trap() -> None:
    a = np.array([1.0, 2.0, 4.0])
    assert element(a) == 1.0
    assert start(a) == 7.0
    sb.assert_same_bits(start, a)
    assert sum(stop.managed(ones(2, 3)) for _ in range(2)) == 0.0
