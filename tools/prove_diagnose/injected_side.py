"""A side with a case's difference injected, which its words do not name."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.prove_diagnose import edits, injections
from tools.prove_diagnose.case import Case
from tools.prove_diagnose.injections import Injection

from samebits.sides.side import Side, parse_side
from samebits.sides.words import read_words
from samebits.sim.program import Program
from samebits.sim.simulation import Simulation

_UNSAID = ("something",)


@dataclass(frozen=True, eq=False)
class InjectedSide(Side):
    """The plain simulation with `injected` in its kernels, which its words do not say."""

    injected: Injection | None = None

    @classmethod
    def of(cls, simulation: Simulation, injected: Injection, start: int | None) -> InjectedSide:
        """From frame `start` on, or from `init` on."""
        spec = replace(read_words(""), hazards=_UNSAID, start=start)
        return cls("the other machine", simulation, spec, injected=injected)

    def with_hazards(self, program: Program) -> Program:
        assert self.injected is not None
        if self.injected.hazard in injections.RACES and self.spec.workers == 1:
            return program
        return self.injected.again(self.number).program(program)


@contextmanager
def sides(case: Case) -> Generator[tuple[Side, Side]]:
    """The plain side and the other one, whose source lies in a folder that goes away."""
    simulation = case.simulation.simulation()
    a = parse_side("", simulation)
    if case.injected is not None:
        yield a, InjectedSide.of(simulation, case.injected, case.start)
        return
    assert case.edit is not None
    with TemporaryDirectory() as folder:
        path = edits.written(case.edit, case.simulation.path, Path(folder))
        yield a, parse_side(f"source={path}", simulation)
