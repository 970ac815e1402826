"""The effect of each program hazard on what a simulation computes."""

from __future__ import annotations

import re
from functools import reduce
from typing import Any

import numpy as np
import pytest
from tests.support.runs.other_kernels import everywhere, inputs_of, native, outcome
from tests.support.simulations.workshop_simulation import WORKSHOP, N

import samebits as sb
from samebits import int32, uint64
from samebits.hazards.catalogue import by_name
from samebits.hazards.catalogue.hazard import ChangedKernels, ProgramHazard
from samebits.hazards.catalogue.programs.changed_input import changed_in
from samebits.hazards.edit.frame_count import own_count
from samebits.hazards.locate import find
from samebits.ir.grammar import For, Module
from samebits.ir.refs import OpRef, op_at, statement_at
from samebits.ir.verify import verify
from samebits.sim.execution import EvaluateExecution

KERNELS = WORKSHOP.program.kernels
FRAMES = 24
INPUTS = inputs_of(WORKSHOP, FRAMES)


def hazard(name: str) -> ProgramHazard:
    found = by_name(name)
    assert isinstance(found, ProgramHazard)
    return found


def variants(name: str, place: OpRef, seed: int | None = 1) -> list[ChangedKernels]:
    return list(hazard(name).variants(KERNELS, place, seed))


def loop_of(function: str, slot: str, nth: int = 0) -> OpRef:
    found = [p for p in find(KERNELS, function) if is_loop(p, slot)]
    return found[nth]


def is_loop(place: OpRef, slot: str) -> bool:
    statement = statement_at(KERNELS, place)
    return isinstance(statement, For) and statement.slot == slot


def state_after(kernels: Module, frames: int = 1) -> Any:
    execution = native(WORKSHOP.program.with_kernels(kernels), 0)
    execution.start(1)
    execution.advance(INPUTS[:frames])
    return execution.memory.copy()


def in_lanes(terms: Any, count: int) -> Any:
    """The sum of float32 numbers in lanes, the rest behind them."""
    whole = len(terms) - len(terms) % count
    columns = [reduce(np.add, terms[i:whole:count]) for i in range(count)]
    while len(columns) > 1:
        half = len(columns) // 2
        columns = [columns[i] + columns[i + half] for i in range(half)]
    return reduce(np.add, terms[whole:], np.float32(0) + columns[0])


def test_lanes_add_in_columns_that_are_folded_by_halves() -> None:
    plain = state_after(KERNELS)
    carts = plain["carts"][0]
    terms = carts["pos"][:, 0] * carts["load"]
    assert plain["spread"][0] == reduce(np.add, terms, np.float32(0)) / np.float32(N)
    found = variants("lanes", loop_of("mean", "i"))
    for count, (kernels, note) in zip((4, 8, 2, 16), found, strict=True):
        assert state_after(kernels)["spread"][0] == in_lanes(terms, count) / np.float32(N), note
        assert note.startswith(str(count))


def test_lanes_act_on_a_sum_in_memory_too() -> None:
    place = next(p for p in hazard("lanes").places(KERNELS) if p.function.endswith(".step"))
    plain = state_after(KERNELS, 12)
    velocity = plain["carts"][0]["vel"]
    terms = velocity[:, 0] * velocity[:, 0] + velocity[:, 1] * velocity[:, 1]
    assert plain["energy"][0] == reduce(np.add, terms, np.float32(0))
    found = variants("lanes", place)
    energies = [state_after(kernels, 12)["energy"][0] for kernels, _ in found]
    assert energies == [in_lanes(terms, count) for count in (4, 8, 2, 16)]
    assert any(energy != plain["energy"][0] for energy in energies)


def test_iterations_come_in_another_order_each_of_them_once() -> None:
    plain = list(range(2, N))
    half = len(plain) // 2
    exchanged = [plain[i ^ 1] if i ^ 1 < len(plain) else plain[i] for i in range(len(plain))]
    orders = (
        plain[::-1],
        plain[half:] + plain[:half],
        [plain[-1], *plain[:-1]],
        exchanged,
    )
    for order, (kernels, note) in zip(
        orders, variants("iteration-order", loop_of("step", "i")), strict=True
    ):
        number = reduce(lambda total, i: (total * 31 + i) % 2**32, order, 0)
        assert state_after(kernels)["order"][0] == number, note


@sb.struct
class Steps:
    seen: sb.FixedArray[int32, 40]
    count: int32


@sb.struct
class Nothing:
    none: bool


@sb.kernel
def begin(state: Steps, seed: uint64) -> None:
    state.count = 0


@sb.kernel
def note(state: Steps, i: int) -> None:
    state.seen[state.count] = int32(i)
    state.count += 1


@sb.kernel
def by_steps(state: Steps, inputs: sb.ReadOnly[Nothing]) -> None:
    for i in range(3, 20, 4):
        note(state, i)
    for i in range(17, -9, -5):
        note(state, i)
    for i in range(9, 9):
        note(state, i)
    for i in range(9, 4):
        note(state, i)
    for i in range(5, 6, 3):
        note(state, i)


STEPS = sb.Simulation(
    name="steps", version="1", state=Steps, input=Nothing, players=1, init=begin, step=by_steps
)


def test_loops_of_any_step_and_length_keep_their_iterations() -> None:
    kernels = STEPS.program.kernels
    everything = [*range(3, 20, 4), *range(17, -9, -5), 5]
    inputs = np.zeros((1, 1), STEPS.input_type.dtype)
    for place in hazard("iteration-order").places(kernels):
        for changed, _ in hazard("iteration-order").variants(kernels, place):
            verify(changed)
            execution = EvaluateExecution(STEPS.program.with_kernels(changed))
            execution.start(1)
            assert execution.advance(inputs).trap is None
            count = int(execution.memory["count"][0])
            assert sorted(execution.memory["seen"][0][:count]) == sorted(everything)


def test_fields_that_init_leaves_alone_start_as_garbage() -> None:
    begin = next(p for p in hazard("uninitialised").places(KERNELS) if p.function.endswith(".init"))
    found = variants("uninitialised", begin)
    fields = {note.split()[2].removeprefix("state.").split("[")[0].rstrip(",") for _, note in found}
    assert fields == {
        "energy", "spread", "order", "shares", "spare", "tally.best", "tally.at", "tally.total",
    }  # fmt: skip
    plain = started(KERNELS)
    for kernels, note in found:
        spoilt = started(kernels)
        changed = {n for n in plain.dtype.names if spoilt[n].tobytes() != plain[n].tobytes()}
        assert changed == {re.findall(r"\w+", note.split()[2])[1]}, note


def started(kernels: Module) -> Any:
    execution = native(WORKSHOP.program.with_kernels(kernels), 0)
    execution.start(1)
    return execution.memory


def test_a_local_struct_keeps_garbage_where_nothing_is_written() -> None:
    place = next(p for p in hazard("uninitialised").places(KERNELS) if p.function.endswith("weigh"))
    plain = state_after(KERNELS)["tally"][0]
    spoilt = {n.split()[2]: state_after(k)["tally"][0] for k, n in variants("uninitialised", place)}
    assert list(spoilt) == ["Tally.best", "Tally.at", "Tally.total"]
    assert spoilt["Tally.total"]["total"] != plain["total"]
    assert spoilt["Tally.at"] == plain  # which is written before it is read


@sb.struct
class Tallies:
    frames: int32
    counts: sb.FixedArray[int32, 30]
    shared: int32


@sb.kernel
def count_one(state: Tallies, i: int32) -> None:
    state.counts[i] += 1


@sb.kernel
def clear(state: Tallies, seed: uint64) -> None:
    state.frames = 0


@sb.kernel
def count_all(state: Tallies, inputs: sb.ReadOnly[Nothing]) -> None:
    for i in range(30):
        count_one(state, int32(i))
        state.shared += 1
    state.frames += 1


TALLIES = sb.Simulation(
    name="tallies", version="1", state=Tallies, input=Nothing, players=1, init=clear, step=count_all
)


def test_some_stores_are_lost_and_most_are_not() -> None:
    kernels, frames = TALLIES.program.kernels, 400
    inputs = np.zeros((frames, 1), TALLIES.input_type.dtype)
    places = hazard("lost-store").places(kernels)
    assert len(places) == 2
    for place, field in zip(places, ("counts", "shared"), strict=True):
        for (changed, _), rate in zip(
            hazard("lost-store").variants(kernels, place, 1), (16, 4, 128), strict=True
        ):
            execution = native(TALLIES.program.with_kernels(changed), 3)
            execution.start(1)
            execution.advance(inputs)
            lost = 1 - execution.memory[field][0].sum() / (30 * frames)
            assert 0.8 / rate < lost < 1.25 / rate


def test_which_stores_are_lost_is_another_thing_in_each_build() -> None:
    store = next(
        p
        for p in hazard("lost-store").places(KERNELS)
        if op_at(KERNELS, p).args[1].type == sb.types.UINT32
    )
    found = {state_after(variants("lost-store", store, s)[0][0], 20)["order"][0] for s in range(4)}
    assert len(found) == 4


def test_a_race_loses_what_parallel_iterations_store() -> None:
    inside = [p for p in hazard("lost-store").places(KERNELS) if "step." in p.function]
    assert inside
    for place in inside:
        kernels, _ = variants("lost-store", place)[1]
        outcome_of = everywhere(WORKSHOP, kernels, INPUTS)
        assert outcome_of != outcome(native(WORKSHOP.program, 0), INPUTS)


def test_unhashed_memory_shows_after_the_state_is_restored() -> None:
    place = hazard("unhashed").places(KERNELS)[-1]
    kernels, _ = variants("unhashed", place)[0]
    program = WORKSHOP.program.with_kernels(kernels)
    assert len(native(program, 0).save()) == len(native(WORKSHOP.program, 0).save())
    for execution in (EvaluateExecution(program), native(program, 3)):
        execution.start(1)
        execution.advance(INPUTS[:5])
        state = execution.save()
        first = execution.advance(INPUTS[5:9]).hashes.tolist()
        execution.restore(state)
        assert execution.save() == state
        assert execution.advance(INPUTS[5:9]).hashes.tolist() != first


def test_unhashed_memory_in_every_operation_is_one_counter() -> None:
    kernels = KERNELS
    places = hazard("unhashed").places(KERNELS)
    for place in places:
        kernels, _ = next(hazard("unhashed").variants(kernels, place, 1))
    program = WORKSHOP.program.with_kernels(kernels)
    assert [name for name, _ in program.memory.fields[len(program.state.fields) :]] == [".unhashed"]
    everywhere(WORKSHOP, kernels, INPUTS[:3])


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize(("field", "value"), [("push", 0.5), ("turn", -7), ("stop", True)])
def test_a_changed_input_is_that_input_changed(field: str, value: float, player: int) -> None:
    place = next(p for p in hazard("changed-input").places(KERNELS) if read_field(p) == field)
    frame = 9
    changed = INPUTS.copy()
    assert changed[field][frame, player] != value
    changed[field][frame, player] = value
    kernels = changed_in(KERNELS, place, frame, player, value)
    expected = outcome(native(WORKSHOP.program, 3), changed)
    assert expected != outcome(native(WORKSHOP.program, 3), INPUTS)
    verify(kernels)
    assert outcome(native(WORKSHOP.program.with_kernels(kernels), 3), INPUTS) == expected


def read_field(place: OpRef) -> object:
    load = op_at(KERNELS, place)
    return op_at(KERNELS, OpRef(place.function, load.args[0].op)).attr


@sb.kernel
def later(state: Tallies, seed: uint64) -> None:
    state.frames = int32(seed)


LATER = sb.Simulation(
    name="later", version="1", state=Tallies, input=Nothing, players=1, init=later, step=count_all
)


def test_frames_are_counted_by_the_state_itself_or_behind_it() -> None:
    assert own_count(KERNELS) == "frame"
    assert own_count(STEPS.program.kernels) is None  # it counts iterations
    assert own_count(TALLIES.program.kernels) == "frames"
    assert own_count(LATER.program.kernels) is None  # it begins with another number


def test_a_frame_that_the_state_counts_is_found_after_it_is_restored() -> None:
    place = hazard("changed-input").places(KERNELS)[0]
    program = WORKSHOP.program.with_kernels(changed_in(KERNELS, place, 9, 0, 0.5))
    execution = native(program, 3)
    execution.start(1)
    hashes = execution.advance(INPUTS[:4]).hashes.tolist()
    state = execution.save()
    other = native(program, 3)
    other.start(1)
    other.restore(state)
    rest = execution.advance(INPUTS[4:]).hashes.tolist()
    assert other.advance(INPUTS[4:]).hashes.tolist() == rest
    assert hashes + rest == outcome(native(program, 3), INPUTS)[0][1:]


def test_a_statement_that_is_left_out_is_not_done() -> None:
    stores = [
        (p, k)
        for p in hazard("changed-operation").places(KERNELS)
        for k, note in variants("changed-operation", p)
        if note == "the statement is left out" and p.function.endswith(".step")
    ]
    frames = [int(state_after(k, 3)["frame"][0]) for _, k in stores]
    assert frames.count(0) == 1
    assert frames.count(3) == len(frames) - 1


def test_an_operator_is_exchanged_in_all_components_of_a_vector() -> None:
    rolled = [p for p in hazard("changed-operation").places(KERNELS) if p.function.endswith("roll")]
    subtracted = [
        kernels
        for p in rolled
        for kernels, note in variants("changed-operation", p)
        if note == "add has become sub"
    ]
    before, plain = started(KERNELS)["carts"][0], state_after(KERNELS)["carts"][0]
    moves = []
    for kernels in subtracted:
        after = state_after(kernels)["carts"][0]
        moves.append((after["pos"] - before["pos"])[5] * (plain["pos"] - before["pos"])[5])
    assert any((move < 0).all() for move in moves)


@sb.kernel(bounds_check=False)
def unchecked(state: Steps, inputs: sb.ReadOnly[Nothing]) -> None:
    for i in range(40):
        sb.expect_vectorized()
        state.seen[i] = state.seen[i] * 3 + 1


TRUSTING = sb.Simulation(
    name="trusting", version="1", state=Steps, input=Nothing, players=1, init=begin, step=unchecked
)


def test_what_relied_on_trust_traps_when_it_is_changed() -> None:
    kernels = TRUSTING.program.kernels
    place = next(
        p for p in hazard("changed-constant").places(kernels) if op_at(kernels, p).attr == 40
    )
    longer = next(hazard("changed-constant").variants(kernels, place, 1))[0]
    inputs = np.zeros((2, 1), TRUSTING.input_type.dtype)
    hashes, trap, _ = everywhere(TRUSTING, longer, inputs)
    assert trap.startswith("index")
    assert len(hashes) == 1
    for place in hazard("host").places(kernels):  # no vectors are demanded of other code
        everywhere(TRUSTING, next(hazard("host").variants(kernels, place, 1))[0], inputs)


def test_host_time_is_another_one_at_each_opening() -> None:
    place = next(p for p in hazard("host").places(KERNELS) if p.function.endswith("roll"))
    states = {state_after(variants("host", place, None)[0][0], 5).tobytes() for _ in range(3)}
    assert len(states) == 3
