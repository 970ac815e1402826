"""A side that has a case's difference, of which whoever runs it sees what it does, not what it is.

Owns what is not the same in two runs of one side: chance draws anew, and a race is none with one
worker.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.prove_diagnose import edits
from tools.prove_diagnose.case import Case
from tools.prove_diagnose.planting import Planted

from samebits.diagnose.running import Running
from samebits.diagnose.side_words import read_words
from samebits.diagnose.sides import Side, parse_side
from samebits.sim.program import Program

_RACES = ("lost-store",)


@dataclass(frozen=True, eq=False)
class PlantedSide(Side):
    """The plain simulation with something planted in its kernels."""

    planted: Planted
    runs: list[None] = field(default_factory=list[None])
    """One for each time that it was opened."""

    @cached_property
    def program(self) -> Program:
        return self.planted.program(self.plain)

    def open(self) -> Running:
        if self.planted.hazard in _RACES and self.workers == 1:
            return Running(Side(self.text, self.simulation, replace(self.told, start=None)))
        run = len(self.runs)
        self.runs.append(None)
        if run and self.planted.fresh:
            return Running(replace(self, planted=self.planted.again(run)))
        return Running(self)


@contextmanager
def sides(case: Case) -> Generator[tuple[Side, Side]]:
    """The plain side and the other one, whose source lies in a folder that goes away."""
    simulation = case.simulation.simulation()
    a = parse_side("", simulation)
    if case.planted is not None:
        told = replace(read_words(""), start=case.start)
        yield a, PlantedSide("the other machine", simulation, told, case.planted)
        return
    assert case.edit is not None
    with TemporaryDirectory() as folder:
        path = edits.written(case.edit, case.simulation.path, Path(folder))
        yield a, parse_side(f"source={path}", simulation)
