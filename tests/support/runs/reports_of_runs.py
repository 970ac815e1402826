"""Reports of the traced simulation for the tests: with hazards, other versions, other inputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from samebits.desync.format import Key
from samebits.desync.record import ReportRequest, record_report
from samebits.desync.report import Report
from samebits.sides.side import Side, parse_side
from samebits.sim.load import load_simulation
from samebits.sim.simulation import Simulation
from samebits.sim.sources import InputBlock, PlayerSource
from tests.support.folders import SIMULATIONS

SOURCE = SIMULATIONS / "traced_simulation.py"
SIMULATION = load_simulation(str(SOURCE))
FRAMES = 40


class ChangedSource(PlayerSource):
    """The script's inputs, but for one field in some frames."""

    changes: Mapping[int, Mapping[str, Any]] = {}

    def blocks(self) -> Iterator[InputBlock]:
        first = 0
        for block in super().blocks():
            for frame in range(first, first + len(block.inputs)):
                for name, value in self.changes.get(frame, {}).items():
                    block.inputs[frame - first, 0][name] = value
            yield block
            first += len(block.inputs)


def source(
    changes: Mapping[int, Mapping[str, Any]] | None = None, simulation: Simulation = SIMULATION
) -> PlayerSource:
    """The run's inputs, some of them changed."""
    found = ChangedSource(simulation, "push", 1, FRAMES)
    found.changes = changes or {}
    return found


def side(text: str = "opt=0", simulation: Simulation = SIMULATION) -> Side:
    return parse_side(text, simulation)


def report(
    name: str,
    frames: range | None,
    traced: int | None = None,
    *,
    text: str = "opt=0",
    simulation: Simulation = SIMULATION,
    changes: Mapping[int, Mapping[str, Any]] | None = None,
) -> Report:
    """What a side says of a run of a simulation."""
    wanted = ReportRequest(frames, traced)
    made = record_report(side(text, simulation), source(changes, simulation), wanted)
    return replace(made, name=name)


@cache
def ours(first: int, stop: int, traced: int | None = None) -> Report:
    """What the plain side says of some frames."""
    return report("ours", range(first, stop), traced)


@cache
def theirs(hazard: str, first: int, stop: int, traced: int | None = None) -> Report:
    """What a side with a hazard says of some frames."""
    return report("theirs", range(first, stop), traced, text=f"opt=0,hazard={hazard}")


def version(folder: Path, *changes: tuple[str, str]) -> Simulation:
    """Another version of the source, in a folder of its own."""
    text = SOURCE.read_text()
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    path = folder / SOURCE.name
    path.write_text(text)
    return load_simulation(str(path))


def without(report: Report, *topics: str) -> Report:
    """The report where damage took some parts."""
    left = {key: part for key, part in report.parts.items() if key.topic not in topics}
    return replace(report, parts=left, damage=("at byte 9, it is damaged",))


def with_part(report: Report, key: Key, data: bytes) -> Report:
    """The report with another part, as a liar would write it."""
    return replace(report, parts={**report.parts, key: data})
