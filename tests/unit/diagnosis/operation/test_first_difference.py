"""The first difference of two traces, of frames whose kernels were changed by hand."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from tests.support.programs.edits import OTHERS, Edit, backwards, nothing, only_above_two, other
from tests.support.runs.traced_frames import ARENA_FRAME, SMALL, TracedFrame
from tests.support.simulations.traced_simulation import TRACED

from samebits.diagnosis.operation.first_difference import OperationDifference, first_difference
from samebits.frame_trace.model import Model
from samebits.frame_trace.record import record
from samebits.hazards.edit.function_editor import FunctionEditor
from samebits.ir.grammar import For, If, Lanes, Module, Op, walk
from samebits.ir.refs import OpRef
from samebits.ir.verify import verify
from samebits.modes import DETERMINISTIC, LOW
from samebits.passes.semantics.float_modes import lower_float_modes
from samebits.sim.simulation import Simulation
from samebits.types import ScalarType


def checked(found: OperationDifference | None, frame: TracedFrame, kind: str, place: OpRef) -> None:
    assert found is not None
    assert (found.kind, found.place) == (kind, place)
    assert found.span == _span(frame, place)


def _span(frame: TracedFrame, place: OpRef) -> object:
    body = frame.program.kernels.functions[place.function].body
    return next(s.span for s in walk(body) if getattr(s, "id", None) == place.op)


@pytest.mark.parametrize("frame", [SMALL, ARENA_FRAME], ids=["small", "arena"])
def test_the_same_frame_twice_has_no_difference(frame: TracedFrame) -> None:
    assert frame.difference(frame.program.kernels) is None


def test_every_operation_that_gives_something_else_is_found() -> None:
    found = 0
    for place, op in SMALL.ops(*OTHERS):
        if place.function.endswith(".init"):
            continue
        kernels = SMALL.rebuilt(place, other)
        verify(kernels)
        difference = SMALL.difference(kernels)
        if difference is not None:
            checked(difference, SMALL, "result", place)
            assert difference.op is op
            assert difference.a is not None
            assert difference.b is not None
            assert difference.a.operands == difference.b.operands == difference.b.values
            assert difference.a.results != difference.b.results
            assert difference.a.event == difference.b.event
            assert difference.a.path == difference.b.path
            found += 1
    assert found >= 20


def test_operations_of_the_arena_that_give_something_else_are_found() -> None:
    found = 0
    for place, op in islice(ARENA_FRAME.ops(*OTHERS), 40, None, 9):
        assert isinstance(op.result.type, ScalarType)
        if op.result.type.is_float and found < 3:
            difference = ARENA_FRAME.difference(ARENA_FRAME.rebuilt(place, other))
            if difference is not None:
                checked(difference, ARENA_FRAME, "result", place)
                found += 1
    assert found == 3


def test_every_lost_store_is_found() -> None:
    found = 0
    for place, _ in SMALL.ops("store"):
        if place.function.endswith(".init"):
            continue
        difference = SMALL.difference(SMALL.rebuilt(place, nothing))
        if difference is not None:
            checked(difference, SMALL, "path", place)
            assert difference.a is not None
            assert difference.b is None or difference.b.place != place
            found += 1
    assert found == 10


def test_a_store_that_is_lost_once_is_found() -> None:
    place = SMALL.at("drift", "mote.pos += mote.vel * 0.016", "store")

    difference = SMALL.difference(SMALL.rebuilt(place, only_above_two))
    checked(difference, SMALL, "path", place)
    assert difference is not None
    assert difference.a is not None
    assert np.array(difference.a.values[1], np.uint32).view(np.float32) <= 2.0


def test_every_lost_set_of_a_number_is_found() -> None:
    found = 0
    computed = {op.id for place, op in SMALL.ops("add", "max") if place.function.endswith(".step")}
    for place, op in SMALL.ops("set"):
        if not isinstance(op.args[0].type, ScalarType):
            continue
        if op.attr in ("total", "peak") and op.args[0].op in computed:
            kernels = SMALL.rebuilt(place, nothing)
            difference = SMALL.difference(kernels)
            checked(difference, SMALL, "path", place)
            found += 1
    assert found == 2


def test_every_loop_that_runs_backwards_is_found() -> None:
    found = 0
    for place, loop in SMALL.loops():
        if not place.function.endswith(".init"):
            kernels = SMALL.rebuilt(place, backwards)
            verify(kernels)
            difference = SMALL.difference(kernels)
            checked(difference, SMALL, "loop", place)
            assert difference is not None
            assert difference.a is not None
            assert difference.b is not None
            assert difference.a.counters[-1][0] == loop.slot
            assert difference.a.counters[-1][1] != difference.b.counters[-1][1]
            found += 1
    assert found == 4


def test_a_loop_of_other_lanes_is_found() -> None:
    place = SMALL.loop("step", "for i in range(N)")

    def laned(counts: tuple[int, ...]) -> Edit:
        def edit(editor: FunctionEditor, loop: Op | For) -> None:
            assert isinstance(loop, For)
            editor.append(replace(loop, lanes=Lanes(counts, (("total", "add"),))))

        return edit

    for counts in ((4,), (8,), (16, 2)):
        checked(SMALL.difference(SMALL.rebuilt(place, laned(counts))), SMALL, "loop", place)
    # With as many lanes as iterations, only how they are joined can differ.
    kernels = [SMALL.rebuilt(place, laned(counts)) for counts in ((4,), (8,), (2,))]
    for a in kernels:
        for b in kernels:
            found = first_difference(SMALL.changed(a), SMALL.changed(b))
            if a is b:
                assert found is None
            else:
                checked(found, SMALL, "loop", place)


def test_a_loop_with_an_iteration_less_is_found() -> None:
    place = SMALL.loop("step", "for i in range(N)")

    def shorter(editor: FunctionEditor, loop: Op | For) -> None:
        assert isinstance(loop, For)
        one = editor.const(loop.start.type, 1)  # type: ignore[arg-type]
        editor.append(replace(loop, stop=editor.op("sub", loop.stop, one)))

    checked(SMALL.difference(SMALL.rebuilt(place, shorter)), SMALL, "loop", place)


def test_a_branch_that_goes_the_other_way_is_found() -> None:
    body = SMALL.program.kernels.functions[SMALL.program.step].body
    found = next(s for s in walk(body) if isinstance(s, If))
    editor = FunctionEditor(SMALL.program.kernels, SMALL.program.step)
    with editor.instead(found.id):
        editor.append(replace(found, condition=editor.op("not", found.condition)))
    checked(SMALL.difference(editor.done()), SMALL, "path", OpRef(SMALL.program.step, found.id))


def test_a_branch_that_is_left_out_is_found() -> None:
    body = SMALL.program.kernels.functions[SMALL.program.step].body
    found = next(s for s in walk(body) if isinstance(s, If))
    editor = FunctionEditor(SMALL.program.kernels, SMALL.program.step)
    with editor.instead(found.id):
        pass
    place = OpRef(SMALL.program.step, found.id)
    memory = SMALL.memory.copy()
    for _ in range(8):  # until the dice say that the branch is taken
        trace = record(SMALL.trace.model, memory, SMALL.inputs)
        if not np.array_equal(trace.memory["hits"], memory["hits"]):
            break
        memory = trace.memory
    model = Model.of(SMALL.program.with_kernels(editor.done()), SMALL.program)
    difference = first_difference(trace, record(model, memory, SMALL.inputs))
    checked(difference, SMALL, "path", place)
    assert difference is not None
    assert difference.op is None


def test_a_call_that_is_left_out_is_found() -> None:
    place = SMALL.at("step", "sort_in(state)", "call")
    difference = SMALL.difference(SMALL.rebuilt(place, nothing))
    checked(difference, SMALL, "path", place)


def test_memory_that_is_not_zeroed_is_found_where_it_is_read() -> None:
    place = SMALL.at("sort_in", "begin = sb.zeros", "zero")
    difference = SMALL.difference(SMALL.rebuilt(place, nothing))
    checked(difference, SMALL, "memory", SMALL.at("sort_in", "begin[eighth + 1] += 1", "load"))
    assert difference is not None
    assert difference.a is not None
    assert difference.b is not None
    assert (difference.a.results, difference.b.results) == ((0,), (0xA5A5A5A5,))


def test_memory_that_differed_before_the_frame_is_found_where_it_is_read() -> None:
    memory = SMALL.memory.copy()
    memory["motes"]["vel"][0, 3] += np.float32(1)
    found = first_difference(SMALL.trace, record(SMALL.trace.model, memory, SMALL.inputs))
    checked(found, SMALL, "memory", SMALL.at("drift", "mote.vel = mote.vel * 0.98", "load"))
    assert found is not None
    assert found.a is not None
    assert found.a.counters[0][1] == 3


def test_memory_that_differs_and_that_nothing_reads_is_reported() -> None:
    kernels = SMALL.rebuilt(SMALL.at("step", "state.total = total", "store"), nothing)
    program = SMALL.program.with_kernels(kernels)
    memory = SMALL.memory.copy()
    memory["total"] += np.float32(1)
    traces = [record(Model.of(program), m, SMALL.inputs) for m in (SMALL.memory, memory)]
    found = first_difference(*traces)
    assert found is not None
    assert (found.kind, found.place, found.op) == ("memory", None, None)


def test_a_changed_input_is_found() -> None:
    inputs = SMALL.inputs.copy()
    inputs["push"] += np.float32(0.5)
    found = first_difference(SMALL.trace, record(SMALL.trace.model, SMALL.memory, inputs))
    checked(found, SMALL, "input", SMALL.at("step", "push = inputs[0].push", "load"))


def test_a_changed_constant_is_found() -> None:
    place = SMALL.at("drift", "mote.vel = mote.vel * 0.98", "const")

    def nudged(editor: FunctionEditor, op: Op | For) -> None:
        assert isinstance(op, Op)
        editor.append(replace(op, attr=float(np.nextafter(np.float32(0.98), np.float32(1)))))

    checked(SMALL.difference(SMALL.rebuilt(place, nudged)), SMALL, "result", place)


def test_a_trap_on_one_side_is_found() -> None:
    place = SMALL.at("step", 'assert state.hits < 1000, "too many hits"', "lt")
    checked(SMALL.difference(SMALL.rebuilt(place, other)), SMALL, "result", place)
    inputs = SMALL.inputs.copy()
    inputs["at"] = 24
    trapped = record(SMALL.trace.model, SMALL.memory, inputs)
    again = record(SMALL.trace.model, SMALL.memory, inputs)
    assert first_difference(trapped, again) is None
    found = first_difference(SMALL.trace, trapped)
    checked(found, SMALL, "input", SMALL.at("step", "state.motes[inputs[0].at].near", "load"))


def with_options(frame: TracedFrame, of: str, **options: object) -> Model:
    """The kernels as they are written, one of them lowered under other options."""
    functions = {
        name: replace(f, options=replace(f.options, **options)) if name.endswith(of) else f
        for name, f in frame.program.kernels.functions.items()
    }
    kernels = lower_float_modes(Module(functions, frame.program.kernels.tables))
    return Model.of(frame.program.with_kernels(kernels))


def test_a_contracted_product_is_found_at_its_sum() -> None:
    model = with_options(SMALL, ".drift", mode=DETERMINISTIC, contract=True)
    place = SMALL.at("drift", "mote.vel = mote.vel * 0.98", "add")
    a, b = SMALL.trace, record(model, *SMALL.before)
    for one, two in ((a, b), (b, a)):
        found = first_difference(one, two)
        assert found is not None
        assert (found.kind, found.place) == ("result", place)
        assert found.a is not None
        assert found.b is not None
        assert {found.a.op.opcode, found.b.op.opcode} == {"add", "fma"}


def test_a_flushed_result_is_found_at_the_operation_that_gave_it() -> None:
    model = with_options(SMALL, ".step", denormals="flush")
    memory = SMALL.memory.copy()
    memory["faint"] = np.float32(2.0**-122)
    place = SMALL.at("step", "state.faint = state.faint * 1e-4", "mul")
    found = first_difference(*(record(m, memory, SMALL.inputs) for m in (SMALL.trace.model, model)))
    checked(found, SMALL, "result", place)
    assert found is not None
    assert found.a is not None
    assert found.b is not None
    assert found.a.results != found.b.results == (0,)


def test_another_precision_is_found_at_the_call() -> None:
    place = SMALL.at("step", "wave = math.sin(total)", "call")
    low = Simulation(
        name="traced", version="1", state=TRACED.state, input=TRACED.input, players=1,
        init=TRACED.init, step=TRACED.step, precision=LOW,
    )  # fmt: skip
    (sine,) = (name for name in low.program.kernels.functions if name.endswith("_low_f32.sin"))
    kernels = SMALL.rebuilt(place, lambda editor, op: editor.append(_calling(op, sine)))
    functions = {**low.program.kernels.functions, **kernels.functions}
    model = Model.of(SMALL.program.with_kernels(Module(functions, kernels.tables)))
    found = first_difference(SMALL.trace, record(model, *SMALL.before))
    checked(found, SMALL, "result", place)


def _calling(op: Op | For, name: str) -> Op:
    assert isinstance(op, Op)
    return replace(op, attr=name)


def test_a_call_of_an_injected_function_is_found_where_it_is() -> None:
    place = SMALL.at("step", "wave = math.sin(total)", "call")
    kernels = SMALL.program.kernels
    (sine,) = (name for name in kernels.functions if name.endswith("sin_cos_f32.sin"))
    editor = FunctionEditor(kernels, sine)
    with editor.first():
        t = editor.type_of("x")
        assert isinstance(t, ScalarType)
        editor.set("x", editor.op("mul", editor.get("x"), editor.const(t, 1.5)))
    made = editor.done().functions[sine]
    calling = SMALL.rebuilt(place, lambda editor, op: editor.append(_calling(op, "injected")))
    injected = {"injected": replace(made, name="injected"), **calling.functions}
    trace = SMALL.changed(Module(injected, kernels.tables))
    assert "injected" not in trace.model.numbering.functions
    found = first_difference(SMALL.trace, trace)
    checked(found, SMALL, "result", place)
    assert found is not None
    assert found.b is not None
    assert found.b.op.attr == "injected"
