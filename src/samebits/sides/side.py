"""A side: one way to run a simulation, from the words that say it to the programs that it runs.

Owns which program a side is. Knows nothing of frames that have been run, or of other sides.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count

from samebits.backend.targets.fp_environments import FLUSHINGS
from samebits.backend.text.overrides import CodegenOverrides
from samebits.hazards.text import plant_texts
from samebits.modes import STRICT
from samebits.sides.options import with_options
from samebits.sides.other_source import load_version
from samebits.sides.words import EMULATED, EVALUATE, MANAGED, Told, read_words
from samebits.sim.cosmetic import fast_paths
from samebits.sim.emulation import EmulatedExecution
from samebits.sim.execution import (
    EvaluateExecution,
    Execution,
    ManagedExecution,
    NativeExecution,
)
from samebits.sim.program import Linked, Program, assemble, link_kernels
from samebits.sim.simulation import Simulation
from samebits.trace.model import Model


@dataclass(frozen=True, eq=False)
class Side:
    """One way to run `simulation`, which is of the version that `text` names."""

    text: str
    simulation: Simulation
    told: Told
    number: int = 0
    """Which of its runs it is, where chance makes each another."""
    _runs: Iterator[int] = field(default_factory=count, repr=False)

    @cached_property
    def plain(self) -> Program:
        """What runs without hazards and in the default environment. Raises CompileError."""
        simulation = self.simulation
        if self.told.source is None and not self.told.options:
            return simulation.program
        # Nothing is refused: whether FAST changes the state is what is asked.
        return assemble(simulation.state_type, simulation.input_type, self.linked)

    @cached_property
    def linked(self) -> Linked:
        """The kernels, their options not yet seen to. Raises CompileError."""
        linked = link_kernels(self.simulation.init, self.simulation.step)
        return with_options(linked, self.told.options) if self.told.options else linked

    @cached_property
    def program(self) -> Program:
        """What runs: `plain` with its hazards, in its environment. Raises HazardError."""
        program = self.with_hazards(self.plain)
        if self.told.environment:
            program = replace(program, overrides=CodegenOverrides(self.told.environment))
        return program

    def with_hazards(self, program: Program) -> Program:
        """A plain program of this side's, with its hazards. Raises HazardError."""
        if not self.told.hazards:
            return program
        return plant_texts(program, self.told.hazards, self.number, races=self.workers != 1)

    @property
    def is_slow(self) -> bool:
        """Whether Python runs it, a thousand times as slow as compiled code."""
        return self.told.target is None

    @property
    def is_emulated(self) -> bool:
        """Whether it runs in a process of its own, under an emulator."""
        return self.told.kind == EMULATED

    @property
    def workers(self) -> int | None:
        """How many threads run parallel ranges; None: as many as for any other simulation."""
        return self.told.workers

    def acts(self, frame: int) -> bool:
        """Whether its hazards and its environment act in the step of `frame`; -1 is `init`."""
        start = self.told.start
        return start is None or frame >= start

    def model(self, frame: int) -> Model | None:
        """The step whose evaluation is to give this side's bits in `frame`; None where no
        evaluation can: FAST code that the state may come from, an environment that flushes, as
        loads of the evaluation would."""
        acts = self.acts(frame)
        environment = self.told.environment if acts else ()
        if any(word in FLUSHINGS for word in environment):
            return None
        program = self.program if acts else self.plain
        if self.told.kind == MANAGED:
            program = self._as_written
        entry = program.step if frame >= 0 else program.init
        if self.told.kind != EVALUATE and any(fast_paths(program.kernels, (entry,))):
            return None
        model = Model.of(program, self.plain if acts and self.told.hazards else None)
        return replace(model, environment=environment)

    @cached_property
    def _as_written(self) -> Program:
        """What the managed run follows: the source, without the rewrites of modes."""
        simulation = self.simulation
        if self.plain.rewritten is None:
            return self.plain
        linked = with_options(link_kernels(simulation.init, simulation.step), {"mode": STRICT})
        return assemble(simulation.state_type, simulation.input_type, linked)

    def execution(self, program: Program) -> Execution:
        """`program` as this side runs programs; compiles what it needs. Raises RunnerError."""
        simulation, target, opt = self.simulation, self.told.target, self.told.opt
        if self.told.kind == MANAGED:
            return ManagedExecution(program, simulation.state, simulation.init, simulation.step)
        if self.told.kind == EVALUATE:
            return EvaluateExecution(program)
        assert target is not None
        if self.told.kind == EMULATED:
            return EmulatedExecution(program, program.emulated(target, opt))
        return NativeExecution(program, program.compiled(target, opt))

    def next_run(self) -> Side:
        """The side for one more run: what chance decides is decided anew each time, as it is where
        the hazard comes from."""
        number = next(self._runs)
        return replace(self, number=number) if number and self.told.hazards else self

    def __str__(self) -> str:
        return self.text


def parse_side(text: str, simulation: Simulation) -> Side:
    """The side of `simulation` that `text` says: words of `side_words.WORDS` with commas between;
    none is this processor's best level, optimised.

    Raises SideError, TargetError, and what loading another version raises.
    """
    told = read_words(text)
    if told.source is not None:
        simulation = load_version(told.source, simulation)
    return Side(text.strip(), simulation, told)
