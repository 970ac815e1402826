"""Which hazards give an operation's observed results, by evaluating its expression under each.

Owns the quick look at one operation, before whole programs are run: what is left of it are
candidates, of which experiments choose. Knows nothing of planting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from samebits.diagnose.sites import Site
from samebits.diagnose.ways import ExpressionWay

MOST_INSTANCES = 48
"""Instances that an evaluation has to stand."""


@dataclass(frozen=True, slots=True)
class Observed:
    """One evaluation of the operation on the other side: bits of the operands by their names in
    the site, and of the result."""

    given: Mapping[str, int]
    result: int


Observe = Callable[[Site], tuple[Observed | None, Sequence[Observed]]]
"""The differing evaluation of a site on the other side, and others of the same site there."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A way of evaluating a site that gives the differing result."""

    way: ExpressionWay
    matched: int
    """Instances whose result it gives."""
    instances: int
    telling: int
    """Those of them that strict evaluation does not give."""

    @property
    def fits(self) -> bool:
        """Whether it gives every result that was looked at."""
        return self.matched == self.instances


def candidates(ways: Iterable[ExpressionWay], observe: Observe) -> list[Candidate]:
    """The ways that give the differing result, those that give most of the others first."""
    found: list[Candidate] = []
    for way in ways:
        differing, instances = observe(way.site)
        if differing is None or _result(way, differing) != differing.result:
            continue
        looked_at = instances[:MOST_INSTANCES]
        matched = sum(_result(way, each) == each.result for each in looked_at)
        telling = sum(_strict(way.site, each) != each.result for each in looked_at)
        found.append(Candidate(way, matched, len(looked_at), telling))
    return sorted(found, key=lambda candidate: -candidate.matched)  # stable: the simplest first


def _result(way: ExpressionWay, observed: Observed) -> int:
    return way.site.bits(way.tree, way.arithmetic, observed.given)


def _strict(site: Site, observed: Observed) -> int:
    return site.bits(site.tree, site.strict, observed.given)
