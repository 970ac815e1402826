"""Plans of which hazards are put on one board, and what is tried where none alone is enough."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from samebits.diagnosis.builds.built_side import BuiltSide
from samebits.diagnosis.builds.hypotheses import ACROSS_CALLS, BENEATH, IN_LIBRARY, SINGLE, rows
from samebits.hazards.injection import variants_among
from samebits.sides.side import Side

FEW, SOME, MANY = 1_000, 4_000, 100_000
"""Sets of switches that are tried for a frame at most."""
_MOST_FORMS_BENEATH = 4


@dataclass(frozen=True)
class BoardPlan:
    """Hazards of one board, with one form of another beneath it, if `beneath` says so."""

    hazards: tuple[str, ...]
    most: int = FEW
    beneath: str | None = None
    inlined: bool = False
    """Whether also across calls of small functions."""
    library: bool = False
    """Whether also in the library's functions."""

    @property
    def names(self) -> tuple[str, ...]:
        """All that it makes act."""
        return (*self.hazards, *([] if self.beneath is None else [self.beneath.split("#")[0]]))

    @property
    def is_plain(self) -> bool:
        """Whether it is one hazard, few sets of it, and nothing else."""
        return self == BoardPlan(self.hazards[:1])

    def base(self, a: Side) -> BuiltSide:
        """Side a's program, which the board is put into."""
        more = [] if self.beneath is None else [self.beneath]
        spec = replace(a.spec, opt=0, hazards=(*a.spec.hazards, *more))
        return BuiltSide(a.text, a.simulation, spec, inlined=self.inlined)


def together(a: Side, likely: Sequence[str], first: Sequence[str]) -> Iterator[BoardPlan]:
    """What explains the `first` frames with others; what builds do together; then more sets of each
    hazard. What is `likely`, or gives the first hashes, was tried across calls before."""
    for hazard in ACROSS_CALLS:
        if hazard not in (*likely, *first):
            yield BoardPlan((hazard,), SOME, inlined=True)
    for hazard in IN_LIBRARY:
        yield BoardPlan((hazard,), SOME, library=True)
    for one in first:
        for other in SINGLE:
            if other != one:
                yield BoardPlan((one, other), SOME)
        for name in BENEATH:
            for words in _forms(a, name) if name != one else ():
                yield BoardPlan((one,), SOME, words)
    for row in rows():
        yield BoardPlan(tuple(row.hazards), SOME)
        for name in row.hazards:
            others = tuple(each for each in row.hazards if each != name)
            for words in _forms(a, name) if name in BENEATH else ():
                yield BoardPlan(others, SOME, words)
    for hazard in SINGLE:
        yield BoardPlan((hazard,), MANY)


def _forms(a: Side, hazard: str) -> Iterator[str]:
    forms = len(variants_among(a.plain.kernels, hazard))
    for number in range(min(forms, _MOST_FORMS_BENEATH)):
        yield f"{hazard}#{number}"
