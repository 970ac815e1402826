"""Rows of builds by C compilers, as data: a file of `rows` each, in the order of names."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_ROWS = Path(__file__).with_name("rows")


@dataclass(frozen=True)
class Narrower:
    """Flags that do a part of what a row's do, which `hazards` name."""

    flags: Sequence[str]
    hazards: Sequence[str]


@dataclass(frozen=True)
class Row:
    """What compilers of some `families` do by some flags, as a program of `bits`."""

    title: str
    families: Sequence[str]
    flags: Sequence[str]
    hazards: Sequence[str]
    practice: str
    remedy: str
    bits: int = 64
    doubles: bool = False
    """Whether local names that are float32 are doubles."""
    is_usual: bool = False
    """Whether some files alone are often built so."""
    narrower: Sequence[Narrower] = ()
    """The least first."""


def row_of(data: Mapping[str, Any]) -> Row:
    """A row from a file's data. Raises TypeError where it has other keys."""
    values = dict(data)
    values["narrower"] = tuple(Narrower(**each) for each in data.get("narrower", ()))
    return Row(**values)


@cache
def rows() -> tuple[Row, ...]:
    """All rows, the most plausible first."""
    return tuple(row_of(tomllib.loads(file.read_text())) for file in sorted(_ROWS.glob("*.toml")))
