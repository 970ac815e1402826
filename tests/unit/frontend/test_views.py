"""Rows and slices are views: the array's own memory, with bounds that trap, in every execution."""

from __future__ import annotations

import typing
from typing import Any

import numpy as np
import pytest
from tests.support.executions import refusal_of, same, trap_of

import samebits as sb
from samebits import float2, float32, int8, int32, int64, math, uint8, uint32, uint64
from samebits.frontend.compile import compile_kernel
from samebits.ir.analysis.independence import has_independent_iterations
from samebits.ir.grammar import For, Module, Op, walk
from samebits.passes.pipeline import optimise

PRIMES = sb.table([2, 3, 5, 7, 11], int32)


@sb.struct
class Board:
    grid: sb.FixedArray[int32, 3, 4]
    tags: sb.FixedArray[int32, 5]


@sb.kernel
def total(a: sb.ReadOnly[int32]) -> int64:
    s = int64(0)
    for x in a:
        s = s * 10 + int64(x)
    return s


@sb.kernel
def fill(a: sb.Array[int32], x: int32) -> None:
    for i in range(len(a)):
        a[i] = x


@sb.kernel
def between(a: sb.ReadOnly[int32], lo: int, hi: int) -> int64:
    return total(a[lo:hi])


def ints(*values: int) -> Any:
    return np.array(values, np.int32)


def grid() -> Any:
    return np.arange(12, dtype=np.int32).reshape(3, 4)


def test_a_slice_of_a_parameter_has_its_elements_and_writes_to_it() -> None:
    @sb.kernel
    def use(a: sb.Array[int32], lo: int, hi: int) -> int64:
        found = total(a[lo:hi]) * 100 + total(a[:2]) + len(a[3:]) + a[1:][0] + a[:].shape[0]
        part = a[lo:]
        part[0] += 5
        fill(a[1:][-1:], int32(9))
        return found

    a = ints(1, 2, 3, 4, 5)
    assert same(use, a, 1, 3) == 2300 + 12 + 2 + 2 + 5
    assert a.tolist() == [1, 7, 3, 4, 9]


def test_rows_and_slices_of_rows_are_views() -> None:
    @sb.kernel
    def use(a: sb.Array[int32, 2], k: int32) -> int64:
        row, same_row = a[k, :], a[-2]
        row[0] = same_row[1] + a[k][2] + a[2, 1:3][1]
        lower = a[1:, :]
        lower[1, 0] = int32(70) + a[:2][1, 3]
        fill(a[0, 2:], int32(8))
        return total(a[k]) * 10 + len(lower) + lower.shape[1] + len(a[:, :])

    a = grid()
    assert same(use, a, 1) == (21 * 1000 + 567) * 10 + 2 + 4 + 3
    assert a.tolist() == [[0, 1, 8, 8], [21, 5, 6, 7], [77, 9, 10, 11]]


def test_loops_run_over_rows_and_over_slices() -> None:
    @sb.kernel
    def use(a: sb.Array[int32, 2], b: sb.ReadOnly[int32]) -> int64:
        n = int64(0)
        for row in a:
            row[0] += 1
            for x in row[1:]:
                n += int64(x)
        for i, row in enumerate(a[1:]):
            n = n * 10 + i + int64(row[0])
        for row, x in zip(reversed(a), b[2:], strict=False):
            n = n * 10 + int64(row[-1] * x)
        for _ in a:
            n += 1
        return n

    a = grid()
    n = 54
    n = (n * 10 + 5) * 10 + 1 + 9
    n = (n * 10 + 11 * 2) * 10 + 7 * 3
    assert same(use, a, ints(0, 1, 2, 3)) == n + 3
    assert a[:, 0].tolist() == [1, 5, 9]


def test_local_arrays_structs_fields_and_tables_have_views() -> None:
    @sb.kernel
    def use(board: Board) -> int64:
        local = sb.zeros((3, 2), int32)
        for k, row in enumerate(local):
            row[1] = int32(k)
        part = local[1:]
        part[0, 0] = int32(4)
        own = Board()
        tags = own.tags[1:4]
        tags[-1] = int32(6)
        corner = board.grid[1:, :]
        corner[0, 1] += int32(1)
        fill(board.tags[:2], int32(3))
        n = total(local[1]) + total(own.tags[:]) * 100 + total(PRIMES[1:3])
        for p in PRIMES[3:]:
            n = n * 100 + int64(p)
        return n * 10 + len(PRIMES[:-1])

    board = Board()
    board.grid = grid()
    assert same(use, board) == ((41 + 60 * 100 + 35) * 10000 + 711) * 10 + 4
    assert board.memory["tags"].tolist() == [3, 3, 0, 0, 0]
    assert board.memory["grid"].tolist() == [[0, 1, 2, 3], [4, 6, 6, 7], [8, 9, 10, 11]]


@pytest.mark.parametrize(
    ("lo", "hi"),
    [(-1, 2), (0, 4), (4, 4), (4, 3), (0, -1), (0, 2**63 - 1), (-(2**63), 0), (2**62, 2**62)],
)
def test_a_bound_outside_the_array_traps_and_names_it(lo: int, hi: int) -> None:
    assert trap_of(between, ints(1, 2, 3), lo, hi) == ("index", "a[lo:hi]")
    bad = "lo" if not 0 <= lo <= 3 else "hi"
    with pytest.raises(sb.Trap, match=f"the bound `{bad}` of a slice is below 0 or above the len"):
        between(ints(1, 2, 3), lo, hi)


@pytest.mark.parametrize(
    ("lo", "hi", "found"), [(0, 3, 123), (3, 3, 0), (0, 0, 0), (2, 1, 0), (3, 0, 0), (1, 2, 2)]
)
def test_an_empty_slice_is_none_of_the_elements(lo: int, hi: int, found: int) -> None:
    assert same(between, ints(1, 2, 3), lo, hi) == found


@pytest.mark.parametrize("length", [0, 1])
def test_a_constant_bound_outside_the_array_traps(length: int) -> None:
    @sb.kernel
    def later(a: sb.ReadOnly[int32]) -> int:
        return len(a[2:])

    @sb.kernel
    def before(a: sb.ReadOnly[int32]) -> int:
        return len(a[:-2])

    a = ints(*range(length))
    assert trap_of(later, a) == ("index", "a[2:]")
    assert trap_of(before, a) == ("index", "a[:-2]")
    with pytest.raises(sb.Trap, match="the bound `-2` of a slice"):
        before(a)


T = typing.TypeVar("T")


@sb.kernel
def cut(a: sb.ReadOnly[int32], lo: T, hi: T) -> int64:
    return total(a[lo:hi])


@pytest.mark.parametrize("t", [int8, uint8, int32, uint32, int64, uint64])
def test_bounds_of_every_integer_type_are_exact(t: Any) -> None:
    a, known = ints(1, 2, 3), t.__sb_type__
    assert same(cut, a, t(1), t(3)) == 23
    for end in sorted({known.minimum, known.maximum, 4, 2**63 if t is uint64 else 4}):
        if end:
            assert trap_of(cut, a, t(end), t(3)) == ("index", "a[lo:hi]")
            assert trap_of(cut, a, t(3), t(end)) == ("index", "a[lo:hi]")


def test_an_index_of_a_view_is_counted_and_checked_in_the_view() -> None:
    @sb.kernel
    def at(a: sb.Array[int32], lo: int, hi: int, i: int) -> int32:
        part = a[lo:hi]
        part[i] += int32(1)
        return part[-1] + a[lo:hi][i]

    a = ints(1, 2, 3, 4)
    assert same(at, a, 1, 3, 0) == 3 + 3
    for i in (-1, 2, 3, 2**63 - 1, -(2**63)):
        assert trap_of(at, a, 1, 3, i) == ("index", "part[i]")
    assert trap_of(at, a, 2, 2, 0) == ("index", "part[i]")


def test_views_of_one_array_may_overlap() -> None:
    @sb.kernel
    def shift(a: sb.Array[int32], by: int) -> None:
        to, of = a[by:], a[: len(a) - by]
        for i in range(len(of)):
            to[i] = of[i] + 1

    @sb.kernel
    def last(a: sb.Array[int32], x: sb.ReadOnly[int32]) -> None:
        n = len(a)
        for i in range(n):
            tail = a[n - 1 - i :]
            tail[i] = a[n - 1] * 3 + x[i]

    for n in (1, 2, 7, 40, 133):
        for by in (0, 1, 2):
            if by <= n:
                same(shift, np.arange(n, dtype=np.int32), by)
        same(last, np.arange(n, dtype=np.int32), np.arange(n, dtype=np.int32) * 7)


def test_one_name_is_given_views_of_several_arrays() -> None:
    @sb.kernel
    def use(a: sb.Array[int32], b: sb.Array[int32], steps: int) -> int64:
        src, dst = a[:], b[:]
        for _ in range(steps):
            for i in range(len(src)):
                dst[i] = src[i] + 1
            src, dst = dst, src
        rest = src
        found = int64(0)
        while len(rest) > 0:
            found = found * 10 + int64(rest[0])
            rest = rest[1:]
        return found

    a, b = ints(1, 2, 3), ints(0, 0, 0)
    assert same(use, a, b, 3) == 456
    assert (a.tolist(), b.tolist()) == ([3, 4, 5], [4, 5, 6])


def test_what_is_written_by_a_view_is_written_in_the_parameter() -> None:
    @sb.kernel
    def inner(board: Board) -> None:
        tags = board.tags[1:]
        tags[0] = int32(7)

    @sb.kernel
    def outer(boards: sb.ReadOnly[Board]) -> None:
        inner(boards[0])

    @sb.kernel
    def direct(a: sb.ReadOnly[int32, 2]) -> None:
        row = a[0]
        row[0] = int32(1)

    assert "read-only here" in str(refusal_of(outer, np.zeros(1, Board.dtype)))
    assert "'a' is read-only here" in str(refusal_of(direct, grid()))


def test_elements_of_views_are_vectors_structs_and_numbers() -> None:
    @sb.kernel
    def use(points: sb.Array[float2], boards: sb.Array[Board]) -> float32:
        tail = points[1:]
        tail[0].x = float32(4)
        tail[1] += float2(1)
        for board in boards[1:]:
            board.tags[0] = int32(2)
        last = boards[:][-1]
        last.tags[1:][0] = int32(3)
        return tail[0].x + tail[-1].y

    points, boards = np.zeros((3, 2), np.float32), np.zeros(2, Board.dtype)
    assert same(use, points, boards) == 5
    assert points.tolist() == [[0, 0], [4, 0], [1, 1]]
    assert boards["tags"].tolist() == [[0] * 5, [2, 3, 0, 0, 0]]


def test_components_swaps_and_methods_reach_through_views() -> None:
    @sb.kernel
    def use(a: sb.Array[float2], g: sb.Array[float2, 2], boards: sb.Array[Board], lo: int) -> None:
        a[lo:][0].x += 1
        g[1][0].y = float32(2)
        g[0, 1:][0].x *= float32(3)
        a[lo:][0], a[lo:][1] = a[lo:][1], a[lo:][0]
        tail = boards[1:]
        tail[0], tail[1] = tail[1], tail[0]
        last = tail[-1]
        last.tags[2:][0] = int32(len(a[lo:]))

    a, g = np.arange(8, dtype=np.float32).reshape(4, 2), np.ones((2, 2, 2), np.float32)
    boards = np.zeros(3, Board.dtype)
    boards["tags"][:, 0] = 1, 2, 3
    same(use, a, g, boards, 1)
    assert a.tolist() == [[0, 1], [4, 5], [3, 3], [6, 7]]
    assert g.ravel().tolist() == [1, 1, 3, 1, 1, 2, 1, 1]
    assert boards["tags"].tolist() == [[1, 0, 0, 0, 0], [3, 0, 0, 0, 0], [2, 0, 3, 0, 0]]


def test_kernels_without_checks_of_bounds_have_views() -> None:
    @sb.kernel(bounds_check=False)
    def use(a: sb.ReadOnly[float32], lo: int, hi: int) -> float32:
        total = float32(0)
        for x in a[lo:hi]:
            total += x
        return total

    a = np.arange(5, dtype=np.float32)
    assert (same(use, a, 1, 4), same(use, a, 5, 5), same(use, a, 3, 2)) == (6, 0, 0)


def test_reductions_take_views() -> None:
    @sb.kernel
    def use(a: sb.ReadOnly[float32, 2], lo: int) -> float32:
        return math.sum(a[1, lo:]) + math.sum(a[0])

    a = np.arange(8, dtype=np.float32).reshape(2, 4)
    assert same(use, a, 2) == 13 + 6


def test_a_view_of_a_local_that_is_assigned_again_is_refused() -> None:
    @sb.kernel
    def use(n: int) -> int32:
        a = sb.zeros(4, int32)
        part = a[1:]
        for _ in range(n):
            a = sb.zeros(4, int32)
        return part[0]

    @sb.kernel
    def unnamed(n: int32) -> int32:
        tags = made(n).tags[1:]
        return tags[0]

    assert "'a', which is assigned more than once" in str(refusal_of(use, 2))
    assert "a part of what has no name" in str(refusal_of(unnamed, 2))


def test_no_view_of_what_an_iteration_made_is_kept_for_the_next() -> None:
    """The next iteration's array would lie in the same memory."""

    @sb.kernel
    def of_an_array(n: int, start: sb.Array[int32]) -> int32:
        total, last = int32(0), start[0:]
        for k in range(n):
            own = sb.zeros(4, int32)
            total += last[0]
            last = own[0:]
            own[0] = int32(k)
        return total

    @sb.kernel
    def of_a_struct(n: int, start: sb.Array[int32]) -> int32:
        total, last, k = int32(0), start[0:], 0
        while k < n:
            board = Board()
            total += last[0]
            part = board.tags[1:]
            last = part[0:]
            part[0] = int32(k)
            k += 1
        return total

    @sb.kernel
    def within_one(n: int, start: sb.Array[int32]) -> int32:
        total = int32(0)
        for k in range(n):
            own = sb.zeros(4, int32)
            last = start[0:]
            for i in range(2):
                total += last[0]
                last = own[i:]
                last[0] = int32(k + i)
        return total

    start = np.ones(2, np.int32)
    for kernel, root in ((of_an_array, "own"), (of_a_struct, "board")):
        refusal = str(refusal_of(kernel, 3, start))
        assert (
            f"'last' would refer to memory of '{root}', which each iteration makes anew" in refusal
        )
        assert f"fix: make '{root}' before the loop" in refusal
    assert same(within_one, 3, start) == 6


@sb.kernel
def made(n: int32) -> Board:
    board = Board()
    board.tags[2] = n
    return board


def test_a_part_of_a_temporary_is_used_at_once() -> None:
    @sb.kernel
    def use(n: int32) -> int64:
        return total(made(n).tags[1:]) + made(n).grid[1, 2:][0]

    assert same(use, 5) == 500


def test_each_iteration_has_views_of_its_own_row() -> None:
    @sb.kernel
    def rows(a: sb.Array[int32, 2], b: sb.ReadOnly[int32]) -> None:
        for i in sb.prange(len(a)):
            row = a[i]
            part = row[1:]
            part[0] = b[i:][0]
            fill(a[i, 2:], row[0])

    @sb.kernel
    def other(a: sb.Array[int32, 2]) -> None:
        for i in sb.prange(len(a)):
            row = a[0, 1:]
            row[0] = a[i, 0]

    a = grid()
    same(rows, a, ints(10, 20, 30))
    assert a.tolist() == [[0, 10, 0, 0], [4, 20, 4, 4], [8, 30, 8, 8]]
    assert trap_of(other, grid()) == ("own", "a[0, 1:]")


def test_parallel_bodies_do_not_slice_what_they_write() -> None:
    @sb.kernel
    def writes(a: sb.Array[int32]) -> None:
        for i in sb.prange(len(a) - 1):
            part = a[i + 1 :]
            part[0] = int32(1)

    @sb.kernel
    def reads(a: sb.Array[int32]) -> None:
        for i in sb.prange(len(a)):
            a[i] = int32(total(a[:2]))

    @sb.kernel
    def before(a: sb.Array[int32]) -> None:
        part = a[1:]
        for i in sb.prange(len(a)):
            a[i] = part[0]

    @sb.kernel
    def of_local(out: sb.Array[int32]) -> None:
        local = sb.zeros(8, int32)
        part = local[1:]
        for i in sb.prange(8):
            local[i] = part[0]
        out[0] = local[1]

    for kernel in (writes, reads):
        assert "`a` is sliced in a parallel body that writes it" in str(refusal_of(kernel, ints(1)))
    for kernel in (before, of_local):
        assert "may lie in the same memory" in str(refusal_of(kernel, ints(1)))


def test_parallel_bodies_write_views_from_before_at_their_own_index() -> None:
    @sb.kernel
    def use(a: sb.Array[int32], g: sb.Array[int32, 2], shift: int) -> None:
        part, rows, head = a[2:], g[1:], a[:2]
        for i in sb.prange(len(part) - shift):
            part[i + shift] += 1
        for i in sb.prange(len(rows)):
            rows[i, 0] = head[1]
            fill(rows[i, 1:], int32(i))

    a, g = np.arange(20, dtype=np.int32), np.ones((4, 3), np.int32)
    same(use, a, g, 0)
    assert a.tolist() == [0, 1, *range(3, 21)]
    assert g.tolist() == [[1, 1, 1], [1, 0, 0], [1, 1, 1], [1, 2, 2]]
    assert trap_of(use, a, g, 1) == ("own", "part[i + shift]")


@sb.job
class Sums(sb.ParallelFor):
    values: sb.ReadOnly[int32]
    rows: sb.Array[int32, 2]
    ahead: sb.Array[int32]

    def execute(self, index: int32) -> None:
        row = self.rows[index, 1:]
        row[0] = int32(total(self.values[index:])) + int32(len(self.ahead))


@sb.job
class Shifted(sb.ParallelFor):
    out: sb.Array[int32]

    def execute(self, index: int32) -> None:
        part = self.out[1:]
        part[index] = index


def test_jobs_slice_what_they_read_and_their_own_rows() -> None:
    rows = np.zeros((3, 2), np.int32)
    Sums(values=ints(1, 2, 3), rows=rows, ahead=ints(0)).run(3)
    assert rows.tolist() == [[0, 124], [0, 24], [0, 4]]
    with pytest.raises(sb.CompileError, match=r"`self\.out` is sliced in a parallel"):
        Shifted(out=ints(1, 2, 3)).run(2)


def test_race_checks_see_writes_through_views() -> None:
    @sb.kernel
    def racy(a: sb.Array[int32]) -> None:
        for i in sb.prange(len(a) - 1):
            part = sb.unsafe_parallel(a)[i:]
            part[1] = part[0]

    with pytest.raises(sb.RaceError, match=r"race for a\[1\]"):
        racy.check_races(ints(1, 2, 3))


def test_what_is_no_view_is_refused() -> None:
    @sb.kernel
    def step(a: sb.ReadOnly[int32], s: int) -> int64:
        return total(a[::s])

    @sb.kernel
    def column(a: sb.ReadOnly[int32, 2]) -> int64:
        return total(a[:, 0])

    @sb.kernel
    def block(a: sb.ReadOnly[int32, 2]) -> int:
        return len(a[1:, 1:])

    @sb.kernel
    def assigned(a: sb.Array[int32]) -> None:
        a[1:] = int32(0)

    @sb.kernel
    def by_float(a: sb.Array[int32], x: float32) -> int:
        return len(a[x:])

    assert "a slice has no step" in str(refusal_of(step, ints(1), 2))
    assert "does not lie in one piece" in str(refusal_of(column, grid()))
    assert "does not lie in one piece" in str(refusal_of(block, grid()))
    assert "can't be assigned" in str(refusal_of(assigned, ints(1)))
    assert "an index is an integer" in str(refusal_of(by_float, ints(1), 1.0))


def independent(kernel: Any) -> bool:
    """Whether the iterations of its one loop may be said to be independent."""
    function = compile_kernel(kernel, kernel.fixed_types).function
    (loop,) = (s for s in walk(function.body) if isinstance(s, For))
    return has_independent_iterations(loop, function, lambda name: function)


def test_an_index_in_a_view_that_moves_is_no_iterations_own() -> None:
    @sb.kernel
    def fixed(a: sb.Array[int32], lo: int) -> None:
        part = a[lo:]
        for i in range(len(part)):
            part[i] = part[i] + 1

    @sb.kernel
    def moving(a: sb.Array[int32]) -> None:
        for i in range(len(a)):
            a[len(a) - 1 - i :][i] = a[i] + 1

    @sb.kernel
    def named(a: sb.Array[int32]) -> None:
        for i in range(len(a)):
            tail = a[len(a) - 1 - i :]
            tail[i] = a[i] + 1

    assert independent(fixed)
    assert not independent(moving)
    assert not independent(named)


def test_loops_over_views_need_no_checks() -> None:
    @sb.kernel
    def sums(a: sb.Array[float32, 2], b: sb.ReadOnly[float32], lo: int, hi: int) -> float32:
        part = b[lo:hi]
        s = float32(0)
        for i in range(len(part)):
            s += part[i]
        for x, y in zip(b[1:], b[:-1], strict=False):
            s += x * y
        for row in a:
            for j in range(len(row)):
                row[j] = s
        return s

    function = compile_kernel(sums, sums.fixed_types).function
    found = optimise(Module({function.name: function}), [function.name]).functions[function.name]
    assert not [s for s in walk(found.body) if isinstance(s, Op) and s.opcode == "index"]
