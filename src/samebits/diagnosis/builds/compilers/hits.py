"""Hits: builds by compilers that give hashes of another machine's run, and how far each goes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from samebits.diagnosis.builds.compilers.builder import Way
from samebits.diagnosis.builds.compilers.found import Compiler
from samebits.diagnosis.builds.compilers.plans import Parts
from samebits.diagnosis.builds.compilers.rows import Row
from samebits.export.plain_c.widths import Widths

END = float("inf")
_MOST_NAMED = 6


@dataclass(frozen=True)
class Hit:
    """A build that gives the known hashes before frame `parting`; all where that is None."""

    compiler: Compiler
    row: Row
    flags: tuple[str, ...]
    parts: Parts
    widths: Widths
    file: Path
    parting: int | None

    hazards: tuple[str, ...] = ()
    """What the flags do that matters."""
    title: str = ""
    forms: bytes = b""
    """Where some of the simulation's functions alone are built so: a byte each, 1 for these."""
    functions: tuple[str, ...] = ()
    """These, by their names in IR."""
    begins: bytes | None = None
    """The state after `init`, where it is not the build's own."""

    @property
    def way(self) -> Way:
        """How what is not strict was built."""
        return Way((*self.flags, *self.parts.flags), self.row.bits, self.widths)

    @property
    def words(self) -> str:
        """The build in words."""
        words = [self.compiler.title, *(["-m32"] if self.row.bits == 32 else []), *self.flags]
        more = "" if self.widths is Widths.SAME else f", its {self.widths.words}"
        alone = f", in {listed(self.functions)} alone" if self.functions else ""
        start = ", from frame 0 on" if self.begins is not None else ""
        return " ".join(words) + self.parts.title + more + alone + start


@dataclass(frozen=True)
class Near:
    """A build that does not give the first hash that differs, and of the `differing` scalars of
    that state gives the other machine's bits in `alike`."""

    hit: Hit
    alike: int
    differing: int


def listed(functions: Sequence[str]) -> str:
    """Functions by name, the first ones."""
    shown = ", ".join(functions[:_MOST_NAMED])
    return shown + (f" and {len(functions) - _MOST_NAMED} more" if functions[_MOST_NAMED:] else "")


def reach(hit: Hit) -> float:
    """The frame whose hash a build does not give; `END` where it gives all."""
    return reach_of(hit.parting)


def reach_of(parting: int | None) -> float:
    """As `reach`, of a frame."""
    return END if parting is None else parting
