"""The catalogue of known causes: what a team knows of a cause, shown with its groups.

Data in `known/causes.toml`, and in a file of the team's own, which has the same tables: `cause` is
what a group must have, `simulation` and `place` may be given too, as patterns with `*`.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

from samebits.collector.problem import CollectorError

_KEYS = ("cause", "title", "text", "remedy", "example", "simulation", "place")
_NEEDED = ("cause", "title", "text", "remedy")


@dataclass(frozen=True, slots=True)
class KnownCause:
    """An entry: the group's cause by its name, a title, what happens, what mends it."""

    cause: str
    title: str
    text: str
    remedy: str
    example: str = ""
    simulation: str = "*"
    place: str = "*"

    def fits(self, group: Any) -> bool:
        """Whether a group is of this cause."""
        pairs = (("cause", self.cause), ("simulation", self.simulation), ("place", self.place))
        return all(fnmatchcase(getattr(group, name), pattern) for name, pattern in pairs)


def known_causes(group: Any, own: Path | None) -> list[KnownCause]:
    """The entries that fit a group, the team's own first."""
    entries = (*(() if own is None else read_catalogue(own)), *_shipped())
    return [entry for entry in entries if entry.fits(group)]


@cache
def _shipped() -> tuple[KnownCause, ...]:
    path = files("samebits.collector.grouping") / "known" / "causes.toml"
    return _entries(path.read_text("utf-8"), "the catalogue")


def read_catalogue(path: Path) -> tuple[KnownCause, ...]:
    """The entries of a file. Raises CollectorError, which names the entry and what it lacks."""
    try:
        return _entries(path.read_text("utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise CollectorError(f"cannot read the catalogue {path}: {error}") from None


def _entries(text: str, name: str) -> tuple[KnownCause, ...]:
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CollectorError(f"{name} is not TOML: {error}") from None
    rows = table.get("known", [])
    if not isinstance(rows, list) or set(table) - {"known"}:
        raise CollectorError(f"{name} has other tables than [[known]]", fix="write [[known]]")
    found: list[KnownCause] = []
    for number, row in enumerate(cast("list[Any]", rows), 1):
        entry = cast("dict[str, Any]", row) if isinstance(row, dict) else {}
        wrong = [key for key, value in entry.items() if key not in _KEYS or type(value) is not str]
        lacking = [key for key in _NEEDED if not entry.get(key)]
        if wrong or lacking:
            said = f"has {wrong[0]!a:.60}" if wrong else f"lacks {lacking[0]}"
            raise CollectorError(
                f"{name}: entry {number} {said}", fix=f"give texts for {', '.join(_KEYS)}"
            )
        found.append(KnownCause(**entry))
    return tuple(found)
