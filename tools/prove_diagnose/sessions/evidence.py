"""Evidence that a team has of two sessions: files of several kinds, and the command for them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tools.prove_diagnose.sessions.case import INPUTS, Case
from tools.prove_diagnose.sessions.play import Log, kept
from tools.prove_diagnose.sessions.subjects import SUBJECTS

import samebits as sb
from samebits.replay import ReplayWriter
from samebits.sim.simulation import Simulation
from samebits.verify.golden import write_golden

AROUND = 5
"""Frames before and behind the differing one that a detailed report has."""


@dataclass(frozen=True)
class Given:
    """A case's evidence. `frame` is the first that differs, if one does."""

    case: Case
    ours: Log
    theirs: Log
    frame: int | None
    folder: Path

    @property
    def simulation(self) -> Simulation:
        return SUBJECTS[self.case.subject].simulation()

    @property
    def program(self) -> str:
        """The simulation as commands take it."""
        return os.path.relpath(SUBJECTS[self.case.subject].path)

    @property
    def detail(self) -> range:
        """The frames that a detailed report has."""
        frame = max(self.frame or 0, 0)
        return range(max(frame - AROUND, 0), min(frame + AROUND + 1, self.case.frames))

    def replay(self, log: Log, name: str) -> str:
        """Write a log as the replay that a recording of it is."""
        path, every = self.folder / name, self.case.keyframes
        data, size = self.simulation.inputs.to_bytes(log.inputs), self.simulation.players
        size = len(data) // self.case.frames
        with ReplayWriter(path, self.simulation.header(log.seed)) as writer:
            for frame, value in enumerate(log.hashes()):
                if every and frame % every == 0:
                    writer.keyframe(log.starts[frame])
                writer.add(data[frame * size : (frame + 1) * size], value)
        return str(path)

    def report(self, log: Log, name: str, detail: str) -> str:
        """Write the report that `samebits report` writes of a log's replay."""
        frames, trace = (None, None) if detail == "hashes" else (self.detail, None)
        if detail == "trace" and self.frame is not None and self.frame >= 0:
            trace = self.frame
        replay = self.replay(log, f"of-{name}.mcap")
        path = self.folder / name
        sb.write_report(sb.make_report(self.simulation, replay, frames, trace=trace), path)
        return str(path)

    @property
    def every(self) -> int:
        """Of which frames a list of hashes with gaps has one."""
        return (4, 10, 30)[self.case.number % 3]

    def hash_list(self, log: Log, every: int = 1, first: int = 0) -> str:
        """Write the hash after each frame, or some, as a peer's log has them; `first` is what the
        peer calls frame 0."""
        rows = [f"{n + first} {value:016x}\n" for n, value in enumerate(log.hashes())]
        path = self.folder / "theirs.txt"
        path.write_text("".join(rows[every - 1 :: every]))
        return str(path)

    @property
    def dumped(self) -> int:
        """The frame after which a state is dumped: the one that differs first."""
        return self.case.frames // 2 if self.frame is None else max(self.frame, 1)

    def dump(self, log: Log, frame: int) -> list[str]:
        """Write the state after a frame, and name it as an option."""
        path = self.folder / f"after-{frame}.bin"
        path.write_bytes(log.ends[frame])
        return ["--state", f"{frame}={path}"]

    def golden(self, log: Log) -> str:
        """Write the golden file that a verification of a log has."""
        path, simulation = self.folder / "theirs.golden", self.simulation
        write_golden(path, simulation.name, simulation.digest, enumerate(log.hashes()))
        return str(path)


def _replays(given: Given) -> list[str]:
    return ["diagnose", given.program, given.replay(given.ours, "ours.mcap"),
            given.replay(given.theirs, "theirs.mcap")]  # fmt: skip


def _own(given: Given) -> list[str]:
    return ["diagnose", given.program, given.replay(given.theirs, "theirs.mcap")]


def _own_report(given: Given) -> list[str]:
    return ["report", given.program, given.replay(given.theirs, "theirs.mcap"),
            "--out", str(given.folder / "here.desync")]  # fmt: skip


def _report(detail: str) -> Callable[[Given], list[str]]:
    return lambda given: [
        "diagnose", given.program, given.replay(given.ours, "ours.mcap"),
        given.report(given.theirs, "theirs.desync", detail),
    ]  # fmt: skip


def _two_reports(detail: str) -> Callable[[Given], list[str]]:
    return lambda given: [
        "diagnose", given.report(given.ours, "ours.desync", detail),
        given.report(given.theirs, "theirs.desync", detail),
    ]  # fmt: skip


def _hash_list(first: int) -> Callable[[Given], list[str]]:
    return lambda given: [
        "diagnose", given.program, given.replay(given.ours, "ours.mcap"),
        given.hash_list(given.theirs, first=first),
    ]  # fmt: skip


def _with_gaps(given: Given) -> list[str]:
    return ["diagnose", given.program, given.replay(given.ours, "ours.mcap"),
            given.hash_list(given.theirs, given.every)]  # fmt: skip


def _golden(given: Given) -> list[str]:
    return ["diagnose", given.program, given.replay(given.ours, "ours.mcap"),
            given.golden(given.theirs)]  # fmt: skip


def _session(given: Given) -> list[str]:
    case, theirs = given.case, given.theirs
    rest = (case.rollbacks, case.faults)
    path = given.folder / "session.desync"
    kept(given.simulation, theirs.seed, theirs.inputs, *rest).report(path)
    return ["diagnose", given.program, given.replay(given.ours, "ours.mcap"), str(path)]


def _list_and_dump(given: Given) -> list[str]:
    return [*_hash_list(0)(given), *given.dump(given.theirs, given.dumped)]


def _two_dumps(given: Given) -> list[str]:
    frame = given.dumped
    return ["diagnose", given.program, given.replay(given.ours, "ours.mcap"),
            *given.dump(given.theirs, frame - 1), *given.dump(given.theirs, frame)]  # fmt: skip


@dataclass(frozen=True)
class Form:
    """A kind of evidence. `alone` is of one session: it is compared with what its program makes of
    its inputs. `states` is whether it is of the states that were played, not of a second run over
    the recorded inputs. `weights` are how often it is drawn where inputs, the seed, states, or
    nothing is wrong."""

    command: Callable[[Given], list[str]]
    weights: tuple[int, int, int, int]
    alone: bool = False
    states: bool = False
    inputs: str = "all"
    """Of which frames it has the other side's inputs: all, detail (the rest by hash), none (all by
    hash), nothing."""
    has_gaps: bool = False
    has_dump: bool = False
    """Whether the whole state after the first frame that differs is known."""
    only_dumps: bool = False
    has_all_states: bool = False
    counts_from_1: bool = False


FORMS: dict[str, Form] = {
    "two replays": Form(_replays, (30, 4, 50, 3), states=True),
    "a replay alone": Form(_own, (4, 0, 25, 2), alone=True, states=True),
    "report of a replay": Form(_own_report, (2, 0, 25, 2), alone=True, states=True),
    "replay and hashes": Form(_report("hashes"), (22, 2, 0, 1), inputs="none"),
    "replay and frames": Form(_report("frames"), (16, 2, 0, 1), inputs="detail"),
    "replay and trace": Form(_report("trace"), (14, 2, 0, 1), inputs="detail"),
    "two reports": Form(_two_reports("hashes"), (8, 2, 0, 1), inputs="none"),
    "two reports, traces": Form(_two_reports("trace"), (8, 2, 0, 1), inputs="detail"),
    "list of hashes": Form(_hash_list(0), (5, 1, 8, 1), states=True, inputs="nothing"),
    "list of hashes from 1": Form(
        _hash_list(1), (3, 1, 4, 1), states=True, inputs="nothing", counts_from_1=True
    ),
    "list with gaps": Form(_with_gaps, (4, 1, 6, 1), states=True, inputs="nothing", has_gaps=True),
    "list and a dump": Form(
        _list_and_dump, (3, 1, 6, 1), states=True, inputs="nothing", has_dump=True
    ),
    "two dumps": Form(
        _two_dumps, (2, 1, 3, 1), states=True, inputs="nothing", has_dump=True, only_dumps=True
    ),
    "report of a session": Form(_session, (6, 1, 12, 2), states=True, has_all_states=True),
    "golden file": Form(_golden, (2, 1, 3, 1), states=True, inputs="nothing"),
}  # fmt: skip


def drawn(kinds: Sequence[str], draws: Random) -> str:
    """A form that can show what is wrong, mostly."""
    states = any(kind not in INPUTS and kind != "seed" for kind in kinds)
    at = 2 if states else 0 if any(kind in INPUTS for kind in kinds) else 1 if kinds else 3
    # A session cannot report frames that it numbers otherwise itself.
    shifted = {"wrong frame", "one frame short"} & {*kinds}
    names = [
        name
        for name, form in FORMS.items()
        if form.weights[at] and not (shifted and form.has_all_states)
    ]
    return draws.choices(names, [FORMS[name].weights[at] for name in names])[0]
