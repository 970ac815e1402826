"""Plans of what of a program is built by a row's flags, and the order in which they are tried.

Compilers of one family differ little: of each family one is tried to its end before the others are.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from samebits.diagnosis.builds.compilers.found import Compiler, makes_32_bits
from samebits.diagnosis.builds.compilers.rows import Row, rows
from samebits.export.plain_c.widths import Widths
from samebits.types import ScalarType


@dataclass(frozen=True)
class Parts:
    """What of a program is built by a row's flags, and in which files."""

    title: str
    library: bool
    """Whether the math library's functions are too."""
    files: str
    """ "two": the simulation's own in one file, the library's in another; "one": all in one;
    "each": every function in a file of its own."""
    c_math: bool = False
    """Whether C's math library is called instead."""
    static: bool = True
    """Whether functions in one file are seen in it alone, so that compilers make more of them a
    part of others."""


OWN = Parts("", False, "two")
"""The simulation's functions."""
SOME = Parts("", False, "some")
"""Some of the simulation's functions, none of which becomes a part of another."""
APART = Parts(", each function in a file of its own", False, "each")
"""All of them, which SOME gives as well."""
WITH_LIBRARY = Parts(", the math library too", True, "two")
PARTS = (
    WITH_LIBRARY,
    Parts(", no function of which is static", False, "two", static=False),
    Parts(", with C's math library", False, "two", c_math=True),
    Parts(", the math library too, in one file", True, "one"),
    Parts(", the math library too, each function in a file of its own", True, "each"),
    Parts(
        ", with C's math library, each function in a file of its own", False, "each", c_math=True
    ),
)
"""All others."""


_BITS = {
    **dict.fromkeys(("i386", "i486", "i586", "i686"), 32),
    **dict.fromkeys(("x86_64", "amd64", "aarch64", "arm64"), 64),
}


@dataclass(frozen=True)
class Plan:
    """One build that is tried."""

    row: Row
    parts: Parts
    widths: Widths = Widths.SAME

    @property
    def is_strict(self) -> bool:
        """Whether all compilers make the same of it."""
        return self.row.is_strict and not self.parts.c_math


@dataclass(frozen=True)
class Known:
    """What the plans of one compiler stand on: its `rows`, the first of which are the most
    plausible; those of `other_machines` than the one that is looked for; those that are `likely`,
    having given the first hashes already; and whether the program calls the math library."""

    rows: Sequence[Row]
    other_machines: Sequence[Row]
    likely: Sequence[Row]
    calls_library: bool

    @property
    def unlikely(self) -> Sequence[Row]:
        return [row for row in self.rows if row not in self.likely]

    @property
    def parts(self) -> Sequence[Parts]:
        """All parts but the first that the program has."""
        return [each for each in PARTS if self.calls_library or not (each.library or each.c_math)]


Stage = Callable[[Known], Iterator[Plan]]


def _whole(known: Known) -> Iterator[Plan]:
    return _in_parts(known.rows, [OWN])


def _likely(known: Known) -> Iterator[Plan]:
    for row in known.likely:
        yield from _in_parts([row], [SOME, *known.parts])


def _some(known: Known) -> Iterator[Plan]:
    return _in_parts(sorted(known.unlikely, key=lambda row: not row.is_usual), [SOME])


def _usual(known: Known) -> Iterator[Plan]:
    usual = [row for row in known.unlikely if row.is_usual]
    return _in_parts(usual, known.parts[:1])


def _all(known: Known) -> Iterator[Plan]:
    for number, parts in enumerate(known.parts):
        some = known.unlikely
        yield from _in_parts([row for row in some if number or not row.is_usual], [parts])


def _of_other_machines(known: Known) -> Iterator[Plan]:
    return _in_parts(known.other_machines, [OWN, SOME])


STAGES: tuple[Stage, ...] = (_whole, _likely, _some, _usual, _of_other_machines, _all)
"""The plans of one compiler, a stage each, the most plausible first."""
STAGES_OF_OTHERS = STAGES[:3]
"""Those of another one of its family."""


def suits(row: Row, compiler: Compiler) -> bool:
    """Whether a compiler understands a row's flags."""
    return compiler.family in row.families


def rows_for(
    compiler: Compiler, architecture: str, floats: Collection[ScalarType]
) -> tuple[list[Row], list[Row]]:
    """The rows for a compiler, where the other machine is of an architecture, empty if it is
    unknown: those for it, and those for others. Of their widths they keep those that are of
    `floats`, which the program computes."""
    own = [
        replace(row, widths=widths)
        for row in rows()
        if suits(row, compiler) and (widths := [w for w in row.widths if w.of in (None, *floats)])
    ]
    if not makes_32_bits(compiler):
        own = [row for row in own if row.bits != 32]
    bits = _BITS.get(architecture)
    return (
        [row for row in own if bits in (None, row.bits)],
        [row for row in own if bits not in (None, row.bits)],
    )


def first_of_families(some: Sequence[Compiler]) -> list[Compiler]:
    """The first compiler of each family."""
    return list({each.family: each for each in reversed(some)}.values())[::-1]


def _in_parts(some: Sequence[Row], of: Sequence[Parts]) -> Iterator[Plan]:
    for parts in of:
        for row in some:
            for widths in row.widths:
                if parts is not SOME or widths.keeps_signatures:
                    yield Plan(row, parts, widths)
