"""`samebits farm bisect`: the commits that changed a corpus's hashes, and why."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from samebits.cli.consoles import TextConsole, console
from samebits.cli.exit_status import BAD, DIFFERS, SAME
from samebits.cli.farm.extra import require_farm
from samebits.farm.bisect import Bisect, Bisection, Culprit, Show, Subject
from samebits.farm.culprit import Finding, finding
from samebits.farm.entries import read_entries
from samebits.farm.errors import FarmError
from samebits.farm.git import Repository
from samebits.farm.limits import Limits
from samebits.farm.told import one_line, shown_path
from samebits.output import os_reason, remedy
from samebits.sides.words import default_words

JSON_FORMAT = 1
MOST_FINDINGS = 3
"""Commits that are looked into."""
_MOST_PATHS = 5


@dataclass(frozen=True)
class BisectOptions:
    """The command's options as they were typed."""

    corpus: str
    sim: str
    old: str
    new: str
    target: str | None
    local: int | None
    frames: int
    out: str | None
    seconds: float
    timeout: float
    memory: int
    json: bool


def run(options: BisectOptions) -> int:
    """Search, look into what was found, report; return the exit status."""
    require_farm("psutil")
    limits = Limits(options.timeout, options.memory).checked()
    file, name = _file(options.sim)
    repository = Repository.of(file)
    old, new = repository.commit(options.old), repository.commit(options.new)
    repository.check_ancestor(old, new)
    if repository.is_dirty:
        sys.stderr.write("the working tree has changes, which are in no commit: not looked at\n")
    subject = Subject(
        Path(os.path.relpath(file, repository.top)), name, options.target or default_words(),
        options.frames, options.local or os.cpu_count() or 1, limits,
    )  # fmt: skip
    entries = read_entries(options.corpus)
    for path, error in entries.unread[:_MOST_PATHS]:
        sys.stderr.write(f"not read: {shown_path(path)}: {one_line(error)}\n")
    with _progress() as show:
        found = Bisect(repository, subject, show).run(entries.replays, old, new)
        with _folder(options.out) as out:
            findings: list[Finding] = []
            for culprit in found.culprits[:MOST_FINDINGS]:
                show(f"looking into {culprit.commit.short}", found.tested, 0)
                findings.append(finding(repository, subject, culprit, out, options.seconds))
    if options.json:
        print(json.dumps(_as_json(found, findings, options.out is not None), indent=1))
    else:
        _print(found, findings, options.out is not None)
    if found.culprits:
        return DIFFERS
    return BAD if found.unproven or entries.unread or not found.compared else SAME


def _file(sim: str) -> tuple[Path, str]:
    place, _, name = sim.rpartition(":")
    if not place or not name.isidentifier():
        place, name = sim, ""
    path = Path(os.path.realpath(place))
    if not place.endswith(".py") or not path.parent.is_dir():
        raise FarmError(
            f"{sim} is no file of a repository", fix="name the simulation's file: --sim game.py"
        )
    return path, name


@contextmanager
def _folder(out: str | None) -> Generator[Path]:
    """Where small replays are written: the folder asked for, or one that is removed."""
    if out is None:
        with tempfile.TemporaryDirectory(prefix="samebits-small-") as folder:
            yield Path(folder)
        return
    try:
        Path(out).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FarmError(
            f"cannot make the folder {out}: {os_reason(error)}", fix=remedy(error)
        ) from None
    yield Path(out)


def _as_json(found: Bisection, findings: list[Finding], kept: bool) -> dict[str, object]:
    return {
        "format": JSON_FORMAT,
        "old": asdict(found.old),
        "new": asdict(found.new),
        "compared": found.compared,
        "tested": found.tested,
        "skipped": [{"commit": c, "why": why} for c, why in found.skipped.items()],
        "unproven": [{"path": row.path, "result": row.result, "told": row.told}
                     for row in found.unproven],
        "culprits": [
            {
                "commit": asdict(culprit.commit),
                "untested": [asdict(each) for each in culprit.untested],
                "before": culprit.before,
                "replays": [each.path for each in culprit.replays],
                "finding": None if index >= len(findings)
                else {**asdict(findings[index]), "small": findings[index].small if kept else ""},
            }
            for index, culprit in enumerate(found.culprits)
        ],
    }  # fmt: skip


def _print(found: Bisection, findings: list[Finding], kept: bool) -> None:
    out = console()
    span = f"{found.old.short} to {found.new.short}"
    changed = sum(len(each.replays) for each in found.culprits)
    said = (
        f"{changed:,} of {found.compared:,} replays changed from {span}"
        if changed
        else f"the same bits: {found.compared:,} replays from {span}"
    )
    out.print(Text(said, "bold"), soft_wrap=True)
    out.print(f"{found.tested:,} commits tested or skipped", soft_wrap=True)
    for commit, why in found.skipped.items():
        out.print(f"skipped {commit[:10]}: {why}", soft_wrap=True, markup=False)
    for row in found.unproven[:_MOST_PATHS]:
        told = f"{row.result}, {one_line(row.told)}"
        sys.stderr.write(f"not compared: {shown_path(row.path)}: {told}\n")
    for index, culprit in enumerate(found.culprits):
        out.print()
        _print_culprit(culprit, out)
        if index < len(findings):
            each = findings[index]
            if each.frames:
                where = f", {each.small}" if kept else ""
                name = one_line(Path(each.replay).name)
                out.print(f"{name} cut to {each.frames:,} frames{where}:")
            out.print(each.text, soft_wrap=True, markup=False)


def _print_culprit(culprit: Culprit, out: Console) -> None:
    title = f"{culprit.commit.short} {culprit.commit.subject}"
    if culprit.untested:
        names = ", ".join(each.short for each in culprit.untested)
        title += f" (or before it, untested: {names})"
    out.print(Text(title, "bold red"), soft_wrap=True)
    count = len(culprit.replays)
    first = ", ".join(one_line(Path(each.path).name) for each in culprit.replays[:_MOST_PATHS])
    more = f" and {count - _MOST_PATHS:,} more" if count > _MOST_PATHS else ""
    out.print(f"changed {count:,} replay{'s' * (count != 1)}: {first}{more}", soft_wrap=True)


@contextmanager
def _progress() -> Generator[Show]:
    """What goes on, on stderr while the block runs, if that is a terminal."""
    out = TextConsole(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=out, transient=True, disable=not out.is_terminal) as bar:
        task = bar.add_task("", total=None)

        def show(what: str, done: int, total: int) -> None:
            bar.update(task, description=f"{what}, {done:,} commits done")

        yield show
