"""Faults that a stranger found in matches: each as small as it can be."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

import pytest
from tests.support.simulations.crowd_simulation import crowd
from tests.unit.net.test_hostile_sockets import SECRET, beside, hello, ticket, until_closed
from tests.unit.net.test_sockets import ARENA, play
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed
from websockets.frames import Opcode

import samebits as sb
from samebits import float32, uint8, uint32, uint64
from samebits.errors import ArgumentError, MatchError
from samebits.hazards.injected_simulation import InjectedSimulation
from samebits.net.events import Broken, Ended, Refused
from samebits.net.input_codec import InputCodec
from samebits.net.limits import SECOND
from samebits.net.peer.core import PeerCore
from samebits.net.relay.rules import MatchRules
from samebits.net.server import Relay
from samebits.net.simnet.links import shapes
from samebits.net.simnet.oracle import faults
from samebits.net.simnet.soak import player
from samebits.net.simnet.world import PeerPlan, World
from samebits.net.store import MatchStore
from samebits.net.tickets import make_ticket
from samebits.sides.side import parse_side
from samebits.sim.load import load_simulation
from samebits.sim.recording import Replay
from samebits.sim.simulation import Simulation


@pytest.mark.parametrize("kind", [Opcode.PING, Opcode.PONG, Opcode.BINARY, Opcode.CONT])
def test_a_flood_of_frames_that_hold_nothing_ends_its_sender(kind: Opcode) -> None:
    reasons: list[str] = []

    async def flood(relay: Relay) -> None:
        async with connect(f"ws://127.0.0.1:{relay.port}/m", compression=None) as found:
            if kind is Opcode.BINARY:
                watch = make_ticket(SECRET, "m", role="spectator", now_ns=relay.now())
                await found.send(hello(relay, watch))
            with suppress(ConnectionClosed, OSError, RuntimeError):
                for _ in range(200):
                    found.transport.write(bytes([0x80 | kind, 0x80, 0, 0, 0, 0]) * 500)
                    await asyncio.sleep(0)
            reasons.append(await until_closed(found))

    beside(flood)
    # A frame that continues nothing breaks WebSocket's own rules.
    faster = "messages come faster than the match plays"
    assert reasons[0] in (faster, "", "unexpected continuation frame")
    assert (reasons[0] == "unexpected continuation frame") == (kind is Opcode.CONT)


def test_a_pause_that_is_taken_back_before_a_frame_says_it_is_none() -> None:
    link = shapes(True)["lan"]
    plans = [PeerPlan(link, link, player(crowd(2), n, 0, 2000)) for n in range(2)]
    world = World(crowd(2), plans, MatchRules(seed=0, frames=300), 0)
    world.run(2 * SECOND)
    for _ in range(5):
        world.nodes[0].core.pause()
        world.nodes[0].core.go_on()
    world.run(60 * SECOND)
    assert world.relay.ended is not None
    assert faults(world, frames=300) == []


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a b", "x" * 101, "ä", "m\0"])
def test_a_match_is_called_what_a_folder_may_be(name: str, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="a ticket for match"):
        make_ticket(SECRET, name, now_ns=0)
    with pytest.raises(MatchError, match="the match is called"):
        MatchStore(tmp_path, name, crowd(2), 0)


def test_a_long_name_and_refused_tickets_leave_nothing_behind(tmp_path: Path) -> None:
    reasons: list[str] = []

    async def run() -> None:
        relay = Relay(crowd(2), SECRET, store=tmp_path, name="a")
        async with relay.running():

            async def show(match: str, text: str) -> None:
                async with connect(f"ws://127.0.0.1:{relay.port}/{match}") as found:
                    await found.send(hello(relay, text))
                    await until_closed(found)
                    reasons.append(found.close_reason or "")

            await show("x" * 400, ticket(relay, 0))
            await show("new1", ticket(relay, 9, "new1"))
            elsewhere = make_ticket(SECRET, "new2", now_ns=relay.now(), relay="b")
            await show("new2", elsewhere)
            await asyncio.sleep(0.1)
            assert relay.matches == {}

    asyncio.run(run())
    assert len(reasons) == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["tickets.used"]


def test_a_match_is_served_from_a_store_by_one_relay_alone(tmp_path: Path) -> None:
    first = MatchStore(tmp_path, "m", crowd(2), 0)
    with pytest.raises(MatchError, match="another relay serves match 'm'"):
        MatchStore(tmp_path, "m", crowd(2), 0)
    (tmp_path / "m" / "match.mcap.0123.partial").write_bytes(b"of a relay that was killed")
    first.close(False)
    second = MatchStore(tmp_path, "m", crowd(2), 0)
    second.close(False)
    assert not list((tmp_path / "m").glob("*.0123.partial"))


def test_a_desync_that_ends_the_match_has_its_verdict(tmp_path: Path) -> None:
    simulation = load_simulation(str(ARENA))
    faulty = InjectedSimulation(
        simulation, parse_side("hazard=fma@bounce", simulation).program, from_frame=60
    )

    async def run() -> tuple[Any, list[list[Any]]]:
        rules = MatchRules(seed=1, frames=600, policy="end")
        relay = Relay(simulation, SECRET, rules=rules, store=tmp_path, source=str(ARENA))
        async with relay.running():
            both = play(relay, 0, simulation=simulation), play(relay, 1, simulation=faulty)
            events = await asyncio.gather(*both)
            match = relay.matches["m"]
            await match.judged()
            return match, events

    match, _ = asyncio.run(run())
    (desync,) = match.core.desyncs
    assert match.core.ended.reason == "desync"
    assert "arena.py:262" in match.verdicts[desync.frame]


def test_who_is_let_go_is_told_why() -> None:
    faulty = sb.hazards.inject(crowd(3), "fma", from_frame=90)
    link = shapes(True)["cable"]
    plans = [
        PeerPlan(link, link, player(crowd(3), n, 11, 2000), simulation=faulty if n == 2 else None)
        for n in range(3)
    ]
    world = World(crowd(3), plans, MatchRules(seed=3, frames=1500), 5)
    world.run(60 * SECOND)
    (why,) = [e for _, e in world.nodes[2].log.events if isinstance(e, Refused | Broken)]
    assert why == Refused("departed", "its bits departed more than 3 times", "", "")


@sb.struct
class _State:
    frame: uint32


@sb.struct
class _Wide:
    bytes: sb.FixedArray[uint8, 300]


@sb.struct
class _TooWide:
    bytes: sb.FixedArray[uint8, 2000]


@sb.kernel
def _init(state: _State, seed: uint64) -> None:
    state.frame = uint32(0)


@sb.kernel
def _step(state: _State, inputs: sb.ReadOnly[_Wide]) -> None:
    state.frame += uint32(1)
    for p in range(len(inputs)):
        for n in range(300):
            state.frame = state.frame * 31 + uint32(inputs[p].bytes[n])


@sb.kernel
def _step_too_wide(state: _State, inputs: sb.ReadOnly[_TooWide]) -> None:
    state.frame += uint32(1)


def test_wide_inputs_are_told_in_as_many_messages_as_they_need() -> None:
    wide = Simulation(
        name="wide", version="1", state=_State, input=_Wide, players=2, init=_init, step=_step,
        tick_rate=60,
    )  # fmt: skip
    link = shapes(True)["lan"]
    # All bytes change with each frame; one player's program stands still for a second.
    plans = [
        PeerPlan(
            link, link, lambda frame, n=n: bytes((frame * 7 + n + k) % 256 for k in range(300)),
            frozen=((2 * SECOND, 3 * SECOND),) if n else (),
        )
        for n in range(2)
    ]  # fmt: skip
    world = World(wide, plans, MatchRules(seed=0, frames=300), 0)
    world.run(60 * SECOND)
    assert faults(world, frames=300) == []
    assert world.relay.ended is not None


def test_inputs_that_no_message_holds_are_refused_with_their_size() -> None:
    simulation = Simulation(
        name="wide", version="1", state=_State, input=_TooWide, players=2, init=_init,
        step=_step_too_wide, tick_rate=60,
    )  # fmt: skip
    with pytest.raises(MatchError, match="a player's input of 'wide' has 2,000 bytes, more than"):
        InputCodec(simulation)


@sb.struct
class _Number:
    value: float32


@sb.kernel
def _trapping(state: _State, inputs: sb.ReadOnly[_Number]) -> None:
    state.frame += uint32(1)
    assert state.frame < 100, "a hundred frames"


@pytest.mark.parametrize("policy", ["heal", "log"])
def test_the_log_of_a_match_that_trapped_has_the_whole_frames_and_their_hashes(
    tmp_path: Path, policy: Literal["heal", "log"]
) -> None:
    simulation = Simulation(
        name="trap", version="1", state=_State, input=_Number, players=2, init=_init,
        step=_trapping, tick_rate=60,
    )  # fmt: skip

    async def run() -> list[list[Any]]:
        rules = MatchRules(seed=1, policy=policy)
        relay = Relay(simulation, SECRET, rules=rules, store=tmp_path)
        async with relay.running():
            return await asyncio.gather(*(play(relay, n, simulation=simulation) for n in range(2)))

    events = asyncio.run(run())
    replay = Replay.open(tmp_path / "m" / "match.mcap", simulation)
    assert replay.hashes is not None
    assert len(replay.hashes) == 99
    ends = [event for each in events for event in each if isinstance(event, Ended)]
    assert {(end.frames, end.hash) for end in ends} == {(99, int(replay.hashes[-1]))}


@pytest.mark.parametrize("watches", [True, False])
def test_a_ticket_to_play_does_not_watch_nor_the_other_way_round(watches: bool) -> None:
    link = shapes(True)["lan"]
    core = PeerCore(crowd(2), "", player(crowd(2), 0, 0, 10), spectator=watches)
    plan = PeerPlan(link, link, player(crowd(2), 0, 0, 10), spectator=not watches)
    world = World(crowd(2), [plan], MatchRules(seed=0), 0)
    given = world.nodes[0].core._ticket  # pyright: ignore[reportPrivateUsage]
    core._ticket = given  # pyright: ignore[reportPrivateUsage]
    world.relay.connect(world.now, 9)
    for message in core.poll(0).messages:
        world.relay.receive(world.now, 9, message)
    for _, message in world.relay.poll(world.now).messages:
        core.receive(1, message)
    (event,) = core.poll(2).events
    verbs = ("play", "watch") if watches else ("watch", "play")
    assert event == Broken("the ticket is one to {}, and this is to {}".format(*verbs))
