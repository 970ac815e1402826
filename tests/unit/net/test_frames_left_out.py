"""A relay without deadline goes on where a peer that stood still leaves out frames."""

from __future__ import annotations

import pytest
from tests.support.simulations.crowd_simulation import crowd

from samebits.net.limits import SECOND
from samebits.net.relay.closing import ClosingRules
from samebits.net.relay.rules import MatchRules
from samebits.net.simnet.links import shapes
from samebits.net.simnet.soak import player
from samebits.net.simnet.world import PeerPlan, World

LINK = shapes(True)["cable"]
FRAMES = 240
BEFORE = SECOND
"""When one peer stops; it has played some frames by then."""


@pytest.mark.parametrize("seconds", [0.2, 0.6, 5.0])
@pytest.mark.parametrize("players", [1, 2])
def test_a_peer_that_stood_still_stalls_no_match(players: int, seconds: float) -> None:
    simulation = crowd(players)
    stood = (BEFORE, BEFORE + int(seconds * SECOND))
    plans = [PeerPlan(LINK, LINK, player(simulation, n, 5, 500)) for n in range(players)]
    plans[-1].frozen = (stood,)
    closing = ClosingRules(deadline=None)
    world = World(simulation, plans, MatchRules(seed=3, frames=FRAMES, closing=closing), 5)
    world.run(60 * SECOND)
    assert world.relay.ended is not None
    assert world.relay.ended.frames == FRAMES
    assert world.relay.desyncs == []
    substituted = sum(seat.substituted for seat in world.relay.closing.seats)
    assert substituted == 0 if seconds < 0.4 else substituted > 0
