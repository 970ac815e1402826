"""What the other side's operation does, evaluation by evaluation: in the differing frame, and in
those that follow on that side.

Owns which frames are looked at. Knows nothing of hazards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from samebits.diagnose.candidates import MOST_INSTANCES, Observed
from samebits.diagnose.instances import Instance, environment
from samebits.diagnose.places import Place
from samebits.diagnose.sites import Site, Sites
from samebits.diagnose.watching import Frames
from samebits.ir.grammar import Value

MOST_FRAMES = 4
_MOST_IN_FRAME = 1 << 16


@dataclass(eq=False)
class Observations:
    """Evaluations of the operation at `place`, of which the one that is event `event` of the first
    frame differs. `frames` gives the side's frames, from the differing one on; `values` are the
    operands of all the sites that are asked for."""

    place: Place
    event: int
    frames: Callable[[], Iterator[Frames]]
    values: Sequence[Value]

    @cached_property
    def _instances(self) -> list[tuple[bool, Instance]]:
        """Each with whether it is the differing one, that one first."""
        rows: list[tuple[bool, Instance]] = []
        for number, frames in enumerate(self.frames()):
            most = _MOST_IN_FRAME if number == 0 else MOST_INSTANCES - len(rows)
            found = environment(frames, self.place, most, self.values)
            if number == 0:
                rows += [(True, one) for one in found if one.event == self.event]
                found = [one for one in found if one.event != self.event]
            rows += [(False, one) for one in found[: MOST_INSTANCES - len(rows)]]
            if len(rows) >= MOST_INSTANCES or number + 1 >= MOST_FRAMES:
                break
        return rows

    def of(self, site: Site) -> tuple[Observed | None, Sequence[Observed]]:
        """The differing evaluation of a site, and the first ones that there are, it included."""
        at = {value: i for i, value in enumerate(self.values)}
        places = {name: at[value] for name, value in site.operands.items()}
        rows = [(first, _observed(places, one)) for first, one in self._instances]
        differing = next((row for first, row in rows if first and row), None)
        return differing, [row for _, row in rows if row is not None]


def values_of(sites: Sites, place: Place) -> list[Value]:
    """The operands of every expression that may be looked at for an operation."""
    found: dict[Value, None] = {}
    for site in (sites.at(place.op), sites.at(place.op, most=1), sites.at(place.op, wide=True)):
        if site is not None:
            found.update(dict.fromkeys(site.operands.values()))
    return list(found)


def _observed(places: Mapping[str, int], instance: Instance) -> Observed | None:
    """None where it trapped, or a value was not there."""
    if not instance.results or instance.results[0] is None:
        return None
    given: dict[str, int] = {}
    for name, at in places.items():
        bits = instance.values[at]
        if bits is None:
            return None
        given[name] = bits
    return Observed(given, instance.results[0])
