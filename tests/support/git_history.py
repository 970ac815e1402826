"""A git repository with a small history of a simulation, for tests of bisection."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.support.folders import SIMULATIONS

_WHO = {
    "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@localhost", "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@localhost", "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull, "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
    "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
}  # fmt: skip
FRAGILE = (SIMULATIONS / "fragile_simulation.py").read_text()


class History:
    """A repository in a folder, whose file `game/sim.py` each commit changes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "game" / "sim.py"
        self.file.parent.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *words: str) -> str:
        """What git prints."""
        done = subprocess.run(
            ["git", *words], cwd=self.folder, env={**os.environ, **_WHO}, check=True,
            capture_output=True, text=True,
        )  # fmt: skip
        return done.stdout.strip()

    def commit(self, subject: str, text: str) -> str:
        """Commit the file with a text; the commit's id."""
        self.file.write_text(text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", subject)
        return self.git("rev-parse", "HEAD")


def changed(text: str, before: str, after: str) -> str:
    """A text with a part replaced, which it must have."""
    assert before in text
    return text.replace(before, after)
