"""Results as tables on stdout or as JSON, and progress on stderr."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from samebits.cli.consoles import TextConsole, console
from samebits.errors import SamebitsError
from samebits.sim.outcome import RowReport, TrapFact
from samebits.sim.simulation import Simulation
from samebits.sim.sources import InputSource
from samebits.verify.differences import difference, place
from samebits.verify.verification import EMULATED_FRAMES, Verification

JSON_FORMAT = 2
_STYLES = {
    "same": "green",
    "differs": "bold red",
    "failed": "bold red",
    "not run": "dim",
    "not compared": "bold yellow",
}


@dataclass(eq=False)
class VerifiedRun:
    """One verification and what it verified."""

    source: InputSource
    verification: Verification
    players: str | None
    note: str | None
    interrupted: bool = False

    @property
    def reports(self) -> list[RowReport]:
        return [*self.verification.rows, *self.verification.recorded.values()]


@dataclass(frozen=True, eq=False)
class UnreadReplay:
    """A replay, of several, that could not be verified."""

    replay: str
    error: SamebitsError


class ProgressBars:
    """One progress bar for the whole, and one for each emulated row that runs."""

    def __init__(self, progress: Progress, frames: int) -> None:
        self._progress = progress
        self._frames = frames
        self._whole = progress.add_task("", total=frames)
        self._rows: dict[str, TaskID] = {}

    def show(self, what: str, done: int) -> None:
        self._progress.update(self._whole, description=what, completed=done)

    def show_row(self, name: str, done: int) -> None:
        if name not in self._rows:
            self._rows[name] = self._progress.add_task(f"  {name}", total=self._frames)
        self._progress.update(self._rows[name], completed=done)


@contextmanager
def progress_bars(frames: int) -> Generator[ProgressBars]:
    """Progress bars on stderr while the block runs, if that is a terminal."""
    console = TextConsole(stderr=True)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("frames"),
        TimeRemainingColumn(),
    )
    off = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=off) as progress:
        yield ProgressBars(progress, frames)


def print_runs(
    simulation: Simulation,
    runs: Sequence[VerifiedRun],
    as_json: bool,
    unread: Sequence[UnreadReplay] = (),
) -> None:
    """Print each run as a table with its differences, or all as one JSON object, which also lists
    the unread replays."""
    if as_json:
        print(json.dumps(runs_json(simulation, runs, unread), indent=2))
        return
    out = console()
    for run in runs:
        _print_run(out, simulation, run)


def runs_json(
    simulation: Simulation, runs: Sequence[VerifiedRun], unread: Sequence[UnreadReplay] = ()
) -> dict[str, Any]:
    """The runs for programs. Hashes are 16 hexadecimal digits, frames count from 0."""
    return {
        "format": JSON_FORMAT,
        "simulation": {
            "name": simulation.name,
            "version": simulation.version,
            "digest": simulation.digest,
        },
        "result": _overall(runs, unread),
        "runs": [
            {
                "replay": run.source.replay,
                "players": run.players,
                "seed": run.source.seed,
                "frames": run.verification.frames,
                "result": _result(run),
                "interrupted": run.interrupted,
                "damage": run.source.damage,
                "note": run.note,
                "traps": [
                    {**_trap_json(rows[0]), "targets": [row.name for row in rows]}
                    for rows in _trapped(run)
                ],
                "targets": _rows_json(run, run.verification.rows),
                "compared": _rows_json(run, run.verification.recorded.values()),
            }
            for run in runs
        ],
        "errors": [{"replay": each.replay, "error": str(each.error)} for each in unread],
    }


_WORST = ("differs", "failed", "error", "not compared", "not run", "damaged")


def _overall(runs: Sequence[VerifiedRun], unread: Sequence[UnreadReplay]) -> str:
    results = [*(_result(run) for run in runs), *("error" for _ in unread)]
    return next((r for r in _WORST if r in results), "same")


def _result(run: VerifiedRun) -> str:
    """The verification's result; `damaged` if it is the same up to the damage of a replay."""
    result = run.verification.result
    return "damaged" if result == "same" and run.source.damage else result


def _rows_json(run: VerifiedRun, rows: Iterable[RowReport]) -> list[dict[str, Any]]:
    shown = dict(zip([row.name for row in run.reports], shown_results(run.reports), strict=True))
    return [_row_json(row, shown[row.name]) for row in rows]


def _row_json(row: RowReport, result: str) -> dict[str, Any]:
    rate = row.frames_per_second
    return {
        "name": row.name,
        "result": result,
        "reason": row.reason,
        "failure": row.failure,
        "frames": row.frames,
        "compared": row.compared,
        "prefix": row.prefix,
        "final_hash": None if row.final_hash is None else f"{row.final_hash:016x}",
        "trap": None if row.trap is None else _trap_json(row),
        "first_difference": None if row.divergence is None else asdict(row.divergence),
        "frames_per_second": None if rate is None else round(rate, 1),
    }


def _trap_json(row: RowReport) -> dict[str, Any]:
    assert row.trap is not None
    return {"frame": row.trap_frame, **asdict(row.trap)}


def _trapped(run: VerifiedRun) -> list[list[RowReport]]:
    """The rows that a trap ended, those together that the same one ended in the same frame."""
    found: dict[tuple[int | None, TrapFact], list[RowReport]] = {}
    for row in run.verification.rows:
        if row.trap is not None:
            found.setdefault((row.trap_frame, row.trap), []).append(row)
    return list(found.values())


def columns_table(*columns: str) -> Table:
    """A table without lines; frames and rates stand to the right."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        right = column in ("frames", "frames/s")
        table.add_column(
            column, justify="right" if right else "left", no_wrap=column in ("target", "final hash")
        )
    return table


def _print_run(console: Console, simulation: Simulation, run: VerifiedRun) -> None:
    what = run.source.replay or f"players {run.players}"
    title = f"{simulation.name} {simulation.version}, {what}, seed {run.source.seed}"
    console.print(Text(title, "bold"), soft_wrap=True)
    table = columns_table(
        "target", "frames", "final hash", "result", "first difference", "frames/s"
    )
    for row, shown in zip(run.reports, shown_results(run.reports), strict=True):
        rate = row.frames_per_second
        table.add_row(
            row.name,
            f"{row.frames:,}" + (f" of {run.source.frames:,}" if row.prefix else ""),
            "" if row.final_hash is None else f"{row.final_hash:016x}",
            Text(shown, _STYLES[row.result]),
            _remark(row),
            "" if rate is None else f"{rate:,.0f}",
        )
    console.print(table)
    for line in _details(run):
        console.print(line, soft_wrap=True, markup=False)
    console.print()


def shown_results(rows: Sequence[RowReport]) -> list[str]:
    """What is said of each row: those that a trap ended are the `same trap`, or a `trap` if another
    row differs from them."""
    trapped = {row.name for row in rows if row.result == "same" and row.trap is not None}
    disputed = any(row.divergence and row.divergence.reference in trapped for row in rows)
    shown = "trap" if disputed else "same trap"
    return [shown if row.name in trapped else row.result for row in rows]


def _remark(row: RowReport) -> str:
    if row.divergence is not None:
        return place(row.divergence)
    return row.failure or row.reason or ""


def _details(run: VerifiedRun) -> Iterator[str]:
    for row in run.reports:
        if row.divergence is not None:
            yield from difference(row)
    traps = _trapped(run)
    for rows in traps:
        trap, frame = rows[0].trap, rows[0].trap_frame
        assert trap is not None
        assert frame is not None
        where = "init" if frame < 0 else f"frame {frame:,}"
        of = f" of {', '.join(row.name for row in rows)}" if len(traps) > 1 else ""
        yield f"trap in {where}{of}: {trap.said or trap.message}, at {trap.place}"
    if any(row.prefix for row in run.verification.rows):
        yield (
            "managed, evaluate and emulated targets stop early in a long run, emulated ones after "
            f"{EMULATED_FRAMES:,} frames at most; --frames all lets them finish"
        )
    for row in run.verification.rows:
        if row.compared < row.frames and row.result != "not compared":
            yield f"{row.name}: {row.compared:,} of its {row.frames:,} frames were compared"
    frames = run.verification.frames
    for row in run.verification.recorded.values():
        if 0 < row.frames < frames and row.divergence is None:
            yield f"{row.name}: hashes of {row.frames:,} of these {frames:,} frames"
    if run.verification.result == "not compared" and not run.interrupted:
        yield (
            "a target that is not compared had nothing to compare with: name another target too, "
            "or a replay or golden file with hashes of these frames"
        )
    if run.note:
        yield f"note: {run.note}"
    if run.source.damage:
        yield f"{run.source.replay} is {run.source.damage}"
