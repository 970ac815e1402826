"""Statements do what CPython does: loops, else, break, evaluation order, unpacking."""

from __future__ import annotations

import numpy as np
import pytest
from tests.support.executions import same

import samebits as sb
from samebits import Array, ReadOnly, float32, int32


@sb.kernel
def search(a: ReadOnly[int32], wanted: int32) -> int:
    found = -1
    for i in range(len(a)):
        if a[i] == wanted:
            found = i
            break
    else:
        found = -2
    return found


@pytest.mark.parametrize(("wanted", "at"), [(5, 0), (7, 2), (9, -2)])
def test_a_for_loop_runs_else_only_without_break(wanted: int, at: int) -> None:
    assert same(search, np.array([5, 6, 7], np.int32), wanted) == at


@sb.kernel
def odd_sum(n: int, step: int) -> tuple[int, int]:
    total, iterations = 0, 0
    while n > 0:
        n -= step
        if n % 2 == 0:
            continue
        if n == 1:
            break
        total += n
    else:
        iterations = 100
    return total, iterations


def test_while_has_else_break_and_continue() -> None:
    assert same(odd_sum, 10, 1) == (9 + 7 + 5 + 3, 0)
    assert same(odd_sum, 10, 2) == (0, 100)


@sb.kernel
def nested(n: int) -> int:
    total = 0
    i = 0
    while i < n:
        j = 0
        while True:
            j += 1
            if j > i:
                break
            if j == 3:
                continue
            total += i * j
        i += 1
    return total


def test_nested_while_loops_break_the_inner_one() -> None:
    wanted = sum(i * j for i in range(6) for j in range(1, i + 1) if j != 3)
    assert same(nested, 6) == wanted


@sb.kernel
def ends_in_while_true(n: int, fast: bool) -> int:
    if fast:
        return n
    else:
        while True:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            if n == 1:
                return n


@sb.kernel
def ends_in_loop_else(n: int) -> int:
    for i in range(n):
        n += i
    else:
        return n


def test_a_kernel_may_end_in_a_loop_that_never_falls_through() -> None:
    assert same(ends_in_while_true, 27, False) == 1
    assert same(ends_in_while_true, 27, True) == 27
    assert same(ends_in_loop_else, 5) == 15


@sb.kernel
def counted(start: int, stop: int) -> tuple[int, int, int]:
    up, down, last = 0, 0, -99
    for i in range(start, stop, 3):
        up = up * 10 + i
        last = i
        i += 100
    for i in range(stop, start, -2):
        down = down * 10 + i
    return up, down, last


@pytest.mark.parametrize(("start", "stop"), [(0, 8), (3, 3), (5, 2), (-4, 4)])
def test_range_counts_as_pythons_range(start: int, stop: int) -> None:
    up = down = 0
    for i in range(start, stop, 3):
        up = up * 10 + i
    for i in range(stop, start, -2):
        down = down * 10 + i
    last = [-99, *range(start, stop, 3)][-1]
    assert same(counted, start, stop) == (up, down, last)


@sb.kernel
def bounds_once(log: Array[int32]) -> int:
    iterations = 0
    n = 3
    for i in range(note(log, 1) - 1, note(log, 2) + n, 1):
        n = 100 + i
        iterations += 1
    return iterations


@sb.kernel
def note(log: Array[int32], what: int32) -> int:
    """Writes `what` into the log's next free place."""
    log[0] += 1
    log[int(log[0])] = what
    return int(what)


def logged(kernel: object, *args: object) -> list[int]:
    log = np.zeros(24, np.int32)
    same(kernel, log, *args)  # type: ignore[arg-type]
    return log[1 : log[0] + 1].tolist()


def test_bounds_of_range_are_evaluated_once_from_left_to_right() -> None:
    log = np.zeros(24, np.int32)
    assert same(bounds_once, log) == 5
    assert log[:3].tolist() == [2, 1, 2]


@sb.kernel
def operands(log: Array[int32]) -> int:
    return note(log, 1) - note(log, 2) * (note(log, 3) + note(log, 4))


@sb.kernel
def chained(log: Array[int32]) -> bool:
    return note(log, 1) < note(log, 2) < note(log, 2) < note(log, 9)


@sb.kernel
def logic(log: Array[int32]) -> bool:
    a = note(log, 1) == 1 and note(log, 2) == 0 and note(log, 3) == 3
    b = note(log, 4) == 0 or note(log, 5) == 5 or note(log, 6) == 6
    return a or b


@sb.kernel
def chosen(log: Array[int32]) -> int:
    return (note(log, 1) if note(log, 2) > 5 else note(log, 3)) + note(log, 4)


@sb.kernel
def stores(log: Array[int32]) -> None:
    log[20 + note(log, 1)] = note(log, 2)
    log[20 + note(log, 1)], log[20 + note(log, 2)] = note(log, 3), note(log, 4)
    log[20 + note(log, 1)] += note(log, 5)


@sb.kernel
def subscripts(log: Array[int32], g: Array[int32, 2]) -> int:
    return int(g[note(log, 1), note(log, 0)]) + note(log, 3)


@sb.kernel
def three(log: Array[int32], a: int, b: int, c: int) -> int:
    return note(log, 100 + a * 9 + b * 3 + c)


@sb.kernel
def keywords(log: Array[int32]) -> int:
    return three(log, c=note(log, 1), a=note(log, 2), b=note(log, 3))


def test_parts_are_evaluated_in_pythons_order_and_once() -> None:
    assert logged(operands) == [1, 2, 3, 4]
    assert logged(chained) == [1, 2, 2]
    assert logged(logic) == [1, 2, 4, 5]
    assert logged(chosen) == [2, 3, 4]
    assert logged(stores) == [2, 1, 3, 4, 1, 2, 1, 5]
    assert logged(subscripts, np.zeros((2, 2), np.int32)) == [1, 0, 3]
    assert logged(keywords) == [1, 2, 3, 100 + 18 + 9 + 1]


@sb.kernel
def swapped(a: Array[float32], i: int, j: int) -> tuple[int, int]:
    a[i], a[j] = a[j], a[i]
    i, j = j, i
    return i, j


def test_tuples_swap_names_and_elements() -> None:
    a = np.array([1, 2, 3], np.float32)
    assert same(swapped, a, 0, 2) == (2, 0)
    assert a.tolist() == [3, 2, 1]


@sb.kernel
def several(a: Array[int32]) -> tuple[int, float32]:
    x = a[0] = y = 7
    z = float32(0.5)
    (p, q), r = (x, z), y
    return p + r, q


def test_one_value_goes_to_several_targets_from_left_to_right() -> None:
    a = np.zeros(1, np.int32)
    assert same(several, a) == (14, 0.5)
    assert a[0] == 7


@sb.kernel
def fresh(n: int) -> float32:
    total = float32(0)
    for i in range(n):
        buffer = sb.zeros(4, float32)
        buffer[i % 4] += 1
        total += buffer[0] + buffer[1] + buffer[2] + buffer[3]
    return total


def test_a_local_array_is_zero_at_each_execution() -> None:
    assert same(fresh, 9) == 9


@sb.kernel
def unreached(n: int) -> int:
    """Nothing after a return counts."""
    if n > 0:
        return 1
        n = 5
    return 2


def test_statements_after_a_return_do_not_run() -> None:
    assert (same(unreached, 1), same(unreached, 0)) == (1, 2)
