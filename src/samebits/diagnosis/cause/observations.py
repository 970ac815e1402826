"""What the other side's operation does, evaluation by evaluation: in the differing frame, and in
those that follow on that side.

Owns which frames are looked at. Of hazards it knows ways alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from samebits.diagnosis.cause.candidates import MOST_INSTANCES, Observed, gives
from samebits.hazards.expressions import Site, Sites
from samebits.hazards.site_variants import SiteVariant
from samebits.ir.grammar import Value
from samebits.ir.refs import OpRef
from samebits.trace.instances import Instance, instances_in
from samebits.trace.observer import FrameInput

MOST_FRAMES = 4
MOST_LOOKED_AT = 4096
"""Evaluations of one frame that a way is held against."""
MOST_REFUTING = 8
"""Of those that refute a way, how many are kept for others, and as many that only bear it out."""
MOST_KEPT = 8
"""Frames whose evaluations are kept: experiments often end in the same ones."""
_MOST_IN_FRAME = 1 << 16


@dataclass(eq=False)
class Observations:
    """Evaluations of the operation at `place`, of which the one that is event `event` of the first
    frame differs. `frames` gives the side's frames, from the differing one on, `frame_at` one of
    them by its number; `values` are the operands of all the sites that are asked for."""

    place: OpRef
    event: int
    frames: Callable[[], Iterator[FrameInput]]
    values: Sequence[Value]
    frame_at: Callable[[int], FrameInput | None] = lambda number: None

    def __post_init__(self) -> None:
        self._refuting: list[Instance] = []
        self._kept: dict[int, list[Instance]] = {}
        """Of frames that ways were held against, the last few by their numbers."""
        self._places = {value: i for i, value in enumerate(self.values)}

    @cached_property
    def _instances(self) -> list[tuple[bool, Instance]]:
        """Each with whether it is the differing one, that one first."""
        rows: list[tuple[bool, Instance]] = []
        for number, frames in enumerate(self.frames()):
            most = _MOST_IN_FRAME if number == 0 else MOST_INSTANCES - len(rows)
            found = instances_in(frames, self.place, most, self.values)
            if number == 0:
                if self.frame_at(0) is not None:
                    self._kept[0] = found[:MOST_LOOKED_AT]
                rows += [(True, one) for one in found if one.event == self.event]
                found = [one for one in found if one.event != self.event]
            rows += [(False, one) for one in found[: MOST_INSTANCES - len(rows)]]
            if len(rows) >= MOST_INSTANCES or number + 1 >= MOST_FRAMES:
                break
        return rows

    def of(self, site: Site) -> tuple[Observed | None, Sequence[Observed]]:
        """The differing evaluation of a site, and others: those that refute something, and the
        first ones, it included."""
        rows = [(first, self._observed(site, one)) for first, one in self._instances]
        differing = next((row for first, row in rows if first and row), None)
        return differing, [*self.refuting(site), *(row for _, row in rows if row is not None)]

    def refutes(self, way: SiteVariant, frame: int) -> bool:
        """Whether frame number `frame` has an evaluation that a way does not give."""
        refuting: list[Instance] = []
        telling: list[Instance] = []
        for one in self._instances_in(frame):
            seen = self._observed(way.site, one)
            if seen is None:
                continue
            if not gives(way, seen):
                refuting.append(one)
            elif way.site.bits(way.site.tree, way.site.strict, seen.given) != seen.result:
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

    def refuting(self, site: Site) -> Sequence[Observed]:
        """The evaluations of a site in frames in which some way was refuted."""
        rows = (self._observed(site, one) for one in self._refuting)
        return [row for row in rows if row is not None]

    def _observed(self, site: Site, instance: Instance) -> Observed | None:
        """None where it trapped, or a value was not there."""
        if not instance.results or instance.results[0] is None:
            return None
        given: dict[str, int] = {}
        for name, value in site.operands.items():
            bits = instance.values[self._places[value]]
            if bits is None:
                return None
            given[name] = bits
        return Observed(given, instance.results[0])


def values_of(sites: Sites, place: OpRef) -> list[Value]:
    """The operands of every expression that may be looked at for an operation."""
    found: dict[Value, None] = {}
    for site in (sites.at(place.op), sites.at(place.op, most=1), sites.at(place.op, wide=True)):
        if site is not None:
            found.update(dict.fromkeys(site.operands.values()))
    return list(found)
