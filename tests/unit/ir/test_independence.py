"""LLVM is given a width only for loops with independent iterations: else it would reorder sums."""

from __future__ import annotations

import numpy as np
import pytest

import samebits as sb
from samebits import Array, FixedArray, ReadOnly, float32, int32, math
from samebits.backend.llvm.compile import compile_module, llvm_text
from samebits.backend.targets.table import TARGETS
from samebits.frontend.compile import compile_kernel, link
from samebits.lang.executions import executions
from samebits.lang.kernel import Kernel
from samebits.passes.pipeline import optimise
from samebits.passes.semantics.float_modes import lower_float_modes

COUNT = 64
WIDTH = "llvm.loop.vectorize.width"


@sb.struct
class State:
    values: FixedArray[float32, COUNT]
    places: FixedArray[int32, COUNT]
    total: float32


@sb.kernel
def much(x: float32) -> float32:
    """Statements enough for loops around it to be given a width."""
    return math.sin(x) * math.exp(x) * math.atan(x)


@sb.kernel
def grow(state: State, x: float32) -> None:
    state.total += x


@sb.kernel
def own_elements(s: State) -> None:
    for i in range(COUNT):
        x = much(s.values[i])
        if x > 1.0:
            x = 1.0 / x
        s.values[i] = x


@sb.kernel
def twice_the_same_name(s: State) -> None:
    for i in range(COUNT):
        x = much(s.values[i])
        s.values[i] = x * x
    for i in range(COUNT):
        x = much(s.values[i] + 1.0)
        s.values[i] = x


@sb.kernel
def sum_in_a_name(s: State) -> None:
    total = float32(0)
    for i in range(COUNT):
        total += much(s.values[i])
    s.total = total


@sb.kernel
def sum_in_a_field(s: State) -> None:
    for i in range(COUNT):
        s.total += much(s.values[i])


@sb.kernel
def sum_in_an_element(s: State) -> None:
    for i in range(COUNT):
        s.values[i & 0] += much(s.values[i])


@sb.kernel
def sum_in_local_memory(s: State) -> None:
    total = sb.zeros(1, float32)
    for i in range(COUNT):
        total[0] += much(s.values[i])
    s.total = total[0]


@sb.kernel
def sum_in_a_callee(s: State) -> None:
    for i in range(COUNT):
        grow(s, much(s.values[i]))


@sb.kernel
def greatest(s: State) -> None:
    most = float32(0)
    for i in range(COUNT):
        if s.values[i] > 0.5:
            most = sb.max(most, much(s.values[i]))
    s.total = most


@sb.kernel
def value_of_the_turn_before(s: State) -> None:
    before = float32(0)
    for i in range(COUNT):
        s.values[i] = before
        before = much(s.values[i] + before)


@sb.kernel
def value_of_some_turn_before(s: State) -> None:
    found = float32(0)
    for i in range(COUNT):
        x = much(s.values[i])
        if x > 0.75:
            found = x
        s.values[i] = x + found


@sb.kernel
def last_value(s: State) -> None:
    x = float32(0)
    for i in range(COUNT):
        x = much(s.values[i])
        s.values[i] = x
    s.total = x


@sb.kernel
def carried_round_a_loop_outside(s: State) -> None:
    x = float32(0)
    for _ in range(3):
        s.total += x
        for i in range(COUNT):
            x = much(s.values[i])
            s.values[i] = x


@sb.kernel
def left(s: State) -> None:
    for i in range(COUNT):
        s.values[i] = much(s.values[i])
        if s.values[i] > 0.9:
            break


@sb.kernel
def returned_from(s: State) -> int32:
    for i in range(COUNT):
        s.values[i] = much(s.values[i])
        if s.values[i] > 0.9:
            return int32(i)
    return int32(-1)


@sb.kernel
def until(s: State) -> None:
    x = s.total
    while x < 9.0:
        x += 1.0 + math.abs(much(x))
    s.total = x


@sb.kernel
def scattered(s: State) -> None:
    for i in range(COUNT):
        s.values[s.places[i] & 63] = much(s.values[i])


APART = (own_elements, twice_the_same_name)
MEETING = (
    sum_in_a_name, sum_in_a_field, sum_in_an_element, sum_in_local_memory, sum_in_a_callee,
    greatest, value_of_the_turn_before, value_of_some_turn_before, last_value,
    carried_round_a_loop_outside, left, returned_from, until, scattered,
)  # fmt: skip


def text_for(kernel: Kernel, level: str) -> str:
    """LLVM text, as emitted, after a compile with all optimisations."""
    assert kernel.fixed_types is not None
    with executions.pinned():
        unit = compile_kernel(kernel, kernel.fixed_types)
        entries = [unit.function.name]
        module = optimise(lower_float_modes(link(unit)), entries)
        compile_module(module, entries, TARGETS[level], 3)
        return llvm_text(module, entries, TARGETS[level])


@pytest.mark.parametrize("kernel", APART, ids=lambda k: k.__name__)
def test_a_large_loop_of_independent_iterations_has_a_width(kernel: Kernel) -> None:
    assert WIDTH in text_for(kernel, "x86-64-v3")


@pytest.mark.parametrize("kernel", MEETING, ids=lambda k: k.__name__)
def test_other_loops_have_none_and_llvm_is_silent(
    kernel: Kernel, capfd: pytest.CaptureFixture[str]
) -> None:
    assert WIDTH not in text_for(kernel, "x86-64-v3")
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("kernel", [sum_in_a_name, sum_in_local_memory], ids=lambda k: k.__name__)
def test_a_strict_sum_around_math_functions_keeps_its_order(kernel: Kernel) -> None:
    s = State()
    s.memory["values"] = np.random.default_rng(1).random(COUNT, np.float32)
    sb.assert_same_bits(kernel, s)


@sb.kernel(mode=sb.DETERMINISTIC)
def sum_in_lanes(x: ReadOnly[float32], out: Array[float32]) -> None:
    total = float32(0)
    for i in range(len(x)):
        total += much(x[i])
    out[0] = total


def test_lanes_are_independent() -> None:
    assert WIDTH in text_for(sum_in_lanes, "x86-64-v3")
