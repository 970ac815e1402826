"""Whether a file can be written, asked before the work that is to fill it."""

from __future__ import annotations

from pathlib import Path


def hindrance(path: Path) -> str | None:
    """What the system says against writing there, or None. Everything is left as it was.

    Pipes and devices are not tried: to open one may wait, or be heard at its other end.
    """
    there = path.exists()
    if there and not path.is_file():
        return None
    try:
        path.open("ab").close()
    except OSError as error:
        return error.strerror or str(error)
    if not there:
        path.unlink()
    return None
