"""Traces: what is recorded of a frame, what is not, and what evaluating again tells of an event."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.support.runs.traced_frames import ARENA_FRAME, SMALL, TracedFrame
from tests.support.simulations.traced_simulation import TRACED

from samebits.bits import pattern_of, to_canonical
from samebits.errors import TraceError
from samebits.frame_trace.instances import instances_in
from samebits.frame_trace.model import Model
from samebits.frame_trace.record import record
from samebits.hazards.edit.function_editor import FunctionEditor
from samebits.ir.grammar import Op, walk
from samebits.ir.interp.evaluator import Evaluator
from samebits.ir.refs import OpRef, is_own
from samebits.types import ScalarType


def heard(frame: TracedFrame, functions: set[str]) -> list[tuple[int, tuple[int, ...]]]:
    """The frame's operations in these functions, as the interpreter's own listener hears them."""
    found: list[tuple[int, tuple[int, ...]]] = []
    kernels = frame.program.kernels
    ops = {id(op) for name in functions for op in walk(kernels.functions[name].body)}

    def listen(op: Op, operands: tuple[Any, ...], results: tuple[Any, ...]) -> None:
        if id(op) not in ops:
            return
        writes = op.opcode in ("set", "store")
        values = zip(*((op.args, operands) if writes else (op.results, results)), strict=True)
        kept = [
            pattern_of(v.type, x)
            for v, x in list(values)[-1 if writes else 0 :]
            if isinstance(v.type, ScalarType)
        ]
        found.append((op.id, tuple(kept)))

    Evaluator(kernels, listen).run(frame.program.step, [frame.memory.copy(), frame.inputs])
    return found


@pytest.mark.parametrize("frame", [SMALL, ARENA_FRAME], ids=["small", "arena"])
def test_a_trace_holds_every_result_that_the_interpreter_gives(frame: TracedFrame) -> None:
    trace = frame.trace
    functions = set(trace.model.numbering.functions)
    results = np.split(trace.values, trace.starts[1:-1])
    events = [(trace.place(n).op, tuple(bits.tolist())) for n, bits in enumerate(results)]
    assert events == heard(frame, functions)


def test_a_trace_of_the_arena_is_small() -> None:
    trace = ARENA_FRAME.trace
    assert len(trace) > 100_000
    assert trace.numbers.nbytes + trace.values.nbytes < 12 * len(trace)


def test_a_library_function_that_only_computes_is_one_event() -> None:
    seen = SMALL.trace.model.numbering.functions
    library = {name for name in seen if not is_own(name)}
    assert library == {"samebits.mathlib.random.generator.Random.next_uint32",
                       "samebits.mathlib.random.generator.Random.fill"}  # fmt: skip
    inside = Model(
        SMALL.program.kernels, SMALL.program.step, TRACED.state_type, TRACED.input_type, inside=True
    )
    assert "samebits.mathlib.float32.sin_cos_f32.sin" in inside.numbering.functions
    assert len(record(inside, *SMALL.before)) > len(SMALL.trace)


def test_a_trace_ends_with_the_state_that_the_step_leaves_and_changes_nothing() -> None:
    before = SMALL.memory.copy()
    memory = SMALL.memory.copy()
    Evaluator(SMALL.program.kernels).run(SMALL.program.step, [memory, SMALL.inputs])
    assert SMALL.trace.after == to_canonical(SMALL.program.state, memory)
    assert record(SMALL.trace.model, *SMALL.before).after == SMALL.trace.after
    assert np.array_equal(SMALL.memory, before)


def test_a_state_may_be_given_as_canonical_bytes() -> None:
    state = to_canonical(SMALL.program.state, SMALL.memory)
    trace = record(SMALL.trace.model, state, SMALL.inputs)
    assert np.array_equal(trace.values, SMALL.trace.values)
    with pytest.raises(ValueError, match="bytes where"):
        record(SMALL.trace.model, np.zeros(3, np.uint8), SMALL.inputs)


def test_what_a_hazard_brought_is_not_seen() -> None:
    place = SMALL.at("drift", "mote.vel = mote.vel * 0.98", "add")

    def twice(editor: FunctionEditor, op: Any) -> None:
        once = editor.again(op)
        editor.give(op.id, "add", once, editor.const(op.result.type, 0.0), type=op.result.type)

    changed = SMALL.changed(SMALL.rebuilt(place, twice))
    assert changed.frame_input.model.module is not SMALL.program.kernels
    assert np.array_equal(changed.numbers, SMALL.trace.numbers)
    assert np.array_equal(changed.values, SMALL.trace.values)


def test_an_event_knows_its_operands_calls_and_loops() -> None:
    place = SMALL.at("drift", "mote.pos += mote.vel * 0.016", "add")
    trace = SMALL.trace
    number = trace.model.numbering.at(place)
    events = np.flatnonzero(trace.numbers == number)
    instance = trace.instance(int(events[7]))
    assert (instance.event, instance.place, instance.op.id) == (events[7], place, place.op)
    call = SMALL.at("step", "total += drift", "call")
    assert [at for at, _ in instance.path] == [call]
    assert instance.counters == (("i", 7),)
    result = int(trace.values[trace.starts[events[7]]])
    assert instance.results == (result,)
    pos, step = (np.uint32(bits).view(np.float32) for bits in instance.operands if bits is not None)
    assert (pos + step).view(np.uint32) == result


def test_an_operations_environment_is_all_its_evaluations_with_the_values_asked_for() -> None:
    place = SMALL.at("drift", "mote.pos += mote.vel * 0.016", "add")
    model, trace = SMALL.trace.model, SMALL.trace
    op = model.numbering.ops[model.numbering.at(place) or 0]
    found = instances_in(trace.frame_input, place, 100, op.args)
    events = np.flatnonzero(trace.numbers == model.numbering.at(place))
    assert [i.event for i in found] == events.tolist()
    assert [i.results for i in found] == [(bits,) for bits in trace.values[trace.starts[events]]]
    assert all(i.values == i.operands for i in found)
    assert [i.counters[0][1] for i in found] == list(range(24))
    assert len(instances_in(trace.frame_input, place, 3)) == 3
    other = OpRef(SMALL.program.step, 10_000)
    assert instances_in(trace.frame_input, other, 3) == []


def test_a_trap_ends_a_trace_at_its_operation() -> None:
    inputs = SMALL.inputs.copy()
    inputs["at"] = 24
    trace = record(SMALL.trace.model, SMALL.memory, inputs)
    assert trace.trap is not None
    assert trace.trap.kind == "index"
    assert trace.last == SMALL.at("step", "state.motes[inputs[0].at].near", "index", -1)
    assert trace.instance(len(trace)).operands == (24, 24)
    assert trace.instance(len(trace)).results == ()
    assert trace.after == to_canonical(SMALL.program.state, SMALL.memory)
    with pytest.raises(IndexError):
        SMALL.trace.instance(len(SMALL.trace))


def test_a_frame_of_too_many_operations_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("samebits.frame_trace.record.LIMIT", 1000)
    with pytest.raises(TraceError, match="more than 1000 operations") as caught:
        record(SMALL.trace.model, *SMALL.before)
    assert caught.value.event is not None
    assert 1000 <= caught.value.event < 1100
