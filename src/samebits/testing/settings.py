"""Settings of a project's tests: what the project says, under pytest's command line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samebits.ci.project import Named, SettingsError, read_project
from samebits.digits import MOST_FRAMES, whole


@dataclass(frozen=True)
class Settings:
    """All that is set. `targets` is None for this processor's, empty for all that run here."""

    simulations: tuple[Named, ...]
    targets: tuple[str, ...] | None
    frames: int | None
    whole: bool
    update: bool
    strict: bool
    report: Path | None


def settings(root: Path, option: Any) -> Settings:
    """The settings of a project at `root`, under pytest's options by their names. Raises
    SettingsError."""
    project = read_project(root)
    frames, everything = project.frames, False
    given = option("samebits_frames")
    if given is not None:
        everything = given == "all"
        frames = None if everything else whole(given)
        if not everything and (frames is None or not 0 < frames <= MOST_FRAMES):
            raise SettingsError(
                f"--samebits-frames {given:.60} is neither a count of frames, from 1 to "
                f"{MOST_FRAMES:,}, nor all",
                fix="write --samebits-frames 600 or --samebits-frames all",
            )
    named = option("samebits_targets")
    targets = project.targets if named is None else tuple(word.strip() for word in named.split(","))
    if targets is not None and not all(targets):
        raise SettingsError("a target's name is empty", fix="leave out the comma")
    is_update = bool(option("samebits_update"))
    if is_update and given is not None:
        raise SettingsError(
            "--samebits-update and --samebits-frames are both given: golden files of fewer frames "
            "would compare no more than these from then on",
            fix="leave --samebits-frames out; frames in [tool.samebits] limits every run",
        )
    report = option("samebits_report")
    if report is not None and Path(report).exists() and not Path(report).is_dir():
        raise SettingsError(
            f"--samebits-report {report} is a file, and reports go into a folder",
            fix="name a folder, which is made where there is none",
        )
    return Settings(
        project.simulations,
        () if targets == ("all",) else targets,
        frames,
        everything,
        is_update,
        bool(option("samebits_strict")),
        None if report is None else Path(report).absolute(),
    )
