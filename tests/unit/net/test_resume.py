"""A peer comes back with its token, also where it never saw the one that it was given since."""

from __future__ import annotations

from tests.support.simulations.crowd_simulation import crowd

from samebits.net.relay.rules import MatchRules
from samebits.net.relay.seats import Seat
from samebits.net.simnet.links import MILLI, shapes
from samebits.net.simnet.oracle import faults
from samebits.net.simnet.soak import player
from samebits.net.simnet.world import EPOCH, PeerPlan, World


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
