"""Which hazards give an operation's observed results, by evaluating its expression under each.

Owns the quick look at one operation, before whole programs are run: what is left of it are
candidates, of which experiments choose. Knows nothing of planting.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from samebits.hazards.expressions import Site
from samebits.hazards.site_variants import SiteVariant

MOST_INSTANCES = 48
"""Instances that an evaluation has to stand."""


@dataclass(frozen=True, slots=True)
class Observed:
    """One evaluation of the operation on the other side: bits of the operands by their names in
    the site, and of the result."""

    given: Mapping[str, int]
    result: int


class Observe(Protocol):
    """What is known of an operation's evaluations on the other side."""

    def of(self, site: Site) -> tuple[Observed | None, Sequence[Observed]]:
        """The differing evaluation of a site, and others of the same site, it included."""
        ...

    def refutes(self, way: SiteVariant, frame: int) -> bool:
        """Whether a frame, of number `frame` from the differing one on, has an evaluation that a
        way does not give; what does not fit is kept for other ways."""
        ...

    def refuting(self, site: Site) -> Sequence[Observed]:
        """What has been kept so."""
        ...


class Unobserved:
    """Nothing is known."""

    def of(self, site: Site) -> tuple[Observed | None, Sequence[Observed]]:
        return None, ()

    def refutes(self, way: SiteVariant, frame: int) -> bool:
        return False

    def refuting(self, site: Site) -> Sequence[Observed]:
        return ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A way of evaluating a site that gives the differing result."""

    way: SiteVariant
    matched: int
    """Instances whose result it gives, of those that were known then."""
    instances: int
    telling: int
    """Those of them that strict evaluation does not give."""

    @property
    def fits(self) -> bool:
        """Whether it gives every result that was looked at."""
        return self.matched == self.instances


def candidates(ways: Iterable[SiteVariant], observe: Observe) -> list[Candidate]:
    """The ways that give the differing result, those that give most of the others first."""
    found: list[Candidate] = []
    sites: dict[int, _Seen] = {}
    for way in ways:
        seen = sites.get(id(way.site))
        if seen is None:
            seen = sites[id(way.site)] = _Seen.of(way.site, observe)
        if seen.differing is None or not gives(way, seen.differing):
            continue
        matched = sum(gives(way, each) for each in seen.instances)
        found.append(Candidate(way, matched, len(seen.instances), seen.telling))
    return sorted(found, key=lambda candidate: -candidate.matched)  # stable: the simplest first


@dataclass(frozen=True, slots=True)
class _Seen:
    """What is observed of one site, for all of its ways."""

    site: Site
    differing: Observed | None
    instances: Sequence[Observed]
    telling: int

    @classmethod
    def of(cls, site: Site, observe: Observe) -> _Seen:
        differing, instances = observe.of(site)
        telling = sum(_strict(site, each) != each.result for each in instances)
        return cls(site, differing, instances, telling)


def gives(way: SiteVariant, observed: Observed) -> bool:
    """Whether a way gives what was observed."""
    return way.site.bits(way.tree, way.arithmetic, observed.given) == observed.result


def _strict(site: Site, observed: Observed) -> int:
    return site.bits(site.tree, site.strict, observed.given)
