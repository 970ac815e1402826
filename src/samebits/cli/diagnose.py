"""`samebits diagnose`: what is compared with what, from the command line, and the result."""

from __future__ import annotations

import json
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from samebits.cli import DIFFERS, SAME
from samebits.cli.diagnosis import print_diagnosis
from samebits.diagnose.desync.read import read_report
from samebits.diagnose.desync.report import Report
from samebits.diagnose.finding import Diagnosis
from samebits.diagnose.page import page
from samebits.diagnose.reported import diagnose_report, diagnose_reports
from samebits.diagnose.search import Progress as Show
from samebits.diagnose.search import diagnose
from samebits.diagnose.sides import Side, parse_side
from samebits.errors import ReportError, SideError, SimulationError
from samebits.sim.load import load_simulation
from samebits.sim.simulation import Simulation
from samebits.sim.sources import PlayerSource, ReplaySource, Source

DEFAULT_FRAMES = 600
DEFAULT_SEED = 1
JSON_FORMAT = 1
REPORT_SUFFIX = ".desync"
_EXAMPLES = (
    "write `samebits diagnose game.py duel.mcap --b mode=FAST`, `samebits diagnose game.py "
    "duel.mcap theirs.desync` or `samebits diagnose ours.desync theirs.desync`"
)


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line said."""

    what: tuple[str, ...]
    a: str | None
    b: str | None
    frames: int | None
    players: str | None
    seed: int | None
    json: bool
    html: str | None


def run(options: Options) -> int:
    """Compare and print; the exit status."""
    _check_page(options.html)
    with _progress() as show:
        diagnosis = _diagnosed(options, show)
    if options.html is not None:
        Path(options.html).write_text(page(diagnosis), "utf-8")
    if options.json:
        print(json.dumps({"format": JSON_FORMAT, **diagnosis.to_json()}, indent=1))
    else:
        print_diagnosis(diagnosis)
    return SAME if diagnosis.same else DIFFERS


def _diagnosed(options: Options, show: Show) -> Diagnosis:
    reports = [read_report(path) for path in options.what if path.endswith(REPORT_SUFFIX)]
    others = [path for path in options.what if not path.endswith(REPORT_SUFFIX)]
    for report in reports:
        _tell_damage(report)
    match len(reports), others:
        case 2, []:
            _refuse(options, "two reports are compared as they are", "a", "b", "frames", "seed")
            return diagnose_reports(reports[0], reports[1], show)
        case 1, [sim, replay]:
            _refuse(options, "b is the report", "b", "players", "seed")
            simulation = load_simulation(sim)
            source = ReplaySource(simulation, replay, options.frames)
            return diagnose_report(source, _side(options.a, simulation), reports[0], show)
        case 0, [sim, *replays] if len(replays) < 2:
            simulation = load_simulation(sim)
            if options.a is None and options.b is None:
                raise SideError(
                    "nothing says what the other way to run it is",
                    fix="give --b, as in --b x86-64-v1-O0, --b mode=FAST or "
                    "--b hazard=fma@game.py:120",
                )
            source = _source(options, simulation, replays)
            a, b = (_side(text, simulation) for text in (options.a, options.b))
            return diagnose(simulation, source, a, b, show)
        case _:
            given = f"{len(others)} other names and {len(reports)} reports"
            raise ReportError(f"it is not clear what to compare: {given}", fix=_EXAMPLES)


def _side(text: str | None, simulation: Simulation) -> Side:
    return parse_side(text or "", simulation)


def _source(options: Options, simulation: Simulation, replays: list[str]) -> Source:
    if replays:
        _refuse(options, "a replay has its own inputs and seed", "players", "seed")
        return ReplaySource(simulation, replays[0], options.frames)
    seed = DEFAULT_SEED if options.seed is None else options.seed
    return PlayerSource(simulation, options.players, seed, options.frames or DEFAULT_FRAMES)


def _refuse(options: Options, why: str, *names: str) -> None:
    """Raise SideError for options that do not go with what is compared."""
    for name in names:
        if getattr(options, name) is not None:
            raise SideError(f"--{name} does not go with this: {why}", fix=f"leave out --{name}")


def _tell_damage(report: Report) -> None:
    for line in report.damage:
        sys.stderr.write(f"{report.name}: {line}\n")


def _check_page(path: str | None) -> None:
    """Say before the work, not after it, that a page has nowhere to go."""
    if path is not None and not Path(path).absolute().parent.is_dir():
        raise SimulationError(
            f"--html {path}: there is no folder {Path(path).parent}", fix="make it first"
        )


@contextmanager
def _progress() -> Generator[Show]:
    """What is being narrowed, on stderr while the block runs, if that is a terminal."""
    console = Console(file=sys.stderr)
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    off = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=off) as bar:
        task = bar.add_task("", total=1)

        def show(what: str, done: int, total: int) -> None:
            bar.update(task, description=what, completed=done, total=max(total, 1))

        yield show
