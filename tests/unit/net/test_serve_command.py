"""What `samebits net serve` and its like say to slips, and what Ctrl-C does to a peer."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.support.command_line import called
from tests.support.folders import EXAMPLES

from samebits.net.client import join
from samebits.net.events import Away, Left
from samebits.net.relay.rules import MatchRules
from samebits.net.server import Relay
from samebits.net.tickets import make_ticket
from samebits.sim.load import load_simulation

SECRET = b"a secret of these tests"
ARENA = str(EXAMPLES / "arena" / "arena.py")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--origin", "notaurl"], "--origin 'notaurl' is no page's origin"),
        (["--origin", "https://a.example/page"], "is no page's origin"),
        (["--players", "3"], "--players 3, and 'arena' has 2"),
        (["--cert", "cert.pem"], "TLS needs a certificate and a key"),
    ],
)
def test_options_that_cannot_be_are_told(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = tmp_path / "secret.key"
    secret.write_bytes(b"a secret of these tests")
    assert called("net", "serve", ARENA, "--secret", str(secret), "--port", "0", *words) == 2
    assert message in capsys.readouterr().err


def test_a_desync_that_is_not_diagnosed_yet_is_none_of_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "match.json").write_text("{}")
    assert called("net", "verdict", str(tmp_path)) == 0
    assert capsys.readouterr().out == "no desync\n"
    for slot in ("slot-0", "referee"):
        (tmp_path / f"frame-1300-{slot}.desync").touch()
    assert called("net", "verdict", str(tmp_path)) == 1
    waits = "frame 1300: bits parted, and the diagnosis is not done\n"
    assert capsys.readouterr().out == waits
    (tmp_path / "frame-300.verdict.txt").write_text("frame 300: slots 1 departed\nby fma\n")
    assert called("net", "verdict", str(tmp_path)) == 1
    assert capsys.readouterr().out == f"frame 300: slots 1 departed\nby fma\n{waits}"


def test_ctrl_c_gives_the_slot_up_at_once() -> None:
    """Where it was kept for a minute, and its inputs were made up."""

    async def run() -> tuple[int, list[Left | Away]]:
        arena = load_simulation(ARENA)
        relay = Relay(arena, SECRET, rules=MatchRules(seed=4, frames=100_000))
        gone: list[Left | Away] = []
        told = False
        async with relay.running():
            url = f"ws://127.0.0.1:{relay.port}/m"
            tickets = [make_ticket(SECRET, "m", slot, now_ns=relay.now()) for slot in (0, 1)]
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-P", "-m", "samebits", "net", "join", ARENA, url,
                "--ticket", tickets[1], "--slot", "1",
                stdout=asyncio.subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            )  # fmt: skip
            zeros = arena.inputs.to_bytes(np.zeros((1, 1), arena.input_type.dtype))
            async with join(arena, url, tickets[0], play=lambda frame: zeros) as peer:
                async for frame in peer.frames():
                    gone += [event for event in frame.events if isinstance(event, Left | Away)]
                    if gone:
                        break
                    if frame.confirmed >= 60 and not told:
                        told = True
                        process.send_signal(signal.SIGINT)
            return await process.wait(), gone

    code, gone = asyncio.run(run())
    assert code == 130
    assert [(type(event), event.slot) for event in gone] == [(Left, 1)]
