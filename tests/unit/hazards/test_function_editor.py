"""Functions under change, and what a change may rely on: paths, loops, memory behind a state."""

from __future__ import annotations

import pytest

import samebits as sb
from samebits import float32, float64, int32, uint8, uint64
from samebits.errors import HazardError
from samebits.hazards.edit.function_editor import FunctionEditor, brought, entries
from samebits.hazards.edit.hidden_state import hidden_sources, with_hidden
from samebits.hazards.edit.promotion import promoted
from samebits.ir.analysis.loops import called_by_loops, deciding, endless
from samebits.ir.analysis.may_write import ANY, written
from samebits.ir.grammar import For, Module, Op, walk
from samebits.ir.refs import statements
from samebits.ir.verify import verify
from samebits.types import INT, UINT64, RefType


@sb.struct
class Part:
    value: float64
    kind: uint8


@sb.struct
class State:
    parts: sb.FixedArray[Part, 4]
    total: float32
    other: float32
    pair: sb.FixedArray[float32, 2]
    last: uint8


@sb.struct
class Input:
    by: float32


@sb.kernel
def fill(part: Part, kind: uint8) -> None:
    part.kind = kind


@sb.kernel
def init(state: State, seed: uint64) -> None:
    part = state.parts[0]
    fill(part, uint8(seed))
    state.pair[1] = float32(1)


@sb.kernel
def deep(part: Part) -> float64:
    n = 0
    while part.value < 100.0 and n < 50:
        part.value += 1.0
        n += 1
    return part.value


@sb.kernel
def middle(state: State, i: int32) -> None:
    state.parts[i].value = deep(state.parts[i])


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    count = int(state.last) + 4
    for i in range(count):
        middle(state, int32(i))
    for i in range(4):  # which nothing else in the body reaches
        state.total += inputs[0].by * float32(i)
    for i in range(2):  # which the body reaches by another name
        state.pair[0] += state.pair[i] + 1.0
    for i in range(2):  # whose place changes
        state.pair[i] += 1.0
    for i in sb.prange(4):
        state.parts[i].kind += 1


SIMULATION = sb.Simulation(
    name="drafts", version="1", state=State, input=Input, players=1, init=init, step=step
)
KERNELS = SIMULATION.program.kernels


def name_of(end: str) -> str:
    return next(name for name in KERNELS.functions if name.endswith(f".{end}"))


def test_entries_are_recognised_by_what_they_take() -> None:
    assert entries(KERNELS) == (name_of("init"), name_of("step"))
    with pytest.raises(LookupError):
        entries(Module({name_of("fill"): KERNELS.functions[name_of("fill")]}))


def test_hidden_fields_lie_behind_the_padding_of_the_state() -> None:
    kernels = with_hidden(with_hidden(KERNELS, ".a"), ".b")
    verify(kernels)
    assert with_hidden(kernels, ".a") is kernels
    memory = SIMULATION.program.with_kernels(kernels).memory
    state = SIMULATION.program.state
    assert memory.fields[:-2] == state.fields
    assert memory.offsets[".a"] >= state.size > state.offsets["last"] + 1


def test_a_value_is_brought_to_a_function_by_way_of_all_its_callers() -> None:
    kernels = with_hidden(KERNELS, ".a")
    sources = hidden_sources(kernels, ".a")
    made = brought(kernels, name_of("deep"), ".a", RefType(UINT64), sources)
    verify(made)
    given = {name for name, f in made.functions.items() if ".a" in dict(f.params)}
    assert given == {name_of("deep"), name_of("middle")}
    assert brought(made, name_of("middle"), ".a", RefType(UINT64), sources) is made
    # Later ones join those that have it.
    later = brought(made, name_of("fill"), ".a", RefType(UINT64), sources)
    verify(later)
    assert ".a" in dict(later.functions[name_of("fill")].params)
    body = next(name for name in KERNELS.functions if name.startswith(name_of("step") + "."))
    verify(brought(later, body, ".a", RefType(UINT64), sources))
    with pytest.raises(LookupError, match="nothing gives"):
        brought(kernels, name_of("deep"), ".a", RefType(UINT64), {})


def test_what_a_function_may_write_is_given_by_paths() -> None:
    found = written(KERNELS)
    assert found[name_of("fill")] == {"part": {("kind",)}}
    assert found[name_of("init")]["state"] == {("parts", ANY, "kind"), ("pair", ANY)}
    assert found[name_of("middle")]["state"] == {("parts", ANY, "value")}
    assert ("parts", ANY, "kind") in found[name_of("step")]["state"]
    assert ("other",) not in found[name_of("step")]["state"]


def test_what_decides_how_often_loops_iterate_is_left_alone() -> None:
    function = KERNELS.functions[name_of("step")]
    deciders = deciding(function)
    added = [s for s in walk(function.body) if isinstance(s, Op) and s.opcode == "add"]
    (count,) = [op for op in added if op.result.type == INT]
    assert count.id in deciders
    assert not any(op.id in deciders for op in added if op is not count)
    inside = deciding(KERNELS.functions[name_of("deep")])
    stores = [s for s in walk(KERNELS.functions[name_of("deep")].body) if isinstance(s, Op)]
    assert {s.id for s in stores if s.opcode == "store"} <= inside
    assert endless(KERNELS) == set()


def test_functions_in_the_iterations_of_loops_are_known() -> None:
    repeated, parallel = called_by_loops(KERNELS)
    assert {name_of("middle"), name_of("deep")} <= repeated
    assert name_of("init") not in repeated
    assert len(parallel) == 1


def test_only_a_sum_that_nothing_else_reaches_is_kept_in_a_slot() -> None:
    step = name_of("step")
    loops = [s for s in walk(KERNELS.functions[step].body) if isinstance(s, For)]
    changed = [promoted(KERNELS, step, loop.id) is not KERNELS for loop in loops]
    assert changed == [False, True, False, False]
    verify(promoted(KERNELS, step, loops[1].id))


def test_a_draft_has_fresh_ids_and_the_span_of_what_it_stands_for() -> None:
    name = name_of("step")
    before = dict(statements(KERNELS, [name]))
    editor = FunctionEditor(KERNELS, name)
    place, old = next((p, s) for p, s in before.items() if isinstance(s, Op) and s.opcode == "add")
    assert isinstance(old, Op)
    with editor.instead(place.op) as found:
        assert found is old
        editor.give(old.id, "sub", editor.again(old), old.args[1], type=old.result.type)
    after = dict(statements(editor.done(), [name]))
    (new,) = after.keys() - before.keys()
    assert new.op > max(p.op for p in before)
    assert after[new].span == old.span == after[place].span
    assert {p for p in before if after[p] is before[p]} >= {
        p for p, s in before.items() if isinstance(s, Op) and p != place
    }
    assert KERNELS.functions[name].body is not editor.function.body
    with pytest.raises(HazardError), editor.instead(10**6):
        pass
