"""Hashes that peers report: what is agreed, and who departed."""

from __future__ import annotations

from dataclasses import replace

from tests.support.simulations.crowd_simulation import crowd

from samebits.net.limits import SECOND
from samebits.net.relay.output import RelayOutput
from samebits.net.relay.rules import MatchRules
from samebits.net.relay.votes import REFEREE, Votes
from samebits.net.simnet.links import MILLI, shapes
from samebits.net.simnet.oracle import faults
from samebits.net.simnet.soak import player
from samebits.net.simnet.world import PeerPlan, World


def test_who_departs_again_behind_what_is_agreed_holds_up_nobody() -> None:
    votes, voters = Votes(), (REFEREE, 0, 1)

    def report(voter: int, first: int, *values: int) -> None:
        for n, value in enumerate(values):
            votes.report(voter, first + n, value, SECOND)

    for voter in (REFEREE, 0):
        report(voter, 0, 10, 11, 12, 13, 14)
    report(1, 0, 99)
    first = votes.settle(voters, SECOND)
    assert first is not None
    assert (first.frame, first.wrong) == (0, (1,))
    assert votes.settle(voters, SECOND) is None
    assert [frame for frame, _ in votes.fresh] == [0, 1, 2, 3, 4]
    report(1, 1, 11)
    assert votes.proven == [(1, 1)]
    report(1, 2, 97, 96, 95)
    second = votes.settle(voters, SECOND)
    assert second is not None
    assert (second.frame, second.wrong) == (2, (1,))
    assert "0000000000000061 of slot 1" in str(second)
    assert "000000000000000c of the referee, slot 0" in str(second)
    for voter in (REFEREE, 0):
        report(voter, 5, 15, 16)
    assert votes.settle(voters, SECOND) is None
    assert [frame for frame, _ in votes.fresh] == [0, 1, 2, 3, 4, 5, 6]
    assert votes.counted == 7
    report(1, 6, 16)
    assert votes.apart == set()


def test_who_departs_again_before_the_others_votes_are_in_is_named_for_the_right_frame() -> None:
    votes = Votes()
    for voter, value in ((REFEREE, 7), (0, 7), (1, 8)):
        votes.report(voter, 5, value, 0)
    assert votes.settle((REFEREE, 0, 1), 0) is not None
    # The referee runs some frames at once: what slot 1 says of them is known before.
    for frame, value in ((6, 9), (8, 80), (9, 91), (10, 101)):
        votes.report(1, frame, value, 0)
    for voter in (0, REFEREE):
        for frame in range(6, 11):
            votes.report(voter, frame, 10 * frame, 0)
    desync = votes.settle((REFEREE, 0, 1), 0)
    assert votes.proven == [(1, 8)]
    assert desync is not None
    assert (desync.frame, desync.wrong, desync.decided) == (9, (1,), True)
    assert (desync.groups[0].slots, desync.groups[0].referee) == ((0,), True)


def test_what_was_said_of_a_state_that_was_replaced_counts_no_more() -> None:
    votes = Votes()
    for voter, value in ((REFEREE, 7), (0, 7), (1, 8)):
        votes.report(voter, 5, value, 0)
    assert votes.settle((REFEREE, 0, 1), 0) is not None
    for frame in (6, 7, 8):
        votes.report(1, frame, 1, 0)  # before the agreed state came
    votes.anew(1, 6)
    for voter in (1, 0, REFEREE):
        for frame in range(6, 9):
            votes.report(voter, frame, 10 * frame, 0)
    assert votes.settle((REFEREE, 0, 1), 0) is None
    assert votes.settle((REFEREE, 0, 1), 0) is None
    assert (votes.apart, votes.counted) == (set(), 4)


def test_a_hash_that_is_told_anew_is_no_desync_any_more() -> None:
    votes = Votes()
    for voter, value in ((0, 7), (1, 8)):
        votes.report(voter, 5, value, 0)
    votes.report(1, 5, 7, 0)
    for _ in range(2):
        assert votes.settle((0, 1), 0) is None
    assert not votes.split
    assert votes.known(5) == 7


def test_who_contradicts_what_was_agreed_has_others_beside_it() -> None:
    votes = Votes()
    for voter, value in ((0, 7), (1, 7), (2, 8)):
        votes.report(voter, 5, value, 0)
    assert votes.settle((0, 1, 2), 0) is not None
    for voter in (0, 1):
        for frame in range(6, 11):
            votes.report(voter, frame, 10 * frame, 0)
    assert votes.settle((0, 1, 2), 0) is None
    votes.report(2, 8, 80, 0)
    votes.report(2, 9, 91, 0)
    desync = votes.settle((0, 1, 2), 0)
    assert desync is not None
    assert (desync.frame, desync.wrong, desync.decided) == (9, (2,), True)
    assert [group.slots for group in desync.groups] == [(0, 1), (2,)]


def test_a_relay_waits_for_the_last_hashes_without_polling_on_and_on() -> None:
    link = shapes(True)["cable"]
    plans = [PeerPlan(link, link, player(crowd(2), n, 0, 2000)) for n in range(2)]
    world = World(crowd(2), plans, MatchRules(seed=0, frames=60), 0)
    relay, poll = world.relay, world.relay.poll
    waits: list[int] = []

    def polled(now_ns: int) -> RelayOutput:
        output = poll(now_ns)
        if relay.log.closed == 60 and relay.ended is None:
            waits.append(relay.due - now_ns)
        return output

    relay.poll = polled  # type: ignore[method-assign]
    world.run(5000 * MILLI)
    assert relay.ended is not None
    assert waits
    assert min(waits) >= MILLI


def test_nobody_waits_for_hashes_of_before_a_voter_came() -> None:
    votes, voters = Votes(), (REFEREE, 0, 1)
    for frame in range(10):
        votes.report(REFEREE, frame, frame, 0)
        if frame < 6:
            votes.report(0, frame, frame, 0)
    votes.anew(1, 10)
    assert votes.settle(voters, 0) is None
    assert votes.counted == 6
    for frame in range(6, 12):
        votes.report(0, frame, frame, 0)
    votes.report(REFEREE, 10, 10, 0)
    assert votes.complete(9, voters)
    assert not votes.complete(10, voters)
    assert votes.settle(voters, 0) is None
    assert votes.counted == 10
    votes.report(1, 10, 99, 0)
    desync = votes.settle(voters, 0)
    assert desync is not None
    assert (desync.frame, desync.wrong) == (10, (1,))


def test_what_is_agreed_goes_on_when_a_player_comes_back_before_anothers_hashes_are_in() -> None:
    """The snapshot that it begins with is of a frame that the slow player has not reported."""
    lan, far = shapes(True)["lan"], replace(shapes(True)["far"], latency=300 * MILLI)
    links = (far, lan, lan)
    plans = [PeerPlan(links[n], links[n], player(crowd(3), n, 11, 900)) for n in range(3)]
    plans[2].joins = 40 * SECOND
    match = World(crowd(3), plans, MatchRules(seed=3, frames=2700, needed=2), 5)
    behind: list[int] = []
    for second in range(41, 44):
        match.run(second * SECOND)
        behind.append(match.relay.log.closed - match.relay.votes.counted)
    assert match.nodes[2].core.timeline is not None
    assert match.nodes[2].core.timeline.oldest_row > 0
    assert max(behind) < 90
    match.run(120 * SECOND)
    assert faults(match, frames=2700) == []
