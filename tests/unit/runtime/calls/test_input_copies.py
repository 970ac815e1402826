"""Inputs copied in compiled code are those that Python's way makes, or are left to it."""

from __future__ import annotations

import gc
import random
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits.errors import ArgumentError, Trap
from samebits.runtime.calls.input_copies import InputCopier, input_copier
from samebits.runtime.fp_state import pin as fpenv
from samebits.runtime.fp_state.registers import REGISTERS
from samebits.sim.inputs import InputRules


@sb.struct
class Control:
    push: sb.float32
    far: sb.float64
    turn: sb.int8
    fire: bool
    big: sb.uint64
    small: sb.int64
    at: sb.float2
    cell: sb.int3
    share: sb.float32 = 0.25


@sb.struct
class Inner:
    on: bool
    x: sb.float32


@sb.struct
class Nested:
    inner: Inner
    many: sb.FixedArray[Inner, 3]
    half: sb.float16
    place: sb.double2
    held: sb.FixedArray[bool, 2]


PLAYERS = 2
CLASSES: list[Any] = [Control, Nested]


def copier_of(cls: Any, players: int = PLAYERS) -> InputCopier:
    found = input_copier(cls, players)
    assert found is not None, "this host has no copying routine"
    return found


def shown(cls: Any, memory: Any) -> bytes:
    return InputRules("t", cls, PLAYERS).to_bytes(memory)


def raw(cls: Any, seed: int) -> np.ndarray[Any, Any]:
    """Structs of random bytes: NaNs of every payload, bools of every value."""
    chosen = np.random.default_rng(seed).integers(0, 256, PLAYERS * cls.dtype.itemsize, np.uint8)
    array = chosen.view(cls.dtype)
    if cls is Control and seed % 3 == 0:
        array["push"] = np.array([0x7F800001, 0xFFC12345], np.uint32).view(np.float32)
        array["far"] = -0.0
    return array


@pytest.mark.parametrize("cls", CLASSES)
def test_arrays_and_structs_of_any_bytes_become_canonical(cls: Any) -> None:
    copier, rules = copier_of(cls), InputRules("t", cls, PLAYERS)
    for seed in range(60):
        array = raw(cls, seed)
        expected = shown(cls, rules.frame(array))
        structs = [cls.from_memory(array, k) for k in range(PLAYERS)]
        unaligned = np.zeros(array.nbytes + 1, np.uint8)[1:].view(cls.dtype)
        unaligned[:] = array
        readonly = array.copy()
        readonly.flags.writeable = False
        for given in (array, structs, tuple(structs), unaligned, readonly):
            copier.memory.view(np.uint8)[:] = 0xAA
            assert copier.takes(given)
            assert shown(cls, copier.memory) == expected
            for name in cls.dtype.names:
                if cls.dtype[name] == np.bool_:
                    assert copier.memory[name].view(np.uint8).max() <= 1


VALUES: dict[str, list[Any]] = {
    "push": [0.1, -0.0, float("nan"), float("inf"), 1e300, 1e-46, np.float32(2.5), sb.float32(3),
             np.float64(1), 1, True, "x", None, 1e39],
    "far": [0.1, -0.0, float("nan"), sb.float64(2), np.float64(0.3), np.float32(1), 7, False],
    "turn": [0, 127, -128, 128, 10**30, sb.int8(3), np.int8(-3), np.int16(3), True, 1.0],
    "fire": [True, False, 1, 0, np.True_, None],
    "big": [0, 2**64 - 1, 2**63, 2**63 - 1, -1, 2**64, np.uint64(2**64 - 1), sb.uint64(9)],
    "small": [-(2**63), 2**63 - 1, 2**63, sb.int64(5), np.int64(-5), sb.int32(5)],
    "at": [sb.float2(1, -0.0), sb.float2(float("nan")), sb.double2(1, 2), (1, 2), 1.0],
    "cell": [sb.int3(1, 2, 3), sb.float3(1), sb.int2(1, 2)],
    "share": [0.5, sb.float32(0.1)],
    "none": [1],
}  # fmt: skip


def outcome(make: Callable[[], Any]) -> Any:
    try:
        return make()
    except (ArgumentError, Trap, TypeError, OverflowError) as error:
        return type(error), str(error)


def test_a_dict_of_any_values_is_what_the_struct_made_of_it_is_or_is_left() -> None:
    chosen = random.Random(4)
    copier, rules = copier_of(Control), InputRules("t", Control, PLAYERS)
    taken = 0
    for _ in range(4000):
        dicts = [
            {
                name: chosen.choice(VALUES[name][: chosen.choice([1, 1, 2, 3, 20])])
                for name in chosen.sample(list(VALUES), chosen.choice([0, 1, 1, 2, 3, 9]))
                if name != "none" or chosen.random() < 0.1
            }
            for _ in range(PLAYERS)
        ]
        expected = outcome(lambda dicts=dicts: shown(Control, rules.frame(dicts)))
        if copier.takes(dicts):
            taken += 1
            assert shown(Control, copier.memory) == expected, dicts
    assert taken > 800


def test_what_is_not_exact_is_left() -> None:
    class Own(dict[str, Any]):
        pass

    class Rows(list[Any]):
        pass

    class Sub(np.ndarray[Any, Any]):
        pass

    copier, array = copier_of(Control), np.zeros(PLAYERS, Control.dtype)
    big_endian = array.astype(Control.dtype.newbyteorder(">"))
    wider = np.zeros(2 * PLAYERS, Control.dtype)
    one, unset = Control(), Control.__new__(Control)
    left: list[Any] = [
        None, 1, "ab", {}, [], [one], [one] * 3, Rows([one, one]), [Own(), {}], [one, None],
        array.view(Sub), big_endian, wider, wider[::2], array.reshape(1, 2), array.reshape(2, 1),
        np.zeros(PLAYERS), np.array(one.memory), [array[0], array[1]], [unset, one], [one, unset],
        [{"nothing": 1}, {}], [{1: 2}, {}], [{"push": 1}, {}], iter([one, one]), [Inner(), one],
    ]  # fmt: skip
    for given in left:
        assert not copier.takes(given), given
    assert copier.takes([one, one])
    assert copier.takes([{}, one])
    assert copier.takes(array)


def test_dicts_are_left_where_the_rounding_mode_is_another() -> None:
    copier = copier_of(Control)
    assert copier.takes([{"push": 0.1}, {}])
    before, register = fpenv.read(), REGISTERS[fpenv.describe().register]
    try:
        fpenv.write(register.default | register.roundings.index("up") << register.rounding_shift)
        taken = copier.takes([{"push": 0.1}, {}])
    finally:
        fpenv.write(before)
    assert not taken


def test_no_reference_is_kept_or_lost() -> None:
    copier = copier_of(Control)
    own = np.zeros(3 * PLAYERS, Control.dtype)
    structs = [Control.from_memory(own, k) for k in range(PLAYERS)]
    vector, number, key = sb.float2(1, 2), 12345.678, "push"
    items, views = vector._items, [s._buffer for s in structs]
    dicts: list[Any] = [{key: number, "at": vector}, {}]
    bad: list[Any] = [{"at": vector, "cell": vector}, {key: "no"}]
    unset = Control.__new__(Control)
    watched: list[Any] = [
        own, *structs, vector, number, key, items, *items, *views, *dicts, *bad, unset, None, True,
        Control, np.ndarray, *copier._kept[2],  # pyright: ignore[reportPrivateUsage]
    ]  # fmt: skip

    def counts() -> list[int]:
        return [sys.getrefcount(value) for value in watched]

    ways: list[Any] = [own, own[:2], structs, tuple(structs), dicts, bad, [unset, structs[0]]]

    def all_ways() -> None:
        for given in ways:
            copier.takes(given)

    all_ways()
    gc.collect()
    before = counts()
    for _ in range(500):
        all_ways()
    after = counts()
    assert before == after
    for view in views:
        view.release()  # BufferError where an export is still open


def test_a_released_buffer_is_left() -> None:
    copier, struct = copier_of(Control), Control()
    struct._buffer.release()
    assert not copier.takes([struct, struct])


def test_a_place_beyond_its_memory_is_left() -> None:
    from samebits.lang.values.storage import bytes_of

    copier, array = copier_of(Control), np.zeros(2, Control.dtype)
    size = Control.dtype.itemsize
    for offset, fits in ((0, True), (size, True), (size + 1, False), (-1, False), (1 << 70, False)):
        struct = Control.__sb_view__(bytes_of(array), offset)
        assert copier.takes([struct, struct]) == fits
