"""HTML pages that commands write: the path is checked before the work, the file written whole."""

from __future__ import annotations

import os

from samebits.errors import SimulationError
from samebits.output import holds_foreign_file, os_reason, remedy, write_error, write_file

_BEGINS = b"<!doctype html>"


def check_page(name: str, option: str = "--html", begins: bytes = _BEGINS) -> None:
    """Raise SimulationError if the page of an option cannot be written, or would replace another
    kind of file than one that `begins` so."""
    if os.path.isdir(name):
        raise SimulationError(f"{option} {name} is a folder", fix="name a file in it")
    folder = os.path.dirname(name) or "."
    if not os.path.lexists(folder):
        raise SimulationError(f"{option} {name}: there is no folder {folder}", fix="make it first")
    against = write_error(name)
    if against is not None:
        raise _not_written(name, against)
    if holds_foreign_file(name, begins):
        raise SimulationError(
            f"{name} exists already and is not {'a' if begins == _BEGINS else 'such a'} page",
            fix="give the page another name",
        )


def write_page(name: str, text: str) -> None:
    """Write a page. Raises SimulationError."""
    try:
        write_file(name, text)
    except OSError as error:
        raise _not_written(name, error) from None


def _not_written(name: str, error: OSError) -> SimulationError:
    return SimulationError(f"cannot write {name}: {os_reason(error)}", fix=remedy(error))
