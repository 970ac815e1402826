"""A peer comes back with its token, also where it never saw the one that it was given since."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.support.simulations.crowd_simulation import crowd

from samebits.net.client import join
from samebits.net.events import Away, Ended, Refused
from samebits.net.peer.core import PeerCore
from samebits.net.relay.rules import MatchRules
from samebits.net.relay.seats import Seat
from samebits.net.server import Relay
from samebits.net.simnet.links import MILLI, shapes
from samebits.net.simnet.oracle import faults
from samebits.net.simnet.soak import player
from samebits.net.simnet.world import EPOCH, PeerPlan, World
from samebits.net.tickets import make_ticket

SECRET = b"a secret of these tests"


def test_a_peer_that_drops_before_its_welcome_came_is_let_in_again() -> None:
    links = shapes(False)
    peers = [
        PeerPlan(links[name], links[name], player(crowd(3), n, 0, 2000), window=0)
        for n, name in enumerate(("mobile", "lan", "lan"))
    ]
    world = World(crowd(3), peers, MatchRules(seed=0, ordered=False), 0)
    for milliseconds in (1000, 1076):
        world.run(world.now - EPOCH + milliseconds * MILLI)
        world.do("drop", 0)
    world.run(world.now - EPOCH + 6000 * MILLI)
    world.relay.end("the test is over")
    world.run(world.now - EPOCH + 20_000 * MILLI)
    assert len(world.frames) > 300
    assert faults(world) == []


def test_a_seat_takes_its_token_and_the_one_before_and_no_other() -> None:
    seat = Seat(0)
    assert not seat.takes(b"")
    seat.token, seat.earlier = b"new", b"old"
    assert seat.takes(b"new")
    assert seat.takes(b"old")
    assert not seat.takes(b"other")
    assert not seat.takes(b"")
    seat.earlier = b""
    assert not seat.takes(b"old")


def test_a_ticket_is_good_again_until_its_peer_has_seen_a_token() -> None:
    link = shapes(True)["cable"]
    plans = [PeerPlan(link, link, player(crowd(2), n, 0, 2000)) for n in range(2)]
    world = World(crowd(2), plans, MatchRules(seed=0, frames=240), 0)
    # HELLO has come by then, and its answer has not.
    world.run(40 * MILLI)
    assert world.relay.seats[1].occupied
    world.do("drop", 1)
    assert world.nodes[1].core.resume == b""
    world.run(60_000 * MILLI)
    assert faults(world, frames=240) == []
    assert world.nodes[1].log.connections == 2
    assert world.relay.seats[1].nonce == ""


def test_a_conversation_that_ended_is_not_begun_again() -> None:
    core = PeerCore(crowd(2), "", player(crowd(2), 0, 0, 10))
    core.receive(0, b"\x00")
    assert core.over
    core.poll(0)
    core.reconnect()
    assert core.over
    assert core.poll(1).messages == []


@pytest.mark.parametrize("alive", [False, True], ids=["died", "still connected"])
def test_a_new_ticket_for_a_slot_gets_it_from_who_has_it(alive: bool) -> None:
    simulation = crowd(2)

    async def play(relay: Relay, slot: int) -> list[Any]:
        text = make_ticket(SECRET, "m", slot, now_ns=relay.now())
        url, inputs = f"ws://127.0.0.1:{relay.port}/m", player(simulation, slot, 5, 2000)
        async with join(simulation, url, text, play=inputs) as peer:
            return [event async for frame in peer.frames() for event in frame.events]

    async def run() -> tuple[list[list[Any]], Any]:
        relay = Relay(simulation, SECRET, rules=MatchRules(seed=4, frames=240))
        async with relay.running():
            first, old = (asyncio.create_task(play(relay, slot)) for slot in (0, 1))
            while "m" not in relay.matches or relay.matches["m"].core.log.closed < 60:
                await asyncio.sleep(0.01)
            match = relay.matches["m"]
            if not alive:
                old.cancel()
                await asyncio.gather(old, return_exceptions=True)
            done = await asyncio.gather(first, play(relay, 1), *[old] * alive)
            return list(done), match.core

    found, core = asyncio.run(run())
    ended = [event for events in found[:2] for event in events if isinstance(event, Ended)]
    assert len(ended) == 2
    assert ended[0] == ended[1]
    assert ended[0].frames == 240
    assert [seat.epoch for seat in core.seats] == [1, 2]
    assert core.desyncs == []
    assert any(isinstance(event, Away) for event in found[0]) is not alive
    for events in found[2:]:
        (last,) = (event for event in events if isinstance(event, Refused))
        assert last.reason == "the resume token is not valid"
