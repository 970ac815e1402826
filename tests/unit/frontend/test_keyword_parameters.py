"""Parameters that calls give by name alone, and arguments by name, from Python and from kernels."""

from __future__ import annotations

import pytest
from tests.support.executions import refusal_of, same

import samebits as sb
from samebits import float64, int32


@sb.kernel
def scaled(a: float64, *, by: float64, plus: float64 = 1.0) -> float64:
    return a * by + plus


@sb.kernel
def alone(*, n: int32) -> int32:
    return n


@sb.struct
class Account:
    total: int32

    def add(self, n: int32, *, times: int32 = 1) -> int32:
        self.total += n * times
        return self.total


@sb.kernel
def calls(a: float64, account: Account) -> tuple[float64, float64, int32, int32]:
    first = account.add(2, times=3)
    return scaled(a, by=2.0), scaled(plus=0.0, by=a, a=3.0), first, account.add(n=alone(n=1))


def test_calls_from_python_and_from_kernels() -> None:
    assert scaled(2.0, by=3.0) == 7
    assert scaled(by=3.0, a=2.0, plus=0.5) == 6.5
    assert scaled.managed(2.0, by=3.0) == 7
    assert alone(n=4) == 4
    assert Account(total=1).add(2, times=3) == 7
    assert same(calls, 5.0, Account(total=1)) == (11, 15, 7, 8)


def test_a_kernel_that_was_called_still_wants_the_name() -> None:
    scaled(2.0, by=3.0)
    for call in (scaled, scaled.managed):
        with pytest.raises(sb.ArgumentError) as caught:
            call(2.0, 3.0, 1.0)
        text = "scaled() takes 1 argument by position, but 3 are given"
        assert (caught.value.message, caught.value.fix) == (text, "write by=...")


@sb.kernel
def by_position(a: float64) -> float64:
    return scaled(a, a)  # type: ignore[misc]


@sb.kernel
def missing(a: float64) -> float64:
    return scaled(a)


def test_calls_in_kernels_are_refused_alike() -> None:
    error = refusal_of(by_position, 1.0)
    assert error.message == "scaled() takes 1 argument by position, but 2 are given"
    assert error.fix == "write by=..."
    assert refusal_of(missing, 1.0).message == "scaled() misses its argument 'by'"


def test_stars_and_slashes_are_refused() -> None:
    with pytest.raises(sb.CompileError) as caught:

        @sb.kernel
        def several(*numbers: float64) -> float64:  # type: ignore
            return numbers[0]

    assert caught.value.note == "`*args`, `**kwargs` and `/` are not in the kernel language"


def test_assert_same_bits_gives_names_to_what_has_to_have_one() -> None:
    assert len(sb.assert_same_bits(scaled, 1.0, by=3.0)) >= 3
