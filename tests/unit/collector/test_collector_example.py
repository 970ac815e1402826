"""What is beside a collector: the sender in C, the Dockerfile and the compose file."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.support.collectors import running, some_report
from tests.support.runs.bits_files import loaded
from typer.main import get_command

from samebits.cli import commands

FOLDER = Path(__file__).parents[3] / "examples" / "collector"
CC = shutil.which("cc")
needs_cc = pytest.mark.skipif(
    CC is None or sys.platform != "linux", reason="needs cc on Linux: apt-get install gcc"
)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sender") / "send"
    made = subprocess.run(
        [str(CC), "-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", str(FOLDER / "send.c"), "-o",
         str(path)], capture_output=True, text=True,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    return path


def send(
    program: Path, port: int, key: str, match: str, report: Path
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program, "127.0.0.1", str(port), key, match, report], capture_output=True, text=True,
        check=False,
    )  # fmt: skip


@needs_cc
def test_the_sender_in_c_sends_and_knows_what_is_refused(program: Path, tmp_path: Path) -> None:
    report = tmp_path / "here.desync"
    report.write_bytes(some_report(b"in C" + bytes(300_000)))
    text = tmp_path / "text"
    text.write_text("no report")
    with running(tmp_path / "collector") as collector:
        keys = collector.keys
        assert send(program, collector.port, keys["send"], "m-17", report).returncode == 0
        assert collector.ask("GET", "/metrics", key="read").text.count('"queued"} 1') == 1
        again = send(program, collector.port, keys["send"], "m-17", report)
        assert (again.returncode, again.stderr) == (0, "")
        for key, path, status in ((keys["read"], report, 403), (keys["send"], text, 415)):
            refused = send(program, collector.port, key, "m-17", path)
            assert (refused.returncode, refused.stderr[:3]) == (1, str(status))
        assert send(program, collector.port, keys["send"], "m 17", report).returncode == 2


@contextmanager
def answering(answers: list[bytes]) -> Iterator[int]:
    """A server that gives each connection the next answer, and reads nothing before."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def run() -> None:
            for answer in answers:
                connection, _ = server.accept()
                with connection:
                    connection.recv(1 << 20)
                    connection.sendall(answer)
                    connection.shutdown(socket.SHUT_WR)
                    while connection.recv(1 << 16):
                        pass

        thread = threading.Thread(target=run)
        thread.start()
        yield server.getsockname()[1]
        thread.join()


@needs_cc
def test_the_sender_in_c_comes_again_where_it_is_told_later(program: Path, tmp_path: Path) -> None:
    report = tmp_path / "here.desync"
    report.write_bytes(some_report("later"))
    later = b"HTTP/1.1 429 Too Many Requests\r\nretry-after: 0\r\n\r\n{}"
    gone = b"HTTP/1.1 410 Gone\r\n\r\n{}"
    with answering([later, b"not HTTP\r\n\r\n", later, gone]) as port:
        assert send(program, port, "sbk_x", "m", report).returncode == 0


def serve_options() -> set[str]:
    """The options of `samebits collector serve`."""
    command: Any = get_command(commands.application)
    serve = command.commands["collector"].commands["serve"]
    return {name for parameter in serve.params for name in parameter.opts}


def test_the_containers_run_commands_that_there_are() -> None:
    text = (FOLDER / "Dockerfile").read_text()
    words = [json.loads(found) for found in re.findall(r"^(?:ENTRYPOINT|CMD) (\[.*\])", text, re.M)]
    assert words[0] + words[1][:1] == ["samebits", "collector", "serve"]
    assert {word for word in words[1] if word.startswith("--")} <= serve_options()
    file = loaded(FOLDER / "compose.yaml")
    url = file["services"]["collector"]["environment"]["SAMEBITS_COLLECTOR_DATABASE"]
    tables = file["services"]["tables"]["environment"]
    assert url.startswith(f"postgresql://{tables['POSTGRES_USER']}:${{PASSWORD:?")
    assert url.endswith(f"@tables/{tables['POSTGRES_DB']}")
    assert set(file["volumes"]) == {"files", "tables"}


def test_the_compose_file_is_one_by_its_schema(tmp_path: Path) -> None:
    pytest.importorskip("check_jsonschema", reason="needs check-jsonschema")
    words = [sys.executable, "-P", "-m", "check_jsonschema", "--builtin-schema"]
    words.append("vendor.compose-spec")
    broken = tmp_path / "broken.yaml"
    broken.write_text((FOLDER / "compose.yaml").read_text().replace("ports:", "prots:"))
    found = [
        subprocess.run([*words, str(path)], check=False, capture_output=True).returncode
        for path in (FOLDER / "compose.yaml", broken)
    ]
    assert found == [0, 1]
