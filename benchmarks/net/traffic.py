"""The messages that the peers of a match send to its relay, recorded once.

Owns a match of peers over simulated links. What a relay answers does not change what is recorded,
so that the same traffic can be given to any number of relays.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from samebits.net.limits import SECOND
from samebits.net.relay.core import RelayCore
from samebits.net.relay.rules import MatchRules
from samebits.net.simnet.links import Link
from samebits.net.simnet.soak import player
from samebits.net.simnet.world import EPOCH, SECRET, PeerPlan, World
from samebits.net.tickets import TicketBooth
from samebits.sim.simulation import Simulation

Call = tuple[int, int | None, bytes | None]
"""A time, and what a relay is told at it: nothing, a new connection, or a connection's message."""


@dataclass(frozen=True)
class Traffic:
    """What a relay of one match is told, in order."""

    simulation: Simulation
    rules: MatchRules
    calls: tuple[Call, ...]
    began: int
    """When frame 0 was due."""
    seconds: float
    """How long the match took on the virtual clock."""
    up: float
    """Bytes a second of a player to the relay, and of the relay to a player."""
    down: float

    def play(self) -> float:
        """Let a new relay take it all; the CPU seconds that it took."""
        booth = TicketBooth(SECRET)
        core = RelayCore(self.simulation, "sim", booth, SECRET, self.rules)
        begun = time.thread_time_ns()
        self.tell(core)
        taken = (time.thread_time_ns() - begun) / SECOND
        assert core.log.closed == self.rules.frames
        assert core.votes.counted >= core.log.closed - 1
        assert not core.desyncs
        return taken

    def tell(self, core: RelayCore) -> None:
        """Tell a new relay all of it."""
        for now, number, message in self.calls:
            if number is None:
                core.poll(now)
            elif message is None:
                core.connect(now, number)
            else:
                core.receive(now, number, message)


class _Recorded(World):
    """A world that notes what its relay is told."""

    calls: list[Call]

    @contextmanager
    def recorded(self) -> Generator[None]:
        relay, self.calls = self.relay, []
        connect, receive, poll = relay.connect, relay.receive, relay.poll

        def connecting(now_ns: int, number: int) -> None:
            self.calls.append((now_ns, number, None))
            connect(now_ns, number)

        def receiving(now_ns: int, number: int, message: bytes) -> None:
            self.calls.append((now_ns, number, message))
            receive(now_ns, number, message)

        def polling(now_ns: int) -> object:
            self.calls.append((now_ns, None, None))
            return poll(now_ns)

        relay.connect, relay.receive, relay.poll = connecting, receiving, polling  # type: ignore
        yield


def recorded(simulation: Simulation, link: Link, frames: int, window: int = 8) -> Traffic:
    """A match of all players over links of that kind; inputs change ten times a second."""
    rules = MatchRules(seed=1, frames=frames)
    plans = [
        PeerPlan(link, link, player(simulation, slot, 2, frames), window=window, clock=40 * slot)
        for slot in range(simulation.players)
    ]
    world = _Recorded(simulation, plans, rules, 3)
    with world.recorded():
        world.run(2 * frames * SECOND // simulation.tick_rate + 60 * SECOND)
    assert world.relay.ended is not None
    seconds = (world.now - EPOCH) / SECOND
    up = sum(node.up.carried for node in world.nodes) / len(plans) / seconds
    down = sum(node.down.carried for node in world.nodes) / len(plans) / seconds
    began = world.relay.closing.due(0)
    return Traffic(simulation, rules, tuple(world.calls), began, seconds, up, down)
