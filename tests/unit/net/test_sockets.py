"""Matches over real sockets of this machine: relay and peers in one process, and relays killed."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from tests.support.simulations.crowd_simulation import crowd

from samebits.bits import from_canonical, to_canonical
from samebits.cli.net.relay import shown
from samebits.errors import MatchError
from samebits.hazards.injected_simulation import InjectedSimulation
from samebits.net.client import join
from samebits.net.events import Ended, Paused, Refused, Started, Substituted, VerdictKnown
from samebits.net.limits import HEALS, REPORTS, SECOND
from samebits.net.relay.rules import MatchRules
from samebits.net.server import HostedMatch, Relay
from samebits.net.simnet.soak import player
from samebits.net.tickets import make_ticket
from samebits.sides.side import parse_side
from samebits.sim.load import load_simulation
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
            return list(done), health + metrics, status

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


ARENA = Path(__file__).parents[3] / "examples" / "arena" / "arena.py"


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret.key"
    path.write_bytes(SECRET)
    return path


async def served(secret: Path, store: Path, port: int = 0) -> tuple[Any, int]:
    """A relay process of the arena, and its port."""
    words = ["serve", str(ARENA), "--secret", str(secret), "--store", str(store), "--frames", "300"]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", "samebits", "net", *words, "--port", str(port),
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    line = (await process.stdout.readline()).decode()
    return process, int(line.rpartition(":")[2].split("/")[0])


def test_a_relay_process_that_is_killed_and_started_again_goes_on(
    tmp_path: Path, secret: Path
) -> None:
    simulation, store = load_simulation(str(ARENA)), tmp_path / "store"

    async def one(slot: int, port: int, reached: asyncio.Event) -> list[Any]:
        text = make_ticket(SECRET, "m", slot, now_ns=time.time_ns())
        inputs, events = player(simulation, slot, 5, 2000), list[Any]()
        async with join(simulation, f"ws://127.0.0.1:{port}/m", text, play=inputs) as peer:
            async for frame in peer.frames():
                events += frame.events
                if frame.confirmed > 60:
                    reached.set()
        return events

    async def run() -> tuple[list[list[Any]], int]:
        first, port = await served(secret, store)
        reached = asyncio.Event()
        peers = [asyncio.create_task(one(slot, port, reached)) for slot in (0, 1)]
        await reached.wait()
        first.kill()
        await first.wait()
        journal = store / "m" / "journal"
        size = journal.stat().st_size
        journal.write_bytes(journal.read_bytes() + b"\x07\x00\x00\x00torn")
        second, _ = await served(secret, store, port)
        try:
            return await asyncio.gather(*peers), size
        finally:
            second.terminate()
            await second.communicate()

    events, size = asyncio.run(run())
    assert size > 60 * 8
    ends = [next(e for e in each if isinstance(e, Ended)) for each in events]
    assert ends[0] == ends[1]
    assert ends[0].frames == 300
    replay = Replay.open(store / "m" / "match.mcap", simulation)
    assert replay.hashes is not None
    assert replay.hashes.tolist() == simulation.start(1).run(replay.inputs).tolist()
    assert len(replay.hashes) == 300


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


def test_a_fault_in_one_of_two_is_named_and_diagnosed_without_anybody_asking(
    tmp_path: Path,
) -> None:
    simulation = load_simulation(str(ARENA))
    program = parse_side("hazard=fma@bounce", simulation).program
    faulty = InjectedSimulation(simulation, program, from_frame=150)

    async def run() -> tuple[HostedMatch, list[list[Any]]]:
        rules = MatchRules(seed=1, frames=540)
        relay = Relay(simulation, SECRET, rules=rules, store=tmp_path, source=str(ARENA))
        async with relay.running():
            found = await asyncio.gather(
                play(relay, 0, simulation=simulation), play(relay, 1, simulation=faulty)
            )
            match = relay.matches["m"]
            await match.judged()
            return match, list(found)

    match, _ = asyncio.run(run())
    desync = match.core.desyncs[0]
    assert 150 <= desync.frame < 160
    assert (desync.wrong, desync.groups[0].slots) == ((1,), (0,))
    verdict = match.verdicts[desync.frame]
    assert "arena.py:262" in verdict
    assert "fused multiply-add" in verdict
    names = {path.name for path in (tmp_path / "m").iterdir()}
    assert {f"frame-{desync.frame}-slot-1.desync", f"frame-{desync.frame}.verdict.txt"} <= names


def test_a_fault_in_one_of_three_is_named_by_the_others_who_play_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    three, source = crowd(3), tmp_path / "three.py"
    source.write_text(
        "from tests.support.simulations.crowd_simulation import crowd\n\nTHREE = crowd(3)\n"
    )
    program = parse_side("hazard=fma@step", three).program
    # Its fused operations are rounded once more from frame 150 on, and the others' never.
    faulty = InjectedSimulation(three, program, from_frame=150)

    async def run() -> HostedMatch:
        rules = MatchRules(seed=1, frames=400, referee=False)
        relay = Relay(three, SECRET, rules=rules, store=tmp_path / "store", source=str(source))
        async with relay.running():
            sides = (three, three, faulty)
            await asyncio.gather(*(play(relay, n, simulation=side) for n, side in enumerate(sides)))
            match = relay.matches["m"]
            await match.judged()
            return match

    match = asyncio.run(run())
    first = match.core.desyncs[0]
    assert 150 <= first.frame < 200
    assert (first.wrong, first.groups[0].slots, first.groups[0].referee) == ((2,), (0, 1), False)
    assert "step, crowd_simulation.py:" in match.verdicts[first.frame]
    # After a heal the evidence begins with a state that is right, and is of both sides too.
    for desync in match.core.desyncs[:REPORTS]:
        assert "an operation that differs" in match.verdicts[desync.frame]
    # It departs again in nearly every frame: healed so often, and then let go.
    assert 1 <= match.core.seats[2].heals <= HEALS
    assert match.core.log.closed == 400


def test_memory_that_was_changed_is_told_from_bits_that_a_machine_computes(tmp_path: Path) -> None:
    simulation = load_simulation(str(ARENA))

    async def cheat(relay: Relay) -> None:
        """Play, and take a hundred points in between, as a debugger would."""
        url, inputs = f"ws://127.0.0.1:{relay.port}/m", player(simulation, 1, 5, 2000)
        done = False
        async with join(simulation, url, ticket(relay, "m", 1), play=inputs) as peer:
            async for _ in peer.frames():
                timeline = peer.core.timeline
                if timeline is not None and timeline.finished > 150 and not done:
                    done = True
                    at = timeline.finished
                    data = timeline.rollback.canonical_state(at)
                    state = from_canonical(simulation.state_type, data, 1)
                    state["ships"]["score"][0, 1] += 100
                    changed = to_canonical(simulation.state_type, state)
                    timeline.rollback.restore(at, changed)

    async def run() -> HostedMatch:
        rules = MatchRules(seed=1, frames=400)
        relay = Relay(simulation, SECRET, rules=rules, store=tmp_path, source=str(ARENA))
        async with relay.running():
            await asyncio.gather(play(relay, 0, simulation=simulation), cheat(relay))
            match = relay.matches["m"]
            await match.judged()
            return match

    match = asyncio.run(run())
    first = match.core.desyncs[0]
    assert first.wrong == (1,)
    assert match.verdicts[first.frame] == (
        f"slot 1's own inputs give the others' hash of frame {first.frame} when it plays them "
        "again: its memory was changed, or its machine errs at times"
    )


def test_a_player_pauses_and_goes_on() -> None:
    simulation = crowd(2)

    async def pausing(relay: Relay) -> list[Any]:
        url, inputs = f"ws://127.0.0.1:{relay.port}/m", player(simulation, 1, 5, 2000)
        events: list[Any] = []
        async with join(simulation, url, ticket(relay, "m", 1), play=inputs) as peer:
            async for frame in peer.frames():
                events += frame.events
                if frame.confirmed > 40 and not any(isinstance(e, Paused) for e in events):
                    peer.pause("a test")
                if any(isinstance(event, Paused) for event in frame.events):
                    peer.go_on()
        return events

    async def run() -> list[list[Any]]:
        relay = Relay(simulation, SECRET, rules=MatchRules(seed=4, frames=120))
        async with relay.running():
            return list(await asyncio.gather(play(relay, 0, simulation=simulation), pausing(relay)))

    for events in asyncio.run(run()):
        assert sum(isinstance(event, Paused) for event in events) >= 1
        assert sum(isinstance(event, Started) for event in events) >= 2
        assert isinstance(events[-1], Ended)


def test_importing_the_package_loads_no_network(tmp_path: Path) -> None:
    program = "import sys, samebits; print([m for m in sys.modules if 'net' in m.split('.')])"
    done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


def test_what_a_person_reads_of_events_is_no_list_of_fields() -> None:
    found = [
        shown(event)
        for event in (
            Refused("match", "the ticket is for match 'm1', not 'm2'", "", ""),
            Refused("digest", "the programs differ", "e335", "0a11"),
            Ended("all frames are played", 1600, 0xABC),
            VerdictKnown(200, "bounce, arena.py:262"),
            Substituted((0, 1), 9),
        )
    ]
    assert found == [
        "refused: the ticket is for match 'm1', not 'm2'",
        "refused: the programs differ (the relay has e335, this 0a11)",
        "ended: all frames are played, 1,600 frames, hash 0000000000000abc",
        "verdict on frame 200: bounce, arena.py:262",
        "substituted: slots (0, 1), frame 9",
    ]


@pytest.mark.parametrize(
    ("url", "fix"),
    [
        ("http://127.0.0.1:9/m", "give ws://host:port/match"),
        ("ws://127.0.0.1:9/m", "start the relay, or ask for its address"),
    ],
)
def test_a_relay_that_is_not_there_is_told_from_no_address(url: str, fix: str) -> None:
    async def run() -> None:
        async with join(crowd(2), url, "ticket") as peer:
            async for _ in peer.frames():
                pass

    with pytest.raises(MatchError, match="no connection to") as caught:
        asyncio.run(run())
    assert caught.value.fix == fix
