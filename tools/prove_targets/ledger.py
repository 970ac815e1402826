"""Results of earlier runs: `results.json`, one entry a run, so that long proofs add up.

Programs of the fuzzer add up over runs with other seeds; of everything else the latest run counts.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path

from tools.prove_targets import functions, programs
from tools.prove_targets.finding import Finding

FILE = Path(__file__).with_name("results.json")


@dataclass(frozen=True)
class Cell:
    """One check on one target, as one run found it."""

    target: str
    check: str
    count: int
    differing: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()


@dataclass(frozen=True)
class Run:
    """`seeds` are the first and the last of the fuzzer's programs, where it had any; `stopped`
    says that Ctrl-C ended it; `functions` are the math functions besides the library's, where it
    had those."""

    date: str
    commit: str
    made_with: str
    seeds: tuple[int, int] | None
    stopped: bool
    cells: tuple[Cell, ...]
    functions: tuple[str, ...] = ()


def commit() -> str:
    """The commit that is checked out, and whether files were changed since."""

    def git(*arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=FILE.parent, capture_output=True, text=True)
        return done.stdout.strip()

    changed = git("status", "--porcelain", "--untracked-files=no", "--", "../../src")
    return (git("rev-parse", "--short", "HEAD") or "unknown") + (" and changes" if changed else "")


def run_of(
    rows: Iterable[Finding], failures: dict[tuple[str, str], list[str]], made_with: str,
    seeds: tuple[int, int] | None, stopped: bool = False,
) -> Run:  # fmt: skip
    """A finished or stopped run."""
    cells = {(row.target, row.check): row for row in rows}
    keys = dict.fromkeys([*cells, *failures])
    names = tuple(functions.FUNCTIONS) if any(c == functions.CHECK for _, c in keys) else ()
    return Run(date.today().isoformat(), commit(), made_with, seeds, stopped, tuple(
        Cell(*key, cells[key].count if key in cells else 0,
             tuple(cells[key].differing) if key in cells else (), tuple(failures.get(key, ())))
        for key in keys
    ), names)  # fmt: skip


def read(path: Path = FILE) -> list[Run]:
    """The runs so far; none where there is no file."""
    if not path.exists():
        return []
    return [
        Run(
            run["date"], run["commit"], run["made_with"],
            None if run["seeds"] is None else (run["seeds"][0], run["seeds"][1]),
            run.get("stopped", False),
            tuple(Cell(c["target"], c["check"], c["count"], tuple(c["differing"]),
                       tuple(c["failures"])) for c in run["cells"]),
            tuple(run.get("functions", ())),
        )
        for run in json.loads(path.read_text())
    ]  # fmt: skip


def write(runs: Iterable[Run], path: Path = FILE) -> None:
    """Replace the file."""
    path.write_text(json.dumps([asdict(run) for run in runs], indent=1) + "\n")


def combined(runs: Iterable[Run]) -> dict[tuple[str, str], Cell]:
    """What all runs together say of each check on each target."""
    found: dict[tuple[str, str], Cell] = {}
    for run in runs:
        for cell in run.cells:
            key = cell.target, cell.check
            before = found.get(key)
            if before is not None and cell.check == programs.CHECK:
                cell = Cell(*key, before.count + cell.count, before.differing + cell.differing,
                            before.failures + cell.failures)  # fmt: skip
            found[key] = cell
    return found


def useful(runs: Iterable[Run]) -> list[Run]:
    """The runs that `combined` has something of."""
    kept: list[Run] = []
    seen: set[tuple[str, str]] = set()
    for run in reversed(list(runs)):
        keys = {(cell.target, cell.check) for cell in run.cells}
        if run.seeds is not None or not keys <= seen:
            kept.append(run)
        seen |= keys
    return kept[::-1]
