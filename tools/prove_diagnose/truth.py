"""The known answer of a case, by means that share nothing with the search for it.

The plain program and the other one run natively, frame by frame, and their canonical states are
compared byte by byte: that gives the first differing frame and the fields. The operation is where
the difference was injected, the cause is what was injected. Where that takes a word:

- injected everywhere: the first operation of the frame that has another result, both programs being
  evaluated with a listener;
- the iterations of a loop (`iteration-order`, `lanes`): the loop statement;
- memory (`uninitialised`): what was to set it, or the operation that has another result first,
  which is the one that reads it; for a field that `init` leaves alone, `init`;
- a statement left out, a lost store: that statement;
- an edited source: the line and column of the edited expression, in either text; for a constant of
  the module, of a use of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tools.prove_diagnose.case import Case

from samebits.backend.llvm.engine import host_target
from samebits.bits import leaves
from samebits.errors import Span, Trap
from samebits.ir.grammar import Module, Op
from samebits.ir.interp.evaluator import Evaluator
from samebits.ir.refs import OpRef, is_own, statement_at, statements, what
from samebits.runtime.fp_state import pin as fpenv
from samebits.sim.execution import Execution, NativeExecution
from samebits.sim.inputs import Inputs
from samebits.sim.program import Program
from samebits.sim.simulation import Simulation
from samebits.types import ScalarType, StructType

OPT = 0
"""Compiling takes longer than running, and no bits depend on it."""


@dataclass(frozen=True)
class Answer:
    """A place that is right. What is None or empty is left open."""

    file: str
    line: int | None
    column: int | None = None
    opcode: str = ""
    function: str = ""

    @classmethod
    def of(cls, kernels: Module, place: OpRef) -> Answer:
        """The statement at a place."""
        statement = statement_at(kernels, place)
        span = statement.span
        return cls(span.file, span.line, span.column, what(statement))

    def __str__(self) -> str:
        name = re.split(r"[/\\]", self.file)[-1]
        column = "" if self.column is None else f":{self.column + 1}"
        place = f"{name}:{self.line}{column}" if self.line is not None else name
        return f"{place} {self.opcode}{self.function}".rstrip()


@dataclass(frozen=True, eq=False)
class Truth:
    """`frame` is the first that differs, -1 for what `init` leaves; `fields` the paths of all
    scalars that differ after it, none after a trap. `before` is the state before it, and `hashes`
    those of the other side from it on, with its trap behind them."""

    frame: int
    trapped: bool
    fields: tuple[str, ...]
    answers: tuple[Answer, ...]
    before: bytes
    hashes: NDArray[np.uint64]
    trap: str


def native(program: Program) -> NativeExecution:
    """A program on this processor."""
    return NativeExecution(program, program.compiled(host_target(), OPT))


def inputs_of(case: Case) -> tuple[int, Inputs]:
    """The seed and all inputs of a case."""
    source = case.simulation.source(case.inputs, case.seed, case.frames)
    return source.seed, np.concatenate([block.inputs for block in source.blocks()])


def described(trap: Trap | None, case: Case) -> str:
    """A trap, to be compared; between two texts, wherever it was."""
    if trap is None:
        return ""
    return f"{trap.kind}: {trap.message}" + ("" if case.edit else f" at {trap.span}")


def known(case: Case, other: Simulation | None = None) -> Truth | None:
    """The answer; None where the whole run gives the same states. `other` is the simulation of an
    edited source. Raises HazardError and CompileError where there is no such program."""
    plain = case.simulation.simulation().program
    if other is not None:
        changed = other.program
    else:
        assert case.injected is not None
        changed = case.injected.program(plain)
    seed, inputs = inputs_of(case)
    return _Both(case, plain, changed).run(seed, inputs)


class _Both:
    def __init__(self, case: Case, plain: Program, changed: Program) -> None:
        self.case = case
        self.plain = plain
        self.changed = changed
        self.a = native(plain)
        self.b = native(changed)

    def run(self, seed: int, inputs: Inputs) -> Truth | None:
        a, b = self._started(self.a, seed), self._started(self.b, seed)
        first = 0
        if self.case.start is None:
            if a != b:
                return self._of_init(a, b, seed)
            if isinstance(a, str):
                return None
        else:
            first = self.case.start
            if isinstance(a, str) or self.a.advance(inputs[:first]).trap is not None:
                return None
            self.b = native(self.changed)
            self.b.restore(self.a.save())
        for frame in range(first, len(inputs)):
            before, memory = self.a.save(), self.b.save_memory()
            row = inputs[frame : frame + 1]
            traps = [described(e.advance(row).trap, self.case) for e in (self.a, self.b)]
            states = self.a.save(), self.b.save()
            if traps[0] != traps[1] or (not traps[0] and states[0] != states[1]):
                return self._parted(frame, before, memory, states, traps, inputs)
            if traps[0]:
                return None
        return None

    def _started(self, execution: Execution, seed: int) -> bytes | str:
        try:
            execution.start(seed)
        except Trap as trap:
            return described(trap, self.case)
        return execution.save()

    def _of_init(self, a: bytes | str, b: bytes | str, seed: int) -> Truth:
        fields: tuple[str, ...] = ()
        if isinstance(a, bytes) and isinstance(b, bytes):
            fields = tuple(differing(self.plain.state, a, b))
        trapped = isinstance(a, str) or isinstance(b, str)
        zeros = [bytes(e.program.memory.size) for e in (self.a, self.b)]
        answers = tuple(self._answers(self.plain.init, zeros, seed))
        return Truth(-1, trapped, fields, answers, b"", np.zeros(0, np.uint64), "")

    def _parted(
        self, frame: int, before: bytes, memory: bytes, states: tuple[bytes, bytes],
        traps: list[str], inputs: Inputs,
    ) -> Truth:  # fmt: skip
        trapped = any(traps)
        fields = () if trapped else tuple(differing(self.plain.state, *states))
        self.a.restore(before)
        memories = [self.a.save_memory(), memory]
        answers = tuple(self._answers(self.plain.step, memories, inputs[frame]))
        self.b.restore_memory(memory)
        rest = self.b.advance(inputs[frame:])
        trap = described(rest.trap, self.case)
        return Truth(frame, trapped, fields, answers, before, rest.hashes, trap)

    def _answers(self, entry: str, memories: list[bytes], given: Any) -> Iterator[Answer]:
        case, kernels = self.case, self.plain.kernels
        if case.edit is not None:
            file = str(case.simulation.path)
            yield from (Answer(file, line, column) for line, column in case.edit.places)
            return
        assert case.injected is not None
        place, of_memory = case.injected.place, case.injected.hazard == "uninitialised"
        if place is not None:
            yield Answer.of(kernels, place)
        if of_memory and place is not None and place.function == self.plain.init:
            span = kernels.functions[place.function].span
            yield Answer(span.file, None, function=_plain(span))
        if of_memory or place is None:
            first = self._first_event(entry, memories, given)
            if first is not None:
                yield Answer.of(kernels, first)

    def _first_event(self, entry: str, memories: list[bytes], given: Any) -> OpRef | None:
        """The first operation of the plain kernels that has another result on the other side, or
        that only one of the sides does there."""
        kernels = self.plain.kernels
        shared = {place for place, _ in statements(kernels, filter(is_own, kernels.functions))}
        runs = [
            _events(e.program, entry, memory, given, shared)
            for e, memory in zip((self.a, self.b), memories, strict=True)
        ]
        return next((x[0] for x, y in zip(*runs, strict=False) if x != y), None)


def _plain(span: Span) -> str:
    return span.function.rpartition("<locals>.")[2]


def differing(t: StructType, a: bytes, b: bytes) -> Iterator[str]:
    """The paths of the scalars in which canonical states differ, in declared order."""
    at = 0
    for path, scalar, _ in leaves(t):
        if a[at : at + scalar.size] != b[at : at + scalar.size]:
            yield path
        at += scalar.size


def _events(
    program: Program, entry: str, memory: bytes, given: Any, shared: set[OpRef]
) -> list[tuple[OpRef, tuple[str, ...]]]:
    """Each operation that is in `shared`, with its scalar results, in order."""
    kernels = program.kernels
    homes = {
        id(op): place
        for place, op in statements(kernels, filter(is_own, kernels.functions))
        if isinstance(op, Op) and place in shared
    }
    events: list[tuple[OpRef, tuple[str, ...]]] = []

    def heard(op: Op, operands: tuple[Any, ...], results: tuple[Any, ...]) -> None:
        place = homes.get(id(op))
        if place is not None:
            shown = [
                repr(result)
                for value, result in zip(op.results, results, strict=True)
                if isinstance(value.type, ScalarType)
            ]
            events.append((place, tuple(shown)))

    whole = np.frombuffer(memory, np.uint8).copy().view(program.memory.dtype)
    with fpenv.pinned(), suppress(Trap):
        Evaluator(kernels, heard).run(entry, [whole, given])
    return events
