"""The command line in this process, as a shell calls it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from samebits.cli import status

Run = Any
"""A call of a command: status, stdout and stderr."""


def called(*arguments: object) -> int:
    """The status that the command ends with."""
    return status([str(a) for a in arguments])


def refused(run: Run, *arguments: object) -> str:
    """The message of a command that has nothing to say but that."""
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert "Traceback" not in err
    return str(err).rstrip("\n")


def source(tmp_path: Path, name: str, text: str) -> Path:
    """A file of that text."""
    path = tmp_path / name
    path.write_text(text)
    return path
