"""A side: one way to run a simulation, and the programs that it runs.

Owns which program a side is. Knows nothing of runs or of other sides.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count

from samebits.backend.targets.fp_environments import FLUSHINGS
from samebits.backend.text.overrides import CodegenOverrides
from samebits.frame_trace.model import Model
from samebits.hazards.text import inject_texts
from samebits.modes import STRICT
from samebits.replay.header import ReplayHeader
from samebits.sides.options import with_options
from samebits.sides.other_source import load_version
from samebits.sides.words import EMULATED, EVALUATE, MANAGED, SideSpec, read_words
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


@dataclass(frozen=True, eq=False)
class Side:
    """One way to run `simulation`, which is of the version that `text` names."""

    text: str
    simulation: Simulation
    spec: SideSpec
    number: int = 0
    """The number of this run, which seeds hazards that differ between runs."""
    _runs: Iterator[int] = field(default_factory=count, repr=False)

    @cached_property
    def plain(self) -> Program:
        """The program without hazards, in the default environment. Raises CompileError."""
        simulation = self.simulation
        if self.spec.source is None and not self.spec.options:
            return simulation.program
        # FAST code that reaches the state is not refused: its effect is what is examined.
        return assemble(simulation.state_type, simulation.input_type, self.linked)

    @cached_property
    def linked(self) -> Linked:
        """The linked kernels with this side's options, before float modes are lowered. Raises
        CompileError."""
        linked = link_kernels(self.simulation.init, self.simulation.step)
        return with_options(linked, self.spec.options) if self.spec.options else linked

    @cached_property
    def program(self) -> Program:
        """The program that runs: `plain` with hazards and environment. Raises HazardError."""
        program = self.with_hazards(self.plain)
        if self.spec.environment:
            program = replace(program, overrides=CodegenOverrides(self.spec.environment))
        return program

    def with_hazards(self, program: Program) -> Program:
        """A plain program of this side with the hazards injected. Raises HazardError."""
        if not self.spec.hazards:
            return program
        return inject_texts(program, self.spec.hazards, self.number, races=self.spec.workers != 1)

    def header(self, seed: int) -> ReplayHeader:
        """The header of a replay of it: mode and precision are those of its words, if they are
        among them."""
        header, options = self.simulation.header(seed), self.spec.options
        named = {name: options[name].name for name in ("mode", "precision") if name in options}
        return replace(header, **named)

    @property
    def is_slow(self) -> bool:
        """Whether Python runs it, a thousand times slower than compiled code."""
        return self.spec.target is None

    @property
    def is_emulated(self) -> bool:
        """Whether it runs in a process of its own, under an emulator."""
        return self.spec.kind == EMULATED

    def acts(self, frame: int) -> bool:
        """Whether hazards and environment act in the step of `frame`; -1 is `init`."""
        start = self.spec.start
        return start is None or frame >= start

    def model(self, frame: int) -> Model | None:
        """The step whose evaluation reproduces this side's bits in `frame`; None if no evaluation
        can: FAST code may reach the state, or the environment flushes, which would change the
        evaluation's own loads."""
        acts = self.acts(frame)
        environment = self.spec.environment if acts else ()
        if any(word in FLUSHINGS for word in environment):
            return None
        program = self.program if acts else self.plain
        if self.spec.kind == MANAGED:
            program = self._as_written
        entry = program.step if frame >= 0 else program.init
        if self.spec.kind != EVALUATE and any(fast_paths(program.kernels, (entry,))):
            return None
        model = Model.of(program, self.plain if acts and self.spec.hazards else None)
        return replace(model, environment=environment)

    @cached_property
    def _as_written(self) -> Program:
        """The program that the managed run follows: the source, float modes not lowered."""
        simulation = self.simulation
        if self.plain.rewritten is None:
            return self.plain
        linked = with_options(link_kernels(simulation.init, simulation.step), {"mode": STRICT})
        return assemble(simulation.state_type, simulation.input_type, linked)

    def execution(self, program: Program) -> Execution:
        """The execution of `program` on this side; compiles what it needs. Raises RunnerError."""
        simulation, target, opt = self.simulation, self.spec.target, self.spec.opt
        if self.spec.kind == MANAGED:
            return ManagedExecution(program, simulation.state, simulation.init, simulation.step)
        if self.spec.kind == EVALUATE:
            return EvaluateExecution(program)
        assert target is not None
        if self.spec.kind == EMULATED:
            return EmulatedExecution(program, program.emulated(target, opt))
        # What experiments change is compiled for them alone, and not kept.
        made = program.cached if program is self.plain else program.compiled
        return NativeExecution(program, made(target, opt))

    def next_run(self) -> Side:
        """The side for one more run: hazards that differ between runs are drawn anew."""
        number = next(self._runs)
        return replace(self, number=number) if number and self.spec.hazards else self

    def __str__(self) -> str:
        return self.text


def parse_side(text: str, simulation: Simulation, any_state: bool = False) -> Side:
    """The side of `simulation` that `text` spells: words of `words.WORDS`, separated by commas; no
    word means this processor's best level, optimised. With `any_state` another version of the
    source may have states of another layout.

    Raises SideError, TargetError, and the errors of loading another version.
    """
    spec = read_words(text)
    if spec.source is not None:
        simulation = load_version(spec.source, simulation, any_state)
    return Side(text.strip(), simulation, spec)
