"""A side with a case's difference in it, of which one sees what it does, not what it is."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.prove_diagnose import edits, planting
from tools.prove_diagnose.case import Case
from tools.prove_diagnose.planting import Planted

from samebits.sides.side import Side, parse_side
from samebits.sides.words import read_words
from samebits.sim.program import Program
from samebits.sim.simulation import Simulation

_UNSAID = ("something",)


@dataclass(frozen=True, eq=False)
class PlantedSide(Side):
    """The plain simulation with `planted` in its kernels, which its words do not say."""

    planted: Planted | None = None

    @classmethod
    def of(cls, simulation: Simulation, planted: Planted, start: int | None) -> PlantedSide:
        """From frame `start` on, or from `init` on."""
        told = replace(read_words(""), hazards=_UNSAID, start=start)
        return cls("the other machine", simulation, told, planted=planted)

    def with_hazards(self, program: Program) -> Program:
        assert self.planted is not None
        if self.planted.hazard in planting.RACES and self.spec.workers == 1:
            return program
        return self.planted.again(self.number).program(program)


@contextmanager
def sides(case: Case) -> Generator[tuple[Side, Side]]:
    """The plain side and the other one, whose source lies in a folder that goes away."""
    simulation = case.simulation.simulation()
    a = parse_side("", simulation)
    if case.planted is not None:
        yield a, PlantedSide.of(simulation, case.planted, case.start)
        return
    assert case.edit is not None
    with TemporaryDirectory() as folder:
        path = edits.written(case.edit, case.simulation.path, Path(folder))
        yield a, parse_side(f"source={path}", simulation)
