"""Loops over ranges, arrays, enumerate, zip and reversed do in every execution what Python does."""

# ruff: noqa: B007, B905, SIM113

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.support.executions import refusal_of, same, trap_of

import samebits as sb
from samebits import bool3, float3, float32, int32, int64, uint8, uint16
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.grammar import Op, walk
from samebits.passes.pipeline import optimise

LEAST, MOST = -(2**63), 2**63 - 1
DIGITS = sb.table([3, 1, 4], int32)


@sb.struct
class Cell:
    at: float3
    hp: int32
    seen: sb.FixedArray[int32, 4]


@sb.struct
class Board:
    cells: sb.FixedArray[Cell, 3]
    scores: sb.FixedArray[float32, 5]


def ints(*values: int) -> Any:
    return np.array(values, np.int32)


# A step that is no constant --------------------------------------------------------------------

STEPS = [
    (0, 10, 1), (0, 10, 3), (0, 9, 3), (0, 10, 100), (10, 0, -3), (9, 0, -3), (0, 10, -1),
    (10, 0, 1), (5, 5, 1), (5, 5, -1), (-7, 7, 5),
    (LEAST, MOST, MOST), (LEAST, MOST, 2**62), (MOST, LEAST, LEAST), (MOST, LEAST, -(2**62)),
    (MOST - 5, MOST, 2), (MOST - 1, MOST, MOST), (LEAST + 5, LEAST, -2), (LEAST, LEAST + 3, 2),
    (MOST, LEAST, 1), (LEAST, MOST, -1), (0, LEAST, LEAST), (0, MOST, MOST), (LEAST, 0, MOST),
]  # fmt: skip


@sb.kernel
def strides(start: int, stop: int, step: int, out: sb.Array[int64]) -> tuple[int, int]:
    n = 0
    last = -1
    for i in range(start, stop, step):
        last = i
        out[n] = int64(i)
        n += 1
    else:
        n += 100
    return n, last


@sb.kernel
def strides_back(start: int, stop: int, step: int, out: sb.Array[int64]) -> int:
    n = 0
    for i in reversed(range(start, stop, step)):
        out[n] = int64(i)
        n += 1
    return n


@pytest.mark.parametrize(("start", "stop", "step"), STEPS)
def test_a_range_with_any_step_is_pythons(start: int, stop: int, step: int) -> None:
    numbers = list(range(start, stop, step))
    out, back = np.zeros(12, np.int64), np.zeros(12, np.int64)
    last = numbers[-1] if numbers else -1
    assert same(strides, start, stop, step, out) == (100 + len(numbers), last)
    assert out[: len(numbers)].tolist() == numbers
    assert same(strides_back, start, stop, step, back) == len(numbers)
    assert back[: len(numbers)].tolist() == numbers[::-1]


def test_a_range_of_more_numbers_than_int64_counts_is_left_by_break() -> None:
    @sb.kernel
    def first_two(start: int, stop: int, step: int) -> tuple[int, int]:
        first = 0
        n = 0
        for i in range(start, stop, step):
            if n == 1:
                return first, i
            first = i
            n += 1
        return 0, 0

    @sb.kernel
    def last_two(start: int, stop: int, step: int) -> tuple[int, int]:
        first = 0
        for n, i in enumerate(reversed(range(start, stop, step))):
            if n == 1:
                return first, i
            first = i
        return 0, 0

    assert same(first_two, LEAST, MOST, 1) == (LEAST, LEAST + 1)
    assert same(first_two, MOST, LEAST, -1) == (MOST, MOST - 1)
    assert same(last_two, LEAST, MOST, 1) == (MOST - 1, MOST - 2)
    assert same(last_two, MOST, LEAST, -1) == (LEAST + 1, LEAST + 2)


def test_a_step_of_0_is_the_same_trap_everywhere() -> None:
    @sb.kernel
    def stand(n: int, by: int32) -> int:
        total = 0
        for i in range(0, n, by):
            total += i
        return total

    @sb.kernel
    def stand_beside(n: int, by: int32) -> int:
        total = 0
        for i, j in zip(range(n), range(0, n, by)):
            total += i * j
        return total

    assert same(stand, 10, 3) == 18
    assert trap_of(stand, 10, 0) == ("assert", "range(0, n, by)")
    assert trap_of(stand, 0, 0) == ("assert", "range(0, n, by)")
    assert trap_of(stand_beside, 10, 0) == ("assert", "range(0, n, by)")
    with pytest.raises(sb.Trap, match=r"the step of range\(\) is 0"):
        stand(10, 0)


def test_a_constant_step_is_a_loop_of_ir_alone() -> None:
    @sb.kernel
    def evens(n: int) -> int:
        total = 0
        for i in range(0, n, 2):
            total += i
        return total

    body = link(compile_kernel(evens, evens.fixed_types)).functions.popitem()[1].body
    codes = [s.opcode for s in walk(body) if isinstance(s, Op)]
    assert not {"assert", "floordiv", "convert"} & set(codes)


# Elements --------------------------------------------------------------------------------------


def test_elements_of_arrays_are_read_in_order() -> None:
    @sb.kernel
    def horner(a: sb.ReadOnly[float32], x: float32) -> float32:
        y = float32(0)
        for c in a:
            y = y * x + c
        return y

    @sb.kernel
    def spread(points: sb.ReadOnly[float3], flags: sb.ReadOnly[bool3], out: sb.Array[uint8]) -> int:
        n = 0
        for p, f, _ in zip(points, flags, out):
            out[n] = uint8(sb.any((p > float3(0)) & f))
            n += 1
        return n

    assert same(horner, np.array([1, 2, 3], np.float32), 2) == 11
    assert same(horner, np.zeros(0, np.float32), 2) == 0
    points = np.arange(-9, 9, dtype=np.float32).reshape(6, 3)
    flags = np.array([[1, 0, 0]] * 6, np.bool_)
    out = np.zeros(5, np.uint8)
    assert same(spread, points, flags, out) == 5
    assert out.tolist() == [0, 0, 0, 0, 1]


def test_an_element_is_read_when_its_turn_comes() -> None:
    @sb.kernel
    def ripple(a: sb.Array[int32]) -> int32:
        for i, x in enumerate(a):
            if i + 1 < len(a):
                a[i + 1] += x
            a[i] = int32(0)
            x += int32(1)
        return x if len(a) > 0 else int32(0)

    @sb.kernel
    def prefix(a: sb.Array[int32]) -> None:
        for i, x in enumerate(a):
            if i + 1 < len(a):
                a[i + 1] += x

    a = ints(1, 2, 3, 4)
    same(prefix, a)
    assert a.tolist() == [1, 3, 6, 10]
    assert "may be unassigned" in refusal_of(ripple, a).message


def test_elements_that_are_structs_are_references() -> None:
    @sb.kernel
    def hurt(board: Board, cells: sb.Array[Cell]) -> int32:
        total = int32(0)
        for i, (mine, theirs) in enumerate(zip(board.cells, cells), 1):
            mine.hp += int32(i)
            theirs.at = theirs.at + float3(1)
            for k, seen in enumerate(mine.seen):
                mine.seen[k] = seen + mine.hp
                total += seen
        for score in board.scores:
            total += int32(score)
        return total

    board = Board()
    cells = np.zeros(2, Cell.dtype)
    assert same(hurt, board, cells) == 0
    assert [c.hp for c in board.cells] == [1, 2, 0]
    assert same(hurt, board, cells) == 12
    assert cells["at"].tolist() == [[2.0] * 3] * 2


def test_local_arrays_tables_and_rows_are_looped_over() -> None:
    @sb.kernel
    def mixed(image: sb.ReadOnly[int32, 2]) -> int:
        squares = sb.zeros(4, int32)
        for i, _ in enumerate(squares):
            squares[i] = int32(i * i)
        total = 0
        for digit in DIGITS:
            total = total * 10 + int(digit)
        for square in reversed(squares):
            total = total * 10 + int(square)
        for y in range(image.shape[0]):
            for pixel in image[y]:
                total = total * 10 + int(pixel)
        return total

    assert same(mixed, np.array([[1, 2], [3, 4]], np.int32)) == 31494101234


def test_a_loop_over_elements_has_no_check_left() -> None:
    @sb.kernel
    def scaled(a: sb.ReadOnly[float32], b: sb.ReadOnly[float32], out: sb.Array[float32]) -> None:
        for i, (x, y, _) in enumerate(zip(a, reversed(b), out, strict=False)):
            out[i] = x * y

    module = link(compile_kernel(scaled, scaled.fixed_types))
    name = next(iter(module.functions))
    ops = [s for s in walk(optimise(module, [name]).functions[name].body) if isinstance(s, Op)]
    assert not [op for op in ops if op.opcode == "index"]


def test_a_loop_variable_of_an_iteration_outlives_the_loop_as_in_python() -> None:
    @sb.kernel
    def last(a: sb.ReadOnly[int32]) -> tuple[int, int32]:
        i = -1
        x = int32(-1)
        for i, x in enumerate(a):
            if x > 5:
                break
        return i, x

    assert same(last, ints()) == (-1, -1)
    assert same(last, ints(1, 7, 9)) == (1, 7)
    assert same(last, ints(1, 2)) == (1, 2)


def test_a_counter_that_the_body_assigns_does_not_move_the_loop() -> None:
    @sb.kernel
    def jumpy(a: sb.ReadOnly[int32]) -> int:
        total = 0
        for i, x in enumerate(a):
            i = i * 10
            total += i + int(x)
        return total

    assert same(jumpy, ints(1, 2, 3)) == 36


# enumerate, zip, reversed ----------------------------------------------------------------------


@pytest.mark.parametrize("start", [0, 1, -5, 2**62, MOST - 2])
def test_enumerate_counts_from_its_start(start: int) -> None:
    @sb.kernel
    def counted(a: sb.ReadOnly[int32], start: int) -> tuple[int, int]:
        n = 0
        k = 0
        for k, _ in enumerate(a, start=start):
            n += 1
        return n, k

    assert same(counted, ints(1, 2, 3), start) == (3, start + 2)


def test_a_number_beyond_int64_is_a_trap_in_its_turn() -> None:
    @sb.kernel
    def counted(a: sb.ReadOnly[int32], b: sb.ReadOnly[int32], start: int) -> int:
        n = 0
        for (k, x), y in zip(enumerate(a, start), b):
            n += k % 10 + int(x * y)
        return n

    a = ints(1, 2, 3)
    assert trap_of(counted, a, a.copy(), MOST - 1) == ("overflow", "zip(enumerate(a, start), b)")
    assert same(counted, a, ints(1, 2), MOST - 1) == 6 + 7 + 1 + 4


def test_zip_ends_with_the_shortest() -> None:
    @sb.kernel
    def dot(a: sb.ReadOnly[int32], b: sb.ReadOnly[int32], n: int) -> int:
        total = 0
        for i, (x, (y, j)) in enumerate(zip(a, zip(b, range(n, 100)))):
            total += i * j + int(x * y)
        else:
            total += 1000
        return total

    a, b = ints(1, 2, 3), ints(4, 5)
    for n in (-3, 97, 99, 100, 200):
        pairs = zip(a.tolist(), zip(b.tolist(), range(n, 100), strict=False), strict=False)
        expected = 1000 + sum(i * j + x * y for i, (x, (y, j)) in enumerate(pairs))
        assert same(dot, a, b, n) == expected


def test_reversed_goes_back() -> None:
    @sb.kernel
    def back(a: sb.ReadOnly[int32], low: int) -> int:
        total = 0
        for x in reversed(a):
            total = total * 10 + int(x)
        for i in reversed(range(len(a))):
            total = total * 10 + int(a[i])
        for i in reversed(range(1, len(a))):
            total = total * 10 + i
        for i in reversed(range(low, len(a))):
            total = total * 10 + i
        for i, x in zip(reversed(range(len(a))), reversed(a)):
            total = total * 10 + i + int(x)
        for i in reversed(range(LEAST)):
            total += i
        return total

    assert same(back, ints(1, 2, 3), 0) == 32132121210531
    assert same(back, ints(), 5) == 0


# The name _ ------------------------------------------------------------------------------------


def test_the_name_for_what_nobody_reads_takes_any_type() -> None:
    @sb.kernel
    def halves(x: float32, cells: sb.Array[Cell]) -> float32:
        _, part = sb.math.modf(x)
        _ = cells[0]
        _ = float3(x)
        for _ in range(3):
            part += float32(1)
        for _, (_, _) in enumerate(zip(cells, cells)):
            part += float32(1)
        return part

    @sb.kernel
    def own(_: int32) -> int32:
        _ += int32(1)
        return _

    @sb.kernel
    def of_each(a: sb.ReadOnly[float32]) -> int:
        n = 0
        for _ in a:
            for _ in range(2):
                n += 1
        for i in sb.prange(len(a)):
            _ = i
        return n

    assert same(halves, 2.5, np.zeros(2, Cell.dtype)) == 7
    assert same(of_each, np.zeros(3, np.float32)) == 6
    assert same(own, 2) == 3


# Parallel bodies -------------------------------------------------------------------------------


def test_loops_over_elements_stand_in_parallel_bodies() -> None:
    @sb.kernel
    def gather(out: sb.Array[int32], a: sb.ReadOnly[int32], image: sb.Array[int32, 2]) -> None:
        for i in sb.prange(len(out)):
            total = int32(0)
            for k, x in enumerate(a):
                total += x * int32(k)
            for _, x in zip(range(i), reversed(a)):
                total += x
            for pixel in image[i]:
                total += pixel
            out[i] = total

    out, image = ints(0, 0, 0), np.arange(6, dtype=np.int32).reshape(3, 2)
    same(gather, out, ints(1, 2, 3), image)
    assert out.tolist() == [9, 16, 22]


def test_a_parallel_body_reads_only_its_own_of_what_it_writes() -> None:
    @sb.kernel
    def mixes(a: sb.Array[int32], b: sb.ReadOnly[int32]) -> None:
        for i in sb.prange(len(a)):
            total = int32(0)
            for x, (_, y) in zip(b, enumerate(a)):
                total += x + y
            a[i] = total

    assert trap_of(mixes, ints(1, 2), ints(1, 2)) == ("own", "a")
    a = ints(5)
    same(mixes, a, ints(1, 2))
    assert a.tolist() == [6]


# What is refused -------------------------------------------------------------------------------


def test_loops_over_what_has_no_elements_say_what_to_write() -> None:
    @sb.kernel
    def over_a_number(n: int) -> int:
        for i in n:  # pyright: ignore[reportGeneralTypeIssues]
            return i
        return 0

    @sb.kernel
    def over_a_vector(v: float3) -> float32:
        for x in v:
            return x
        return v.x

    @sb.kernel
    def over_enumerate(a: sb.ReadOnly[int32]) -> int:
        for i, _ in reversed(enumerate(a)):  # pyright: ignore
            return i
        return 0

    @sb.kernel
    def strictly(a: sb.ReadOnly[int32]) -> int32:
        for x, _ in zip(a, a, strict=True):
            return x
        return int32(0)

    @sb.kernel
    def never(a: sb.ReadOnly[int32]) -> int:
        n = 0
        for i in range(0, len(a), 0):
            n += i
        return n

    a = ints(1)
    assert refusal_of(over_a_number, 3).fix == "write `range(n)`"
    assert "v.x" in str(refusal_of(over_a_vector, (1, 2, 3)).fix)
    assert "zip(reversed(a), reversed(b))" in str(refusal_of(over_enumerate, a).fix)
    assert "assert len(a) == len(b)" in str(refusal_of(strictly, a).fix)
    assert refusal_of(never, a).message == "the step of range() is 0"


def test_an_array_of_this_calls_own_is_not_assigned_in_its_loop() -> None:
    @sb.kernel
    def swapped() -> int32:
        a = sb.zeros(3, int32)
        total = int32(0)
        for x in a:
            a = sb.zeros(3, int32)
            total += x
        return total

    found = refusal_of(swapped)
    assert found.message == "'a' is assigned in a loop over its elements"


def test_other_integer_types_bound_a_range_and_count() -> None:
    @sb.kernel
    def small(n: uint8, by: uint16, a: sb.ReadOnly[int32]) -> int:
        total = 0
        for i in range(0, n, by):
            total += i
        for i, _ in enumerate(a, by):
            total += i
        return total

    assert same(small, 200, 50, ints(1, 2)) == 300 + 101
