"""The collector's guide: its commands, its request and its JavaScript, against a collector."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.collectors import Running, running, some_report

from samebits.collector.grouping.catalogue import read_catalogue

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "guides" / "collector.md").read_text()
NODE = shutil.which("node")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)


def command(folder: Path, words: list[str]) -> str:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    done = subprocess.run(
        [sys.executable, "-P", "-m", "samebits", *words], cwd=folder, env=env, check=True,
        capture_output=True, text=True,
    )  # fmt: skip
    return done.stdout


def test_its_first_commands_send_two_reports(tmp_path: Path) -> None:
    make, serve, send = blocks("sh")[0].splitlines()
    assert serve.split("  ")[0] == "samebits collector serve"
    words, target = make.removeprefix("samebits ").split(" > ")
    (tmp_path / target).write_text(command(tmp_path, words.split()))
    for name in ("here.desync", "there.desync"):
        (tmp_path / name).write_bytes(some_report(name))
    with running(tmp_path / "collector") as collector:
        words = send.removeprefix("samebits ").replace("http://127.0.0.1:8484", collector.url)
        told = command(tmp_path, words.split())
    assert re.sub(r"[0-9a-f]{16}", "…", told).splitlines() == [
        "here.desync: sent, …",
        "there.desync: sent, …",
    ]


def test_its_request_is_one_that_the_collector_takes(tmp_path: Path) -> None:
    with running(tmp_path) as collector:
        data = some_report("by hand")
        text = blocks("http")[0].replace("\n", "\r\n").replace("119289", str(len(data)))
        text = re.sub(r"sbk_\w+", collector.keys["send"], text)
        with socket.create_connection(("127.0.0.1", collector.port)) as connection:
            connection.sendall(text.encode() + data)
            assert connection.recv(1000).startswith(b"HTTP/1.1 202")


def test_its_batch_of_counters_is_one_that_the_collector_takes(tmp_path: Path) -> None:
    body = blocks("http")[1].partition("\n\n")[2]
    with running(tmp_path) as collector:
        assert collector.ask("POST", "/sessions", body, "send").json == {"known": False}
        assert collector.ask("POST", "/sessions", body, "send").json == {"known": True}


def test_its_catalogue_is_one(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(blocks("toml")[0])
    assert read_catalogue(tmp_path / "own.toml")[0].title == "the Switch build fuses"


@pytest.mark.skipif(NODE is None, reason="node is not installed: apt-get install nodejs")
def test_its_javascript_sends_and_knows_when_to_stop(tmp_path: Path) -> None:
    with running(tmp_path) as collector:
        assert javascript(tmp_path, collector, "send", "m-17") == "true"
        assert javascript(tmp_path, collector, "read", "m-17") == "false"
        assert javascript(tmp_path, collector, "send", "no name!") == "false"


def javascript(folder: Path, collector: Running, key: str, match: str) -> str:
    program = folder / "send.mjs"
    body = list(some_report("js"))
    program.write_text(
        f"{blocks('js')[0]}\nconsole.log(await send(new Uint8Array({body}), {collector.url!r}, "
        f"{collector.keys[key]!r}, {match!r}));\n"
    )
    done = subprocess.run([str(NODE), program], check=True, capture_output=True, text=True)
    return done.stdout.strip()
