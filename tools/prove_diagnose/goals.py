"""Time and memory of one long diagnosis, in a process of its own.

A hazard acts from a random frame on in a replay of the arena of 36,000 frames.

Each is measured on the whole process but for starting Python: from the replay's file to the cause.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory

from tools.prove_diagnose import injections
from tools.prove_diagnose.injected_side import InjectedSide
from tools.prove_diagnose.injections import Injection
from tools.prove_diagnose.subjects import ROOT, SUBJECTS
from tools.prove_diagnose.truth import OPT

from samebits.backend.llvm.engine import host_target
from samebits.diagnosis.driver import diagnose
from samebits.ir.refs import OpRef
from samebits.sides.side import parse_side
from samebits.sim.execution import NativeExecution
from samebits.sim.sources import PlayerSource, ReplaySource

FRAMES = 36_000
RUNS = 10
SECONDS = 10.0
MEGABYTES = 500
_HAZARDS = ("fma", "x87", "order", "double-rounding", "reciprocal", "libm-ulp", "narrower",
            "lost-store", "iteration-order", "changed-operation")  # fmt: skip


@dataclass(frozen=True)
class Run:
    """One long diagnosis."""

    case: str
    frame: int | None
    cause: str
    injected: str
    seconds: float
    megabytes: float


@dataclass(frozen=True)
class Goals:
    """What long diagnoses took."""

    runs: tuple[Run, ...]

    @property
    def kept(self) -> bool:
        """Whether each was within time and memory."""
        return all(r.seconds <= SECONDS and r.megabytes <= MEGABYTES for r in self.runs)

    def text(self) -> str:
        """As a part of the section."""
        seconds = [run.seconds for run in self.runs]
        lines = [
            "### Time and memory", "",
            f"A hazard from a random frame on, in a replay of the arena of {FRAMES:,} frames: "
            f"{len(self.runs)} diagnoses, cause included, took {median(seconds):.1f} s in the "
            f"median and {max(seconds):.1f} s at most (promised: {SECONDS:.0f} s on two cores), "
            f"and {max(run.megabytes for run in self.runs):.0f} MB at most "
            f"(promised: {MEGABYTES} MB).", "",
            "| injected | first frame | cause named | seconds | MB |", "|---|---|---|---|---|",
        ]  # fmt: skip
        lines += [
            f"| {r.case} | {r.frame} | {r.cause} | {r.seconds:.1f} | {r.megabytes:.0f} |"
            for r in self.runs
        ]
        return "\n".join(lines) + "\n"


def record(path: Path, frames: int = FRAMES) -> None:
    """A replay of the arena, of scripted players."""
    simulation = SUBJECTS["arena"].simulation()
    with simulation.record(path, seed=7) as recording:
        for block in PlayerSource(simulation, "duel", 7, frames).blocks():
            recording.run(block.inputs)


def _changes(injected: Injection, replay: Path, start: int) -> bool:
    """Whether it changes a state behind `start`."""
    simulation = SUBJECTS["arena"].simulation()
    source = ReplaySource(simulation, str(replay))
    runs = [
        NativeExecution(program, program.compiled(host_target(), OPT))
        for program in (simulation.program, injected.program(simulation.program))
    ]
    at = 0
    runs[0].start(source.seed)
    for block in source.blocks():
        rest = block.inputs
        if at + len(rest) > start:
            before = max(0, start - at)
            if at <= start:
                runs[0].advance(rest[:before])
                runs[1].restore(runs[0].save())
            done = [run.advance(rest[before:]) for run in runs]
            if done[0].hashes.tobytes() != done[1].hashes.tobytes():
                return True
        else:
            runs[0].advance(rest)
        at += len(rest)
    return False


def measured(runs: int = RUNS, seed: int = 1) -> Goals:
    """Run long diagnoses, one after another."""
    found: list[Run] = []
    with TemporaryDirectory() as folder:
        replay = Path(folder) / "long.mcap"
        record(replay)
        for number in range(runs):
            injected, start = _drawn(replay, seed, number)
            place = injected.place
            assert place is not None
            at = (place.function, place.op)
            words = [injected.hazard, *at, injected.variant, injected.draw, start]
            command = [sys.executable, "-m", "tools.prove_diagnose.goals", replay, *words]
            done = subprocess.run(
                list(map(str, command)), cwd=ROOT, capture_output=True, text=True, check=True
            )
            found.append(Run(**json.loads(done.stdout)))
            print(found[-1], flush=True)
    return Goals(tuple(found))


def _drawn(replay: Path, seed: int, number: int) -> tuple[Injection, int]:
    kernels = SUBJECTS["arena"].simulation().program.kernels
    for attempt in range(1000):
        draws = Random(f"{seed} {number} {attempt}")
        hazard = _HAZARDS[number % len(_HAZARDS)]
        place = draws.choice(injections.places_of(kernels, hazard))
        variant = draws.randrange(injections.count_variants(kernels, hazard, place))
        injected = Injection(hazard, place, variant, number, hazard in injections.VARYING)
        start = draws.randrange(FRAMES)
        if _changes(injected, replay, start):
            return injected, start
    raise LookupError(f"nothing changes a state: {seed} {number}")


def _diagnosed(replay: Path, injected: Injection, start: int) -> Run:
    began = time.perf_counter()
    simulation = SUBJECTS["arena"].simulation()
    other = InjectedSide.of(simulation, injected, start)
    source = ReplaySource(simulation, str(replay))
    found = diagnose(simulation, source, parse_side("", simulation), other)
    seconds = time.perf_counter() - began
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    cause = found.causes[0].hazard if found.causes else "none"
    case = f"{injected.hazard} at {injected.place} from frame {start}"
    return Run(case, found.frame, cause, injected.hazard, seconds, memory)


def main() -> None:
    """One diagnosis, as JSON, of the case that the words say."""
    replay, hazard, function, op, variant, draw, start = sys.argv[1:]
    injected = Injection(
        hazard, OpRef(function, int(op)), int(variant), int(draw), hazard in injections.VARYING
    )
    print(json.dumps(vars(_diagnosed(Path(replay), injected, int(start)))))


if __name__ == "__main__":
    main()
