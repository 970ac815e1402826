"""The examples on other targets: a hash a frame, and the state after the last."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tools.prove_targets.finding import Finding

from samebits.backend.llvm.engine import host_target
from samebits.backend.targets.table import Target
from samebits.errors import RunnerError
from samebits.runtime.emulation.calls import is_here
from samebits.sim.emulation import EmulatedExecution
from samebits.sim.execution import Execution, NativeExecution
from samebits.sim.inputs import Inputs
from samebits.sim.load import load_simulation
from samebits.sim.simulation import Simulation
from samebits.sim.sources import InputSource, PlayerSource, ReplaySource

EXAMPLES = Path(__file__).parents[2] / "examples"
FRAMES = 1800
"""Of each run: half a minute at 60 a second."""
STRETCH = 60
"""Frames between looks at what has come back."""
OPT = 3


@dataclass(frozen=True)
class Run:
    """One example with the inputs of a replay, or of its own script."""

    example: str
    replay: str | None

    @property
    def check(self) -> str:
        return f"{self.example}, {self.replay}" if self.replay else self.example

    def simulation(self) -> Simulation:
        return _simulation(self.example)

    def source(self, frames: int) -> InputSource:
        if self.replay is None:
            return PlayerSource(self.simulation(), None, 1, frames)
        path = EXAMPLES / self.example / "replays" / f"{self.replay}.mcap"
        return ReplaySource(self.simulation(), str(path), frames)


RUNS = (
    Run("arena", "duel"),
    Run("arena", "circle"),
    Run("arena", "chaos"),
    Run("outer_planets", None),
    Run("pinball", None),
    Run("racing", None),
    Run("cloth", None),
    Run("pendulum", None),
    Run("flock", None),
)


@cache
def _simulation(example: str) -> Simulation:
    return load_simulation(str(EXAMPLES / example / f"{example}.py"))


def _execution(simulation: Simulation, target: Target) -> Execution:
    program = simulation.program
    if is_here(target):
        return NativeExecution(program, program.compiled(target, OPT))
    return EmulatedExecution(program, program.emulated(target, OPT))


def _stretches(source: InputSource) -> Iterator[Inputs]:
    for block in source.blocks():
        for first in range(0, len(block.inputs), STRETCH):
            yield block.inputs[first : first + STRETCH]


def _hashes(execution: Execution, source: InputSource) -> Iterator[NDArray[np.uint64]]:
    """The hash after `init`, then those of stretches of frames."""
    execution.start(source.seed)
    yield np.array([execution.hash()], np.uint64)
    for inputs in _stretches(source):
        done = execution.advance(inputs)
        yield done.hashes
        if done.trap is not None:
            raise done.trap


@cache
def _expected(run: Run, frames: int) -> tuple[NDArray[np.uint64], bytes]:
    execution = _execution(run.simulation(), host_target())
    hashes = np.concatenate(list(_hashes(execution, run.source(frames))))
    return hashes, execution.save()


def on(target: Target, run: Run, frames: int = FRAMES) -> Finding:
    """The first `frames` frames of a run on a target, against the host's hashes."""
    found = Finding(target.name, run.check)
    wanted, state = _expected(run, frames)
    execution: Execution | None = None
    try:
        execution = _execution(run.simulation(), target)
        at = 0
        for hashes in _hashes(execution, run.source(frames)):
            due = wanted[at : at + len(hashes)]
            at += len(hashes)
            found.count = at - 1
            if not np.array_equal(hashes, due):
                frame = at - len(hashes) - 1 + int(np.flatnonzero(hashes != due)[0])
                found.differing.append(f"frame {frame}" if frame >= 0 else "the state after init")
                return found
        if execution.save() != state:
            found.differing.append("the last state, though its hash is the same")
    except RunnerError as error:
        found.failure = error.message
    finally:
        if execution is not None:
            execution.close()
    return found
