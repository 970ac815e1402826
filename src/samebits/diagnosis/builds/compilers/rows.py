"""Rows of builds by C compilers, as data: a file of `rows` each, in the order of names."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from samebits.diagnosis.builds.compilers.build import STRICT
from samebits.export.plain_c.widths import Widths

_ROWS = Path(__file__).with_name("rows")

_PARTS_OF_FAST = frozenset({
    "-fassociative-math", "-freciprocal-math", "-funsafe-math-optimizations",
})  # fmt: skip


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
    widths: Sequence[Widths] = (Widths.SAME,)
    """Ways in which its floats are written, each of which is tried."""
    floats: Sequence[str] = ()
    """The types of floats of which a program has to compute one; none where any will do."""
    is_usual: bool = False
    """Whether it is tried before others, in some files alone too."""
    narrower: Sequence[Narrower] = ()
    """The least first."""

    @property
    def is_strict(self) -> bool:
        """Whether no flag lets compilers make other numbers of what is written."""
        return tuple(self.flags) == STRICT and self.bits == 64

    @property
    def makes_vectors(self) -> bool:
        """Whether its floats may be computed several at once, and otherwise then."""
        return "-mfpmath=387" not in self.flags and not self.writes_widths

    @property
    def writes_widths(self) -> bool:
        """Whether its floats are written in another width."""
        return tuple(self.widths) != (Widths.SAME,)

    @property
    def is_part_of_fast(self) -> bool:
        """Whether it has some of fast-math's flags, which are quick to try, and not all."""
        return not _PARTS_OF_FAST.isdisjoint(self.flags)

    @property
    def is_shared(self) -> bool:
        """Whether it is of several families, which make much the same of it."""
        return len(self.families) > 1


def row_of(data: Mapping[str, Any]) -> Row:
    """A row from a file's data. Raises TypeError where it has other keys,
    KeyError where it names widths that there are not."""
    values = dict(data)
    if "widths" in data:
        values["widths"] = tuple(Widths[name] for name in data["widths"])
    values["narrower"] = tuple(Narrower(**each) for each in data.get("narrower", ()))
    return Row(**values)


@cache
def rows() -> tuple[Row, ...]:
    """All rows, the most plausible first."""
    return tuple(row_of(tomllib.loads(file.read_text())) for file in sorted(_ROWS.glob("*.toml")))
