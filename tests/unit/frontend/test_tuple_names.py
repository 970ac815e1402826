"""Tuples under one name, their parts, and items of module tuples by a variable."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.support.executions import refusal_of, same, trap_of

import samebits as sb
from samebits import fix32, float2, float32, float64, half, int32, uint8

STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))
FLAGS = (True, False, True)
WEIGHTS = (0.5, 1.5, 2.5)
SIZES = (int32(1), int32(3))
CORNERS = (float2(1, 2), float2(3, 4))
MIXED_ROWS = ((1, True, 0.5), (2, False, 1.5))
DEEP = (((1, 2), (3, 4)), ((5, 6), (7, 8)))
HALVES = (half(1.5), half(2.5))
STEPS_OF_MONEY = (fix32("0.25"), fix32("0.75"))
OF_TYPES = (1, 2.5)
LARGE = (2**62, 2**63)


@sb.kernel
def kept(n: int) -> tuple[int, int]:
    step = STEPS[1]
    other = (n, n * 2)
    step = (step[0] + other[1], step[-1] + other[0])
    return step


@sb.kernel
def fibonacci(n: int) -> int:
    pair = (0, 1)
    for _ in range(n):
        pair = (pair[1], pair[0] + pair[1])
    return pair[0]


@sb.kernel
def divided(a: int, b: int) -> int:
    both = divmod(a, b)
    quotient, rest = both
    return quotient * 10 + rest + both[1]


@sb.kernel
def chosen(n: int32, flag: bool) -> tuple[float64, float32]:
    if flag:
        found = (1.5, float32(2))
    else:
        found = (0.5, float32(n))
    return found


@sb.kernel
def nested(n: int, v: float2) -> float32:
    whole = ((n, v), (2, float2(3)), True)
    first, second = whole[0], whole[1]
    return (first[1] + second[1]).y * float32(first[0] + second[0]) if whole[2] else float32(0)


@sb.kernel
def rows_of_zip() -> int:
    total = 0
    for used, step in zip(FLAGS, STEPS, strict=False):
        if used:
            total += 100 * (step[0] + 1) + step[1] + 1
    return total


@sb.kernel
def rows_of_enumerate() -> int:
    total = 0
    for k, step in enumerate(STEPS[1:], 1):
        x, y = step
        total += k * (x * 10 + y)
    for step in reversed(STEPS[:-1]):
        total = total * 3 + step[0]
    for item in enumerate(WEIGHTS):
        total += item[0] * int(item[1] * 2)
    return total


@sb.kernel
def members(n: int) -> tuple[bool, int]:
    step, total = STEPS[2], 0
    for part in step:
        total += part + n
    return n in step, total


@sb.kernel
def in_parallel(out: sb.Array[float64], x: float64) -> None:
    scale = (x, 2.0)
    for i in sb.prange(len(out)):
        own = (out[i], scale[1])
        out[i] = own[0] * scale[0] + own[1]


@sb.kernel
def by_a_variable(i: int32) -> tuple[int, bool, float64]:
    x, y = STEPS[i]
    return x * 10 + y, FLAGS[i], WEIGHTS[i]


@sb.kernel
def rows_by_a_variable(i: uint8, j: int) -> tuple[int, int, float64, bool]:
    row = MIXED_ROWS[i]
    return DEEP[i][0][1] + DEEP[j][1][0], STEPS[1][j], row[0] + row[2], row[1]


@sb.kernel
def others_by_a_variable(i: int) -> tuple[int32, float32, half, fix32]:
    return SIZES[i], CORNERS[i].y, HALVES[i], STEPS_OF_MONEY[i]


def test_a_tuple_has_a_name() -> None:
    assert same(kept, 5) == (11, 5)
    assert [same(fibonacci, n) for n in (0, 1, 10)] == [0, 1, 55]
    assert same(divided, -7, 3) == -26
    assert same(chosen, int32(3), True) == (1.5, 2)
    assert same(chosen, int32(3), False) == (0.5, 3)
    assert same(nested, 4, float2(1, 2)) == 30


def test_rows_of_loops_have_a_name() -> None:
    assert same(rows_of_zip) == 202
    assert same(rows_of_enumerate) == (10 - 2 - 30) * 27 + 3 + 3 + 2 * 5
    assert same(members, -1) == (True, -3)


def test_a_parallel_body_reads_a_tuple_from_outside() -> None:
    out = np.arange(4.0)
    same(in_parallel, out, float64(3))
    assert out.tolist() == [2, 5, 8, 11]


def test_items_of_module_tuples_by_a_variable() -> None:
    assert same(by_a_variable, int32(2)) == (-1, True, 2.5)
    assert same(rows_by_a_variable, uint8(1), 0) == (6 + 3, 1, 2.5 + 1, False)
    assert same(others_by_a_variable, 1) == (3, 4, half(2.5), fix32("0.75"))


@pytest.mark.parametrize("index", [-1, 3, 2**31 - 1])
def test_no_item_counts_from_the_end(index: int) -> None:
    assert trap_of(by_a_variable, int32(index))[0] == "index"


@sb.kernel
def with_an_array(a: sb.Array[float64]) -> float64:
    both = (a, 1)
    return both[0][0]


@sb.kernel
def of_another_type(n: int) -> int:
    pair = (n, 1)
    if n > 2:
        pair = (n, 1.5)
    return pair[0]


@sb.kernel
def of_a_parameter(n: int) -> int:
    n = (n, 1)
    return n[0]


@sb.kernel
def of_types_by_a_variable(n: int) -> float64:
    return OF_TYPES[n] + 0.5


@sb.kernel
def named_by_a_variable(n: int) -> int:
    pair = (n, 2)
    return pair[n]


@sb.kernel
def beyond_the_end(n: int) -> int:
    pair = (n, 2)
    return pair[2]


@sb.kernel
def too_large(n: int) -> int:
    pair = (n, 2**64)
    return pair[0]


@sb.kernel
def part_by_a_variable(n: int) -> int:
    total = 0
    for flag in FLAGS[n:]:
        total += int(flag)
    return total


@pytest.mark.parametrize(
    ("kernel", "given", "message", "fix"),
    [
        (with_an_array, (np.ones(2),), "a tuple with", "unpack it: `a, b = (a, 1)`"),
        (of_another_type, (3,), "from tuple[int, int] to tuple[int, float]", "one type throughout"),
        (of_a_parameter, (3,), "'n' would change type", "another name"),
        (of_types_by_a_variable, (1,), "is indexed by constants", "sb.table(OF_TYPES, float64)"),
        (
            named_by_a_variable,
            (1,),
            "is indexed by constants",
            "write `pair[0] if n == 0 else pair[1]`",
        ),
        (beyond_the_end, (1,), "index 2 of a tuple of 2", "0 to 1"),
        (too_large, (1,), "does not fit int64", "float(2 ** 64)"),
        (part_by_a_variable, (1,), "constant bounds", "sb.table(FLAGS, bool)"),
    ],
)
def test_what_tuples_are_refused(
    kernel: Any, given: tuple[Any, ...], message: str, fix: str
) -> None:
    error = refusal_of(kernel, *given)
    assert message in error.message
    assert fix in (error.fix or "")
