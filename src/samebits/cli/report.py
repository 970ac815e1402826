"""`samebits report`: writes a desync report, or shows one to the person asked to mail it."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from shlex import join, quote

from samebits.cli.exit_status import BAD, DIFFERS, SAME
from samebits.cli.named import named_simulation
from samebits.cli.printing import JSON_FORMAT, progress_bars
from samebits.desync.reader import is_report, read_report
from samebits.desync.record import ReportRequest, record_report
from samebits.desync.report import Report
from samebits.desync.summary import NOT_FAITHFUL, disclosure_json, disclosure_text, summary
from samebits.desync.writer import write_report
from samebits.diagnosis.frame import departing
from samebits.diagnosis.frame.recorded import recorded_in
from samebits.diagnosis.report.findings import RecordedFact
from samebits.errors import ReportError
from samebits.foreign.records import read_record
from samebits.foreign.report import report_of_run
from samebits.output import os_reason, remedy, write_error
from samebits.sides.side import Side, parse_side
from samebits.sides.words import default_words
from samebits.sim.sources import ReplaySource

SUFFIX = ".desync"
_FRAMES = re.compile(r"([0-9]{1,9})(?::([0-9]{1,9}))?")
_EXAMPLE = "samebits report game.py duel.mcap --frames 120:130"


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """The command's options as they were typed."""

    sim: str | None
    replay: str | None
    frames: str | None
    trace: int | None
    out: str | None
    side: str | None
    force: bool
    show: str | None
    json: bool
    record: str | None = None
    """What `--from` names."""


def run(options: ReportOptions) -> int:
    """Write a report, or show one; return the exit status."""
    if options.show is not None:
        return _show(options)
    if options.record is not None:
        return _of_record(options, options.record)
    if options.sim is None or options.replay is None:
        raise ReportError(
            "a simulation and a replay of it are needed",
            fix=f"write `{_EXAMPLE}`, or --show FILE to see what a report holds",
        )
    wanted = wanted_frames(options.frames, options.trace)
    simulation = named_simulation(options.sim)
    side = parse_side(options.side or default_words(), simulation)
    source = ReplaySource(simulation, options.replay)
    path = default_name(simulation.name, wanted) if options.out is None else options.out
    _check_place(Path(path), options.replay, options.force, "replay")
    last = source.frames if wanted.frames is None else wanted.frames.stop
    with progress_bars(min(last, source.frames)) as bars:
        report = record_report(side, source, wanted, bars.show)
    size = write_report(report, path, options.force)
    recorded = _beside_replay(report, source, side)
    if options.json:
        facts = {**disclosure_json(report, path, size), "recorded": recorded and asdict(recorded)}
        print(json.dumps({"format": JSON_FORMAT, **facts}, indent=2))
    else:
        told = _Told(report, path, size, source, recorded, options)
        print("\n".join(told.lines()))
    if source.damage:
        sys.stderr.write(f"{options.replay} is {source.damage}\n")
    if recorded is not None and recorded.departure is not None:
        return DIFFERS
    return BAD if source.damage else SAME


def _beside_replay(report: Report, source: ReplaySource, side: Side) -> RecordedFact | None:
    """The report's run compared with the hashes and keyframes of the replay."""
    recorded = recorded_in(source, report.contents.begun)
    if recorded is None:
        return None
    recorded.see(0, report.hashes.values)
    if report.contents.trap is not None:
        recorded.see_trap(report.contents.trap.message)
    return recorded.fact(side)


def wanted_frames(frames: str | None, trace: int | None) -> ReportRequest:
    """The frames of `--frames` and `--trace`. Raises ReportError."""
    if frames is None:
        return ReportRequest(None if trace is None else range(trace, trace + 1), trace)
    match = _FRAMES.fullmatch(frames)
    first = int(match[1]) if match else 0
    stop = int(match[2]) if match and match[2] else first + 1
    if match is None or stop <= first:
        raise ReportError(
            f"--frames {frames!a:.60} is not a frame or a range of frames",
            fix="write --frames 124 for one, or --frames 120:130 for frames 120 to 129",
        )
    if trace is not None and trace not in range(first, stop):
        raise ReportError(
            f"--trace {trace} is not among the frames that --frames {frames} names",
            fix=f"write --trace {first}, or frames that hold {trace}",
        )
    return ReportRequest(range(first, stop), trace)


def default_name(name: str, wanted: ReportRequest) -> str:
    """A file name made of the simulation's and frames."""
    plain = re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-") or "simulation"
    frames = wanted.frames
    if frames is None:
        return f"{plain}{SUFFIX}"
    if len(frames) == 1:
        return f"{plain}-{frames.start}{SUFFIX}"
    return f"{plain}-{frames.start}-{frames.stop - 1}{SUFFIX}"


def _check_place(path: Path, source: str, force: bool, what: str) -> None:
    """Raise ReportError before a long run if its report could not be written."""
    if path.is_dir():
        raise ReportError(f"{path} is a folder", fix="name a file in it with -o")
    folder = path.parent
    if not folder.is_dir():
        above = next((each for each in (folder, *folder.parents) if os.path.lexists(each)), folder)
        if above.exists() and not above.is_dir():
            raise ReportError(
                f"{above} is a file, not a folder", fix="give another name, in a folder"
            )
        raise ReportError(f"there is no folder {folder}", fix="make it, or give another name")
    if path.exists() and path.samefile(source):
        raise ReportError(f"{path} is the {what}", fix="give the report another name with -o")
    if path.exists() and path.stat().st_size and not is_report(str(path)):
        raise ReportError(
            f"{path} exists already and is not a report", fix="give another name with -o"
        )
    if path.exists() and not force:
        raise ReportError(
            f"{path} exists already", fix="give another name with -o, or --force to replace it"
        )
    against = write_error(path)
    if against is not None:
        raise ReportError(
            f"cannot write {path}: {os_reason(against)}", fix=f"{remedy(against)}, with -o"
        )


@dataclass(frozen=True, eq=False)
class _Told:
    """What is said of a written report: whether the run is the recorded one, what to do, more."""

    report: Report
    path: str
    size: int
    source: ReplaySource
    recorded: RecordedFact | None
    options: ReportOptions

    def lines(self) -> Iterator[str]:
        answer, *details = self._beside_replay()
        yield answer
        yield f"next: {self._to_do()}"
        yield ""
        if details:
            yield from details
            yield ""
        yield from self._written()
        if self._departs or self.source.damage:
            yield f"compare elsewhere: {self._compare}"

    @property
    def _departs(self) -> bool:
        return self.recorded is not None and self.recorded.departure is not None

    @property
    def _compare(self) -> str:
        words = self.options.sim, self.options.replay, self.path
        return f"samebits diagnose {join(map(str, words))}"

    def _beside_replay(self) -> list[str]:
        replay, whole = self.options.replay, self.report.contents.begun
        if self.recorded is None:
            return [f"not compared: {replay} holds neither hashes nor keyframes"]
        if self._departs:
            return list(departing.lines(self.recorded, "the run departs"))
        until = f" up to frame {whole - 1:,}, where {replay} is damaged" * bool(self.source.damage)
        notes = departing.lines(self.recorded, "the run departs")
        return [f"as recorded{until}: {departing.agreement(self.recorded)}", *notes]

    def _to_do(self) -> str:
        options = self.options
        if self._departs:
            side = ("--a", options.side) if options.side else ()
            words = join(map(str, (options.sim, options.replay, *side)))
            return f"find out why: samebits diagnose {words}"
        if self.source.damage:
            return f"copy {options.replay} again from where it was recorded"
        return f"compare elsewhere: {self._compare}"

    def _written(self) -> Iterator[str]:
        report, about, asked = self.report, self.report.header, self.report.asked
        last = f" to {asked.stop - 1:,}" if len(asked) > 1 else ""
        frames = f"hashes of {report.frames:,} frames"
        if asked:
            frames = f"frame{'s' * (len(asked) > 1)} {asked.start:,}{last} of {report.frames:,} run"
        yield (
            f"{self.path}: {about.simulation} {about.version}, seed {about.seed}, "
            f"{report.contents.side}, {frames}, {self.size:,} bytes"
        )
        trap = report.contents.trap
        if trap is not None:
            yield f"trap in frame {report.frames:,}: {trap.message}, at {trap.place}"
        if report.trace is not None and not report.trace_is_faithful:
            yield NOT_FAITHFUL
        yield f"everything it discloses: samebits report --show {quote(str(self.path))}"


def _of_record(options: ReportOptions, record: str) -> int:
    """Write a report of another program's record; return the exit status."""
    given = [name for name in ("sim", "replay", "trace", "side") if getattr(options, name)]
    if given:
        raise ReportError(
            f"--from does not go with {', '.join(given)}",
            note="a record of another program has neither a simulation of samebits nor operations",
            fix=f"write `samebits report --from {quote(record)} --frames 120:130`",
        )
    wanted = wanted_frames(options.frames, None)
    run = read_record(record)
    report = report_of_run(run, wanted.frames)
    path = default_name(run.name, wanted) if options.out is None else options.out
    _check_place(Path(path), record, options.force, "record")
    size = write_report(report, path, options.force)
    if options.json:
        print(json.dumps({"format": JSON_FORMAT, **disclosure_json(report, path, size)}, indent=2))
    else:
        states = f"{len(report.states):,} states" if len(report.states) != 1 else "one state"
        print(
            f"{path}: {run.name} {run.version}, {report.frames:,} frames, {states}, {size:,} bytes"
        )
        print(f"next: compare it: samebits diagnose {quote(str(path))} theirs.desync")
        print(f"everything it discloses: samebits report --show {quote(str(path))}")
    for line in report.remarks:
        sys.stderr.write(f"{line}\n")
    for line in report.damage:
        sys.stderr.write(f"{record} is damaged: {line}\n")
    return BAD if report.damage else SAME


def _show(options: ReportOptions) -> int:
    assert options.show is not None
    given = [name for name in ("sim", "frames", "trace", "out", "side") if getattr(options, name)]
    if given:
        raise ReportError(
            f"--show does not go with {', '.join(given)}",
            fix=f"write `samebits report --show {quote(options.show)}` alone",
        )
    report = read_report(options.show)
    size = Path(options.show).stat().st_size
    if options.json:
        facts = disclosure_json(report, options.show, size)
        print(json.dumps({"format": JSON_FORMAT, **facts}, indent=2))
    else:
        print("\n".join(disclosure_text(report, options.show, size)))
    for line in report.damage:
        sys.stderr.write(f"{options.show} is damaged: {line}\n")
    if report.damage:
        sys.stderr.write(f"{summary(report)}\n")
    return BAD if report.damage else SAME
