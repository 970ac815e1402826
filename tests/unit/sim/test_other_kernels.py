"""A program with other kernels, and memory behind its state that no hash or saved state sees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.support.simulations.small_simulation import SMALL

from samebits.backend.llvm import engine
from samebits.backend.targets.table import TARGETS
from samebits.hazards.edit.function_editor import FunctionEditor
from samebits.hazards.edit.hidden_state import with_hidden
from samebits.ir.grammar import Module
from samebits.ir.verify import verify
from samebits.passes.pipeline import goal_of
from samebits.runtime.emulation.machines import emulation_reason
from samebits.sim.emulation import EmulatedExecution
from samebits.sim.execution import EvaluateExecution, Execution, NativeExecution
from samebits.sim.program import RUN, Program
from samebits.sim.sources import PlayerSource
from samebits.types import UINT64

FRAMES = 12


def counting(program: Program) -> Program:
    """The program with a count of its frames behind the state, which the step adds up."""
    module = with_hidden(program.kernels, ".count")
    editor = FunctionEditor(module, program.step)
    with editor.first():
        place = editor.field(editor.get(editor.function.params[0][0]), ".count")
        editor.store(place, editor.op("add", editor.load(place), editor.const(UINT64, 1)))
    verify(editor.done())
    return program.with_kernels(editor.done())


def executions(program: Program) -> dict[str, Execution]:
    host = engine.host_target()
    found: dict[str, Execution] = {
        "evaluate": EvaluateExecution(program),
        "native -O0": NativeExecution(program, program.compiled(host, 0)),
        "native -O3": NativeExecution(program, program.compiled(host, 3)),
    }
    other = TARGETS["s390x"]
    if emulation_reason(other) is None:
        found[other.name] = EmulatedExecution(program, program.emulated(other, 3))
    return found


def inputs(script: str, frames: int) -> Any:
    made = np.zeros((frames, SMALL.players), SMALL.input_type.dtype)
    for block in PlayerSource(SMALL, script, 1, frames).blocks():
        made[: len(block.inputs)] = block.inputs
    return made


@pytest.mark.parametrize("name", ["evaluate", "native -O0", "native -O3", "s390x"])
def test_hidden_memory_changes_no_hash_and_no_saved_state(name: str) -> None:
    plain = NativeExecution(SMALL.program, SMALL.program.compiled(engine.host_target(), 3))
    found = executions(counting(SMALL.program))
    if name not in found:
        pytest.skip("no emulator")
    other = found[name]
    given = inputs("push", FRAMES)
    for execution in (plain, other):
        execution.start(1)
    assert plain.advance(given).hashes.tolist() == other.advance(given).hashes.tolist()
    assert plain.save() == other.save()
    other.restore(plain.save())
    assert plain.hash() == other.hash()
    assert plain.advance(given).hashes.tolist() == other.advance(given).hashes.tolist()
    for execution in found.values():
        execution.close()


def test_hidden_memory_lives_across_frames_and_outlives_a_restored_state() -> None:
    program = counting(SMALL.program)
    assert program.memory.fields == (*program.state.fields, (".count", UINT64))
    at = program.memory.offsets[".count"]
    assert at >= program.state.size
    for execution in list(executions(program).values())[:3]:
        execution.start(1)
        start = execution.save()
        execution.advance(inputs("push", FRAMES))
        execution.restore(start)
        execution.advance(inputs("push", FRAMES))
        assert whole(execution)[at] == 2 * FRAMES
        execution.start(1)
        assert whole(execution)[at] == 0


def test_a_trap_takes_hidden_memory_back_to_the_last_whole_frame() -> None:
    program = counting(SMALL.program)
    at = program.memory.offsets[".count"]
    for execution in list(executions(program).values())[:3]:
        execution.start(1)
        done = execution.advance(inputs("crash", 60))
        assert done.trap is not None
        assert whole(execution)[at] == len(done.hashes)


def test_the_same_kernels_give_the_same_program_for_another_goal() -> None:
    kernels = SMALL.program.kernels
    again = SMALL.program.with_kernels(Module(dict(kernels.functions), kernels.tables))
    run = again.module.functions[RUN]
    assert goal_of(again.module, again.entries) == "compile_time"
    run.options = SMALL.program.module.functions[RUN].options
    assert again.module == SMALL.program.module
    assert again.memory == SMALL.program.state


def whole(execution: Execution) -> Any:
    """The bytes where the state lies, with what lies behind it."""
    base = execution.memory.base
    while base.base is not None:
        base = base.base
    return base.view(np.uint8)
