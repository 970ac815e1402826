"""`Match.join` plays matches over sockets in Node."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.support.limits import HANG_SECONDS
from tests.support.runs.exported import ARENA, arena, made, needs_zig
from tests.support.runs.script_matches import (
    SECRET,
    SEED,
    address,
    logged,
    play,
    running,
    ticket,
    told,
)
from tests.support.simulations.crowd_simulation import crowd
from websockets.asyncio.server import ServerConnection, serve

from samebits.export.build import host_row
from samebits.hazards.injected_simulation import InjectedSimulation
from samebits.net.events import Away, Desynced, MatchEvent
from samebits.net.messages import Bundle, Hello, Refuse, Welcome, decode, encode
from samebits.net.relay.closing import ClosingRules
from samebits.net.relay.rules import MatchRules
from samebits.net.server import HostedMatch, Relay
from samebits.net.tickets import make_ticket
from samebits.sides.side import parse_side

pytestmark = needs_zig


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(arena(), tmp_path_factory.mktemp("arena"), "wasm32")


TO_THE_END = """
const match = await Match.join(url, ticket, { input: script, machine: "a test" });
const events = [], shown = new Set(), frames = [];
match.onevent = (event) => events.push(event);
match.onframe = (state, status) => { shown.add(state.frame); frames.push(status.frame); };
const end = await match.over;
const hashes = await Promise.all(Array.from({ length: end.frames }, (_, n) => match.hash(n)));
say({ end, hashes, events, shown: shown.size, status: match.status(),
      report: [...(await match.report())].length });
"""


WATCHES = TO_THE_END.replace("input: script", "spectator: true, window: 0")


def test_node_and_python_play_one_match(folder: Path, tmp_path: Path) -> None:
    async def run() -> tuple[dict[str, Any], dict[str, Any], HostedMatch]:
        rules = MatchRules(seed=SEED, frames=300)
        relay = Relay(arena(), SECRET, rules=rules, store=tmp_path)
        watches = ticket(relay, 0, role="spectator")
        async with (
            relay.running(),
            running(folder, TO_THE_END, address(relay), ticket(relay, 0)) as script,
            running(folder, WATCHES, address(relay), watches) as watcher,
        ):
            await play(relay, 1)
            found, watched = await script.line(), await watcher.line()
            await script.ended()
            await watcher.ended()
            return found, watched, relay.matches["m"]

    found, watched, match = asyncio.run(run())
    replay = logged(tmp_path)
    told(found, replay)
    told(watched, replay)
    assert (watched["status"]["slot"], watched["status"]["players"]) == (2, [0, 1])
    end = found["end"]
    assert (end["type"], end["reason"]) == ("ended", "all frames are played")
    assert end["hash"] in (found["hashes"][-1] or end["hash"], "0" * 16)
    assert found["events"][-1] == found["end"]
    assert {"joined", "started", "delayed"} <= {event["type"] for event in found["events"]}
    assert match.core.desyncs == []
    status = found["status"]
    assert (status["phase"], status["slot"], status["players"]) == ("over", 0, [0, 1])
    assert (status["confirmed"], status["connected"]) == (300, False)
    assert found["shown"] > 1
    assert found["report"] > 1000
    # A player's inputs are what the script gave for their frames, unless ticks were made up for.
    sent = [tuple(row[0].tolist()) for row in replay.inputs]
    assert any(given == _scripted(n) for n, given in enumerate(sent) if given[2])
    done = subprocess.run(
        [sys.executable, "-P", "-m", "samebits", "verify", str(ARENA / "arena.py"),
         str(tmp_path / "m" / "match.mcap"), "--targets", f"{host_row()}-O3"],
        capture_output=True, text=True, timeout=HANG_SECONDS,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def _scripted(frame: int) -> tuple[int, int, bool]:
    return frame % 100, frame * 7 % 50 - 25, frame % 9 == 0


class Line:
    """A connection to a relay that can be cut: what comes to its port goes there."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._writers: list[asyncio.StreamWriter] = []
        self._carrying: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[int]:
        async with await asyncio.start_server(self._join, "127.0.0.1", 0) as server:
            try:
                yield server.sockets[0].getsockname()[1]
            finally:
                server.close()
                for task in self._carrying:
                    task.cancel()
                await asyncio.gather(*self._carrying, return_exceptions=True)

    def cut(self) -> None:
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._carrying.add(task)
        ends = [writer]
        try:
            back, forth = await asyncio.open_connection("127.0.0.1", self._to)
            ends.append(forth)
            self._writers += ends
            await asyncio.gather(self._carry(reader, forth), self._carry(back, writer))
        finally:
            for end in ends:
                end.transport.abort()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(1 << 16):
                writer.write(data)
        except ConnectionError:
            pass
        writer.transport.abort()


def test_a_peer_whose_connection_drops_comes_back_to_its_slot(folder: Path, tmp_path: Path) -> None:
    async def run() -> tuple[dict[str, Any], int]:
        rules = MatchRules(seed=SEED, frames=240)
        relay = Relay(arena(), SECRET, rules=rules, store=tmp_path)
        cuts = {60, 130}

        async with relay.running():
            line = Line(relay.port)

            def reached(frame: int) -> None:
                if cuts and frame > min(cuts):
                    cuts.remove(min(cuts))
                    line.cut()

            async with line.open() as port:
                url = f"ws://127.0.0.1:{port}/m"
                async with running(folder, TO_THE_END, url, ticket(relay, 0)) as script:
                    await play(relay, 1, reached=reached)
                    found = await script.line()
                    await script.ended()
            return found, relay.matches["m"].core.seats[0].epoch

    found, epoch = asyncio.run(run())
    assert epoch > 1
    dropped = [event for event in found["events"] if event["type"] == "disconnected"]
    assert (dropped[0]["tries"], dropped[0]["again"]) == (1, 50)
    told(found, logged(tmp_path))


UNTIL_A_RELOAD = """
const match = await Match.join(url, ticket, { input: script });
let kept;
match.onframe = (state, { final, token }) => {
  kept = token;
  if (final >= 60) match.pause();
};
match.onevent = (event) => {
  if (event.type !== "paused") return;
  say(kept);
  process.exit(0);
};
"""


GOES_ON = TO_THE_END.replace("url, ticket, {", 'url, "", { token: ticket,').replace(
    "const events", "match.resume();\nconst events"
)


def test_a_program_that_is_started_anew_goes_on_with_its_slot(folder: Path, tmp_path: Path) -> None:
    """However late it starts: the match waits for its inputs, and in a pause for itself."""

    async def run() -> dict[str, Any]:
        rules = MatchRules(seed=SEED, frames=240, closing=ClosingRules(deadline=None))
        relay = Relay(arena(), SECRET, rules=rules, store=tmp_path)
        async with relay.running():
            other = asyncio.create_task(play(relay, 1))
            given = address(relay), ticket(relay, 0)
            async with running(folder, UNTIL_A_RELOAD, *given) as script:
                token = await script.line()
                await script.ended()
            async with running(folder, GOES_ON, address(relay), token) as script:
                found = await script.line()
                await script.ended()
            await other
            return found

    found = asyncio.run(run())
    assert found["status"]["slot"] == 0
    told(found, logged(tmp_path))


UNTIL_A_VERDICT = """
const match = await Match.join(url, ticket, { input: script });
const desyncs = [];
match.ondesync = (event) => desyncs.push(event);
match.onverdict = async (verdict) => {
  if (verdict.frame !== desyncs[0].frame) return; // of a later one, which was found sooner
  const last = new Promise((done) => (match.onend = done));
  await match.leave();
  say({ desyncs, verdict, last: await last });
};
"""


def test_a_fault_in_the_other_peer_is_told_with_its_verdict(folder: Path, tmp_path: Path) -> None:
    program = parse_side("hazard=fma@bounce", arena()).program
    faulty = InjectedSimulation(arena(), program, from_frame=150)

    async def run() -> tuple[dict[str, Any], Desynced, str, list[MatchEvent]]:
        relay = Relay(
            arena(), SECRET, rules=MatchRules(seed=1), store=tmp_path,
            source=str(ARENA / "arena.py"),
        )  # fmt: skip
        async with relay.running():
            given = address(relay), ticket(relay, 0)
            async with running(folder, UNTIL_A_VERDICT, *given) as script:
                other = asyncio.create_task(play(relay, 1, faulty, until=0))
                found = await script.line()
                await script.ended()
                events = await other
            match = relay.matches["m"]
            desync = match.core.desyncs[0]
            return found, desync, match.verdicts[desync.frame], events

    found, desync, verdict, events = asyncio.run(run())
    told = found["desyncs"][0]
    assert (told["frame"], told["wrong"], told["decided"]) == (desync.frame, [1], True)
    assert told["groups"] == [
        {"hash": f"{g.hash:016x}", "slots": [*g.slots], "referee": g.referee} for g in desync.groups
    ]
    assert found["verdict"] == {"type": "verdict", "frame": desync.frame, "text": verdict}
    assert found["last"]["type"] == "left"
    assert not [event for event in events if isinstance(event, Away) and event.slot == 0]


REFUSED = """
const refusals = [];
for (const [where, what, options] of JSON.parse(ticket))
  await Match.join(where, what, options).then(
    () => refusals.push("joined"),
    ({ name, code, message, ours, theirs }) => refusals.push({ name, code, message, ours, theirs }),
  );
say(refusals);
"""


def test_a_refusal_says_why_in_fields(folder: Path) -> None:
    async def run() -> list[dict[str, Any]]:
        relay, other = Relay(arena(), SECRET), Relay(crowd(2), SECRET)
        async with relay.running(), other.running():
            url = address(relay)
            tries: list[tuple[Any, ...]] = [
                (url, make_ticket(b"a secret of another relay", "m", now_ns=relay.now()), {}),
                (url, make_ticket(SECRET, "n", now_ns=relay.now()), {}),
                (address(other), ticket(other, 0), {}),
                (url, "two\nlines", {}),
                (url, ticket(relay, 0), {"window": 3601}),
                (url, ticket(relay, 0), {"keep": -1}),
                ("no address", ticket(relay, 0), {}),
                ("ws://127.0.0.1:9/m", ticket(relay, 0), {}),
            ]
            async with running(folder, REFUSED, "", json.dumps(tries)) as script:
                found = await script.line()
                await script.ended()
        return found

    found = asyncio.run(run())
    assert [each["code"] if "code" in each else each["name"] for each in found] == [
        "ticket", "ticket", "simulation", "RangeError", "RangeError", "RangeError", "lost", "lost",
    ]  # fmt: skip
    words = (
        "signature", "match 'n'", "another simulation", "ticket", "window is 3601", "keep is -1",
        "no address", "9/m",
    )  # fmt: skip
    for each, word in zip(found, words, strict=True):
        assert word in each["message"]
    assert (found[2]["ours"], found[2]["theirs"]) == ("crowd", "arena")


async def against(
    folder: Path, text: str, relay: Callable[[ServerConnection, Hello], Awaitable[None]]
) -> Any:
    """What a script says of a relay that is none: what answers its HELLO."""

    async def answer(socket: ServerConnection) -> None:
        (hello,) = decode(await socket.recv(), "peer")  # type: ignore[arg-type]
        assert isinstance(hello, Hello)
        await relay(socket, hello)
        await socket.wait_closed()

    async with serve(answer, "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        async with running(folder, text, f"ws://127.0.0.1:{port}/m", "anything") as script:
            found = await script.line()
            await script.ended()
            return found


def welcome() -> bytes:
    rate = arena().tick_rate
    return encode(Welcome(1, "m", 0, 2, 1, b"t" * 32, SEED, rate, 2, 30, 0, 0))


HEARS_NONSENSE = """
const match = await Match.join(url, ticket);
match.onerror = ({ name, code, message }) => say([name, code, message, match.status().phase]);
match.onend = (event) => say(event);
"""


def test_nonsense_from_a_relay_ends_the_match_with_an_error(folder: Path) -> None:
    async def relay(socket: ServerConnection, hello: Hello) -> None:
        assert (hello.simulation, hello.ticket) == ("arena", "anything")
        await socket.send(welcome())
        await socket.recv()
        await socket.send(encode(Bundle(0, 7, 1, b"\0\0")))

    name, code, message, phase = asyncio.run(against(folder, HEARS_NONSENSE, relay))
    assert (name, code, phase) == ("MatchError", "broken", "over")
    assert "BUNDLE" in message


SLOW = """
const real = performance.now.bind(performance);
let calls = 0;
performance.now = () => (++calls <= 6 ? 8 * calls : real()); // eight frames in 8 ms, three times
const refusals = [];
for (const window of [8, 0])
  await Match.join(url, ticket, { window }).catch(({ code }) => refusals.push(code));
say(refusals);
"""


def test_a_slow_machine_predicts_what_it_can_play_again_in_a_quarter_of_a_tick(
    folder: Path,
) -> None:
    windows = list[int]()

    async def relay(socket: ServerConnection, hello: Hello) -> None:
        windows.append(hello.window)
        await socket.send(encode(Refuse("test", "enough", "", "")))

    assert asyncio.run(against(folder, SLOW, relay)) == ["test", "test"]
    assert windows == [4, 0]  # a quarter of a tick is 4.2 ms, a frame takes one


WAKES = """
const match = await Match.join(url, ticket);
const events = [];
match.onevent = (event) => events.push(event);
match.onerror = ({ code }) => say({ code, events });
const real = performance.now.bind(performance);
performance.now = () => real() + 60_000; // the machine slept for a minute
"""


def test_a_machine_that_slept_comes_back_over_a_new_connection(folder: Path) -> None:
    hellos = list[Hello]()

    async def relay(socket: ServerConnection, hello: Hello) -> None:
        hellos.append(hello)
        gone = Refuse("resume", "the minute is over", "", "")
        await socket.send(encode(gone) if hello.resume else welcome())

    found = asyncio.run(against(folder, WAKES, relay))
    assert [(hello.ticket, hello.resume) for hello in hellos] == [
        ("anything", b""), ("", b"t" * 32),
    ]  # fmt: skip
    assert found["code"] == "resume"
    dropped, refused = found["events"]
    assert (dropped["type"], dropped["reason"]) == ("disconnected", "the relay is silent")
    assert (refused["type"], refused["reason"]) == ("refused", "the minute is over")
