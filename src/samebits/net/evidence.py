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
    if isinstance(simulation, InjectedSimulation) and simulation.from_frame > first:
        first, state, rows = _plain(simulation, seed, first, state, rows)
    if isinstance(simulation, InjectedSimulation):
        simulation = InjectedSimulation(simulation.plain, simulation.program)
    session = simulation.start(seed, keep=len(rows))
    assert isinstance(session, KeptSession)
    if first:
        session.restore(Saved(seed, first, state).to_bytes(simulation))
    with suppress(SimulationTrap):  # the report tells of it
        session.run(InputCodec(simulation).memory(b"".join(rows)))
    data = report_bytes(session_report(session))
    return data if len(data) <= limits.REPORT else b""


def _plain(
    simulation: InjectedSimulation, seed: int, first: int, state: bytes, rows: list[bytes]
) -> tuple[int, bytes, list[bytes]]:
    """Play the frames in which no hazard acts yet: the frame, state and rows where they begin."""
    plain = simulation.plain
    session = plain.start(seed)
    session.restore(Saved(seed, first, state).to_bytes(plain))
    count = min(simulation.from_frame - first, len(rows))
    session.run(InputCodec(plain).memory(b"".join(rows[:count])))
    return first + count, session.canonical_state(), rows[count:]


def of_timeline(timeline: Timeline, frame: int) -> bytes:
    """A peer's report of a frame, from what its timeline keeps."""
    simulation = timeline.simulation
    seed = timeline.rollback.seed
    return evidence(simulation, seed, timeline.keyframes, timeline.row, frame)
