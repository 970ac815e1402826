"""Whole matches of the cores on a virtual clock, each judged by the oracle."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.support.simulations.crowd_simulation import crowd

import samebits as sb
from samebits.net.events import (
    Broken,
    Desynced,
    Ended,
    Healed,
    Joined,
    Left,
    Paused,
    Refused,
    Started,
)
from samebits.net.input_codec import Event, InputCodec
from samebits.net.limits import HEALS, REPORTS, SECOND
from samebits.net.peer.timeline import Timeline
from samebits.net.relay.output import RelayOutput
from samebits.net.relay.rules import MatchRules
from samebits.net.simnet.links import MILLI, Link, shapes
from samebits.net.simnet.oracle import faults, reference
from samebits.net.simnet.soak import SCENES, SoakPlan, player, soak
from samebits.net.simnet.world import PeerPlan, World

FRAMES = 300


def plan(players: int, slot: int, link: Link, **given: object) -> PeerPlan:
    inputs = player(crowd(players), slot, 11, FRAMES + 200)
    return replace(PeerPlan(link, link, inputs), **given)  # type: ignore[arg-type]


def world(peers: list[PeerPlan], frames: int | None = FRAMES, **rules: object) -> World:
    given = replace(MatchRules(seed=3, frames=frames), **rules)  # type: ignore[arg-type]
    return World(crowd(len(peers)), peers, given, 5)


LAN, CABLE, MOBILE = (shapes(True)[name] for name in ("lan", "cable", "mobile"))


@pytest.mark.parametrize("seed", range(len(SCENES)), ids=lambda n: f"{n} {SCENES[n]}")
def test_a_match_of_each_scene_is_good(seed: int) -> None:
    (match,) = soak(crowd, iter([seed]), SoakPlan(frames=FRAMES))
    assert match.faults == ()


def test_the_same_seed_gives_the_same_messages_at_the_same_times() -> None:
    first, again, other = soak(crowd, iter([4, 4, 20]), SoakPlan(frames=120))
    assert first == again
    assert first.trace != other.trace


def test_lockstep_and_rollback_peers_end_in_one_hash() -> None:
    match = world([plan(4, n, CABLE, window=(0, 0, 8, 8)[n]) for n in range(4)])
    match.run(60 * SECOND)
    assert faults(match, frames=FRAMES) == []
    stats = [node.core.timeline.stats for node in match.nodes if node.core.timeline]
    assert [s.rollbacks > 0 for s in stats] == [False, False, True, True]
    ends = [e for node in match.nodes for _, e in node.log.events if isinstance(e, Ended)]
    timelines = [node.core.timeline for node in match.nodes if node.core.timeline]
    # What is shown last is the end, not what was predicted behind it.
    assert [t.frame for t in timelines] == [FRAMES] * 4
    assert {t.rollback.hash() for t in timelines} == {ends[0].hash}
    assert len(ends) == 4
    assert len(set(ends)) == 1


def test_a_player_takes_less_than_two_kilobytes_a_second_each_way() -> None:
    # All messages with their framing; every frame has a hash.
    (match,) = soak(crowd, iter([1]), SoakPlan(FRAMES, "lan", True, (8,), players=4))
    assert match.faults == ()
    assert max(match.up, match.down) < 2000


def test_a_flipped_bit_is_named_with_its_frame_and_slot_and_healed() -> None:
    match = world([plan(3, n, CABLE, flip=100 if n == 1 else None) for n in range(3)])
    match.run(60 * SECOND)
    assert faults(match, frames=FRAMES) == []
    (desync,) = [e for _, e in match.events if isinstance(e, Desynced)]
    assert (desync.frame, desync.wrong, desync.decided) == (match.nodes[1].plan.flip, (1,), True)
    assert desync.groups[0].referee
    (healed,) = [e for _, e in match.events if isinstance(e, Healed)]
    assert healed.slot == 1
    assert 0 < healed.frame - desync.frame < 120
    assert any(e.event is Event.HEAL for frame in match.frames for e in frame.entries)


def test_two_players_without_a_referee_are_undecided_and_with_one_are_not() -> None:
    for referee in (False, True):
        peers = [plan(2, n, LAN, flip=50 if n else None) for n in range(2)]
        match = world(peers, referee=referee, retrial=False, policy="log")
        match.run(60 * SECOND)
        (desync,) = match.relay.desyncs
        assert desync.wrong == ((1,) if referee else ())
        assert desync.decided is referee
        assert "undecided" in str(desync) or "slots 1 departed" in str(desync)


def test_a_desync_can_pause_or_end_the_match() -> None:
    peers = [plan(3, n, LAN, flip=50 if n == 2 else None) for n in range(3)]
    ended = world(peers, policy="end")
    ended.run(60 * SECOND)
    assert isinstance(ended.relay.ended, Ended)
    assert ended.relay.ended.reason == "desync"
    paused = world([replace(p, flip=50 if n == 2 else None) for n, p in enumerate(peers)],
                   policy="pause")  # fmt: skip
    paused.run(20 * SECOND)
    assert paused.relay.ended is None
    assert any(isinstance(e, Paused) for _, e in paused.nodes[0].log.events)
    assert len(paused.frames) < 120


class Restless(World):
    """Slot 0 departs again as soon as it is healed."""

    def _observe(self, node: object) -> None:
        super()._observe(node)  # type: ignore[arg-type]
        if node is self.nodes[0] and self.nodes[0].flipped:
            timeline = self.nodes[0].core.timeline
            assert timeline is not None
            if 0 not in self.relay.votes.apart and timeline.finished % 40 == 0:
                self.nodes[0].flipped = False
                self.nodes[0].plan.flip = timeline.finished - 1


def test_a_peer_that_departs_again_and_again_is_let_go() -> None:
    peers = [plan(3, n, LAN, flip=20 if n == 0 else None) for n in range(3)]
    match = Restless(crowd(3), peers, MatchRules(seed=3, frames=FRAMES * 2), 5)
    match.run(60 * SECOND)
    healed = [e for _, e in match.events if isinstance(e, Healed)]
    assert len(healed) == HEALS
    assert [e.reason for _, e in match.events if isinstance(e, Broken)] == [
        "slot 0: its bits departed more than 3 times"
    ]
    assert not match.relay.seats[0].occupied
    assert match.relay.ended is not None


def test_who_is_let_go_has_sent_the_reports_that_it_was_asked_for() -> None:
    far = Link(latency=100 * MILLI)
    peers = [plan(3, n, far, flip=20 if n == 0 else None) for n in range(3)]
    match = Restless(crowd(3), peers, MatchRules(seed=3, frames=1200), 5)
    for node in match.nodes:
        node.core._reporter = lambda timeline, frame: bytes(600_000)  # type: ignore
    match.run(60 * SECOND)
    asked = [desync.frame for desync in match.relay.desyncs]
    assert len(asked) > REPORTS
    came = [frame for frame, slot, _ in match.relay.reports if slot == 0]
    assert sorted(came) == asked[:REPORTS]
    assert not match.relay.seats[0].occupied


def test_late_players_get_a_snapshot_from_the_referee_or_from_a_peer() -> None:
    for referee in (True, False):
        peers = [plan(3, n, CABLE, joins=42 * SECOND if n == 2 else 0) for n in range(3)]
        match = world(peers, frames=2700, needed=2, referee=referee)
        match.run(100 * SECOND)
        assert faults(match, frames=2700) == []
        # More frames were closed than are kept: there is no other way in.
        assert match.relay.log.oldest > 0
        log = match.nodes[2].log
        assert min(log.hashes) > 2000
        assert any(isinstance(e, Started) for _, e in log.events)
        joined = [e for _, e in match.nodes[0].log.events if isinstance(e, Joined) and e.slot == 2]
        assert len(joined) == 1


def test_a_dropped_player_comes_back_to_its_slot() -> None:
    peers = [plan(2, n, CABLE, drops=(2 * SECOND,) if n else (), again=700 * MILLI)
             for n in range(2)]  # fmt: skip
    match = world(peers)
    match.run(60 * SECOND)
    assert faults(match, frames=FRAMES) == []
    assert match.nodes[1].log.connections == 2
    assert match.nodes[1].core.slot == 1
    assert match.relay.seats[1].epoch == 2
    # Nobody waited longer than the deadline, and the frames meanwhile were substituted.
    assert sum(f.substituted >> 1 & 1 for f in match.frames) >= 30


def test_a_stopped_peer_delays_others_by_no_more_than_the_deadline() -> None:
    stopped = ((2 * SECOND, 7 * SECOND),)
    peers = [plan(2, n, LAN, frozen=stopped if n else ()) for n in range(2)]
    match = world(peers, frames=720)
    match.run(60 * SECOND)
    assert faults(match, frames=720) == []
    stalls = match.nodes[0].core.stalls
    assert stalls <= 12
    assert match.now - match.started < 16 * SECOND
    assert match.nodes[1].core.timeline is not None
    assert match.nodes[1].core.timeline.confirmed == 720


def test_pauses_stop_and_go_on_in_the_same_frame_everywhere() -> None:
    peers = [plan(3, n, CABLE, pauses=((2 * SECOND, 5 * SECOND),) if n == 1 else ())
             for n in range(3)]  # fmt: skip
    match = world(peers)
    match.run(60 * SECOND)
    assert faults(match, frames=FRAMES) == []
    frames = [
        [e.frame for _, e in node.log.events if isinstance(e, Paused)] for node in match.nodes
    ]
    assert frames[0] == frames[1] == frames[2]
    assert len(frames[0]) == 1
    assert match.now - match.started > 8 * SECOND


def test_a_match_goes_on_when_a_player_leaves_and_ends_with_the_last() -> None:
    peers = [plan(3, n, LAN, leaves=(2 + n) * SECOND) for n in range(3)]
    match = world(peers, frames=None)
    match.run(60 * SECOND)
    ended = match.relay.ended
    assert ended is not None
    assert ended.reason == "nobody plays"
    left = [(e.slot, e.frame) for _, e in match.events if isinstance(e, Left)]
    assert [slot for slot, _ in left] == [0, 1, 2]
    row = match.frames[left[0][1] + 2].row
    assert row[:7] == bytes(7)


def test_spectators_see_the_same_match_a_little_later() -> None:
    peers = [plan(2, 0, LAN), plan(2, 1, LAN), plan(2, 1, CABLE, spectator=True)]
    match = World(crowd(2), peers, MatchRules(seed=3, frames=FRAMES, spectator_delay=30), 5)
    match.run(60 * SECOND)
    assert faults(match, frames=FRAMES) == []
    watching = match.nodes[2]
    assert watching.core.slot == 2
    assert len(watching.log.rows) == FRAMES - 30
    assert watching.log.hashes


def test_another_simulation_is_refused_with_both_digests() -> None:
    peers = [plan(2, n, LAN) for n in range(2)]
    peers[1].simulation = crowd(2, tick_rate=30)
    match = world(peers)
    match.run(3 * SECOND)
    (refused,) = [e for _, e in match.nodes[1].log.events if isinstance(e, Refused)]
    assert refused.code == "digest"
    assert (refused.ours, refused.theirs) == (crowd(2).digest, crowd(2, tick_rate=30).digest)
    assert match.nodes[1].core.over
    assert match.nodes[0].core.over is False


def test_a_machine_whose_bits_are_always_off_is_named_in_its_first_frame_and_let_go() -> None:
    simulation = crowd(3)
    faulty = sb.hazards.inject(simulation, "fma", from_frame=90)
    peers = [plan(3, n, CABLE, simulation=faulty if n == 2 else None) for n in range(3)]
    match = world(peers, frames=1500)
    match.run(60 * SECOND)
    first = match.relay.desyncs[0]
    # What a hazard does may be too small to see for some frames.
    assert 90 <= first.frame < 150
    assert {desync.wrong for desync in match.relay.desyncs} == {(2,)}
    assert not match.relay.seats[2].occupied
    assert len(match.frames) == 1500
    expected = reference(match)
    for node in match.nodes[:2]:
        assert all(expected[n] == value for n, value in node.log.hashes.items())
    mine = match.nodes[2].log.hashes
    assert all(mine[n] == expected[n] for n in range(first.frame))
    assert mine[first.frame] != expected[first.frame]


def test_a_report_that_is_asked_for_twice_over_a_slow_link_is_no_fault() -> None:
    slow = Link(latency=400 * MILLI)
    peers = [plan(3, n, slow if n == 1 else CABLE, flip=60 if n == 1 else None) for n in range(3)]
    match = world(peers)
    match.run(60 * SECOND)
    assert faults(match, frames=FRAMES) == []
    assert len(match.relay.desyncs) == 1


def test_what_a_healed_peer_has_to_show_begins_with_the_state_that_it_was_given() -> None:
    simulation = crowd(2)
    codec = InputCodec(simulation)
    right = simulation.start(7)
    right.run(codec.memory(codec.zeros * 40))
    timeline = Timeline(simulation, codec, 8, 7)
    for _ in range(300):
        timeline.confirm(codec.zeros)
    timeline.advance(60)
    timeline.restore(40, right.canonical_state())
    timeline.advance(300)
    assert timeline.keyframes[0] == (40, right.canonical_state())


def test_frames_that_a_peer_said_nothing_of_have_the_referee_s_hash_at_the_end() -> None:
    # One of them stands still before the end, and for longer than anybody waits.
    frozen = ((4 * SECOND, 40 * SECOND),)
    match = world([plan(2, n, LAN, frozen=frozen if n else ()) for n in range(2)])
    hashes: list[tuple[int, int]] = []
    poll = match.relay.poll

    def polled(now_ns: int) -> RelayOutput:
        output = poll(now_ns)
        hashes.extend(output.hashes)
        return output

    match.relay.poll = polled  # type: ignore[method-assign]
    match.run(20 * SECOND)
    assert match.relay.ended is not None
    assert dict(hashes) == dict(enumerate(reference(match)))


def test_a_spectator_whose_connection_drops_goes_on_watching() -> None:
    drops = (2 * SECOND, 4 * SECOND)
    watcher = plan(2, 1, LAN, spectator=True, drops=drops, again=200 * MILLI)
    peers = [plan(2, 0, LAN), plan(2, 1, LAN), watcher]
    match = World(crowd(2), peers, MatchRules(seed=3, frames=FRAMES), 5)
    match.run(60 * SECOND)
    assert faults(match, frames=FRAMES) == []
    watching = match.nodes[2].log
    assert watching.connections == 3
    assert len(watching.rows) == FRAMES
    assert not [e for _, e in watching.events if isinstance(e, Refused)]
