"""`samebits net play` as a process: what it prints, serves and leaves."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from tests.support.command_line import called
from tests.support.folders import EXAMPLES
from tests.support.limits import HANG_SECONDS
from tests.support.runs.exported import needs_zig

from samebits.cli.named import file_in, source_of
from samebits.cli.net.browser import _address

ARENA = EXAMPLES / "arena"
pytestmark = needs_zig


def test_it_serves_until_interrupted_and_says_where_the_replay_is(tmp_path: Path) -> None:
    words = ["net", "play", str(ARENA), "--bots", "--port", "0", "--frames", "40"]
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "samebits", *words],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        lines = [process.stdout.readline(), process.stdout.readline()]
        address = re.search(r"http://127\.0\.0\.1:\d+/", lines[1])
        assert address is not None, lines
        with urllib.request.urlopen(f"{address[0]}view/arena_view.mjs") as answer:
            assert answer.read() == (ARENA / "arena_view.mjs").read_bytes()
        for line in process.stdout:
            if "match-1: ended: all frames are played, 40 frames" in line:
                break
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=HANG_SECONDS)
    assert (process.returncode, errors) == (0, "")
    assert lines[0] == "arena 1: making its module\n"
    assert "match-1: matches/match-1/match.mcap\n" in rest
    proof = f"prove it: samebits verify {ARENA / 'arena.py'} matches/match-"
    assert proof in rest
    assert (tmp_path / "matches" / "match-1" / "match.mcap").is_file()


def test_a_port_that_is_taken_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert called("net", "play", ARENA, "--port", port) == 2
    assert f"cannot listen on 127.0.0.1:{port}: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--plant", "hazard=fma"], "a fault is planted in a bot, and there is none"),
        (["--bot", "2"], "--bot 2: there is one bot for each slot from 0 to 1"),
        (["--bot", "1", "--players", "nobody"], "simulation 'arena' has no players 'nobody'"),
        (["--bot", "1", "--plant", "hazard=fma,until=0"], "until=0 is no frame after 0"),
    ],
)
def test_what_cannot_be_played_is_refused_before_anything_is_made(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert called("net", "play", ARENA, *words) == 2
    out, err = capsys.readouterr()
    assert message in err
    assert out == ""
    assert list(tmp_path.iterdir()) == []


def test_a_folder_stands_for_the_file_of_its_name() -> None:
    assert file_in(str(ARENA)) == str(ARENA / "arena.py")
    assert file_in(str(EXAMPLES)) == str(EXAMPLES)
    assert source_of(str(ARENA / "arena.py")) == source_of(f"{ARENA / 'arena.py'}:ARENA")
    assert source_of("package.module:NAME") is None


def test_the_join_code_is_where_no_server_sees_it() -> None:
    assert _address("127.0.0.1", 80, None) == "http://127.0.0.1:80/"
    assert _address("::1", 80, None) == "http://[::1]:80/"
    assert _address("10.0.0.7", 8080, "ABCDE-23456") == "http://10.0.0.7:8080/#ABCDE-23456"
