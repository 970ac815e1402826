"""`samebits header`: the recorders that other programs include."""

from __future__ import annotations

import sys
from pathlib import Path

from samebits.cli.exit_status import SAME
from samebits.errors import ReportError
from samebits.foreign.recorder_sources import RECORDERS, recorder_source
from samebits.output import holds_foreign_file, os_reason, remedy, write_file

_MARK = 24
"""Characters at the beginning of a recorder by which it is known, of whatever version."""


def run(language: str, out: str | None, force: bool) -> int:
    """Print a recorder, or write it to a file; return the exit status."""
    if language not in RECORDERS:
        raise ReportError(
            f"there is no recorder for {language[:40]!a}",
            fix=f"write one of {', '.join(RECORDERS)}",
        )
    text = recorder_source(language)
    if out is None:
        sys.stdout.write(text)
        return SAME
    path = Path(out)
    if path.is_dir():
        path /= RECORDERS[language].file
    if holds_foreign_file(path, *(recorder_source(name)[:_MARK].encode() for name in RECORDERS)):
        raise ReportError(
            f"{path} exists already and is no recorder of samebits",
            fix="give another name, or remove it first",
        )
    try:
        write_file(path, text.encode(), replace=force)
    except FileExistsError:
        raise ReportError(f"{path} exists already", fix="give another name, or --force") from None
    except OSError as error:
        raise ReportError(f"cannot write {path}: {os_reason(error)}", fix=remedy(error)) from None
    print(f"{path}: {len(text.encode()):,} bytes")
    return SAME
