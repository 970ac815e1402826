"""The costs of a peer and of a relay's core beside sockets: frames played again, and memory."""

from __future__ import annotations

import gc
import statistics
import time
import tracemalloc
from dataclasses import dataclass

from benchmarks.measure import Runner, interleave
from benchmarks.net.traffic import Traffic
from samebits.net.input_codec import InputCodec
from samebits.net.peer.timeline import MOST_AT_ONCE, Timeline
from samebits.net.relay.core import RelayCore
from samebits.net.simnet.links import MILLI, Link
from samebits.net.simnet.soak import SoakMatch, SoakPlan, soak
from samebits.net.simnet.world import SECRET
from samebits.net.tickets import TicketBooth
from samebits.sim.players import random_inputs
from samebits.sim.simulation import Simulation

DEPTH = 8
ROWS = (
    ("2 players, LAN", 2, Link(MILLI, MILLI // 5)),
    ("2 players, 50 ms, ±20 ms, 1 % lost", 2, Link(25 * MILLI, 10 * MILLI, loss=0.01)),
    ("2 players, 100 ms, ±20 ms, 5 % lost", 2, Link(50 * MILLI, 10 * MILLI, loss=0.05)),
    ("4 players, 30 ms, ±12 ms, 1 % lost", 4, Link(15 * MILLI, 6 * MILLI, loss=0.01)),
)
"""Links by round trip; the second and third rows are those that Fortress Rollback publishes for its
mesh, in its guide to tuning."""


def rollback(simulation: Simulation, rounds: int) -> tuple[float, float]:
    """Milliseconds to go back eight frames and play them again: in one call, and by a session's
    restore and run."""
    inputs = random_inputs(simulation, 0, 64 + DEPTH, 1)
    ring = simulation.rollback(1, DEPTH)
    ring.play(0, inputs, checked=True)
    last = inputs[-DEPTH:]
    first = ring.frame - DEPTH
    session = simulation.start(1)
    session.run(inputs[:-DEPTH])
    saved = session.save()

    def again() -> None:
        session.restore(saved)
        session.run(last)

    runners = [Runner(lambda: ring.play(first, last, checked=True), ()), Runner(again, ())]
    interleave(runners, (), rounds)
    return runners[0].median * 1e3, runners[1].median * 1e3


def catch_up(simulation: Simulation, rounds: int) -> float:
    """Frames a second of CPU that a peer far behind plays, with a hash and a row for each."""
    codec = InputCodec(simulation)
    rows = [
        bytes(simulation.inputs.to_bytes(row[None]))
        for row in random_inputs(simulation, 0, MOST_AT_ONCE, 1)
    ]
    found: list[float] = []
    for _ in range(rounds):
        timeline = Timeline(simulation, codec, DEPTH, 1)
        for row in rows:
            timeline.confirm(row)
        begun = time.thread_time()
        timeline.advance(MOST_AT_ONCE)
        found.append(MOST_AT_ONCE / (time.thread_time() - begun))
    return statistics.median(found)


def memory(traffic: Traffic) -> int:
    """Bytes that a relay's core of a match takes in Python, when it has closed all frames."""
    gc.collect()
    tracemalloc.start()
    try:
        core = RelayCore(traffic.simulation, "sim", TicketBooth(SECRET), SECRET, traffic.rules)
        traffic.tell(core)
        gc.collect()
        return tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()


@dataclass(frozen=True)
class Shape:
    """A kind of link, and what matches over it came to; ordered, and by datagrams."""

    title: str
    ordered: SoakMatch
    datagrams: SoakMatch


def shapes(simulations: dict[int, Simulation], frames: int) -> list[Shape]:
    """A match over each kind of link."""
    found: list[Shape] = []
    for title, players, link in ROWS:
        both: list[SoakMatch] = []
        for ordered in (True, False):
            kind = Link(link.latency, link.jitter, link.loss, ordered=ordered)
            plan = SoakPlan(frames, "lan", ordered, (DEPTH,), kind, players)
            (match,) = soak(lambda n: simulations[n], iter([7]), plan)
            assert match.faults in ((), ("no rollback: such a match proves nothing of them",))
            both.append(match)
        found.append(Shape(title, *both))
    return found


def per_minute(count: int, match: SoakMatch) -> float:
    """How often something happened to a player in a minute."""
    return 60 * count / match.seconds / match.players
