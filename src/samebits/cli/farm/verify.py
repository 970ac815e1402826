"""`samebits farm verify`: a corpus to rows, a table of them and an exit status."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from samebits.ci.project import read_project
from samebits.cli.consoles import TextConsole
from samebits.cli.exit_status import BAD, DIFFERS, SAME
from samebits.cli.farm.extra import require_farm
from samebits.cli.pages import check_page, write_page
from samebits.farm.errors import FarmError
from samebits.farm.limits import Limits
from samebits.farm.rows import Row
from samebits_command import ends_asked, interrupted


@dataclass(frozen=True)
class VerifyOptions:
    """The command's options as they were typed."""

    corpus: str
    simulations: tuple[str, ...]
    targets: tuple[str, ...] | None
    local: int | None
    scheduler: str | None
    store: str
    frames: int
    timeout: float
    memory: int
    retry: bool
    html: str | None
    json: bool


class _Bar:
    """One bar, with the rows a second so far and how many are not the same."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task = progress.add_task("", total=None, told="")
        self._bad = self._made = 0

    def step(self, what: str, done: int, total: int) -> None:
        self._progress.update(self._task, description=what, completed=done, total=total or None)

    def found(self, rows: Sequence[Row]) -> None:
        self._made += len(rows)
        self._bad += sum(row.result not in ("same", "not compared") for row in rows)
        elapsed = self._progress.tasks[0].elapsed or 0.0
        told = f"{self._made / elapsed:,.1f} rows/s" if elapsed else ""
        if self._bad:
            told += f", {self._bad:,} not the same"
        self._progress.update(self._task, told=told)


def run(options: VerifyOptions) -> int:
    """Verify and report; return the exit status."""
    before = ends_asked()
    code = _verified(options)
    if ends_asked() == before or code == interrupted()[1]:
        return code
    return _interrupted(options)


def _interrupted(options: VerifyOptions) -> int:
    word, code = interrupted()
    sys.stderr.write(f"{word}: the rows so far are in {options.store}\n")
    return code


def _verified(options: VerifyOptions) -> int:
    require_farm()
    if options.local is not None and options.scheduler is not None:
        raise FarmError(
            "--local and --scheduler name different workers", fix="leave out one of them"
        )
    limits = Limits(options.timeout, options.memory).checked()
    if options.html is not None:
        check_page(options.html)
    from samebits.cli.farm.printing import print_run
    from samebits.farm import run as farm
    from samebits.farm import told
    from samebits.farm.store import Store
    from samebits.farm.summary import DIFFERENCES, summarise

    request = farm.Request(
        options.corpus, options.simulations or _of_project(), options.targets, options.store,
        options.local or os.cpu_count() or 1, options.scheduler,
        limits, options.frames, options.retry,
    )  # fmt: skip
    with Store(options.store) as store:
        for part in store.damaged:
            sys.stderr.write(f"damaged, its rows are made again: {part}\n")
        try:
            with _bar() as bar:
                outcome = farm.run(request, store, bar)
        except KeyboardInterrupt:
            return _interrupted(options)
        summary = summarise(store, outcome.keys)
    if options.json:
        print(json.dumps(told.as_json(outcome, summary, store.damaged), indent=1))
    else:
        print_run(outcome, summary)
    if options.html is not None:
        write_page(options.html, told.page(outcome, summary))
    if summary.result in DIFFERENCES:
        return DIFFERS
    complete = not outcome.stopped and not outcome.entries.unread
    return SAME if summary.result == "same" and complete else BAD


def _of_project() -> tuple[str, ...]:
    found = tuple(each.spec for each in read_project(Path()).simulations)
    if not found:
        raise FarmError(
            "no simulation is named, and pyproject.toml names none", fix="write --sim game.py"
        )
    return found


@contextmanager
def _bar() -> Generator[_Bar]:
    """A progress bar on stderr while the block runs, if that is a terminal."""
    out = TextConsole(stderr=True)
    columns = (
        TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(),
        TextColumn("{task.fields[told]}", markup=False), TimeRemainingColumn(),
    )  # fmt: skip
    with Progress(*columns, console=out, transient=True, disable=not out.is_terminal) as progress:
        yield _Bar(progress)
