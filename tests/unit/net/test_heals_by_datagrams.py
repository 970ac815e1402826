"""Heals over links that lose and reorder messages: what was sent before the state came is old."""

from __future__ import annotations

import pytest
from tests.support.simulations.crowd_simulation import crowd

from samebits.net.limits import SECOND
from samebits.net.messages import Control, Input, encode
from samebits.net.relay.output import RelayOutput
from samebits.net.simnet.links import MILLI, Link
from samebits.net.simnet.oracle import faults
from samebits.net.simnet.soak import SoakPlan, made
from samebits.net.simnet.world import World

FRAMES = 300


def match_of(seed: int, scene: str, link: Link | None = None) -> World:
    world, _ = made(crowd, seed, SoakPlan(FRAMES, scene, False, link=link))
    return world


@pytest.mark.parametrize(
    ("seed", "scene"),
    [
        (2236, "fault"),  # an INPUT tells of frames behind those that the healed peer has
        (2257, "fault, no referee"),  # the last bundle is lost, and END is not
    ],
)
def test_every_peer_has_all_frames_at_the_end(seed: int, scene: str) -> None:
    world = match_of(seed, scene)
    world.run(60 * SECOND)
    assert faults(world, frames=FRAMES) == []
    assert len(world.relay.desyncs) == 1


def test_frames_behind_a_heal_are_agreed_on_as_those_before() -> None:
    world = match_of(22, "fault", Link(30 * MILLI, 25 * MILLI, loss=0.25))
    agreed, behind, poll = set[int](), list[int](), world.relay.poll

    def polled(now_ns: int) -> RelayOutput:
        output = poll(now_ns)
        agreed.update(frame for frame, _ in output.hashes)
        if output.frames and world.relay.desyncs:
            first = next(n for n in range(FRAMES + 1) if n not in agreed)
            behind.append(world.relay.log.closed - first)
        return output

    world.relay.poll = polled  # type: ignore[method-assign]
    world.run(60 * SECOND)
    assert faults(world, frames=FRAMES) == []
    assert len(behind) > 50
    assert max(behind) < 90


def test_an_input_from_before_the_state_came_is_believed_in_nothing() -> None:
    world = match_of(2236, "fault")
    relay, receive, poll = world.relay, world.relay.receive, world.relay.poll
    (node,) = [node for node in world.nodes if node.plan.flip is not None]
    was_given, told, lost = False, 0, 0

    def late(now_ns: int, number: int, *given: int, body: bytes = b"") -> None:
        receive(now_ns, number, encode(Input(*given, body)))

    def receiving(now_ns: int, number: int, message: bytes) -> None:
        nonlocal was_given, told
        receive(now_ns, number, message)
        if number != node.number or not relay.desyncs:
            return
        connection, first = relay.connections[number], relay.seats[node.slot].hashed
        was_given = was_given or connection.needs_state
        if not was_given or connection.needs_state:
            return
        closed, referee = relay.log.closed, relay.referee
        assert referee is not None
        assert node.core.timeline is not None
        assert connection.sent <= node.core.timeline.confirmed
        if told == 0:
            told = 1
            late(now_ns, number, 0, 0, 0, 0, 0)
            assert connection.sent == connection.begun > 0
            # It has more frames than its peer, which went back to the state before an older one.
            late(now_ns, number, closed, 0, 0, 0, 0)
        elif told == 1 and first < referee.frame:
            # A hash that is right by chance, and one of the state that was replaced.
            told = 2
            hashes = referee.latest[first - referee.frame], 1
            body = b"".join(value.to_bytes(8, "little") for value in hashes)
            late(now_ns, number, closed, 0, 0, closed - first - 2, 2, body=body)

    def polled(now_ns: int) -> RelayOutput:
        nonlocal lost
        output = poll(now_ns)
        if relay.desyncs and lost < 30:
            # Frames do not come while the state does.
            control = Control.TYPE
            kept = [m for m in output.messages if m[0] != node.number or m[1][0] == control]
            lost += len(output.messages) - len(kept)
            output.messages = kept
        return output

    relay.receive, relay.poll = receiving, polled  # type: ignore[method-assign]
    world.run(60 * SECOND)
    assert (told, lost) == (2, 30)
    assert relay.seats[node.slot].heals == 1
    assert faults(world, frames=FRAMES) == []
    assert len(relay.desyncs) == 1
