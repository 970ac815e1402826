"""`assert False` ends a path, as `raise` would: nothing after it needs a value or a return."""

# ruff: noqa: B011, PT015
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import fix32, float3, float32, half, int32, uint8


@sb.struct
class Pair:
    x: int32 = 0
    y: float32 = 0.0


@sb.kernel
def name_of_one_branch(n: int) -> int:
    if n == 0:
        y = 1
    elif n == 1:
        y = 2
    else:
        assert False, "no such n"
    return y


@sb.kernel
def no_return_after(n: int) -> int:
    if n < 2:
        return n + 1
    assert False


@sb.kernel
def zero_is_false(n: int) -> uint8:
    if n == 0:
        return uint8(1)
    elif n == 1:
        return uint8(2)
    else:
        assert 0, f"n is {n}"


@sb.kernel
def of_match(n: int) -> int:
    match n:
        case 0:
            y = 1
        case 1:
            y = 2
        case _:
            assert False
    return y


@sb.kernel
def in_a_loop(n: int) -> int:
    for i in range(4):
        if i == n + 1:
            y = i
            break
        if i > 2:
            assert False
    else:
        return 0
    return y


@sb.kernel
def struct_result(n: int) -> Pair:
    if n == 0:
        return Pair(x=1)
    elif n == 1:
        return Pair(x=2)
    assert False


@sb.kernel
def vector_and_fixed_point(n: int) -> tuple[float3, fix32, half, bool]:
    if n == 0:
        return float3(1, 2, 3), fix32(1), half(1.0), True
    elif n == 1:
        return float3(2, 2, 3), fix32(2), half(2.0), False
    assert False


@sb.kernel
def nothing_returned(a: sb.Array[int32], n: int) -> None:
    if n < 2:
        a[0] = n + 1
    else:
        assert False


@sb.kernel
def calls_one(n: int) -> int:
    return no_return_after(n)


@sb.kernel(recursion=8)
def recursive(n: int) -> int:
    if n < 2:
        return 1
    elif n > 3:
        return recursive(n - 3)
    assert False


@sb.kernel
def in_parallel(n: int) -> int:
    a = sb.zeros(4, int32)
    for i in sb.prange(4):
        if n < 2:
            y = n + 1
        else:
            assert False
        a[i] = y
    return int(a[0])


NUMBERS = (
    name_of_one_branch,
    no_return_after,
    zero_is_false,
    of_match,
    in_a_loop,
    calls_one,
    in_parallel,
)


@pytest.mark.parametrize("kernel", NUMBERS, ids=lambda k: k.__name__)
def test_the_other_paths_give_their_values_and_this_one_traps(kernel: Any) -> None:
    runs: tuple[Callable[[int], Any], ...] = (
        kernel,
        kernel.managed,
        lambda n: sb.evaluate(kernel, n),
    )
    for run in runs:
        assert [int(run(n)) for n in (0, 1)] == [1, 2]
        with pytest.raises(sb.Trap) as caught:
            run(3)
        assert caught.value.kind == "assert"
    sb.assert_same_bits(kernel, 1)
    with pytest.raises(sb.Trap):
        sb.assert_same_bits(kernel, 3)


@pytest.mark.parametrize("kernel", [struct_result, vector_and_fixed_point], ids=["struct", "tuple"])
def test_results_of_every_kind_end_so(kernel: Any) -> None:
    for n in (0, 1):
        sb.assert_same_bits(kernel, n)
    with pytest.raises(sb.Trap):
        sb.assert_same_bits(kernel, 2)


def test_a_kernel_that_returns_nothing_ends_so() -> None:
    a = np.zeros(1, np.int32)
    nothing_returned(a, 1)
    assert a[0] == 2
    with pytest.raises(sb.Trap):
        sb.assert_same_bits(nothing_returned, a, 2)


def test_a_recursive_kernel_ends_so() -> None:
    assert recursive(4) == 1
    for n in (2, 5):
        with pytest.raises(sb.Trap):
            sb.assert_same_bits(recursive, n)


def test_an_assertion_that_may_hold_ends_no_path() -> None:
    @sb.kernel
    def may_hold(n: int) -> int:
        if n < 2:
            return 1
        assert n > 3

    with pytest.raises(sb.CompileError, match="may end without a return"):
        may_hold(1)
