"""A thread's own rounding and flushing change no bit of what is called outside kernels."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import float32, float64, math, noise, random
from samebits.backend.targets.fp_environments import ENVIRONMENTS, ROUNDINGS
from samebits.errors import SamebitsError
from samebits.lang.values.vectors import Vector, components
from samebits.runtime.fp_state import pin

WORDS = ENVIRONMENTS[pin.register_name()]
FLUSHING = next(word for word in WORDS if word not in ROUNDINGS)
FOREIGN = [(FLUSHING,), *((word,) for word in ROUNDINGS), (FLUSHING, "up")]
"""Flushing, each direction of rounding, and both."""

FUNCTIONS = {n: f for n in math.__all__ if callable(f := getattr(math, n)) and n != "precision"}

TENTH, THIRD, TINY = 0.1, 1 / 3, float.fromhex("0x0.0000000000003p-1022")
TINY_32 = float.fromhex("0x3p-149")
NUMBERS: list[Any] = [
    float64(2), float64(TINY), float32(TENTH), float32(3), float32(TINY_32),
    TENTH, 3, np.float64(-TENTH), np.float16(THIRD), np.int32(7),
]  # fmt: skip
VECTORS: list[Any] = [
    sb.float3(TENTH, THIRD, TINY_32), sb.double3(TENTH, THIRD, TINY), sb.float2(TENTH, THIRD),
    sb.double2(TENTH, THIRD), sb.uint3(1, 2, 3), sb.bool3(True, False, True),
    sb.quaternion(TENTH, THIRD, TENTH, 1), sb.dquaternion(TENTH, THIRD, TENTH, 1),
    sb.float3x3(.1, .2, .3, .4, .5, .6, .7, .8, .91), sb.double2x2(.1, .2, .3, .4),
]  # fmt: skip
ARRAYS: list[Any] = [
    np.array([TENTH, TINY]), np.array([TENTH, TINY_32], np.float32), np.array([3, 2**53 + 1]),
    np.array([5], np.uint16),
]  # fmt: skip


def rows(count: int) -> Iterator[tuple[Any, ...]]:
    """Arguments for functions of so many: values of one kind, and others among them."""
    for pool in (NUMBERS, VECTORS, ARRAYS):
        for k, first in enumerate(pool):
            yield (first,) * count
            if count > 1:
                yield (first, *(pool[(k + 1 + i) % len(pool)] for i in range(count - 1)))
                yield (first, *(TENTH,) * (count - 1))
                yield (*(first,) * (count - 1), float32(TENTH))
                yield (*(first,) * (count - 1), 3)


ROW, FOUR = np.zeros(4, np.float32), sb.float4(TENTH, THIRD, TINY_32, 1)
OWN_ROWS: dict[str, list[tuple[Any, ...]]] = {
    "bitcast": [(t, x) for t in (sb.uint32, sb.uint64, float32) for x in NUMBERS + VECTORS],
    "compress": [(ROW, 0, FOUR, sb.bool4(True, False, True, True))],
    "rotate": [(sb.quaternion(TENTH, THIRD, TENTH, 1), VECTORS[0])],
    "shuffle": [(FOUR, FOUR * 3, 0, 5, 2), (VECTORS[0], VECTORS[0], 1)],
}
"""Arguments that no row has."""


def bits(value: Any) -> Any:
    """A result as bytes and whole numbers, by no operation on floats."""
    if isinstance(value, Vector):
        return type(value).__name__, *map(bits, components(value))
    if isinstance(value, tuple):
        return tuple(map(bits, value))
    if isinstance(value, np.ndarray | np.generic):
        return value.dtype.str, value.tobytes()
    return struct.pack("=d", value) if type(value) is float else (type(value), value)


def calls_of(name: str) -> list[Callable[[], Any]]:
    """Calls of a math function that it takes."""
    function, found = FUNCTIONS[name], list[Callable[[], Any]]()
    for row in OWN_ROWS.get(name) or [row for count in range(1, 6) for row in rows(count)]:
        with np.errstate(all="ignore"):
            try:
                function(*row)
            except (SamebitsError, TypeError):
                continue
        found.append(lambda row=row: function(*row))
    return found


def assert_the_environment_changes_nothing(calls: list[Callable[[], Any]]) -> None:
    with np.errstate(all="ignore"):
        wanted = [bits(call()) for call in calls]
        for words in FOREIGN:
            with pin.pinned(words):
                found = [call() for call in calls]
            for k, value in enumerate(found):
                assert bits(value) == wanted[k], (words, k)


def test_the_environments_are_foreign_to_the_interpreters_own_arithmetic() -> None:
    half, third = float32(TINY_32), float64(1.0)
    for words in FOREIGN:
        with pin.pinned(words):
            found = half * float32(1), third / 3, -third / 3, float64(TENTH) + TENTH * 2
        flushes, rounds = found[0] == 0, tuple(found[1:]) != (THIRD, -THIRD, TENTH + TENTH * 2)
        assert flushes or rounds, words


@pytest.mark.parametrize("name", FUNCTIONS)
def test_of_a_math_function(name: str) -> None:
    calls = calls_of(name)
    assert calls
    assert_the_environment_changes_nothing(calls)


@pytest.mark.parametrize("name", ["sqrt", "fma", "length", "select", "clamp", "bitcast"])
def test_of_one_that_has_a_name_in_samebits_itself(name: str) -> None:
    assert getattr(sb, name) is FUNCTIONS[name]


def test_of_decimal_text() -> None:
    texts = ["0.1", "-0.1", "1e-44", "-1e-44", "3.4028235e38", "16777217", "1e-46"]
    assert_the_environment_changes_nothing([lambda text=text: sb.f32(text) for text in texts])


def drawn() -> list[Any]:
    """One of each draw."""
    source = random.seeded(7, 3)
    items = np.arange(9, dtype=np.float32)
    random.shuffle(source, items)
    names = [name for name in dir(random.Random) if name.startswith("next_")]
    simple = [n for n in names if len(getattr(random.Random, n).parameters) == 1]
    return [items, *(getattr(source, name)() for name in simple)]


def test_of_random_numbers() -> None:
    assert len(drawn()) > 8
    assert_the_environment_changes_nothing([lambda k=k: drawn()[k] for k in range(len(drawn()))])
    words = sb.uint32(0xFFFF_FF81), sb.uint32(3)
    calls = [
        lambda: random.uniform_float32(words[0]),
        lambda: random.uniform_float64(*words),
        lambda: random.xorshift32(words[0]),
    ]
    assert_the_environment_changes_nothing(calls)


@pytest.mark.parametrize("name", noise.__all__)
def test_of_noise(name: str) -> None:
    function: Any = getattr(noise, name)
    point = (TENTH, 7 + THIRD, -0.7)[: 2 if name.endswith("2d") else 3]
    calls = [lambda: function(point, 5), lambda: function(tuple(-1e-44 for _ in point), 5)]
    assert_the_environment_changes_nothing(calls)


def contents(made: Any, change: Callable[[Any], Any]) -> Callable[[], Any]:
    """A call that changes a new container, and gives its memory."""

    def call() -> Any:
        items = made()
        change(items)
        return np.frombuffer(items.memory.tobytes(), np.uint8)

    return call


def test_of_containers() -> None:
    few, named = sb.List[float32, 8], sb.Map[sb.int32, float32, 8]
    heap = sb.Heap[float32, sb.int32, 8]
    calls = [
        contents(few, lambda items: items.append(TENTH)),
        contents(few, lambda items: items.extend([TENTH, TINY_32, -THIRD])),
        contents(lambda: few([TENTH, TINY_32]), lambda items: items.insert(0, -THIRD)),
        contents(lambda: few([THIRD, TENTH, TINY_32, 0.0]), lambda items: items.sort()),
        contents(named, lambda items: items.put(0, 1, TENTH)),
        contents(lambda: named({1: TENTH, 2: -THIRD}), lambda items: items.try_set(3, THIRD)),
        contents(heap, lambda items: (items.push(TINY_32, 1), items.push(0.0, 2))),
    ]
    assert_the_environment_changes_nothing(calls)


def test_the_users_own_arithmetic_follows_the_thread_as_documented() -> None:
    v, m = sb.double3(TENTH, THIRD, 1), sb.double2x2(0.1, 0.2, 0.3, 0.4)
    calls: list[Callable[[], Any]] = [
        lambda: (v * TENTH, -v * TENTH),
        lambda: (m * THIRD, -m * THIRD),
        lambda: (float32(TENTH), float32(-TENTH)),
        lambda: (sb.float3(TENTH), sb.float3(-TENTH)),
    ]
    for call in calls:
        with pin.pinned(("down",)):
            found = call()
        assert bits(found) != bits(call())
