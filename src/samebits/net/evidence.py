"""The evidence of a frame: the desync report of a peer or referee, made where bits parted.

Owns which frames are played again for it, in a session of its own, from the nearest kept state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress

from samebits.desync.of_session import session_report
from samebits.desync.writer import report_bytes
from samebits.hazards.injected_simulation import InjectedSimulation
from samebits.net import limits
from samebits.net.input_codec import InputCodec
from samebits.net.peer.timeline import Timeline
from samebits.sim.kept_session import KeptSession
from samebits.sim.saved import Saved
from samebits.sim.session import SimulationTrap
from samebits.sim.simulation import Simulation

AFTER = 2
"""Frames behind the one that is shown."""


def evidence(
    simulation: Simulation,
    seed: int,
    keyframes: Iterable[tuple[int, bytes]],
    row_of: Callable[[int], bytes | None],
    frame: int,
) -> bytes:
    """A report that has states before and after `frame`, b"" where that is too long ago.

    `keyframes` are frames and canonical states before them, `row_of` gives a frame's inputs.
    """
    found = max((k for k in keyframes if k[0] <= frame), default=None, key=lambda k: k[0])
    if found is None:
        return b""
    first, state = found
    rows: list[bytes] = []
    for n in range(first, frame + AFTER):
        row = row_of(n)
        if row is None:
            break
        rows.append(row)
    if len(rows) <= frame - first:
        return b""
    if isinstance(simulation, InjectedSimulation):
        begun, stop = first, _part(simulation, first)[1]
        while stop is not None and stop <= frame:
            count = stop - begun
            state = _played(_part(simulation, begun)[0], seed, begun, state, rows[:count])
            rows = rows[count:]
            begun, stop = stop, _part(simulation, stop)[1]
        first, simulation = begun, _part(simulation, begun)[0]
        rows = rows if stop is None else rows[: stop - first]
    session = simulation.start(seed, keep=len(rows))
    assert isinstance(session, KeptSession)
    if first:
        session.restore(Saved(seed, first, state).to_bytes(simulation))
    with suppress(SimulationTrap):  # the report tells of it
        session.run(InputCodec(simulation).memory(b"".join(rows)))
    data = report_bytes(session_report(session))
    return data if len(data) <= limits.REPORT else b""


def _part(simulation: InjectedSimulation, frame: int) -> tuple[Simulation, int | None]:
    """What runs a frame, and the first frame after it that something else runs."""
    if frame < simulation.from_frame:
        return simulation.plain, simulation.from_frame
    until = simulation.until_frame
    if until is not None and frame >= until:
        return simulation.plain, None
    return InjectedSimulation(simulation.plain, simulation.program), until


def _played(
    simulation: Simulation, seed: int, first: int, state: bytes, rows: list[bytes]
) -> bytes:
    """The state after rows that are played from `first` on."""
    session = simulation.start(seed)
    session.restore(Saved(seed, first, state).to_bytes(simulation))
    session.run(InputCodec(simulation).memory(b"".join(rows)))
    return session.canonical_state()


def of_timeline(timeline: Timeline, frame: int) -> bytes:
    """A peer's report of a frame, from what its timeline keeps."""
    simulation = timeline.simulation
    seed = timeline.rollback.seed
    return evidence(simulation, seed, timeline.keyframes, timeline.row, frame)
