"""A relay without deadline goes on: over links that lose and reorder, with nothing made up, and
where a peer that stood still leaves out frames."""

from __future__ import annotations

import pytest
from tests.support.simulations.crowd_simulation import crowd

from samebits.net.limits import SECOND
from samebits.net.relay.closing import ClosingRules
from samebits.net.relay.rules import MatchRules
from samebits.net.simnet.links import MILLI, Link, shapes
from samebits.net.simnet.oracle import faults
from samebits.net.simnet.soak import player
from samebits.net.simnet.world import PeerPlan, World

FRAMES = 240
BEFORE = SECOND
"""When one peer stops; it has played some frames by then."""
WORST = Link(40 * MILLI, 20 * MILLI, loss=0.3, duplicate=0.1, reorder=0.3, ordered=False)
"""Three of ten messages are lost, as many come late."""


def played(plans: list[PeerPlan], ordered: bool, seed: int = 5) -> World:
    """A match to its end, whose frames wait for inputs for ever."""
    rules = MatchRules(seed=3, frames=FRAMES, ordered=ordered, closing=ClosingRules(deadline=None))
    world = World(crowd(len(plans)), plans, rules, seed)
    world.run(60 * SECOND)
    assert faults(world, frames=FRAMES) == []
    return world


def made_up(world: World) -> int:
    """Inputs that were substituted."""
    return sum(seat.substituted for seat in world.relay.closing.seats)


@pytest.mark.parametrize("ordered", [True, False], ids=["ordered", "datagrams"])
@pytest.mark.parametrize("seconds", [0.2, 0.6, 5.0])
@pytest.mark.parametrize("players", [1, 2])
def test_a_peer_that_stood_still_stalls_no_match(
    players: int, seconds: float, ordered: bool
) -> None:
    simulation, link = crowd(players), shapes(ordered)["cable"]
    stood = (BEFORE, BEFORE + int(seconds * SECOND))
    plans = [PeerPlan(link, link, player(simulation, n, 5, 500)) for n in range(players)]
    plans[-1].frozen = (stood,)
    world = played(plans, ordered)
    assert made_up(world) == 0 if seconds < 0.4 else made_up(world) > 0


@pytest.mark.parametrize("windows", [(0, 0, 0), (0, 0, 8), (8, 8, 8)])
@pytest.mark.parametrize("name", ["mobile", "bad", "thin"])
def test_no_input_is_made_up_where_messages_are_lost(name: str, windows: tuple[int, ...]) -> None:
    link = shapes(False)[name]
    inputs = [player(crowd(3), n, 11, FRAMES + 200) for n in range(3)]
    plans = [PeerPlan(link, link, inputs[n], window=windows[n]) for n in range(3)]
    assert made_up(played(plans, False)) == 0


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("window", [0, 8])
def test_a_match_over_the_worst_datagrams_comes_to_its_end(window: int, seed: int) -> None:
    # A START that is lost comes late: such a peer leaves out the frames until then.
    inputs = [player(crowd(3), n, 11, FRAMES + 200) for n in range(3)]
    played([PeerPlan(WORST, WORST, each, window=window) for each in inputs], False, seed)
