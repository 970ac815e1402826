"""What a relay does each tick in few steps: inputs that are read and kept, and equal votes."""

from __future__ import annotations

import gc
import itertools
import random
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from tests.support.simulations.crowd_simulation import crowd

from samebits.net.input_codec import ClosedFrame, InputCodec
from samebits.net.limits import SECOND
from samebits.net.messages import Early, decode
from samebits.net.relay.core import RelayCore
from samebits.net.relay.frames import FrameLog
from samebits.net.relay.inputs import Inputs
from samebits.net.relay.output import RelayOutput
from samebits.net.relay.rules import MatchRules
from samebits.net.relay.votes import Votes
from samebits.net.simnet.links import shapes
from samebits.net.simnet.soak import player
from samebits.net.simnet.world import SECRET, PeerPlan, World
from samebits.net.tickets import TicketBooth
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


Told = tuple[int, int, bytes | None]
"""A time, and what a relay is told at it: a connection's message, a new one, or nothing."""
RULES = MatchRules(seed=3, frames=60)


@cache
def told() -> tuple[Told, ...]:
    """What the peers of a short match told their relay."""
    two = crowd(3)
    world = World(
        two, [PeerPlan(LINK, LINK, player(two, n, 5, 200)) for n in range(3)], RULES, 5
    )  # fmt: skip
    calls: list[Told] = []
    relay = world.relay
    connect, receive, poll = relay.connect, relay.receive, relay.poll

    def connecting(now_ns: int, number: int) -> None:
        calls.append((now_ns, number, None))
        connect(now_ns, number)

    def receiving(now_ns: int, number: int, message: bytes) -> None:
        calls.append((now_ns, number, message))
        receive(now_ns, number, message)

    def polling(now_ns: int) -> RelayOutput:
        calls.append((now_ns, -1, None))
        return poll(now_ns)

    relay.connect, relay.receive, relay.poll = connecting, receiving, polling  # type: ignore
    world.run(60 * SECOND)
    return tuple(calls)


def answers(calls: tuple[Told, ...]) -> list[tuple[int, RelayOutput]]:
    """What a new relay does when it is told all that, poll by poll."""
    core = RelayCore(crowd(3), "sim", TicketBooth(SECRET), SECRET, RULES)
    found: list[tuple[int, RelayOutput]] = []
    for now, number, message in calls:
        if message is not None:
            core.receive(now, number, message)
        elif number < 0:
            found.append((now, core.poll(now)))
        else:
            core.connect(now, number)
    return found


def parts(output: RelayOutput) -> list[object]:
    return [getattr(output, name) for name in RelayOutput.__slots__]


def test_a_usual_input_does_what_the_table_s_does(monkeypatch: pytest.MonkeyPatch) -> None:
    usual, taken = Inputs.usual, [0, 0]

    def counted(self: Inputs, *given: object) -> bool:
        is_usual = usual(self, *given)  # type: ignore[arg-type]
        taken[is_usual] += 1
        return is_usual

    calls = told()
    messages = [n for n, (_, _, message) in enumerate(calls) if message is not None]
    whole = [parts(output) for _, output in answers(calls)]
    broken, dice = 0, random.Random(4)
    for bit in range(80):
        at = dice.choice(messages[len(messages) // 2 :])
        now, number, message = calls[at]
        assert message is not None
        changed = bytearray(message)
        changed[bit // 8 % len(changed)] ^= 1 << bit % 8
        told_so = (*calls[:at], (now, number, bytes(changed)), *calls[at + 1 :])
        monkeypatch.setattr(Inputs, "usual", counted)
        one = [parts(output) for _, output in answers(told_so)]
        monkeypatch.setattr(Inputs, "usual", lambda self, *given: False)  # type: ignore
        assert one == [parts(output) for _, output in answers(told_so)]
        broken += one != whole
    assert taken[True] > taken[False] > 0
    assert broken > 10


def test_inputs_that_are_kept_close_the_same_frames_at_the_same_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def closed() -> list[tuple[int, object]]:
        return [(now, frame) for now, output in answers(told()) for frame in output.frames]

    told()  # is made once, by a relay too, which is not to be counted
    looked: list[int] = []
    received = RelayCore._received  # pyright: ignore[reportPrivateUsage]

    def counted(self: RelayCore, now_ns: int, *given: object) -> None:
        looked.append(now_ns)
        received(self, now_ns, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(RelayCore, "_received", counted)
    kept = closed()
    assert len(kept) == RULES.frames
    monkeypatch.setattr(RelayCore, "_patience", lambda self: 0)  # type: ignore
    assert closed() == kept
    half = len(looked) // 2
    assert looked[:half] == looked[half:]


def test_closed_frames_are_nothing_that_garbage_is_looked_for_in() -> None:
    codec = InputCodec(crowd(3))
    log = FrameLog(codec)
    gc.collect()
    before = len(gc.get_objects())
    for n in range(1000):
        log.close(ClosedFrame(bytes([n % 256]) * len(codec.zeros)))
    gc.collect()
    assert len(gc.get_objects()) - before < 100
    assert log[999].row[:1] == bytes([999 % 256])
