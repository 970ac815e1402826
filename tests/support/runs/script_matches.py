"""Matches of the arena over sockets, in which scripts of the exported module play."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from samebits.net.client import join
from samebits.net.events import Left, MatchEvent
from samebits.net.server import Relay
from samebits.net.simnet.soak import player
from samebits.net.tickets import make_ticket
from samebits.sim.recording import Replay
from samebits.sim.simulation import Simulation
from tests.support.runs.driven_peer import NODE
from tests.support.runs.exported import arena

SECRET = b"a secret of these tests"


SEED = 4


PRELUDE = """
import { Match, MatchError } from "./wasm32/arena_match.mjs";
const [url, ticket] = process.argv.slice(1);
const plain = (_, v) => (typeof v === "bigint" ? v.toString(16).padStart(16, "0") : v);
const say = (value) => console.log(JSON.stringify(value, plain));
const script = (frame) =>
  ({ thrust: frame % 100, turn: ((frame * 7) % 50) - 25, fire: frame % 9 === 0 });
"""


@cache
def node_options() -> list[str]:
    """What makes Node have WebSocket; it does by itself from 22 on."""
    if NODE is None:
        pytest.skip("node is not installed")
    for options in ([], ["--experimental-websocket", "--no-warnings"]):
        shown = subprocess.run(
            [NODE, *options, "-p", "typeof WebSocket"], capture_output=True, text=True
        ).stdout
        if shown.strip() == "function":
            return options
    pytest.skip("node has no WebSocket: install node 22 or later")


def ticket(relay: Relay, slot: int, **given: Any) -> str:
    return make_ticket(SECRET, "m", slot, now_ns=relay.now(), **given)


def address(relay: Relay) -> str:
    return f"ws://127.0.0.1:{relay.port}/m"


class Script:
    """A program of Node that says lines of JSON."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def line(self) -> Any:
        assert self._process.stdout is not None
        line = await self._process.stdout.readline()
        if not line:
            assert self._process.stderr is not None
            pytest.fail((await self._process.stderr.read()).decode()[-2000:])
        return json.loads(line)

    async def ended(self) -> None:
        _, errors = await self._process.communicate()
        assert self._process.returncode == 0, errors.decode()[-2000:]


@asynccontextmanager
async def running(folder: Path, text: str, *words: str) -> AsyncIterator[Script]:
    """A program of Node while a block runs."""
    process = await asyncio.create_subprocess_exec(
        str(NODE), *node_options(), "--input-type=module", "--eval", PRELUDE + text, "--", *words,
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, limit=1 << 24,
    )  # fmt: skip
    try:
        yield Script(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def play(
    relay: Relay,
    slot: int,
    simulation: Simulation | None = None,
    reached: Callable[[int], None] = lambda _: None,
    until: int | None = None,
) -> list[MatchEvent]:
    """Play a slot to the end of the match, or until another one is empty; the events. `reached`
    hears of confirmed frames."""
    events: list[MatchEvent] = []
    inputs = player(arena(), slot, 5, 2000)
    given = ticket(relay, slot)
    async with join(simulation or arena(), address(relay), given, play=inputs) as peer:
        async for frame in peer.frames():
            events += frame.events
            reached(frame.confirmed)
            if any(isinstance(event, Left) and event.slot == until for event in frame.events):
                await peer.leave()
    return events


def logged(store: Path) -> Replay:
    """The log of a match. Where a machine is so busy that last hashes came too late it has none."""
    replay = Replay.open(store / "m" / "match.mcap", arena())
    assert replay.damage is None
    if replay.hashes is not None:
        assert replay.hashes.tolist() == arena().start(SEED).run(replay.inputs).tolist()
    return replay


def told(found: dict[str, Any], replay: Replay) -> None:
    """A script found the hashes of a run of the log, for all frames that it played."""
    hashes = [f"{value:016x}" for value in arena().start(SEED).run(replay.inputs).tolist()]
    final = found["status"]["final"]
    assert found["hashes"][:final] == hashes[:final]
    assert final > 60
