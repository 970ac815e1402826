"""Mutated messages at both cores of a match: bounded work, and never an exception.

`python -m tests.fuzz.net 100000` puts so many at each core, and so many at relays of matches whose
players must not notice. Messages are those of real matches, with bits flipped, bytes cut, doubled
and swapped, or records of others put in.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from random import Random

from samebits.net import limits
from samebits.net.events import Broken
from samebits.net.limits import SECOND
from samebits.net.peer.core import PeerCore
from samebits.net.relay.core import RelayCore
from samebits.net.relay.rules import MatchRules
from samebits.net.simnet.links import shapes
from samebits.net.simnet.oracle import faults
from samebits.net.simnet.soak import player
from samebits.net.simnet.world import EPOCH, SECRET, PeerPlan, World
from samebits.net.tickets import Role, TicketBooth, make_ticket
from tests.support.simulations.crowd_simulation import crowd

PLAYERS = 3
FRESH_EVERY = 60
"""Messages that one core gets, unless it ends before."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """Messages of a real match: what relays and what peers got."""

    up: list[bytes]
    down: list[bytes]


class _Recorder(World):
    """A world that keeps its messages."""

    def _do(self, what: str, given: object) -> None:
        if what == "to relay":
            self.up.append(given[1])  # type: ignore[index]
        elif what == "to peer":
            self.down.append(given[2])  # type: ignore[index]
        super()._do(what, given)

    up: list[bytes]
    down: list[bytes]


def corpus(ordered: bool) -> Corpus:
    """The messages of a short match in which much happens."""
    link = shapes(ordered)["cable"]
    peers = [
        PeerPlan(link, link, player(crowd(PLAYERS), n, 1, 400), flip=40 if n == 1 else None,
                 drops=(SECOND,) if n == 2 else (), pauses=((2 * SECOND, 3 * SECOND),) if n else ())
        for n in range(PLAYERS)
    ]  # fmt: skip
    world = _Recorder(crowd(PLAYERS), peers, MatchRules(frames=160, ordered=ordered), 1)
    world.up, world.down = [], []
    world.run(20 * SECOND)
    return Corpus(world.up, world.down)


def mutated(message: bytes, others: list[bytes], random: Random) -> bytes:
    """A message like one of those."""
    data = bytearray(message)
    for _ in range(random.choice((0, 1, 1, 2, 8))):
        at = random.randrange(len(data) + 1) if data else 0
        match random.randrange(6):
            case 0 if data:
                data[at % len(data)] ^= 1 << random.randrange(8)
            case 1:
                del data[at : at + random.randrange(1, 9)]
            case 2:
                data[at:at] = data[at : at + random.randrange(1, 40)]
            case 3:
                data[at:at] = random.choice(others)
            case 4 if data:
                data[at % len(data)] = random.choice((0, 1, 0x7F, 0x80, 0xFF))
            case _:
                data[at:at] = random.randbytes(random.randrange(1, 12))
    return bytes(data[: limits.MESSAGE + 10])


def at_relay(messages: Corpus, count: int, random: Random, ordered: bool) -> int:
    """Put mutated messages at relays; how many conversations they ended. Over datagrams those close
    later, when the peer has acknowledged why."""
    ended, number, now = 0, 0, EPOCH
    done = 0
    rules = MatchRules(referee=False, ordered=ordered, needed=1)
    while done < count:
        relay = RelayCore(crowd(PLAYERS), "sim", TicketBooth(SECRET), SECRET, rules)
        for _ in range(FRESH_EVERY):
            number += 1
            relay.connect(now, number)
            if random.random() < 0.9:
                hello = _hello(number % PLAYERS, ordered, now, number)
                relay.receive(now, number, hello)
            for _ in range(random.randrange(1, 6)):
                relay.receive(now, number, mutated(random.choice(messages.up), messages.up, random))
                done += 1
                now += random.choice((1000, 16_000_000))
                output = relay.poll(now)
                assert sum(len(data) for _, data in output.messages) < 1 << 20
                ended += sum(isinstance(e, Broken) for e in output.events)
            assert len(relay.connections) <= 64
            for seat in relay.seats:
                assert len(seat.inputs) <= limits.AHEAD + 2
            if len(relay.connections) > 40:
                break
    return ended


def _hello(slot: int, ordered: bool, now: int, nonce: int, role: Role = "player") -> bytes:
    ticket = make_ticket(SECRET, "sim", slot, now_ns=now, nonce=f"n{nonce}", role=role)
    zero = crowd(PLAYERS)
    core = PeerCore(
        zero, ticket, lambda _: bytes(7), ordered=ordered, spectator=role == "spectator"
    )
    return b"".join(core.poll(now).messages)


def at_peer(messages: Corpus, count: int, random: Random, ordered: bool) -> int:
    """Put mutated messages at peers; how many conversations they ended."""
    ended, done, now = 0, 0, EPOCH
    while done < count:
        core = PeerCore(crowd(PLAYERS), "", lambda _: bytes(7), ordered=ordered, window=4)
        core.poll(now)
        start = random.randrange(max(1, len(messages.down) - FRESH_EVERY))
        good = [m for m in messages.down[:8]] if random.random() < 0.7 else []
        for n in range(FRESH_EVERY):
            message = good[n] if n < len(good) else messages.down[start + n]
            if n >= len(good) or random.random() < 0.1:
                message = mutated(message, messages.down, random)
            core.receive(now, message)
            done += 1
            now += random.choice((1000, 16_000_000))
            output = core.poll(now)
            assert sum(map(len, output.messages)) < 1 << 20
            if core.over:
                ended += any(isinstance(e, Broken) for e in output.events)
                break
    return ended


class _Besieged(World):
    """A world in which strangers and spectators put mutated messages at the relay."""

    def besiege(self, messages: list[bytes], random: Random) -> None:
        """Begin with it, in the first second of the match."""
        self.messages, self.chance = messages, random
        self.put = 0
        self.strangers: list[int] = []
        self._at(EPOCH + SECOND, "siege", None)

    def _do(self, what: str, given: object) -> None:
        if what != "siege":
            super()._do(what, given)
            return
        relay, random = self.relay, self.chance
        self.strangers = [n for n in self.strangers if n in relay.connections]
        if len(self.strangers) < 8:
            number = _STRANGERS + self.put
            relay.connect(self.now, number)
            self.strangers.append(number)
            if random.random() < 0.7:
                hello = _hello(0, relay.rules.ordered, self.now, number, "spectator")
                relay.receive(self.now, number, mutated(hello, [hello], random))
        for _ in range(random.randrange(1, 6)):
            message = mutated(random.choice(self.messages), self.messages, random)
            relay.receive(self.now, random.choice(self.strangers), message)
            self.put += 1
        self._wake_relay()
        assert len(relay.connections) <= 8 + PLAYERS
        self._at(self.now + random.choice((100_000, 2_000_000)), "siege", None)


_STRANGERS = 1_000_000
"""The numbers of strangers' connections begin here."""


def beside_players(messages: Corpus, count: int, random: Random, ordered: bool) -> int:
    """Put mutated messages of strangers and spectators at relays of matches; the frames of their
    players, which are those of the same matches without, and over as soon."""
    digest = crowd(PLAYERS).digest.encode()
    # A greeting has a ticket or a token, which are good.
    strange = [message for message in messages.up if digest not in message]
    link, rules = shapes(ordered)["lan"], MatchRules(frames=200, ordered=ordered)
    inputs = [player(crowd(PLAYERS), n, 1, 400) for n in range(PLAYERS)]
    peers = [PeerPlan(link, link, each) for each in inputs]
    calm = World(crowd(PLAYERS), peers, rules, 1)
    calm.run(20 * SECOND)
    expected = [frame.row for frame in calm.frames]
    done = frames = 0
    while done < count:
        world = _Besieged(crowd(PLAYERS), peers, rules, 1)
        world.besiege(strange, random)
        world.run(20 * SECOND)
        assert [frame.row for frame in world.frames] == expected
        assert not any(frame.substituted for frame in world.frames)
        assert [what for what in faults(world, frames=200) if not what.startswith("relay: ")] == []
        assert abs(world.now - calm.now) < SECOND // 60
        done += world.put
        frames += len(world.frames)
    return frames


def main(count: int, seed: int = 1) -> None:
    """Put `count` messages at each core, half of them as datagrams, and print what came of it."""
    random = Random(seed)
    for ordered in (True, False):
        messages = corpus(ordered)
        kind = "ordered" if ordered else "datagrams"
        for name, attack in (("relay", at_relay), ("peer", at_peer)):
            ended = attack(messages, count // 2, random, ordered)
            print(f"{count // 2} messages at a {name}, {kind}: {ended} conversations ended")
        frames = beside_players(messages, count // 2, random, ordered)
        print(f"{count // 2} messages beside players, {kind}: their {frames} frames are the same")
    if sys.platform != "win32":
        from resource import RUSAGE_SELF, getrusage

        print(f"{getrusage(RUSAGE_SELF).ru_maxrss >> 10} MiB of memory at most")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
