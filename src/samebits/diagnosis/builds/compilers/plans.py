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
    """ "some": some of the simulation's own, of which none becomes a part of another; "two": they
    in one file, the library's in another; "one": all in one; "each": every function in a file of
    its own."""
    c_math: bool = False
    """Whether C's math library is called instead."""
    static: bool = True
    """Whether functions in one file are seen in it alone, so that compilers make more of them a
    part of others."""
    flat: bool = False
    """Whether vectors in arrays are written as floats of one flat array."""
    flags: tuple[str, ...] = ()
    """More flags of what is built by the row's."""
    cleared: bool = False
    """Whether arrays of functions are cleared where they are declared, as in `= {0}`."""
    branches: bool = False
    """Whether what rounds integer quotients and remainders down is a branch, as one of its `flags`
    has it written."""

    @property
    def has_flags_alone(self) -> bool:
        """Whether it has more flags, and is written as others are: often they change nothing."""
        return bool(self.flags) and not (self.flat or self.cleared or self.branches)

    @property
    def is_for_vectors(self) -> bool:
        """Whether it lets a compiler make vectors of what it would not, or the other way round."""
        return self.flat or self.cleared or bool(self.flags)


OWN = Parts("", False, "two")
"""The simulation's functions."""
SOME = Parts("", False, "some")
APART = Parts(", each function in a file of its own", False, "each")
"""All of them, which SOME gives as well."""
FLAT = Parts(", vectors in flat arrays", False, "two", flat=True)
SOME_FLAT = Parts(", vectors in flat arrays", False, "some", flat=True)
_CAREFUL = ("-fno-strict-aliasing", "-fwrapv")
"""What games and kernels often add, which keeps compilers from knowing what pointers and counters
do, and so from making vectors of some loops."""
CAREFUL = Parts(f" {' '.join(_CAREFUL)}", False, "two", flags=_CAREFUL)
SOME_CAREFUL = Parts(f" {' '.join(_CAREFUL)}", False, "some", flags=_CAREFUL)
WITH_LIBRARY = Parts(", the math library too", True, "two")
CAREFUL_LIBRARY = Parts(
    f"{WITH_LIBRARY.title} {' '.join(_CAREFUL)}", True, "two", flags=_CAREFUL,
)  # fmt: skip
CLEARED, CLEARED_LIBRARY = (
    replace(each, title=f"{each.title}, arrays cleared where they are declared", cleared=True)
    for each in (CAREFUL, CAREFUL_LIBRARY)
)
BRANCHED, BRANCHED_CLEARED = (
    replace(
        each,
        title=f"{each.title}, integers rounded down by a branch",
        flags=(*each.flags, "-DBRANCHES"),
        branches=True,
    )
    for each in (CAREFUL, CLEARED)
)
PARTS = (WITH_LIBRARY, CAREFUL, CAREFUL_LIBRARY)
"""All others."""


@dataclass(frozen=True)
class Plan:
    """One build that is tried."""

    row: Row
    parts: Parts
    widths: Widths = Widths.SAME

    @property
    def is_shared(self) -> bool:
        """Whether what one compiler makes of it stands for all."""
        return self.row.is_shared and not self.parts.c_math


@dataclass(frozen=True)
class Known:
    """What the plans of one compiler stand on: its `rows`, the first of which are the most
    plausible; those of `other_machines` than the one that is looked for; those that are `likely`,
    having given the first hashes already; and whether the program calls the math library."""

    rows: Sequence[Row]
    other_machines: Sequence[Row]
    likely: Sequence[Row]
    calls_library: bool
    has_vectors: bool = False
    """Whether it has arrays of vectors."""
    has_locals: bool = False
    """Whether its functions have arrays of their own."""
    has_remainders: bool = False
    """Whether its functions divide integers and round down."""

    @property
    def parts(self) -> Sequence[Parts]:
        """All parts but the first that the program has."""
        return self._that_it_has(PARTS)

    @property
    def cleared(self) -> Sequence[Parts]:
        """Those that clear arrays which functions have of their own."""
        return self._that_it_has([CLEARED, CLEARED_LIBRARY]) if self.has_locals else []

    @property
    def branched(self) -> Sequence[Parts]:
        """Those that round integers down by a branch."""
        if not self.has_remainders:
            return []
        return [BRANCHED, *([BRANCHED_CLEARED] if self.has_locals else [])]

    def _that_it_has(self, some: Sequence[Parts]) -> Sequence[Parts]:
        return [each for each in some if self.calls_library or not (each.library or each.c_math)]


_BITS = {
    **dict.fromkeys(("i386", "i486", "i586", "i686"), 32),
    **dict.fromkeys(
        ("x86_64", "amd64", "aarch64", "arm64", "riscv64", "ppc64le", "s390x", "loongarch64"), 64
    ),
}

Stage = Callable[[Known], Iterator[Plan]]


def _usual(of: Sequence[Parts]) -> Stage:
    """The rows that are usual."""
    return lambda known: _in_parts([row for row in known.rows if row.is_usual], of)


def _others(of: Sequence[Parts]) -> Stage:
    """The rows that are not, but for those that write floats in another width."""
    return lambda known: _in_parts([r for r in _unusual(known) if not r.writes_widths], of)


def _other_widths(of: Sequence[Parts]) -> Stage:
    return lambda known: _in_parts([r for r in _unusual(known) if r.writes_widths], of)


def _unusual(known: Known) -> Sequence[Row]:
    return [row for row in known.rows if not row.is_usual]


def _reordering(stage: Stage) -> Stage:
    """A stage, of what reorders sums alone: how compilers do so hangs on how the C is written."""
    return lambda known: (plan for plan in stage(known) if "order" in plan.row.hazards)


def _quick(stage: Stage) -> Stage:
    """A stage, without what is built for a processor of 32 bits, by x87, or in other widths: of
    these there are many."""
    return lambda known: (
        plan for plan in stage(known) if plan.row.bits == 64 and plan.row.makes_vectors
    )


def _likely(known: Known) -> Iterator[Plan]:
    for row in known.likely:
        yield from _in_parts([row], [SOME, *known.parts])


def _usual_with_library(known: Known) -> Iterator[Plan]:
    return _usual([WITH_LIBRARY] if known.calls_library else [])(known)


def _usual_otherwise(known: Known) -> Iterator[Plan]:
    return _usual(known.parts)(known)


def _usual_cleared(known: Known) -> Iterator[Plan]:
    """How a compiler reorders sums hangs on what it knows of arrays."""
    return _reordering(_usual(known.cleared))(known)


def _usual_branched(known: Known) -> Iterator[Plan]:
    """It hangs as well on what it makes of the branches around sums."""
    return _reordering(_usual(known.branched))(known)


def _parts_of_fast(of: Sequence[Parts]) -> Stage:
    return lambda known: _in_parts([row for row in known.rows if row.is_part_of_fast], of)


def _parts_of_fast_with_library(known: Known) -> Iterator[Plan]:
    """Of which the simulation's functions are built by then, and nothing but the library is
    new."""
    return _parts_of_fast([WITH_LIBRARY] if known.calls_library else [])(known)


def _constants_in_some(known: Known) -> Iterator[Plan]:
    """Constants in another width, which take few builds."""
    return _in_parts([r for r in _unusual(known) if [*r.hazards] == ["constant"]], [SOME])


def _others_otherwise(known: Known) -> Iterator[Plan]:
    """All parts of a row, then of the next: most of what they take is the same."""
    for row in _unusual(known):
        yield from _others(known.parts)(replace(known, rows=[row]))


def _all(known: Known) -> Iterator[Plan]:
    return _in_parts(known.rows, known.parts)


def _of_other_machines(known: Known) -> Iterator[Plan]:
    return _in_parts(known.other_machines, [OWN, SOME])


def bits_of(architecture: str) -> int | None:
    """The bits of a machine's programs; None where they are not known."""
    return _BITS.get(architecture)


def _flat(known: Known) -> Iterator[Plan]:
    """The rows that are usual first, then the others."""
    of = [FLAT] if known.has_vectors else []
    yield from _usual(of)(known)
    yield from _others(of)(known)


def _usual_flat(known: Known) -> Iterator[Plan]:
    return _usual([FLAT, SOME_FLAT] if known.has_vectors else [])(known)


def _others_flat(known: Known) -> Iterator[Plan]:
    return _others([FLAT] if known.has_vectors else [])(known)


def _others_in_some(known: Known) -> Iterator[Plan]:
    return _others([SOME, *([SOME_FLAT] if known.has_vectors else [])])(known)


STAGES: tuple[Stage, ...] = (
    _usual([OWN]), _likely, _parts_of_fast([OWN]), _quick(_others([OWN])), _likely,
    _parts_of_fast_with_library,
    _quick(_usual([SOME])), _reordering(_usual([SOME_CAREFUL, CAREFUL])),
    _quick(_others([SOME])), _usual_branched, _reordering(_usual_otherwise), _usual_cleared,
    _quick(_usual_otherwise), _reordering(_quick(_flat)), _reordering(_quick(_others([CAREFUL]))),
    _usual([SOME, SOME_CAREFUL]), _usual_otherwise,
    _constants_in_some, _others([OWN]), _likely, _usual_flat,
    _others([SOME]), _other_widths([SOME]), _others_otherwise, _other_widths([OWN]),
    _others_flat, _others_in_some, _of_other_machines, _all,
)  # fmt: skip
"""The plans of one compiler, a stage each, the most plausible first. What was tried before is not
tried again."""
USUAL_STAGES: tuple[Stage, ...] = (_usual([OWN]),)
"""What most builds are."""
STAGES_OF_ITS_BITS = (
    _usual([OWN]), _likely, _usual([SOME]), _usual_with_library, _others([OWN]),
    _other_widths([OWN]),
)  # fmt: skip
"""Those that are tried before all else, where the other machine's bits are not this one's."""
STAGES_OF_OTHERS = (
    _usual([OWN]), _others([OWN]), _likely, _usual([SOME]), _others([SOME]),
    _other_widths([OWN, SOME]),
)  # fmt: skip
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
        if suits(row, compiler)
        and (not row.floats or any(t.name in row.floats for t in floats))
        and (widths := [w for w in row.widths if w.of in (None, *floats)])
    ]
    if not makes_32_bits(compiler):
        own = [row for row in own if row.bits != 32]
    bits = bits_of(architecture)
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
            # What is built strictly is the same in all files.
            if row.is_strict and parts not in (OWN, SOME) and not parts.c_math:
                continue
            # Whether a compiler finds vectors is nothing to what computes one float after another.
            if parts.is_for_vectors and not row.makes_vectors:
                continue
            for widths in row.widths:
                if parts.files != "some" or widths.keeps_signatures:
                    yield Plan(row, parts, widths)
