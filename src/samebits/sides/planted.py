"""A simulation with the hazard of some words, that acts from one frame to another."""

from __future__ import annotations

from samebits.errors import SideError
from samebits.hazards.injected_simulation import InjectedSimulation
from samebits.sides.side import parse_side
from samebits.sim.simulation import Simulation

_UNTIL = "until="


def planted(simulation: Simulation, words: str, acts: int | None = None) -> InjectedSimulation:
    """The simulation with the hazard of words such as `hazard=fma@bounce,from=200,until=260`;
    without `until` it acts for so many frames, or for ever.

    Raises SideError, HazardError, CompileError.
    """
    parts = words.split(",")
    ends = [part.removeprefix(_UNTIL) for part in parts if part.startswith(_UNTIL)]
    side = parse_side(",".join(p for p in parts if not p.startswith(_UNTIL)), simulation)
    begin = side.spec.start or 0
    if len(ends) > 1 or not all(end.isdecimal() and int(end) > begin for end in ends):
        raise SideError(
            f"{_UNTIL}{ends[-1]:.40} is no frame after {begin}",
            fix=f"write {_UNTIL}{begin + (acts or 60)}",
        )
    until = int(ends[0]) if ends else None if acts is None else begin + acts
    return InjectedSimulation(simulation, side.program, begin, until)
