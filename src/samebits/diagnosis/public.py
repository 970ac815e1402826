"""Diagnosis from Python: `sb.diagnose` and `sb.make_report`, which the command line's words spell.

Owns what the arguments may be. What is done with them is `diagnosis`'s and `desync`'s.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from operator import index
from typing import Any, cast, overload

from samebits.desync.evidence.dump import Dump
from samebits.desync.evidence.dump_files import dumps_of
from samebits.desync.evidence.kinds import kind_of
from samebits.desync.record import ReportRequest, record_report
from samebits.desync.report import Report
from samebits.diagnosis.before.dumped import with_dumps
from samebits.diagnosis.driver import diagnose as diagnose_runs
from samebits.diagnosis.driver import diagnose_report, diagnose_reports, diagnose_reports_here
from samebits.diagnosis.frame.search import Progress, silent
from samebits.diagnosis.report.findings import Diagnosis
from samebits.digits import MOST_FRAMES
from samebits.errors import ArgumentError, ReportError, folding
from samebits.lang.signal_safe import keeps_flags
from samebits.sides.side import Side, parse_side
from samebits.sides.words import default_words
from samebits.sim.players import DEFAULT_FRAMES, DEFAULT_SEED
from samebits.sim.simulation import Simulation
from samebits.sim.sources import InputSource, PlayerSource, ReplaySource


@overload
def diagnose(simulation: Report, replay: Report, /, *, progress: Progress = ...) -> Diagnosis: ...
@overload
def diagnose(
    simulation: Simulation,
    replay: str | os.PathLike[str] | Report | None = None,
    /,
    *,
    a: str | None = None,
    b: str | Report | os.PathLike[str] | None = None,
    states: Mapping[int, str | os.PathLike[str]] | None = None,
    frames: int | None = None,
    players: str | None = None,
    seed: int | None = None,
    progress: Progress = ...,
) -> Diagnosis: ...
@folding
@keeps_flags
def diagnose(
    simulation: Simulation | Report,
    replay: str | os.PathLike[str] | Report | None = None,
    /,
    *,
    a: str | None = None,
    b: str | Report | os.PathLike[str] | None = None,
    states: Mapping[int, str | os.PathLike[str]] | None = None,
    frames: int | None = None,
    players: str | None = None,
    seed: int | None = None,
    progress: Progress = silent,
) -> Diagnosis:
    """Find the first frame, field, operation and cause in which two runs differ.

    `diagnose(simulation, replay, b="mode=FAST")` compares two ways to run a simulation here, over a
    replay's inputs; without a replay, over `frames` frames (600) of `players`, a script of the
    simulation or "random", from `seed` (1). `a` and `b` are the words of `samebits diagnose
    --list-sides`, such as "evaluate" or "x86-64-v1-O0"; `a` is this machine's best target if left
    out. `diagnose(simulation, replay, b=report)` compares a run here with a desync report of
    another machine, `diagnose(report, report)` two reports, and `diagnose(simulation, report,
    b=report)` two with the source beside them. `b=Path("theirs.txt")` compares
    with a file of any kind that the command takes: a report, a second replay, a golden file, a list
    of hashes. `states={120: "dump.bin"}`, beside it or instead, are the other machine's states
    after frames, -1 being `init`: a C struct's bytes, canonical bytes, JSON or CSV.

    `progress(what, done, total)` is called meanwhile. The result's `same` says whether the runs
    agree; its `frame`, `fields`, `operation` and `causes` say where and why they don't.

    Raises ArgumentError for arguments that don't go together, SideError for words that mean
    nothing, ReplayError and ReportError for files that are damaged or of another simulation,
    CompileError, and RunnerError where a target cannot run here.
    """
    if isinstance(simulation, Report):
        _refuse("two reports are compared as they are", a=a, b=b, states=states, frames=frames,
                players=players, seed=seed)  # fmt: skip
        if not isinstance(replay, Report):
            raise ArgumentError(
                f"a report is compared with a report, not with {_kind(replay)}",
                fix="diagnose(ours, theirs), or diagnose(simulation, replay, b=theirs)",
            )
        with _stoppable(progress) as show:
            return diagnose_reports(simulation, replay, show)
    _require_simulation(simulation, "diagnose(game, replay, b=...)")
    if isinstance(replay, Report):
        return _two_reports(simulation, replay, a, b, progress, states=states, frames=frames,
                            players=players, seed=seed)  # fmt: skip
    if b is None and states is None:
        raise ArgumentError(
            "side b is not given",
            fix='give b="mode=FAST", b="x86-64-v1-O0", b=report or b=Path("theirs.txt")',
        )
    source = _source(simulation, replay, frames, players, seed)
    ours = _side(simulation, "a", a)
    if b is None or isinstance(b, Report | os.PathLike):
        if replay is None:
            raise ArgumentError(
                "a report is compared with a run of its replay", fix="name the replay"
            )
        theirs = _evidence(b, _dumps(states, simulation), ours, source)
        with _stoppable(progress) as show:
            return diagnose_report(source, ours, theirs, show)
    _refuse("b runs here", states=states)
    _refuse_file(b)
    with _stoppable(progress) as show:
        other = _side(simulation, "b", b, any_state=True)
        return diagnose_runs(simulation, source, ours, other, show)


@folding
@keeps_flags
def make_report(
    simulation: Simulation,
    replay: str | os.PathLike[str],
    frames: range | int | None = None,
    *,
    trace: int | None = None,
    side: str | None = None,
    progress: Progress = silent,
) -> Report:
    """Run a replay here and return what another machine needs to diagnose a difference from it.

    `frames` are those to report in detail, a range or one; None: the hashes of the whole run alone.
    `trace` is the frame among them of which every operation is recorded. `side` is what `samebits
    diagnose --list-sides` lists; None is this machine's best target. `sb.write_report` writes the
    result to a file.

    Raises ReportError where the frames are not there or too many, and what `diagnose` raises.
    """
    _require_simulation(simulation, "make_report(game, replay, range(120, 130))")
    traced = None if trace is None else _whole("trace", trace, 0)
    asked = _asked(frames if frames is not None or traced is None else traced)
    if asked is not None and (asked.step != 1 or not asked or asked.start < 0):
        raise ReportError(f"{asked!r:.60} is no range of consecutive frames", fix="range(120, 130)")
    if traced is not None and asked is not None and traced not in asked:
        raise ReportError(f"frame {traced} is not among {asked}", fix=f"trace={asked.start}")
    source = ReplaySource(simulation, _path(replay))
    total = source.frames if asked is None else min(asked.stop, source.frames)
    with _stoppable(progress) as show:
        return record_report(
            _side(simulation, "side", side), source, ReportRequest(asked, traced),
            lambda what, done: show(what, done, total),
        )  # fmt: skip


class _StoppedError(BaseException):
    """An exception of the progress callback, which no step of a diagnosis takes for its own."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error


@contextmanager
def _stoppable(progress: Any) -> Generator[Progress]:
    """`progress`, whose exceptions leave the block as they are."""
    if not callable(progress):
        raise ArgumentError(
            f"progress is {_kind(progress)}, not a function",
            fix="give one of (what, done, total), or leave it out",
        )

    def show(what: str, done: int, total: int) -> None:
        try:
            progress(what, done, total)
        except Exception as error:  # an interrupt passes every step as it is
            raise _StoppedError(error) from None

    try:
        yield show
    except _StoppedError as stopped:
        raise stopped.error from None


def _whole(name: str, value: Any, least: int) -> int:
    """A count or a frame's number. Raises ArgumentError for anything else."""
    try:
        number = index(value)
    except TypeError:
        number = -1
    if isinstance(value, bool) or not least <= number <= MOST_FRAMES:
        raise ArgumentError(
            f"{name}={value!r:.40} is no whole number from {least} to {MOST_FRAMES:,}",
            fix=f"give {name} as an int",
        )
    return number


def _asked(frames: Any) -> range | None:
    if frames is None or isinstance(frames, range):
        return frames
    first = _whole("frames", frames, 0)
    return range(first, first + 1)


def _path(replay: Any) -> str:
    if not isinstance(replay, str | os.PathLike) or not isinstance(os.fspath(replay), str):
        raise ArgumentError(
            f"the replay is {_kind(replay)}, not a path", fix='give its path, such as "duel.mcap"'
        )
    return os.fspath(replay)


def _require_simulation(value: Any, fix: str) -> None:
    if not isinstance(value, Simulation):
        raise ArgumentError(f"the first argument is {_kind(value)}, not a Simulation", fix=fix)


def _two_reports(
    simulation: Simulation, ours: Report, a: Any, b: Any, progress: Progress, **others: Any
) -> Diagnosis:
    """Two reports with the source beside them."""
    if not isinstance(b, Report):
        raise ArgumentError(
            "a report stands where the replay does",
            fix="diagnose(simulation, replay, b=report), or diagnose(simulation, ours, b=theirs)",
        )
    _refuse("two reports have their own inputs and seed", **others)
    with _stoppable(progress) as show:
        return diagnose_reports_here(_side(simulation, "a", a), ours, b, show)


def _evidence(
    b: Report | os.PathLike[str] | None, dumps: Sequence[Dump], side: Side, source: InputSource
) -> Report:
    """What another machine tells: a report or a file, and state dumps besides."""
    report = b if isinstance(b, Report) else None
    if isinstance(b, os.PathLike):
        path = _path(b)
        report = kind_of(path).read(path, side.header(source.seed))
    if report is not None and not dumps:
        return report
    return with_dumps(report, dumps, side, source)


def _dumps(states: Any, simulation: Simulation) -> list[Dump]:
    if states is None:
        return []
    if not isinstance(states, Mapping) or not states:
        raise ArgumentError(
            f"states is {_kind(states)}, not a dict of paths by frame",
            fix='give states={120: "dump.bin"}',
        )
    pairs = cast("Mapping[Any, Any]", states).items()
    return [
        dump
        for frame, path in pairs
        for dump in dumps_of(_path(path), _whole("a frame of states", frame, -1), simulation)
    ]


def _refuse_file(words: Any) -> None:
    """Raise ArgumentError for the name of a file as the words of a side."""
    if isinstance(words, str) and os.path.isfile(words):
        raise ArgumentError(f"b is the name of a file, {words!r}", fix=f"give b=Path({words!r})")


def _side(simulation: Simulation, name: str, words: Any, any_state: bool = False) -> Side:
    if words is not None and not isinstance(words, str):
        raise ArgumentError(
            f"{name} is {_kind(words)}, not text",
            fix="give the file as b: a is what runs here"
            if isinstance(words, os.PathLike)
            else f'give words, such as {name}="mode=FAST"',
        )
    return parse_side(default_words() if words is None else words, simulation, any_state)


def _source(
    simulation: Simulation,
    replay: str | os.PathLike[str] | None,
    frames: int | None,
    players: str | None,
    seed: int | None,
) -> InputSource:
    frames = None if frames is None else _whole("frames", frames, 1)
    if replay is None:
        return PlayerSource(
            simulation, players, DEFAULT_SEED if seed is None else seed, frames or DEFAULT_FRAMES
        )
    _refuse("a replay has its own inputs and seed", players=players, seed=seed)
    return ReplaySource(simulation, _path(replay), frames)


def _refuse(why: str, **given: Any) -> None:
    """Raise ArgumentError for arguments that don't go with the others."""
    for name, value in given.items():
        if value is not None:
            raise ArgumentError(f"{name}= does not go with this: {why}", fix=f"leave out {name}=")


def _kind(value: Any) -> str:
    name = type(value).__name__
    return "None" if value is None else f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"
