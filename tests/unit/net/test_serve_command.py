"""What `samebits net serve` and its like say to slips, and what Ctrl-C does to a peer."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

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


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (("none.pem", "none.key"), "cannot read none.pem: No such file or directory"),
        (("", ""), "cannot read {here}: Is a directory"),
        (("secret.key", "secret.key"), "are no certificate with its key: "),
    ],
)
def test_files_that_are_no_certificate_are_told_and_no_port_is_blamed(
    files: tuple[str, str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    secret = tmp_path / "secret.key"
    secret.write_bytes(SECRET)
    cert, key = (name or str(tmp_path) for name in files)
    words = ["--port", "0", "--cert", cert, "--key", key]
    assert called("net", "serve", ARENA, "--secret", secret, *words) == 2
    told = capsys.readouterr().err
    assert message.format(here=tmp_path) in told
    assert "listen" not in told


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("ws://127.0.0.1:9999999/m", "Port out of range"),
        ("ws://127.0.0.1:port/m", "give ws://host:port/match"),
        ("ws://a..example/m", "give ws://host:port/match"),
        ("ws://", "give ws://host:port/match"),
        ("127.0.0.1:9/m", "scheme isn't ws or wss"),
    ],
)
def test_what_is_no_address_of_a_match_is_told(
    url: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert called("net", "watch", ARENA, url, "--ticket", "x") == 2
    told = capsys.readouterr().err
    assert told.startswith(f"no connection to {url}: ")
    assert message in told


@contextmanager
def answering(answer: bytes) -> Generator[int]:
    """A port where something else than a relay says that, once."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def say() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(4096)
                connection.sendall(answer)

        speaker = Thread(target=say)
        speaker.start()
        yield server.getsockname()[1]
        speaker.join()


HTTP = b"HTTP/1.1 200 OK\r\n\r\n"


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (b"SSH-2.0-OpenSSH_9.2\r\n", "no answer from"),
        (b"", "no answer from"),
        (HTTP + b"<html>", "is not a relay's"),
        (HTTP + b"{}", "is not a relay's"),
        (HTTP + b"[1]", "is not a relay's"),
        (HTTP + b"\xff\xfe", "no answer from"),
        (HTTP + b'{"simulation": "a", "digest": "b", "matches": [1]}', "is not a relay's"),
        (HTTP + b'{"simulation": "a", "digest": "b", "matches": {"m": {}}}', "is not a relay's"),
    ],
)
@pytest.mark.parametrize("words", [[], ["--json"]])
def test_what_answers_and_is_no_relay_is_told(
    answer: bytes, message: str, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with answering(answer) as port:
        assert called("net", "status", f"http://127.0.0.1:{port}", *words) == 2
    out, told = capsys.readouterr()
    assert out == ""
    assert message in told
    assert "unexpected" not in told


@pytest.mark.parametrize("url", ["http://127.0.0.1:port", "http://a b", "http://", "ws://a:1"])
def test_what_is_no_address_of_a_relay_is_told(
    url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert called("net", "status", url) == 2
    told = capsys.readouterr().err
    assert "unexpected" not in told
    assert url in told


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--jitter", "5"], "--jitter and --loss are of links that --rtt describes"),
        (["--loss", "3"], "give --rtt, or --scene"),
        (["--scene", "none"], "'fault', 'fault, no referee'"),
        (["--window", "x"], "--window 'x' is no list of frames"),
    ],
)
def test_a_soak_leaves_no_option_out(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert called("net", "soak", ARENA, "--matches", "1", "--frames", "60", *words) == 2
    out, told = capsys.readouterr()
    assert out == ""
    assert message in told


def test_tls_where_there_is_none_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with answering(b"HTTP/1.1 400 Bad Request\r\n\r\n") as port:
        assert called("net", "watch", ARENA, f"wss://127.0.0.1:{port}/m", "--ticket", "x") == 2
    assert "no TLS is spoken there\n  fix: give ws://" in capsys.readouterr().err


def test_a_desync_that_is_not_diagnosed_yet_is_none_of_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "match.json").write_text("{}")
    for other in ("frame-notes.txt", "frame-7.txt", "frame-x-slot-0.desync"):
        (tmp_path / other).touch()
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
