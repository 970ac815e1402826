"""A world: a relay, peers and the links between them, on a virtual clock.

Owns the order of events. The same plan and seed give the same messages at the same times, which
`trace` proves.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

import xxhash

from samebits.net.events import Broken, MatchEvent
from samebits.net.input_codec import ClosedFrame
from samebits.net.limits import SECOND
from samebits.net.peer.core import PeerCore, PeerState
from samebits.net.relay.core import RelayCore
from samebits.net.relay.rules import MatchRules
from samebits.net.simnet.links import Link, Wire
from samebits.net.tickets import TicketBooth, make_ticket
from samebits.sim.simulation import Simulation

EPOCH = 1_700_000_000 * SECOND
"""The virtual clock's first time."""
SECRET = b"the secret of simulated relays"
FRAMING = {True: (6, 2), False: (8, 8)}
"""Bytes around a message to the relay and from it: of WebSocket, and of UDP."""
_LEAST_STEP = 100_000
"""Nanoseconds between two polls of one node at least."""


@dataclass
class PeerPlan:
    """How one peer plays. Times in nanoseconds from the start. `inputs` gives the canonical input
    for a frame; `simulation` another program than the others'. `clock` is by how many millionths
    its clock is fast. Between the times of `frozen` its program stands still, at those of `drops`
    its connection is lost, and it comes back a second later; it leaves at `leaves`. `flip` is a
    frame after which one bit of its state is flipped."""

    up: Link
    down: Link
    inputs: Callable[[int], bytes]
    window: int = 8
    joins: int = 0
    leaves: int | None = None
    drops: tuple[int, ...] = ()
    frozen: tuple[tuple[int, int], ...] = ()
    pauses: tuple[tuple[int, int], ...] = ()
    clock: int = 0
    flip: int | None = None
    spectator: bool = False
    simulation: Simulation | None = None
    again: int = SECOND


@dataclass
class PeerLog:
    """What one peer did: rows and hashes of confirmed frames as it saw them, and events with the
    times they came at."""

    rows: dict[int, bytes] = field(default_factory=dict[int, bytes])
    hashes: dict[int, int] = field(default_factory=dict[int, int])
    events: list[tuple[int, MatchEvent]] = field(default_factory=list[tuple[int, MatchEvent]])
    connections: int = 0
    contradictions: list[str] = field(default_factory=list[str])


class _Node:
    """A peer in the world."""

    def __init__(self, slot: int, plan: PeerPlan, core: PeerCore, up: Wire, down: Wire) -> None:
        self.slot, self.plan, self.core, self.up, self.down = slot, plan, core, up, down
        self.log = PeerLog()
        self.number: int | None = None
        self.wake = -1
        self.rows = self.hashed = self.restores = 0
        self.flipped = False
        self.gone = False

    def local(self, now: int) -> int:
        """The time on the peer's own clock."""
        return now + (now - EPOCH) * self.plan.clock // 1_000_000 + 12_345 * self.slot


class World:
    """One match over simulated links."""

    def __init__(
        self, simulation: Simulation, peers: list[PeerPlan], rules: MatchRules, seed: int
    ) -> None:
        self.random = Random(seed)
        self.now = self.started = EPOCH
        self.relay = RelayCore(simulation, "sim", TicketBooth(SECRET), SECRET, rules)
        self.frames: list[ClosedFrame] = []
        """Every frame that the relay closed."""
        self.events: list[tuple[int, MatchEvent]] = []
        self.simulation = simulation
        self._framing = FRAMING[rules.ordered]
        self._trace = xxhash.xxh64()
        self._queue: list[tuple[int, int, str, Any]] = []
        self._count = 0
        self._numbers = 0
        self._owners: dict[int, _Node] = {}
        self._relay_wake = -1
        self.nodes: list[_Node] = []
        for slot, plan in enumerate(peers):
            ticket = make_ticket(
                SECRET, "sim", slot, now_ns=EPOCH, seconds=3600, nonce=f"{slot}",
                role="spectator" if plan.spectator else "player",
            )  # fmt: skip
            core = PeerCore(
                plan.simulation or simulation, ticket, plan.inputs, window=plan.window,
                ordered=rules.ordered, spectator=plan.spectator,
            )  # fmt: skip
            wires = [Wire(link, self.random) for link in (plan.up, plan.down)]
            node = _Node(slot, plan, core, *wires)
            self.nodes.append(node)
            self._at(EPOCH + plan.joins, "connect", node)
            for time in plan.drops:
                self._at(EPOCH + time, "drop", node)
            for begin, end in plan.pauses:
                self._at(EPOCH + begin, "pause", node)
                self._at(EPOCH + end, "go on", node)
            if plan.leaves is not None:
                self._at(EPOCH + plan.leaves, "leave", node)

    @property
    def trace(self) -> int:
        """XXH64 of all messages so far, with their times and ends."""
        return self._trace.intdigest()

    @property
    def over(self) -> bool:
        """Whether the match ended, everywhere where there still is a peer."""
        return self.relay.ended is not None and all(
            node.core.over or node.gone or node.number is None for node in self.nodes
        )

    def run(self, until: int) -> None:
        """Run until the match is over, or so many nanoseconds have passed since the start."""
        end = EPOCH + until
        while self._queue and not self.over:
            time, _, what, given = heapq.heappop(self._queue)
            if time > end:
                heapq.heappush(self._queue, (time, 0, what, given))
                self.now = end
                return
            self.now = max(self.now, time)
            self._do(what, given)

    def _at(self, time: int, what: str, given: Any) -> None:
        self._count += 1
        heapq.heappush(self._queue, (time, self._count, what, given))

    def _do(self, what: str, given: Any) -> None:
        match what:
            case "relay":
                if given == self._relay_wake:
                    self._poll_relay()
            case "peer":
                node, wake = given
                if wake == node.wake:
                    self._poll_peer(node)
            case "closed":
                node, number = given
                if node.number == number and not node.gone and not node.core.over:
                    node.number = None
                    self._at(self.now + node.plan.again, "connect", node)
            case "to relay":
                number, data = given
                self._trace.update(b"%d>%d:" % (number, self.now) + data)
                self.relay.receive(self.now, number, data)
                self._wake_relay()
            case "to peer":
                node, number, data = given
                if number == node.number and not node.gone:
                    thaw = self._thaw(node)
                    if thaw is not None:
                        self._at(thaw, "to peer", given)
                        return
                    self._trace.update(b"%d<%d:" % (number, self.now) + data)
                    node.core.receive(node.local(self.now), data)
                    self._poll_peer(node)
            case _:
                self._act(what, given)

    def _act(self, what: str, node: _Node) -> None:
        if node.gone or (node.core.over and what != "connect"):
            return
        match what:
            case "connect":
                if node.number is not None or self.relay.ended is not None:
                    return
                if node.log.connections:
                    node.core.reconnect()
                node.log.connections += 1
                self._numbers += 1
                node.number = self._numbers
                self._owners[node.number] = node
                self.relay.connect(self.now, node.number)
            case "drop":
                self._lost(node)
            case "pause":
                node.core.pause()
            case "go on":
                node.core.go_on()
            case "cut":
                self._lost(node)
                node.gone = True
            case _:
                node.core.leave()
                self._poll_peer(node)
                node.gone = True
                return
        self._poll_peer(node)

    def _lost(self, node: _Node) -> None:
        if node.number is not None:
            self.relay.disconnect(self.now, node.number)
            del self._owners[node.number]
            node.number = None
            self._at(self.now + node.plan.again, "connect", node)

    def _thaw(self, node: _Node) -> int | None:
        since = self.now - EPOCH
        ends = (end for begin, end in node.plan.frozen if begin <= since < end)
        found = next(ends, None)
        return None if found is None else EPOCH + found

    def _poll_relay(self) -> None:
        output = self.relay.poll(self.now)
        self.frames += [frame for _, frame in output.frames]
        self.events += [(self.now, event) for event in output.events]
        for number, data in output.messages:
            node = self._owners.get(number)
            if node is not None:
                for arrival in node.down.send(self.now, len(data) + self._framing[1]):
                    self._at(arrival, "to peer", (node, number, data))
        for number, _ in output.closed:
            node = self._owners.pop(number, None)
            if node is not None and node.number == number:
                # What was sent before still arrives.
                gone = self.now + node.plan.down.latency * 9 + SECOND
                self._at(gone, "closed", (node, number))
        self._relay_wake = max(self.relay.due, self.now + _LEAST_STEP)
        self._at(self._relay_wake, "relay", self._relay_wake)

    def _wake_relay(self) -> None:
        """Poll the relay when it is due, which may have become sooner."""
        due = self.relay.due
        if due <= self.now:
            self._poll_relay()
        elif due < self._relay_wake:
            self._relay_wake = due
            self._at(due, "relay", due)

    def _poll_peer(self, node: _Node) -> None:
        if node.gone:
            return
        thaw = self._thaw(node)
        if thaw is not None:
            node.wake = thaw
            self._at(thaw, "peer", (node, thaw))
            return
        output = node.core.poll(node.local(self.now))
        self._observe(node)
        node.log.events += [(self.now, event) for event in output.events]
        if node.number is not None:
            for data in output.messages:
                for arrival in node.up.send(self.now, len(data) + self._framing[0]):
                    self._at(arrival, "to relay", (node.number, data))
        if output.wake is not None:
            ahead = output.wake - node.local(self.now)
            node.wake = self.now + max(ahead, _LEAST_STEP)
            self._at(node.wake, "peer", (node, node.wake))

    def _observe(self, node: _Node) -> None:
        """Note what became final, and flip a bit where the plan says so."""
        timeline = node.core.timeline
        if timeline is None:
            return
        log = node.log
        # A snapshot skips frames.
        node.rows = max(node.rows, timeline.oldest_row)
        while node.rows < timeline.confirmed:
            row = timeline.row(node.rows)
            if row is not None:
                log.rows[node.rows] = row
            node.rows += 1
        if timeline.stats.restores != node.restores:
            node.restores = timeline.stats.restores
            node.hashed = min(node.hashed, timeline.stats.restored)
        while node.hashed < timeline.finished:
            if node.hashed in timeline.hashes:
                log.hashes[node.hashed] = timeline.hashes[node.hashed]
            node.hashed += 1
        flip = node.plan.flip
        if flip is None or node.flipped or timeline.finished <= flip:
            return
        if node.core.state is PeerState.PLAYING:
            node.flipped = True
            state = bytearray(timeline.rollback.canonical_state(timeline.finished))
            state[len(state) // 2] ^= 1
            node.plan.flip = timeline.finished
            timeline.restore(timeline.finished, bytes(state))

    def do(self, what: str, slot: int) -> None:
        """Let something happen to a peer now: "drop", "pause", "go on", "leave", or "cut", after
        which it never comes back."""
        self._act(what, self.nodes[slot])

    def broken(self) -> list[str]:
        """What ended conversations that should not have ended."""
        found = [f"relay: {e.reason}" for _, e in self.events if isinstance(e, Broken)]
        for node in self.nodes:
            reasons = [e.reason for _, e in node.log.events if isinstance(e, Broken)]
            found += [f"slot {node.slot}: {reason}" for reason in reasons]
        return found
