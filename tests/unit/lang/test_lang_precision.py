"""Precision: which kernel of a math function a call means, in every execution."""

from __future__ import annotations

import contextlib
import threading
from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import float3, float32, float64, int32, math
from samebits.lang.fingerprint import fingerprint
from samebits.lang.kernel import Kernel
from samebits.lang.overloads import Overloads
from samebits.modes import Precision
from samebits.sim.digest import digest_of
from samebits.types import FLOAT32, FLOAT64


def _times(t: type, factor: int) -> Kernel:
    def times(x: Any) -> Any:
        return x * factor

    times.__annotations__ = {"x": t, "return": t}
    return Kernel(times)


grade = Overloads(
    "grade",
    1,
    {
        FLOAT32: (_times(float32, 3), _times(float32, 2), _times(float32, 1)),
        FLOAT64: _times(float64, 7),
    },
    "Three, two or one times x, by precision; seven times a float64.",
)
EXPECTED = {sb.HIGH: 3, sb.MEDIUM: 2, sb.LOW: 1}
each = pytest.mark.parametrize("precision", list(Precision), ids=lambda p: p.name)


@sb.kernel
def at_high(x: float32) -> float32:
    return grade(x)


@sb.kernel(precision=sb.MEDIUM)
def at_medium(x: float32) -> float32:
    return grade(x)


@sb.kernel(precision=sb.LOW)
def at_low(x: float32) -> float32:
    return grade(x)


KERNELS = {sb.HIGH: at_high, sb.MEDIUM: at_medium, sb.LOW: at_low}


@each
def test_a_kernel_calls_functions_at_its_own_precision_in_every_execution(
    precision: Precision,
) -> None:
    kernel = KERNELS[precision]
    assert kernel.precision is precision
    assert kernel(1) == kernel.managed(1) == EXPECTED[precision]
    sb.assert_same_bits(kernel, 1)


@sb.kernel(precision=sb.LOW)
def mixed(x: float32) -> float3:
    return float3(at_high(x), at_medium(x), grade(x))


def test_a_called_kernel_keeps_its_own_precision() -> None:
    assert [*mixed(1)] == [*mixed.managed(1)] == [3, 2, 1]
    sb.assert_same_bits(mixed, 1)


@sb.kernel(precision=sb.LOW)
def of_a_vector(v: float3, x: float64) -> tuple[float3, float64]:
    return grade(v), grade(x)


def test_one_kernel_serves_every_precision() -> None:
    vector, scalar = of_a_vector((1, 2, 3), 1)
    assert [*vector, scalar] == [1, 2, 3, 7]
    sb.assert_same_bits(of_a_vector, (1, 2, 3), 1)


@each
def test_python_calls_follow_the_block_and_kernels_do_not(precision: Precision) -> None:
    x = np.ones(5, np.float32)
    with math.precision(precision):
        assert grade(float32(1)) == EXPECTED[precision]
        assert [*grade(float3(1))] == [EXPECTED[precision]] * 3
        assert grade(x).tolist() == [EXPECTED[precision]] * 5
        assert at_high(1) == at_high.managed(1) == 3
        assert at_low(1) == at_low.managed(1) == 1
    assert grade(float32(1)) == 3


def test_blocks_nest_and_end_with_an_error() -> None:
    with math.precision(sb.LOW):
        with contextlib.suppress(KeyError), math.precision(sb.MEDIUM):
            assert grade(float32(1)) == 2
            raise KeyError
        assert grade(float32(1)) == 1
    assert grade(float32(1)) == 3


def test_a_block_holds_for_its_own_thread() -> None:
    found: list[Any] = []
    with math.precision(sb.LOW):
        thread = threading.Thread(target=lambda: found.append(grade(float32(1))))
        thread.start()
        thread.join()
        assert grade(float32(1)) == 1
    assert found == [3]


@pytest.mark.parametrize("wrong", ["LOW", None, 1, sb.STRICT])
def test_what_is_no_precision_is_refused(wrong: Any) -> None:
    for use in (lambda: math.precision(wrong), lambda: sb.kernel(precision=wrong)(_identity)):
        with pytest.raises(sb.ArgumentError, match=r"a precision is sb.HIGH, sb.MEDIUM or sb.LOW"):
            use()


def _identity(x: float32) -> float32:
    return x


def _sine(x: float32) -> float32:
    return math.sin(x)


def test_precision_is_part_of_the_caches_key_and_of_a_simulations_digest() -> None:
    kernels = [Kernel(_sine, given={"precision": p}) for p in Precision]
    assert len({fingerprint(k, (FLOAT32,)) for k in kernels}) == 3
    assert len({digest_of((k,), {}) for k in kernels}) == 3


def test_precision_does_not_change_the_digest_of_code_without_math_functions() -> None:
    assert (
        len({digest_of((Kernel(_identity, given={"precision": p}),), {}) for p in Precision}) == 1
    )


@sb.struct(precision=sb.LOW)
class Wave:
    x: float32

    def graded(self) -> float32:
        return grade(self.x)


@sb.kernel
def of_a_wave(wave: Wave) -> float32:
    return wave.graded()


def test_a_structs_methods_have_the_precision_that_it_is_given() -> None:
    wave = Wave(x=1)
    assert wave.graded() == of_a_wave(wave) == of_a_wave.managed(wave) == 1
    sb.assert_same_bits(of_a_wave, wave)


@sb.struct
class State:
    x: float32


@sb.struct
class Input:
    push: int32


@sb.kernel(precision=sb.LOW)
def start(state: State, seed: sb.uint64) -> None:
    state.x = grade(float32(1))


@sb.kernel(precision=sb.MEDIUM)
def advance(state: State, inputs: sb.ReadOnly[Input]) -> None:
    state.x = grade(state.x)


def test_a_simulation_takes_kernels_of_any_precision() -> None:
    simulation = sb.Simulation(
        name="graded", version="1", state=State, input=Input, players=1, init=start, step=advance
    )
    session = simulation.start()
    session.step([{}])
    assert session.state.x == 2
    assert simulation.header(0).precision == "MEDIUM"


def test_a_precision_may_be_entered_again_and_within_itself() -> None:
    low, x = math.precision(sb.LOW), float32(1)
    for _ in range(2):
        with low:
            assert grade(x) == 1
            with math.precision(sb.MEDIUM), low:
                assert grade(x) == 1
            assert grade(x) == 1
        assert grade(x) == 3
