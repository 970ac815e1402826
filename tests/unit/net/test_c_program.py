"""The example of a player in C, over plain sockets, in a match with a Python player."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.runs.exported import needs_zig
from tests.unit.net.test_sockets import ARENA, SECRET, play, ticket

from samebits.export.build import build, choose_targets
from samebits.net.events import Ended
from samebits.net.relay.rules import MatchRules
from samebits.net.server import Relay
from samebits.sim.load import load_simulation
from samebits.sim.recording import Replay

SOURCE = Path(__file__).parents[3] / "examples" / "matches" / "peer.c"
CC = shutil.which("cc")
pytestmark = [
    needs_zig,
    pytest.mark.skipif(CC is None or sys.platform != "linux", reason="needs cc on Linux"),
]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("arena")
    build(load_simulation(str(ARENA)), choose_targets([]), folder)
    (library,) = folder.glob("*/libarena.a")
    made = subprocess.run(
        [str(CC), "-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-I", str(folder), str(SOURCE),
         str(library), "-o", str(folder / "peer")], capture_output=True, text=True,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    return folder / "peer"


def test_it_plays_drops_comes_back_and_ends_in_the_relay_s_hash(
    program: Path, tmp_path: Path
) -> None:
    simulation = load_simulation(str(ARENA))

    async def run() -> tuple[str, int, list[object], int]:
        relay = Relay(simulation, SECRET, rules=MatchRules(seed=4, frames=300), store=tmp_path)
        async with relay.running():
            process = await asyncio.create_subprocess_exec(
                program, "127.0.0.1", str(relay.port), "m", ticket(relay, "m", 0),
                stdout=asyncio.subprocess.PIPE,
            )  # fmt: skip
            other = asyncio.create_task(play(relay, 1, simulation=simulation))
            while "m" not in relay.matches or relay.matches["m"].core.log.closed < 60:
                await asyncio.sleep(0.01)
            match = relay.matches["m"]
            number = match.core.seats[0].connection
            assert number is not None
            match.sockets[number.number].transport.abort()
            out, _ = await process.communicate()
            return out.decode(), process.returncode or 0, await other, match.core.seats[0].epoch

    said, status, events, epoch = asyncio.run(run())
    replay = Replay.open(tmp_path / "m" / "match.mcap", simulation)
    assert replay.hashes is not None
    assert replay.hashes.tolist() == simulation.start(4).run(replay.inputs).tolist()
    assert replay.inputs["fire"][:, 0].any()
    assert f"ended after 300 frames, hash {int(replay.hashes[-1]):016x}" in said
    assert status == 0
    assert epoch == 2
    (ended,) = [event for event in events if isinstance(event, Ended)]
    assert ended.hash == int(replay.hashes[-1])


@pytest.mark.parametrize(
    ("words", "status", "text"),
    [
        ([], 2, "usage: .* HOST PORT MATCH TICKET"),
        (["127.0.0.1", "9", "m", "t"], 1, "no connection to 127.0.0.1:9"),
        (["127.0.0.1", "9", "m", "t" * 3000], 2, "the ticket is too long"),
    ],
)
def test_slips_get_an_answer(program: Path, words: list[str], status: int, text: str) -> None:
    done = subprocess.run([program, *words], capture_output=True, text=True)
    assert done.returncode == status
    assert re.search(text, done.stderr)


def test_a_bad_ticket_is_told(program: Path) -> None:
    async def run() -> tuple[str, int]:
        relay = Relay(load_simulation(str(ARENA)), SECRET)
        async with relay.running():
            process = await asyncio.create_subprocess_exec(
                program, "127.0.0.1", str(relay.port), "m", ticket(relay, "other", 0),
                stdout=asyncio.subprocess.PIPE,
            )  # fmt: skip
            out, _ = await process.communicate()
            return out.decode(), process.returncode or 0

    said, status = asyncio.run(run())
    assert said == "refused: the ticket is for match 'other', not 'm'\n"
    assert status == 1
