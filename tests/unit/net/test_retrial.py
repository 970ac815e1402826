"""Tied votes are decided by a run of the match from its beginning."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.support.simulations.crowd_simulation import crowd

from samebits.net.events import Desynced, Healed
from samebits.net.input_codec import InputCodec
from samebits.net.limits import SECOND
from samebits.net.relay import retrial
from samebits.net.relay.retrial import Retrial
from samebits.net.relay.rules import MatchRules
from samebits.net.simnet.links import shapes
from samebits.net.simnet.oracle import faults
from samebits.net.simnet.soak import player
from samebits.net.simnet.world import PeerPlan, World

LAN = shapes(True)["lan"]
FRAMES = 900


def tied(flip: int, **rules: object) -> World:
    """Four players, two of whom depart by the same bit in the same frame."""
    peers = [
        PeerPlan(LAN, LAN, player(crowd(4), n, 11, FRAMES), flip=flip if n % 2 else None)
        for n in range(4)
    ]
    given = replace(MatchRules(seed=3, frames=FRAMES, referee=False), **rules)  # type: ignore[arg-type]
    return World(crowd(4), peers, given, 5)


@pytest.mark.parametrize("flip", [3, 700])
def test_two_against_two_are_decided_named_and_healed(flip: int) -> None:
    match = tied(flip)
    match.run(60 * SECOND)
    first = next(e for _, e in match.events if isinstance(e, Desynced))
    assert first.decided
    assert first.groups[0].referee
    assert set(first.wrong) <= {1, 3}
    assert match.relay.referee is not None
    assert {e.slot for _, e in match.events if isinstance(e, Healed)} == {1, 3}
    assert faults(match, frames=FRAMES) == []


def test_without_a_retrial_they_stay_undecided() -> None:
    match = tied(50, retrial=False, policy="log")
    match.run(60 * SECOND)
    assert not match.relay.desyncs[0].decided
    assert match.relay.referee is None


def test_a_match_with_more_inputs_than_are_kept_gets_none(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = crowd(2)
    codec = InputCodec(simulation)
    monkeypatch.setattr(retrial, "MOST", 3 * len(codec.zeros))
    found = Retrial(simulation, codec, 1)
    for _ in range(3):
        found.add(codec.zeros)
    assert found.possible
    found.add(codec.zeros)
    assert not found.possible
    assert found.run() is None


def test_it_runs_some_frames_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = crowd(2)
    codec = InputCodec(simulation)
    monkeypatch.setattr(retrial, "AT_ONCE", 10)
    found = Retrial(simulation, codec, 1)
    for _ in range(25):
        found.add(codec.zeros)
    runs = [found.run() for _ in range(3)]
    assert runs[:2] == [None, None]
    referee = runs[2]
    assert referee is not None
    rows = codec.memory(codec.zeros * 25)
    assert list(referee.latest) == simulation.start(1).run(rows).tolist()
