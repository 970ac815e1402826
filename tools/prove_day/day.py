"""The page, followed in a folder: at its full size, or at one that a test has time for."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from tools.prove_collector.load import free_port
from tools.prove_day.shell import ROOT, Shell
from tools.prove_day.steps import Command, Picture, Saved, missing, steps_of

PAGE = ROOT / "docs" / "proof.md"
IMAGES = ROOT / "docs" / "images"
SHORT = (
    ("season.py season 0 2000", "season.py season 1520 1524; python season.py season 1649 1653"),
    ("players.py matches 0 60", "players.py matches 0 2"),
)
"""What is typed at the page's size, and what a test has time for: 8 replays, and 10 reports."""


class Day:
    """The page's project in a folder."""

    def __init__(self, folder: Path, *, short: bool) -> None:
        self.folder = folder / "curling"
        self._short, self._port = short, free_port()
        shutil.copytree(
            ROOT / "examples" / "curling", self.folder,
            ignore=shutil.ignore_patterns("README.md", "golden.txt", "__pycache__"),
        )  # fmt: skip

    def follow(self, images: Path | None, say: Callable[[str], None]) -> list[str]:
        """Do all steps; what was not as the page says. Pictures go to `images`."""
        wrong: list[str] = []
        shell = Shell(self.folder)
        try:
            for step in steps_of(PAGE.read_text("utf-8")):
                match step:
                    case Saved():
                        (self.folder / step.name).write_text(step.text)
                    case Picture():
                        if images is not None:
                            self._picture(step, images)
                    case Command():
                        wrong += self._command(shell, step, say)
        finally:
            shell.close()
        return wrong

    def _command(self, shell: Shell, step: Command, say: Callable[[str], None]) -> list[str]:
        typed = step.typed.replace(":8484", f":{self._port}")
        typed = typed.replace("collector serve", f"collector serve --port {self._port}")
        for full, short in SHORT if self._short else ():
            typed = typed.replace(full, short)
        say(f"$ {typed}")
        said, status = shell.run(typed)
        said = said.replace(f":{self._port}", ":8484").replace(f"{self.folder}/", "")
        say(f"{said}\n(ends with {status})")
        found: list[str] = []
        if status != step.status:
            found.append(f"`{typed}` ends with {status}, not {step.status}\n{said}")
        line = missing(step.shown, said, numbers=not self._short)
        if line is not None:
            found.append(f"`{typed}` does not print: {line}\n{said}")
        return found

    def _picture(self, step: Picture, images: Path) -> None:
        from tools.prove_day.pictures import FORMS, filled, take

        for form in FORMS:
            path = images / f"{step.name}{form}.png"
            take(filled(step.address, self.folder, self._port), path, form)
