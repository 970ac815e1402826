"""One frame of a simulation, traced as it is and with its kernels changed by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from linecache import getline

from samebits.diagnosis.operation.first_difference import OperationDifference, first_difference
from samebits.frame_trace.model import Model
from samebits.frame_trace.observer import Memory
from samebits.frame_trace.record import Trace, record
from samebits.hazards.edit.function_editor import FunctionEditor, own_functions
from samebits.ir.grammar import For, Module, Op, walk
from samebits.ir.refs import OpRef
from samebits.sim.execution import EvaluateExecution
from samebits.sim.program import Program
from samebits.sim.simulation import Simulation
from samebits.sim.sources import PlayerSource
from tests.support.runs.observed_frames import ARENA
from tests.support.simulations.traced_simulation import TRACED


@dataclass(frozen=True, eq=False)
class TracedFrame:
    """A state, the inputs of the frame after it, and that frame's trace."""

    simulation: Simulation
    frames: int
    """The frame is that after so many."""
    script: str
    seed: int = 1

    @cached_property
    def _made(self) -> tuple[Program, Memory, Memory, Trace]:
        program = self.simulation.program
        execution = EvaluateExecution(program)
        execution.start(self.seed)
        source = PlayerSource(self.simulation, self.script, self.seed, self.frames + 1)
        (block,) = source.blocks()
        assert execution.advance(block.inputs[: self.frames]).trap is None
        inputs = block.inputs[self.frames]
        trace = record(Model.of(program), execution.memory, inputs)
        return program, execution.memory, inputs, trace

    @property
    def program(self) -> Program:
        return self._made[0]

    @property
    def memory(self) -> Memory:
        return self._made[1]

    @property
    def inputs(self) -> Memory:
        return self._made[2]

    @property
    def trace(self) -> Trace:
        return self._made[3]

    def with_inputs(self, inputs: Memory) -> TracedFrame:
        """The same with other inputs, and the trace that it has."""
        other = replace(self)
        other.__dict__["_made"] = self.program, self.memory, inputs, self.trace
        return other

    def changed(self, kernels: Module) -> Trace:
        """The frame's trace with other kernels; seen are the operations of the plain ones."""
        return record(Model.of(self.program.with_kernels(kernels), self.program), *self.before)

    @property
    def before(self) -> tuple[Memory, Memory]:
        return self.memory, self.inputs

    def difference(self, kernels: Module) -> OperationDifference | None:
        """Of the plain frame from the changed one."""
        return first_difference(self.trace, self.changed(kernels))

    def ops(self, *opcodes: str) -> Iterator[tuple[OpRef, Op]]:
        """The user's own operations."""
        for function in own_functions(self.program.kernels):
            for op in walk(function.body):
                if isinstance(op, Op) and op.opcode in opcodes:
                    yield OpRef(function.name, op.id), op

    def loops(self) -> Iterator[tuple[OpRef, For]]:
        """The user's own loops over ranges."""
        for function in own_functions(self.program.kernels):
            for statement in walk(function.body):
                if isinstance(statement, For):
                    yield OpRef(function.name, statement.id), statement

    def rebuilt(self, place: OpRef, build: Callable[[FunctionEditor, Op | For], None]) -> Module:
        """The kernels with what `build` makes in the stead of a statement."""
        editor = FunctionEditor(self.program.kernels, place.function)
        with editor.instead(place.op) as found:
            assert isinstance(found, Op | For)
            build(editor, found)
        return editor.done()

    def at(self, function: str, line: str, opcode: str, which: int = 0) -> OpRef:
        """An operation of a function whose source line contains `line`, by default the first."""
        found = [
            place
            for place, op in self.ops(opcode)
            if place.function.endswith(f".{function}")
            and line in getline(op.span.file, op.span.line)
        ]
        return found[which]

    def loop(self, function: str, line: str) -> OpRef:
        """As `at`, of a loop."""
        return next(
            place
            for place, loop in self.loops()
            if place.function.endswith(f".{function}")
            and line in getline(loop.span.file, loop.span.line)
        )


SMALL = TracedFrame(TRACED, 5, "push")
ARENA_FRAME = TracedFrame(ARENA, 8, "duel")
