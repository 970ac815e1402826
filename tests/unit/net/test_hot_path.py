"""What a relay does each tick in few steps: early inputs, inputs in memory, equal votes."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from tests.support.simulations.crowd_simulation import crowd

from samebits.net.input_codec import InputCodec
from samebits.net.limits import SECOND
from samebits.net.messages import Early, decode
from samebits.net.relay.output import RelayOutput
from samebits.net.relay.rules import MatchRules
from samebits.net.relay.votes import Votes
from samebits.net.simnet.links import shapes
from samebits.net.simnet.soak import player
from samebits.net.simnet.world import PeerPlan, World
from samebits.sim.load import load_simulation
from samebits.sim.players import random_inputs

ARENA = Path(__file__).parents[3] / "examples" / "arena" / "arena.py"
LINK = shapes(True)["cable"]


def test_early_inputs_ride_with_closed_frames_or_wait_for_each_other_half_a_tick() -> None:
    two = crowd(3)
    world = World(
        two, [PeerPlan(LINK, LINK, player(two, n, 5, 500)) for n in range(3)],
        MatchRules(seed=3, frames=300), 5,
    )  # fmt: skip
    told: list[tuple[int, bool, bool]] = []
    poll = world.relay.poll

    def polled(now_ns: int) -> RelayOutput:
        output = poll(now_ns)
        if any(type(r) is Early for _, data in output.messages for r in decode(data, "relay")):
            told.append((now_ns, bool(output.frames), world.relay.sending.waits))
        return output

    world.relay.poll = polled  # type: ignore[method-assign]
    world.run(60 * SECOND)
    assert len(told) > 50
    assert not any(waits for _, _, waits in told)
    alone = [now for now, closes, _ in told if not closes]
    half = SECOND // (2 * two.tick_rate)
    assert all(late - soon >= half for soon, late in itertools.pairwise(alone))
    assert 0 < len(alone) < len(told)


@pytest.mark.parametrize("packed", [True, False])
def test_inputs_in_memory_are_a_copy_of_their_canonical_bytes(packed: bool) -> None:
    simulation = load_simulation(str(ARENA)) if packed else crowd(2)
    codec = InputCodec(simulation)
    assert (simulation.input_type.dtype.itemsize == codec.size) == packed
    rows = bytes(simulation.inputs.to_bytes(random_inputs(simulation, 0, 3, 1)))
    found = codec.memory(rows)
    assert found.shape == (3, 2)
    assert simulation.inputs.to_bytes(found) == rows
    found[:] = np.zeros((), found.dtype)
    assert simulation.inputs.to_bytes(codec.memory(rows)) == rows


@pytest.mark.parametrize("others", [(7, 7), (7, 8)])
def test_who_tells_a_hash_anew_is_no_second_voter(others: tuple[int, int]) -> None:
    votes = Votes()
    for slot, value in enumerate(others):
        votes.report(slot, 5, value, 0)
    assert votes.split == (others != (7, 7))
    votes.report(0, 5, 8, 0)
    assert votes.split or others == (8, 8)
