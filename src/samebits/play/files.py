"""The files that a site serves: a table of exact paths, so that no path can name another file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from samebits.errors import SimulationError
from samebits.output import os_reason

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".wasm": "application/wasm",
    ".svg": "image/svg+xml",
}
"""What browsers are told of a file, by its suffix; no other file is served."""
MOST_VIEW = 1 << 20
"""Bytes of the largest view."""


@dataclass(frozen=True, slots=True)
class ServedFile:
    """A file's type and bytes."""

    type: str
    data: bytes


def page_files() -> Mapping[str, ServedFile]:
    """The shell of the pages, below `/page/`."""
    folder = files("samebits.play") / "page"
    return {
        f"/page/{each.name}": ServedFile(TYPES[_suffix(each.name)], each.read_bytes())
        for each in folder.iterdir()
        if _suffix(each.name) in TYPES
    }


def module_files(paths: Iterable[Path]) -> Mapping[str, ServedFile]:
    """A simulation's module and what came with it, below `/module/`."""
    return {
        f"/module/{path.name}": ServedFile(TYPES[path.suffix], path.read_bytes())
        for path in paths
        if path.suffix in TYPES
    }


def views_beside(source: Path) -> Mapping[str, Path]:
    """The view of a simulation's file, by the paths below `/view/`: `arena_view.mjs` beside
    `arena.py`, and what else begins and ends so; nothing where there is none of the first name."""
    begin = f"{source.stem}_view"
    if not source.with_name(f"{begin}.mjs").is_file():
        return {}
    found = sorted(source.parent.glob("*_view*.mjs"))
    return {f"/view/{path.name}": path for path in found if path.name.startswith(begin)}


def view_path(source: Path) -> str:
    """The path of a view's first file."""
    return f"/view/{source.stem}_view.mjs"


def view_file(path: Path) -> ServedFile:
    """A file of a view as it is now. Raises SimulationError."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SimulationError(f"cannot read {path}: {os_reason(error)}") from None
    if len(data) > MOST_VIEW:
        raise SimulationError(f"{path} has more than {MOST_VIEW:,} bytes")
    return ServedFile(TYPES[".mjs"], data)


def _suffix(name: str) -> str:
    return Path(name).suffix
