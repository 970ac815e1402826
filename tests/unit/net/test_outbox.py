"""A peer's outbox tells what is not known to have come, whatever a relay says of that."""

from __future__ import annotations

from tests.support.simulations.crowd_simulation import crowd

from samebits.net import limits
from samebits.net.input_codec import InputCodec
from samebits.net.limits import SECOND
from samebits.net.messages import decode, encode
from samebits.net.peer.outbox import AGAIN, Outbox
from samebits.net.relay.rules import MatchRules
from samebits.net.simnet.links import MILLI, Link
from samebits.net.simnet.soak import player
from samebits.net.simnet.world import PeerPlan, World


def outbox(ordered: bool) -> Outbox:
    return Outbox(InputCodec(crowd(2)), ordered)


def hashes(first: int, end: int) -> dict[int, int]:
    return {n: n * 7 for n in range(first, end)}


def test_hashes_that_a_relay_can_not_have_are_told_all_the_same() -> None:
    box = outbox(False)
    box.begin(0, 0)
    told = box.message(10, 10, hashes(0, 10))
    assert told is not None
    assert (told.hashes, told.behind) == (10, 0)
    box.acknowledged(5_000, 5_000)
    told = box.message(12, 12, hashes(0, 12))
    assert told is not None
    assert (told.hashes, told.behind) == (2, 0)
    assert decode(encode(told), "peer") == [told]


def test_hashes_that_are_forgotten_are_passed_over() -> None:
    box = outbox(False)
    box.begin(0, 0)
    known = hashes(2_000, 3_000)
    told = box.message(3_000, 3_000, known)
    assert told is not None
    assert told.hashes == min(1_000, limits.HASHES)
    assert told.body[:8] == (2_000 * 7).to_bytes(8, "little")
    assert box.message(3_000, 3_000, {}) is None


def test_hashes_of_a_state_that_was_replaced_are_told_anew() -> None:
    box = outbox(False)
    box.begin(0, 0)
    box.message(10, 10, hashes(0, 10))
    box.hash_from(4)
    box.acknowledged(0, 10)  # of the messages before
    told = box.message(10, 10, hashes(0, 10))
    assert told is not None
    assert told.hashes == 6


def test_hashes_are_told_again_when_no_word_of_them_comes_for_long() -> None:
    box = outbox(False)
    box.begin(0, 0)
    counts: list[int] = []
    for tick in range(1, 2 * AGAIN + 1):
        told = box.message(tick, tick, hashes(0, tick))
        assert told is not None
        assert told.behind == 0
        counts.append(told.hashes)
    assert counts == [1] * (AGAIN - 1) + [AGAIN] + [1] * (AGAIN - 1) + [2 * AGAIN]
    box.acknowledged(0, 2 * AGAIN)
    assert box.message(2 * AGAIN, 2 * AGAIN, hashes(0, 100)) is None


def test_all_hashes_come_over_links_that_lose_some() -> None:
    link = Link(15 * MILLI, 6 * MILLI, loss=0.2, ordered=False)
    plans = [PeerPlan(link, link, player(crowd(2), n, 0, 2000)) for n in range(2)]
    world = World(crowd(2), plans, MatchRules(seed=0, ordered=False, referee=False), 0)
    for second in range(2, 7):
        world.run(second * SECOND)
        assert world.relay.votes.counted >= world.relay.log.closed - 75
    assert world.relay.log.closed > 240
