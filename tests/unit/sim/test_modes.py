"""Modes in simulations: whose options hold, what FAST code may not reach, and what is compared."""

from __future__ import annotations

from typing import Any

import pytest

import samebits as sb
from samebits import ReadOnly, float32
from samebits.lang.kernel import Kernel
from samebits.sim.simulation import Simulation
from samebits.sim.sources import PlayerSource, ReplaySource
from samebits.verify import executions as targets
from samebits.verify.verification import Verification


@sb.struct
class State:
    x: sb.FixedArray[float32, 100]
    total: float32
    shown: float32


@sb.struct
class Input:
    push: float32


@sb.kernel
def init(state: State, seed: sb.uint64) -> None:
    for i in range(100):
        state.x[i] = float32(i) * float32(0.37)


@sb.kernel
def added(x: ReadOnly[float32]) -> float32:
    s = float32(0)
    for i in range(len(x)):
        s += x[i]
    return s


@sb.kernel(mode=sb.FAST)
def fast_length(x: ReadOnly[float32]) -> float32:
    s = float32(0)
    for i in range(len(x)):
        s += x[i] * x[i]
    return sb.sqrt(s)


@sb.kernel(mode=sb.FAST, cosmetic=True)
def glow(x: ReadOnly[float32]) -> float32:
    return fast_length(x)


@sb.kernel(cosmetic=True)
def shine(x: ReadOnly[float32]) -> float32:
    return fast_length(x)


@sb.kernel
def move(state: State) -> None:
    state.total = fast_length(state.x)


@sb.kernel
def fast_step(state: State, inputs: ReadOnly[Input]) -> None:
    move(state)


@sb.kernel
def shining_step(state: State, inputs: ReadOnly[Input]) -> None:
    if shine(state.x) < float32(0):
        state.total = float32(1)


@sb.kernel(mode=sb.FAST)
def fast_square(x: float32) -> float32:
    return x * x


@sb.kernel
def ranged_step(state: State, inputs: ReadOnly[Input]) -> None:
    for i in sb.prange(4):
        state.x[i] = fast_square(state.x[i])


@sb.kernel
def cosmetic_step(state: State, inputs: ReadOnly[Input]) -> None:
    if glow(state.x) < float32(0):
        state.total = float32(1)
    state.x[3] += inputs[0].push


@sb.kernel
def step(state: State, inputs: ReadOnly[Input]) -> None:
    s = float32(0)
    for i in range(100):
        state.x[i] = state.x[i] * float32(1.01) + inputs[0].push
        s += state.x[i] * state.x[i]
    state.total = s
    state.shown = added(state.x)


def simulation(step: Kernel = step, **options: Any) -> Simulation:
    return Simulation(
        name="modes", version="1", state=State, input=Input, players=1, init=init, step=step,
        **options,
    )  # fmt: skip


def verified(of: Simulation) -> Verification:
    rows = [row for row in targets.all_rows() if not row.emulated]
    source = PlayerSource(of, None, 1, 40)
    verification = Verification(of, source, rows)
    verification.run(lambda what, frame: None)
    return verification


def test_a_simulation_gives_its_options_where_kernels_say_nothing() -> None:
    plain, given = simulation(), simulation(mode=sb.DETERMINISTIC, contract=True)
    assert given.step.mode is given.init.mode is sb.DETERMINISTIC
    assert plain.step.mode is step.mode is sb.STRICT
    assert given.digest != plain.digest != simulation(mode=sb.DETERMINISTIC).digest
    header = given.header(1)
    assert (header.mode, header.precision) == ("DETERMINISTIC", "HIGH")
    assert simulation(precision=sb.LOW).header(1).precision == "LOW"
    own = simulation(Kernel(step.function, given={"mode": sb.STRICT}), mode=sb.DETERMINISTIC)
    assert (own.step.mode, own.init.mode) == (sb.STRICT, sb.DETERMINISTIC)
    module = given.program.kernels
    modes = {f.span.function: f.options.mode for f in module.functions.values()}
    assert modes == {"init": sb.DETERMINISTIC, "step": sb.DETERMINISTIC, "added": sb.STRICT}


def test_a_wrong_option_of_a_simulation_is_refused() -> None:
    with pytest.raises(sb.ArgumentError, match=r"mode is sb\.STRICT, .* not 'fast'"):
        simulation(mode="fast")
    with pytest.raises(sb.ArgumentError, match="there is no option 'fastmath'"):
        simulation(fastmath=True)


def test_fast_code_that_can_reach_the_state_is_refused_with_the_path() -> None:
    with pytest.raises(sb.SimulationError) as caught:
        _ = simulation(fast_step).program
    assert caught.value.message == (
        "FAST code can reach the simulation's state: fast_step → move → fast_length"
    )
    assert caught.value.span is not None
    assert caught.value.span.function == "move"
    assert "cosmetic=True" in str(caught.value)
    with pytest.raises(sb.SimulationError, match=r"state: init\n"):
        _ = simulation(mode=sb.FAST).program


def test_cosmetic_fast_code_is_let_in_with_what_it_calls() -> None:
    assert verified(simulation(cosmetic_step)).same


def test_a_cosmetic_kernel_that_is_strict_lets_in_what_it_calls() -> None:
    assert verified(simulation(shining_step)).same


def test_a_parallel_range_is_named_once_in_the_path() -> None:
    with pytest.raises(sb.SimulationError, match="state: ranged_step → fast_square"):
        _ = simulation(ranged_step).program


def test_a_deterministic_simulation_is_the_same_everywhere_and_managed_is_left_out() -> None:
    found = verified(simulation(mode=sb.DETERMINISTIC, contract=True))
    assert found.same
    rows = {row.name: row for row in found.rows}
    assert rows["managed"].result == "not run"
    assert rows["managed"].reason == (
        "'step' is DETERMINISTIC: its rewritten operations are evaluate's"
    )
    assert {row.result for name, row in rows.items() if name != "managed"} == {"same"}
    assert len(rows) > 3


def test_a_deterministic_simulation_without_rewrites_is_compared_with_managed() -> None:
    found = verified(simulation(cosmetic_step, mode=sb.DETERMINISTIC))
    assert found.same
    assert found.rows[0].reason is None


def test_sessions_and_replays_of_a_deterministic_simulation_agree(tmp_path: Any) -> None:
    one = simulation(mode=sb.DETERMINISTIC)
    path = tmp_path / "a.mcap"
    with one.record(path, seed=3) as recording:
        for k in range(20):
            recording.step([{"push": k * 0.01}])
    rows = [row for row in targets.all_rows() if not row.emulated]
    verification = Verification(one, ReplaySource(one, str(path)), rows)
    verification.run(lambda what, frame: None)
    assert verification.same
    with pytest.raises(sb.ReplayError, match="a replay of other code"):
        ReplaySource(simulation(), str(path))
