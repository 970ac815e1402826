"""`samebits diagnose`: from the command line to a comparison, from a diagnosis to its output."""

from __future__ import annotations

import filecmp
import json
import os
import sys
import textwrap
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from shlex import join, quote

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from samebits.cli.consoles import WIDTH, TextConsole, console
from samebits.cli.exit_status import BAD, DIFFERS, SAME
from samebits.cli.named import named_simulation, warn_fewer_frames
from samebits.cli.pages import check_page, write_page
from samebits.cli.printing import JSON_FORMAT
from samebits.desync.evidence.dump_files import read_dumps
from samebits.desync.evidence.kinds import REPORT, REPORT_SUFFIX, is_replay, kind_of
from samebits.desync.of_replay import report_of_replay
from samebits.desync.reader import is_report, read_report
from samebits.desync.report import Report
from samebits.desync.summary import summary
from samebits.diagnosis.before.dumped import with_dumps
from samebits.diagnosis.driver import (
    diagnose,
    diagnose_report,
    diagnose_reports,
    diagnose_reports_here,
)
from samebits.diagnosis.frame.search import Progress as Show
from samebits.diagnosis.report.findings import Diagnosis
from samebits.diagnosis.report.html import page
from samebits.diagnosis.report.text import as_lines
from samebits.diagnosis.report.wording import answer, to_do
from samebits.errors import ReportError, SamebitsError, SideError
from samebits.foreign.format import SUFFIX as RECORD_SUFFIX
from samebits.foreign.pair import reports_of
from samebits.foreign.records import is_record, read_record
from samebits.hazards.catalogue import EXPRESSION_HAZARDS, PROGRAM_HAZARDS
from samebits.ir.analysis.budget import Budget
from samebits.sides.side import Side, parse_side
from samebits.sides.words import default_words, described_words
from samebits.sim.players import DEFAULT_FRAMES, DEFAULT_SEED
from samebits.sim.simulation import Simulation
from samebits.sim.sources import InputSource, PlayerSource, ReplaySource

_HAZARDS = [(each.name, each.title) for each in (*EXPRESSION_HAZARDS, *PROGRAM_HAZARDS)]
_TITLES = tuple(title for _, title in _HAZARDS)
_EXAMPLES = (
    "write `samebits diagnose game.py duel.mcap --b mode=FAST`, `samebits diagnose game.py "
    "duel.mcap theirs.mcap`, `samebits diagnose game.py duel.mcap theirs.desync`, `samebits "
    "diagnose game.py duel.mcap theirs.txt` or `samebits diagnose ours.desync theirs.desync`"
)


@dataclass(frozen=True, slots=True)
class DiagnoseOptions:
    """The command's options as they were typed."""

    what: tuple[str, ...]
    a: str | None
    b: str | None
    frames: int | None
    players: str | None
    seed: int | None
    json: bool
    html: str | None
    list_sides: bool = False
    budget: int | None = None
    edits: bool = False
    seconds: float | None = None
    """Of the processor, for trying builds against hashes alone; None for the default."""
    state: tuple[str, ...] | None = None
    """State dumps, each `FRAME=FILE`, or a file that says its frame itself."""
    foreign: str | None = None
    """The sim.toml of a program of another language."""


def run(options: DiagnoseOptions) -> int:
    """Compare and print; return the exit status."""
    if options.list_sides:
        print("\n".join(_sides()))
        return SAME
    try:
        return _compared(options)
    except SamebitsError as error:
        if options.json:
            told = {"message": error.message, "note": error.note, "fix": error.fix}
            print(json.dumps({"format": JSON_FORMAT, "same": False, "error": told}, indent=1))
        raise


def _compared(options: DiagnoseOptions) -> int:
    if options.html is not None:
        check_page(options.html)
    case = _comparison(options)
    for report in case.reports:
        _tell_damage(report)
    with _progress() as show:
        diagnosis = case.compare(show)
    case.tell(diagnosis)
    if options.json:
        said = {"answer": answer(diagnosis), "to_do": to_do(diagnosis)}
        print(json.dumps({"format": JSON_FORMAT, **said, **diagnosis.to_json()}, indent=1))
    else:
        out = console()
        for style, text in as_lines(diagnosis, options.edits):
            out.print(Text(text, style), soft_wrap=True)
    if options.html is not None:
        write_page(options.html, page(diagnosis))
    if diagnosis.differs:
        return DIFFERS
    return BAD if case.is_damaged or diagnosis.untried else SAME


@dataclass(frozen=True, eq=False)
class _Comparison:
    """A comparison to run, and its inputs."""

    compare: Callable[[Show], Diagnosis]
    reports: Sequence[Report] = ()
    source: InputSource | None = None
    sides: Sequence[Side] = ()
    is_one_report: bool = False
    """Whether both reports have the same bytes."""

    @property
    def is_damaged(self) -> bool:
        """Whether frames that were to be compared may be missing."""
        return any(r.damage for r in self.reports) or bool(self.source and self.source.damage)

    def tell(self, diagnosis: Diagnosis) -> None:
        """Print and note what the comparison itself cannot know."""
        if self.source is not None and self.source.damage:
            sys.stderr.write(f"{self.source.replay} is {self.source.damage}\n")
        if diagnosis.same:
            diagnosis.notes += list(self._why_same(diagnosis))
        for name, start in self._starts():
            if diagnosis.same and start >= diagnosis.frames:
                diagnosis.untried = f"side {name} changes from frame {start:,} on, after the last"

    def _starts(self) -> Iterator[tuple[str, int]]:
        """The sides that change from some frame on, by name."""
        for name, side in zip("ab", self.sides, strict=False):
            if side.spec.start is not None:
                yield name, side.spec.start

    def _why_same(self, diagnosis: Diagnosis) -> Iterator[str]:
        """Reasons why a comparison may find no difference."""
        specs = [vars(side.spec) for side in self.sides]
        if len(specs) == 2 and specs[0] == specs[1]:
            yield "a and b run it the same way: only nondeterminism could make a difference"
        if self.is_one_report:
            yield "a and b are the same report: there can be no difference"
        if self.source is None or self.source.damage or diagnosis.notes:
            return
        if diagnosis.frames < self.source.frames:
            yield (
                f"the same trap ends both runs there, before all {self.source.frames:,} frames "
                "were compared"
            )


def _comparison(options: DiagnoseOptions) -> _Comparison:
    """The comparison that the options name. Raises SideError, ReportError, errors of loading."""
    if options.foreign is not None:
        return _of_program(options, options.foreign)
    named = [(path, _is_evidence(path)) for path in options.what]
    reports = [path for path, is_one in named if is_one]
    others = [path for path, is_one in named if not is_one]
    match len(reports), others:
        case 2, []:
            _refuse(options, "two reports are compared as they are", "a", "b", "frames", "players",
                    "seed", "seconds", "state")  # fmt: skip
            a, b = _read_two(options, reports)
            twice = filecmp.cmp(*reports, shallow=False)
            return _Comparison(
                lambda show: diagnose_reports(a, b, show), (a, b), is_one_report=twice
            )
        case 2, [sim]:
            _refuse(options, "two reports have their own inputs and seed", "b", "frames", "players",
                    "seed", "seconds", "state")  # fmt: skip
            simulation = named_simulation(sim)
            side = _side(options, "a", simulation)
            ours, theirs = _read_two(options, reports)
            twice = filecmp.cmp(*reports, shallow=False)
            return _Comparison(
                lambda show: diagnose_reports_here(side, ours, theirs, show), (ours, theirs),
                is_one_report=twice,
            )  # fmt: skip
        case 1, [sim, replay]:
            return _beside_evidence(options, sim, replay, reports[0])
        case 0, [sim, replay, other]:
            _check_order(sim, replay, other)
            return _beside_evidence(options, sim, replay, other)
        case 0, [sim, replay] if options.state:
            return _beside_evidence(options, sim, replay, None)
        case 0, [sim, *replays] if len(replays) < 2:
            if options.b is None:
                _check_is_replay(sim, replays)
            _refuse(options, "it limits the work of programs in reports", "budget")
            _refuse(options, "name the replay that the dump is of", "state")
            simulation = named_simulation(sim)
            if options.a is None and options.b is None:
                return _with_itself(options, simulation, replays)
            _refuse(options, "both sides run here, operation by operation", "seconds")
            one, other = (_side(options, letter, simulation, any_state=True) for letter in "ab")
            played = _source(options, simulation, replays)
            return _Comparison(
                lambda show: diagnose(simulation, played, one, other, show), (), played,
                (one, other),
            )  # fmt: skip
        case 1, [sim]:
            report = quote(reports[0])
            raise ReportError(
                f"{reports[0]} is a report, and {sim} alone is not enough to compare it with",
                fix=f"write `samebits diagnose SIM REPLAY {report}` with the replay that it is of, "
                f"or `samebits diagnose OURS {report}` with a report of this machine",
            )
        case 0, []:
            raise ReportError("there is nothing to compare", fix=_EXAMPLES)
        case 0, [sim, replay, *evidence] if len(evidence) > 1:
            raise ReportError(
                f"{_count(len(evidence), 'piece')} of evidence at once: {', '.join(evidence)}",
                fix="compare with one at a time: "
                f"`samebits diagnose {join((sim, replay, evidence[0]))}`",
            )
        case _:
            raise ReportError(
                f"it is not clear what to compare: {_count(len(reports), 'report')} and "
                f"{_count(len(others), 'other name')}",
                fix=_EXAMPLES,
            )


def _of_program(options: DiagnoseOptions, path: str) -> _Comparison:
    """Two sides of a program that is built and run here. Raises SideError."""
    why = "sim.toml says what is run, and how"
    _refuse(options, why, "frames", "players", "seed", "seconds", "state", "budget")
    if options.what:
        raise SideError(
            f"--foreign does not go with {options.what[0]}: {why}",
            fix=f"leave out {options.what[0]}",
        )
    from samebits.cli.foreign.diagnose_programs import compared, described

    program, a, b = described(path, options.a, options.b)
    return _Comparison(lambda show: compared(program, a, b, show))


def _check_order(sim: str, replay: str, other: str) -> None:
    """Raise ReportError where names are in another order than the command's, or the last is a
    source."""
    if not is_replay(replay) and is_replay(other):
        raise ReportError(
            f"{other} is the replay, and stands behind {replay}",
            fix=f"write `samebits diagnose {join((sim, other, replay))}`",
        )
    if other.endswith(".py"):
        raise ReportError(
            f"{other} is a source, not what another machine tells",
            fix=f"write `samebits diagnose {join((sim, replay, '--b', f'source={other}'))}`",
        )


def _check_is_replay(sim: str, replays: list[str]) -> None:
    """Raise ReportError where a list or a golden file stands in the place of the replay."""
    for name in replays:
        if os.path.isfile(name) and not is_replay(name):
            raise ReportError(
                f"{name} is no replay",
                note="what another machine tells is compared with a run of a replay",
                fix="name the replay before it: "
                f"`samebits diagnose {quote(sim)} REPLAY {quote(name)}`",
            )


def _with_itself(
    options: DiagnoseOptions, simulation: Simulation, replays: list[str]
) -> _Comparison:
    """The comparison of a replay's run with the hashes and keyframes that it holds itself. Raises
    SideError where it holds none."""
    refused = SideError(
        "side b is not given",
        fix="give --b, as in --b x86-64-v1-O0, --b mode=FAST or "
        "--b hazard=fma@game.py:120; --list-sides lists all words",
    )
    if not replays:
        raise refused
    _refuse(options, "a replay has its own inputs and seed", "players", "seed")
    side = _side(options, "a", simulation)
    source = ReplaySource(simulation, replays[0], options.frames)
    recorded = report_of_replay(replays[0])
    if not recorded.hashes.known.any():
        refused.note = f"{replays[0]} holds no hashes to compare with"
        raise refused
    return _Comparison(
        lambda show: diagnose_report(source, side, recorded, show, options.seconds),
        (recorded,), source, (side,),
    )  # fmt: skip


def _beside_evidence(
    options: DiagnoseOptions, sim: str, replay: str, path: str | None
) -> _Comparison:
    """A run of a replay beside what another machine tells: a file, state dumps, or both."""
    kind = None if path is None else kind_of(path)
    _refuse(options, f"b is the {'state dump' if kind is None else kind.title}", "b", "players",
            "seed")  # fmt: skip
    if kind is not REPORT:
        _refuse(options, "it limits the work of programs in reports", "budget")
    simulation = named_simulation(sim)
    side = _side(options, "a", simulation)
    source = ReplaySource(simulation, replay, options.frames)
    report = None
    if kind is not None and path is not None:
        report = _budgeted(options, kind.read(path, side.header(source.seed)))
    if options.state:
        dumps = [dump for each in options.state for dump in read_dumps(each, simulation)]
        report = with_dumps(report, dumps, side, source)
    assert report is not None
    theirs = report
    return _Comparison(
        lambda show: diagnose_report(source, side, theirs, show, options.seconds),
        (theirs,), source, (side,),
    )  # fmt: skip


def _is_evidence(path: str) -> bool:
    """Whether a name is that of a report, or of a record of another program's run."""
    return path.endswith((REPORT_SUFFIX, RECORD_SUFFIX)) or is_report(path) or is_record(path)


def _read_two(options: DiagnoseOptions, paths: list[str]) -> tuple[Report, Report]:
    """Two reports, each perhaps of a record of another program's run."""
    one, other = (
        read_record(path)
        if is_record(path) or (path.endswith(RECORD_SUFFIX) and not is_report(path))
        else read_report(path)
        for path in paths
    )
    a, b = reports_of(one, other)
    return _budgeted(options, a), _budgeted(options, b)


def _budgeted(options: DiagnoseOptions, report: Report) -> Report:
    times = options.budget
    return report if times is None else replace(report, budget=Budget.wider(times))


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _side(
    options: DiagnoseOptions, letter: str, simulation: Simulation, any_state: bool = False
) -> Side:
    text: str | None = getattr(options, letter)
    if text is not None and not text.strip():
        raise SideError(
            f"--{letter} is empty",
            fix=f"leave it out for {default_words()}, or name another side",
        )
    return parse_side(text or default_words(), simulation, any_state)


def _source(options: DiagnoseOptions, simulation: Simulation, replays: list[str]) -> InputSource:
    if replays:
        _refuse(options, "a replay has its own inputs and seed", "players", "seed")
        source = ReplaySource(simulation, replays[0], options.frames)
        warn_fewer_frames(source.replay, source.frames, options.frames)
        return source
    seed = DEFAULT_SEED if options.seed is None else options.seed
    return PlayerSource(simulation, options.players, seed, options.frames or DEFAULT_FRAMES)


def _refuse(options: DiagnoseOptions, why: str, *names: str) -> None:
    """Raise SideError for options that do not go with this comparison."""
    for name in names:
        if getattr(options, name) is not None:
            raise SideError(f"--{name} does not go with this: {why}", fix=f"leave out --{name}")


def _sides() -> Iterator[str]:
    """The words of a side spec, and the hazards."""
    yield "a side is words separated by commas:"
    yield from _columns(described_words())
    yield ""
    yield "a hazard is injected everywhere or at a PLACE (game.py:131, game.py:131:20, a function):"
    yield from _columns(_HAZARDS)


def _columns(rows: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Two columns: names and their meanings."""
    width = max(len(name) for name, _ in rows) + 4
    for name, what in rows:
        first, *others = textwrap.wrap(what, WIDTH - width)
        yield f"  {name:<{width - 2}}{first}"
        yield from (f"{'':<{width}}{line}" for line in others)


def _tell_damage(report: Report) -> None:
    for line in report.damage:
        sys.stderr.write(f"{report.name} is damaged: {line}\n")
    if report.damage:
        sys.stderr.write(f"{summary(report)}\n")


def doing(what: str) -> str:
    """The progress text of a step; the step of an experiment is its hazard's title."""
    return f"trying {what}" if what.startswith(_TITLES) else what


@contextmanager
def _progress() -> Generator[Show]:
    """Show progress on stderr while the block runs, if that is a terminal."""
    console = TextConsole(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    off = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=off) as bar:
        task = bar.add_task("preparing both runs", total=None)

        def show(what: str, done: int, total: int) -> None:
            bar.update(task, description=doing(what), completed=done, total=total or None)

        yield show
