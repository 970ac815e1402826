"""Overlapping, repeated, empty and NaN-filled arguments: every execution leaves the same bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.support.levels import LOWEST_AND_BEST

import samebits as sb
from samebits import float2, float32, float64, int32, uint32
from samebits.lang.dispatch import types_for
from samebits.runtime.same_bits import executions

TARGETS = LOWEST_AND_BEST


@sb.struct
class Cell:
    n: int32
    pos: float2
    value: float32
    items: sb.FixedArray[float32, 6]
    sizes: sb.FixedArray[int32, 2]


@sb.kernel
def shifted_sum(a: sb.Array[float32], b: sb.ReadOnly[float32]) -> float32:
    total = float32(0)
    for i in range(len(a)):
        if i < len(b):
            a[i] = a[i] * 0.5 + b[i]
            total += b[i]
    return total


@sb.kernel
def two_outputs(a: sb.Array[float32], b: sb.Array[float32]) -> None:
    for i in range(len(a)):
        a[i] = b[len(b) - 1 - i] + 1
        b[i] = a[i] * 2


@sb.kernel
def as_integers(a: sb.Array[uint32], b: sb.Array[float32]) -> uint32:
    seen = uint32(0)
    for i in range(len(a)):
        b[i] += 1.5
        seen += a[i]
        a[i] ^= uint32(0x80000000)
    return seen


@sb.kernel
def doubled(a: sb.Array[float64], b: sb.ReadOnly[float32]) -> None:
    for i in range(len(a)):
        a[i] = float64(b[i]) * 2


@sb.kernel
def bound_in_memory(cell: Cell, sizes: sb.Array[int32], items: sb.Array[float32]) -> int32:
    i = int32(0)
    while i < cell.sizes[0]:
        items[i] = float32(i) + cell.items[0]
        sizes[0] -= 1
        cell.sizes[1] += sizes[0]
        i += 1
    return i


@sb.kernel
def twice_the_same(a: Cell, b: Cell) -> float32:
    a.value = b.value + 1
    b.pos = a.pos + float2(a.value, b.value)
    a.items[1] = b.items[0] + 1
    b.items[2] = a.items[1] + 1
    return a.value + b.value


@sb.kernel
def element_and_array(cells: sb.Array[Cell], one: Cell) -> float32:
    total = float32(0)
    for i in range(len(cells)):
        cell = cells[i]
        cells[len(cells) - 1 - i] = one
        one.value += cell.value + 1
        total += cell.value
    return total


def overlapping(name: str) -> tuple[Any, list[Any]]:
    """Fresh memory, and the arguments over it."""
    base = np.arange(24, dtype=np.float32)
    cells = np.zeros(3, Cell.dtype)
    cells["value"] = [1, 2, 3]
    cells["items"] = 1
    cells["sizes"] = [6, 0]
    cell = Cell.from_memory(cells, 1)
    first = cells[1:2]
    return {
        "same": lambda: (base, [shifted_sum, base, base]),
        "one_later": lambda: (base, [shifted_sum, base[1:], base[:-1]]),
        "one_earlier": lambda: (base, [shifted_sum, base[:-1], base[1:]]),
        "a_vector_later": lambda: (base, [shifted_sum, base[4:], base[:-4]]),
        "two_outputs_same": lambda: (base, [two_outputs, base, base]),
        "two_outputs_one_later": lambda: (base, [two_outputs, base[1:17], base[:16]]),
        "other_type": lambda: (base, [as_integers, base.view(np.uint32), base]),
        "wider_type": lambda: (base, [doubled, base.view(np.float64), base[:12]]),
        "struct_and_its_array": lambda: (
            cells, [bound_in_memory, cell, first["sizes"][0], first["items"][0]]
        ),
        "one_struct_twice": lambda: (cells, [twice_the_same, cell, cell]),
        "element_and_array": lambda: (cells, [element_and_array, cells, cell]),
    }[name]()  # fmt: skip


OVERLAPS = [
    "same", "one_later", "one_earlier", "a_vector_later", "two_outputs_same",
    "two_outputs_one_later", "other_type", "wider_type", "struct_and_its_array",
    "one_struct_twice", "element_and_array",
]  # fmt: skip


@pytest.mark.parametrize("name", OVERLAPS)
def test_arguments_that_share_memory_leave_the_same_bytes(name: str) -> None:
    _, (kernel, *args) = overlapping(name)
    outcomes: dict[str, tuple[str, bytes]] = {}
    for run_name, run in executions(kernel, types_for(kernel, tuple(args)), TARGETS):
        memory, (_, *args) = overlapping(name)
        result = run(*args)
        outcomes[run_name] = (repr(result), memory.tobytes())
    assert len(outcomes) >= 4
    assert len(set(outcomes.values())) == 1, outcomes


@pytest.mark.parametrize("shape", [(0,), (1,), (7,), (33,)])
def test_arrays_of_any_length_do(shape: tuple[int, ...]) -> None:
    a, b = np.ones(shape, np.float32), np.full(shape, 0.1, np.float32)
    sb.assert_same_bits(shifted_sum, a, b, targets=TARGETS)


NANS = np.array(
    [0x7FC00000, 0xFFC00000, 0x7F800001, 0xFF800001, 0x7FFFFFFF, 0xFFFFFFFF, 0x7FC12345,
     0x3F800000, 0x80000000, 0, 0x7F800000, 0xFF800000, 1, 0x80000001, 0x7FA00000, 0xFFD00000,
     0x40000000] * 3,
    np.uint32,
).view(np.float32)  # fmt: skip


@sb.kernel
def through_everything(a: sb.ReadOnly[float32], b: sb.ReadOnly[float32], out: sb.Array[float32, 2],
                       bits: sb.Array[uint32], wide: sb.Array[float64]) -> None:  # fmt: skip
    for i in range(len(a)):
        x = a[i]
        y = b[i]
        out[0, i] = x
        out[1, i] = -x
        out[2, i] = sb.min(x, y)
        out[3, i] = sb.max(x, y)
        out[4, i] = sb.copysign(y, x)
        out[5, i] = sb.copysign(x, y)
        out[6, i] = sb.select(x < y, x, y)
        out[7, i] = sb.abs(x)
        out[8, i] = x + y
        out[9, i] = sb.sqrt(x)
        out[10, i] = sb.round(x)
        out[11, i] = sb.sign(x)
        bits[i] = sb.bitcast(uint32, x)
        wide[i] = float64(x)


def test_nans_of_every_payload_leave_every_operation_canonical() -> None:
    for turn in (0, 1, 5):
        n = len(NANS)
        args = [NANS, np.roll(NANS, turn), np.zeros((12, n), np.float32),
                np.zeros(n, np.uint32), np.zeros(n)]  # fmt: skip
        sb.assert_same_bits(through_everything, *args, targets=TARGETS)
        through_everything(*args)
        for array, bits, nan in ((args[2], np.uint32, 0x7FC00000),
                                 (args[4], np.uint64, 0x7FF8000000000000)):  # fmt: skip
            assert set(array.view(bits)[np.isnan(array)].tolist()) == {nan}
        assert set(args[3][np.isnan(NANS)].tolist()) == {0x7FC00000}


@sb.kernel
def truth(a: sb.ReadOnly[bool], out: sb.Array[bool]) -> int32:
    total = int32(0)
    for i in range(len(a)):
        out[i] = a[i]
        if a[i] == True:  # noqa: E712
            total += sb.select(a[i] and not a[0], int32(10), int32(1))
    return total


def test_any_byte_of_a_bool_array_but_zero_is_true() -> None:
    odd = np.frombuffer(bytes([0, 1, 2, 3, 128, 255] * 6), np.bool_)
    sb.assert_same_bits(truth, odd, np.zeros(36, bool), targets=TARGETS)
    out = np.zeros(36, bool)
    assert truth(odd, out) == 300
    assert set(out.view(np.uint8).tolist()) == {0, 1}
