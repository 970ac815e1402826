"""The versions of samebits that cases were judged with, as pages tell them."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol


class Judged(Protocol):
    """A verdict on a case: `version` is the commit that was judged, empty if it is not known."""

    version: str


def commit(folder: Path) -> str:
    """The commit that a folder is of, in short; empty where git does not tell it."""
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), "rev-parse", "--short=8", "HEAD"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    except OSError:
        return ""
    return done.stdout.strip()


def told(rows: Sequence[Judged]) -> str:
    """The commits behind a seed, with how many cases each has where there are several."""
    counts = Counter(row.version for row in rows if row.version)
    if len(counts) == 1 and counts.total() == len(rows):
        return f", commit {next(iter(counts))}"
    each = [f"{name} in {count}" for name, count in counts.items()]
    return f"; commits: {', '.join(each)} cases" if each else ""
