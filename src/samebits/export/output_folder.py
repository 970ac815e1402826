"""The folder that a build writes to: what may be there, and how files come into it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from samebits.errors import SimulationError
from samebits.output import holds_foreign_file, os_reason, remedy, write_file

Show = Callable[[str, str], None]
"""Receives each target's name and the current step."""


@dataclass(frozen=True)
class Built:
    """The files of one target, or those beside the targets where `target` is empty."""

    target: str
    files: tuple[Path, ...]


def silent(_target: str, _what: str) -> None:
    """Progress callback that does nothing."""


def make_folder(out: Path) -> None:
    """Make the folder if it is missing; raise SimulationError if it can't be written to."""
    with writing(out):
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=out):
            pass


def check_free(
    out: Path, targets: Sequence[str], files: Sequence[str], marks: Sequence[bytes]
) -> None:
    """Raise SimulationError if a target's folder is a link, or if one of `files` is there that
    does not begin with one of `marks`, which a build's own do."""
    for target in targets:
        check_no_link(out / target)
    for file in files:
        if holds_foreign_file(out / file, *marks):
            raise SimulationError(
                f"{out / file} exists already and was not written by a build",
                fix="give another folder with --out",
            )


def check_no_link(folder: Path) -> None:
    """Raise SimulationError if a folder is a link: the user did not name its target."""
    is_junction: Callable[[], bool] = getattr(folder, "is_junction", bool)  # from 3.12 on
    if folder.is_symlink() or is_junction():
        raise SimulationError(
            f"{folder} is a link, whose target is not written to",
            fix="remove the link, or give another folder with --out",
        )


def move(work: Path, names: Sequence[str], out: Path) -> tuple[Path, ...]:
    """Write the files `names` of `work` to `out`, which is made if missing; their new paths."""
    with writing(out):
        out.mkdir(exist_ok=True)
        check_no_link(out)
        for name in names:
            is_program = "-verify" in name or name.endswith((".so", ".dylib", ".dll"))
            mode = 0o755 if is_program else 0o644
            write_file(out / name, (work / name).read_bytes(), mode=mode)
    return tuple(out / name for name in names)


def write(out: Path, text: dict[str, str]) -> tuple[Path, ...]:
    """Write texts by their names, some of them in folders; their paths."""
    with writing(out):
        for name, content in text.items():
            for folder in reversed(Path(name).parents[:-1]):
                (out / folder).mkdir(exist_ok=True)
                check_no_link(out / folder)
            write_file(out / name, content)
    return tuple(out / name for name in text)


@contextmanager
def writing(out: Path) -> Generator[None]:
    """Raise SimulationError where the system cannot write to `out`."""
    try:
        yield
    except OSError as error:
        raise SimulationError(
            f"cannot write to {out}: {os_reason(error)}", fix=f"--out: {remedy(error)}"
        ) from None
