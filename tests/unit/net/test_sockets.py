"""Matches over real sockets of this machine: relay and peers in one process, and relays killed."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from tests.support.simulations.crowd_simulation import crowd

from samebits.errors import MatchError
from samebits.net.client import join
from samebits.net.events import Desynced, Ended, Healed, Refused, VerdictKnown
from samebits.net.limits import SECOND
from samebits.net.relay.core import MatchRules
from samebits.net.server import Relay
from samebits.net.simnet.soak import player
from samebits.net.tickets import make_ticket
from samebits.sim.recording import Replay
from samebits.sim.simulation import Simulation

SECRET = b"a secret of these tests"


def ticket(relay: Relay, match: str, slot: int, **given: Any) -> str:
    return make_ticket(SECRET, match, slot, now_ns=relay.now(), **given)


async def play(
    relay: Relay, slot: int, match: str = "m", simulation: Simulation | None = None, **given: Any
) -> list[Any]:
    """Play a match to its end; the events."""
    simulation = simulation or crowd(len(relay.matches) or relay.simulation.players)
    inputs = player(relay.simulation, slot, 5, 2000)
    events: list[Any] = []
    url = f"ws://127.0.0.1:{relay.port}/{match}"
    async with join(simulation, url, ticket(relay, match, slot), play=inputs, **given) as peer:
        async for frame in peer.frames():
            events += frame.events
    return events


def test_a_match_over_sockets_is_an_ordinary_replay_with_a_hash_each_frame(tmp_path: Path) -> None:
    simulation = crowd(2)

    async def run() -> tuple[list[list[Any]], str, dict[str, Any]]:
        relay = Relay(simulation, SECRET, rules=MatchRules(seed=4, frames=300), store=tmp_path)
        async with relay.running():
            done = await asyncio.gather(
                play(relay, 0, simulation=simulation),
                play(relay, 1, simulation=simulation, window=0),
            )

            def get(path: str) -> str:
                with urllib.request.urlopen(f"http://127.0.0.1:{relay.port}{path}") as answer:
                    return answer.read().decode()

            health = await asyncio.to_thread(get, "/healthz")
            metrics = await asyncio.to_thread(get, "/metrics")
            status = json.loads(await asyncio.to_thread(get, "/status"))
            return done, health + metrics, status

    events, pages, status = asyncio.run(run())
    ends = [next(e for e in each if isinstance(e, Ended)) for each in events]
    assert ends[0] == ends[1]
    assert ends[0].frames == 300
    replay = Replay.open(tmp_path / "m" / "match.mcap", simulation)
    assert replay.damage is None
    assert replay.hashes is not None
    assert replay.hashes.tolist() == simulation.start(4).run(replay.inputs).tolist()
    assert ends[0].hash == int(replay.hashes[-1])
    assert pages.startswith("ok\n")
    assert "samebits_frames_closed_total 300" in pages
    assert status["matches"]["m"]["ended"] == "all frames are played"


def test_a_relay_that_is_started_again_goes_on_with_the_match(tmp_path: Path) -> None:
    simulation = crowd(2)
    rules = MatchRules(seed=4, frames=400)

    async def run() -> tuple[list[list[Any]], int]:
        first = Relay(simulation, SECRET, rules=rules, store=tmp_path)
        async with first.running() as relay:
            port = relay.port
            peers = [
                asyncio.create_task(play(relay, slot, simulation=simulation)) for slot in (0, 1)
            ]
            while "m" not in relay.matches or relay.matches["m"].core.log.closed < 90:
                await asyncio.sleep(0.02)
            # As after a kill: nothing is finished, and the journal's last frame is torn.
            match = relay.matches.pop("m")
            assert match.store is not None
            if match._timer is not None:
                match._timer.cancel()
            match._soon = True
            closed = match.core.log.closed
        journal = tmp_path / "m" / "journal"
        journal.write_bytes(journal.read_bytes() + b"\x07\x00\x00\x00torn")
        second = Relay(simulation, SECRET, rules=rules, store=tmp_path)
        async with second.running(port=port):
            return await asyncio.gather(*peers), closed

    events, closed = asyncio.run(run())
    assert closed >= 90
    ends = [next(e for e in each if isinstance(e, Ended)) for each in events]
    assert ends[0] == ends[1]
    assert ends[0].frames == 400
    replay = Replay.open(tmp_path / "m" / "match.mcap", simulation)
    assert replay.hashes is not None
    assert replay.hashes.tolist() == simulation.start(4).run(replay.inputs).tolist()
    assert len(replay.hashes) == 400


def test_bad_tickets_are_refused_with_the_reason() -> None:
    simulation = crowd(2)

    async def run() -> list[Any]:
        relay = Relay(simulation, SECRET)
        found: list[Any] = []
        async with relay.running():
            url = f"ws://127.0.0.1:{relay.port}/m"
            old = make_ticket(SECRET, "m", now_ns=relay.now() - 100 * SECOND)
            other = ticket(relay, "n", 0)
            forged = make_ticket(b"some other secret", "m", now_ns=relay.now())
            for text in (old, other, forged, "nonsense"):
                async with join(simulation, url, text) as peer:
                    async for frame in peer.frames():
                        found += frame.events
        return found

    found = asyncio.run(run())
    reasons = [event.reason for event in found if isinstance(event, Refused)]
    assert len(reasons) == 4
    for reason, word in zip(reasons, ("expired", "match 'n'", "signature", "ticket"), strict=True):
        assert word in reason


def test_there_is_an_error_where_there_is_no_relay() -> None:
    async def run() -> None:
        async with join(crowd(2), "ws://127.0.0.1:9/m", "") as peer:
            async for _ in peer.frames():
                pass

    with pytest.raises(MatchError, match="no connection"):
        asyncio.run(run())


def test_a_fault_in_one_of_two_is_named_diagnosed_and_healed(tmp_path: Path) -> None:
    arena = Path(__file__).parents[3] / "examples" / "arena" / "arena.py"
    from samebits.sides.side import parse_side
    from samebits.sides.words import Words  # noqa: F401
    from samebits.sim.load import load_simulation

    simulation = load_simulation(str(arena))
    faulty = parse_side("hazard=fma@bounce", simulation).simulation  # type: ignore[attr-defined]

    async def run() -> list[list[Any]]:
        relay = Relay(simulation, SECRET, rules=MatchRules(seed=1, frames=900), store=tmp_path,
                      source=str(arena))  # fmt: skip
        async with relay.running():
            done = await asyncio.gather(
                play(relay, 0, simulation=simulation), play(relay, 1, simulation=faulty)
            )
            match = next(iter(relay.matches.values()))
            await asyncio.gather(*match._tasks)
            return [*done, match.events]

    events = asyncio.run(run())
    desync = next(e for e in events[2] if isinstance(e, Desynced))
    assert desync.wrong == (1,)
    verdict = next(e for e in events[2] if isinstance(e, VerdictKnown))
    assert "fma" in verdict.what
    assert any(isinstance(e, Healed) for e in events[2])
