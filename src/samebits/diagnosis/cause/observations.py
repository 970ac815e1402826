"""Variants of an operation's expression that give what the other side observed.

Owns the quick look at one operation, before whole programs are run, and which frames it takes.
What is left are candidates, of which experiments choose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from samebits.frame_trace.instances import Instance, instance_at, instances_in
from samebits.frame_trace.observer import FrameInput
from samebits.hazards.expressions import Site, Sites
from samebits.hazards.site_variants import SiteVariant
from samebits.ir.grammar import Value
from samebits.ir.refs import OpRef

MOST_INSTANCES = 48
"""Instances that an evaluation has to stand."""


@dataclass(frozen=True, slots=True)
class Observation:
    """One evaluation of the operation on the other side: bits of the operands by their names in
    the site, and of the result."""

    given: Mapping[str, int]
    result: int


class Observations:
    """Observed evaluations of an operation on the other side: here none."""

    def of(self, site: Site) -> tuple[Observation | None, Sequence[Observation]]:
        """The differing evaluation of a site, and others of the same site, it included."""
        return None, ()

    def differing(self, site: Site) -> Observation | None:
        """The differing evaluation of a site alone."""
        return None

    def refutes(self, variant: SiteVariant, frame: int) -> bool:
        """Whether a frame, of number `frame` from the differing one on, has an evaluation that a
        variant does not give; what does not fit is kept for other variants."""
        return False

    def refuting(self, site: Site) -> Sequence[Observation]:
        """The refuting evaluations kept so far."""
        return ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A variant of a site that gives the differing result."""

    variant: SiteVariant
    matched: int
    """Instances whose result it gives, of those that were known then."""
    instances: int
    telling: int
    """Those of them that strict evaluation does not give."""

    @property
    def fits(self) -> bool:
        """Whether it gives every result that was looked at."""
        return self.matched == self.instances


def candidates(variants: Iterable[SiteVariant], observe: Observations) -> list[Candidate]:
    """The variants that give the differing result, those that give most of the others first."""
    found: list[Candidate] = []
    sites: dict[int, _Seen] = {}
    for variant in variants:
        seen = sites.get(id(variant.site))
        if seen is None:
            seen = sites[id(variant.site)] = _Seen.of(variant.site, observe)
        if seen.differing is None or not gives(variant, seen.differing):
            continue
        matched = sum(gives(variant, each) for each in seen.instances)
        found.append(Candidate(variant, matched, len(seen.instances), seen.telling))
    return sorted(found, key=lambda candidate: -candidate.matched)  # stable: the simplest first


@dataclass(frozen=True, slots=True)
class _Seen:
    """The observations of one site, for all of its variants."""

    differing: Observation | None
    instances: Sequence[Observation]
    telling: int

    @classmethod
    def of(cls, site: Site, observe: Observations) -> _Seen:
        differing, instances = observe.of(site)
        telling = sum(_strict(site, each) != each.result for each in instances)
        return cls(differing, instances, telling)


def gives(variant: SiteVariant, observed: Observation) -> bool:
    """Whether a variant gives what was observed."""
    return variant.site.bits(variant.tree, variant.arithmetic, observed.given) == observed.result


def _strict(site: Site, observed: Observation) -> int:
    return site.bits(site.tree, site.strict, observed.given)


MOST_FRAMES_LOOKED_AT = 4
MOST_LOOKED_AT = 4096
"""Evaluations of one frame that a variant is held against."""
MOST_REFUTING = 8
"""Of those that refute a variant, how many are kept for others; as many that bear it out are."""
MOST_KEPT = 8
"""Frames whose evaluations are kept: experiments often end in the same ones."""
_MOST_IN_FRAME = 1 << 16


@dataclass(eq=False)
class FrameObservations(Observations):
    """Evaluations of the operation at `place`, of which the one that is event `event` of the first
    frame differs. `frame_at` gives the side's frames by their numbers, from the differing one on;
    `values` are the operands of all the sites that are asked for."""

    place: OpRef
    event: int
    frame_at: Callable[[int], FrameInput | None]
    values: Sequence[Value]

    def __post_init__(self) -> None:
        self._refuting: list[Instance] = []
        self._kept: dict[int, list[Instance]] = {}
        """Of frames that variants were held against, the last few by their numbers."""
        self._places = {value: i for i, value in enumerate(self.values)}

    @cached_property
    def _instances(self) -> list[tuple[bool, Instance]]:
        """Each with whether it is the differing one, that one first."""
        rows: list[tuple[bool, Instance]] = []
        for number in range(MOST_FRAMES_LOOKED_AT):
            frames = self.frame_at(number)
            if frames is None:
                break
            most = _MOST_IN_FRAME if number == 0 else MOST_INSTANCES - len(rows)
            found = instances_in(frames, self.place, most, self.values)
            if number == 0:
                self._kept[0] = found[:MOST_LOOKED_AT]
                rows += [(True, one) for one in found if one.event == self.event]
                found = [one for one in found if one.event != self.event]
            rows += [(False, one) for one in found[: MOST_INSTANCES - len(rows)]]
            if len(rows) >= MOST_INSTANCES:
                break
        return rows

    def of(self, site: Site) -> tuple[Observation | None, Sequence[Observation]]:
        """The differing evaluation of a site, and others: those that refute something, and the
        first ones, it included."""
        rows = [(first, self._observed(site, one)) for first, one in self._instances]
        differing = next((row for first, row in rows if first and row), None)
        return differing, [*self.refuting(site), *(row for _, row in rows if row is not None)]

    def differing(self, site: Site) -> Observation | None:
        frames = self.frame_at(0)
        if frames is None:
            return None
        try:
            one = instance_at(frames, self.event, self.values)
        except IndexError:
            return None
        return self._observed(site, one) if one.place == self.place else None

    def refutes(self, variant: SiteVariant, frame: int) -> bool:
        """Whether frame number `frame` has an evaluation that a variant does not give."""
        refuting: list[Instance] = []
        telling: list[Instance] = []
        for one in self._instances_in(frame):
            seen = self._observed(variant.site, one)
            if seen is None:
                continue
            if not gives(variant, seen):
                refuting.append(one)
            elif _strict(variant.site, seen) != seen.result:
                telling.append(one)
            if len(refuting) == MOST_REFUTING:
                break
        if refuting:
            self._refuting += refuting + telling[:MOST_REFUTING]
        return bool(refuting)

    def _instances_in(self, frame: int) -> list[Instance]:
        """The evaluations in frame number `frame`; none where it cannot be had."""
        if frame not in self._kept:
            frames = self.frame_at(frame)
            found = [] if frames is None else instances_in(
                frames, self.place, MOST_LOOKED_AT, self.values
            )  # fmt: skip
            while len(self._kept) >= MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[frame] = found
        return self._kept[frame]

    def refuting(self, site: Site) -> Sequence[Observation]:
        """The evaluations of a site in frames in which some variant was refuted."""
        rows = (self._observed(site, one) for one in self._refuting)
        return [row for row in rows if row is not None]

    def _observed(self, site: Site, instance: Instance) -> Observation | None:
        """None where it trapped, or a value was not there."""
        if not instance.results or instance.results[0] is None:
            return None
        given: dict[str, int] = {}
        for name, value in site.operands.items():
            bits = instance.values[self._places[value]]
            if bits is None:
                return None
            given[name] = bits
        return Observation(given, instance.results[0])


def values_of(sites: Sites, place: OpRef) -> list[Value]:
    """The operands of every expression that may be looked at for an operation."""
    found: dict[Value, None] = {}
    for site in (sites.at(place.op), sites.at(place.op, most=1), sites.at(place.op, wide=True)):
        if site is not None:
            found.update(dict.fromkeys(site.operands.values()))
    return list(found)
