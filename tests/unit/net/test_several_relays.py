"""The example of a ticket service, and two relays that know nothing of each other."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.support.folders import EXAMPLES
from tests.support.simulations.crowd_simulation import crowd

from samebits.cli import commands
from samebits.net.client import join
from samebits.net.events import Ended, Refused
from samebits.net.relay.rules import MatchRules
from samebits.net.server import Relay
from samebits.net.simnet.soak import player

FOLDER = EXAMPLES / "matches"
SECRET, KEY = b"a secret of these tests", "a key of these tests"


@contextmanager
def service(tmp_path: Path, relays: dict[str, str], *words: str) -> Iterator[int]:
    """The port of the service while a block runs."""
    secret = tmp_path / "secret.key"
    secret.write_bytes(SECRET + b"\n")
    told = " ".join(f"{name}={url}" for name, url in relays.items())
    environment = {**os.environ, "RELAYS": told, "SECRET": str(secret), "KEY": KEY}
    with subprocess.Popen(
        [sys.executable, str(FOLDER / "tickets.py"), "--port", "0"], env=environment,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    ) as process:  # fmt: skip
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            found = re.match(r"tickets at port (\d+) for a, b", line)
            assert found is not None, line
            yield int(found[1])
        finally:
            process.terminate()


def asked(port: int, body: object, key: str = KEY, path: str = "/tickets") -> tuple[int, Any]:
    """The status and JSON of a request."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}", data, {"Authorization": f"Bearer {key}"}
    )
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def test_matches_are_spread_and_each_is_played_at_its_relay(tmp_path: Path) -> None:
    simulation = crowd(2)

    async def play(found: dict[str, str], slot: int) -> list[Any]:
        inputs = player(simulation, slot, 5, 200)
        async with join(simulation, found["url"], found["ticket"], play=inputs) as peer:
            return [event async for frame in peer.frames() for event in frame.events]

    async def run() -> tuple[list[list[Any]], list[Any], set[str]]:
        relays = {n: Relay(simulation, SECRET, rules=MatchRules(frames=60), name=n) for n in "ab"}
        async with relays["a"].running(), relays["b"].running():
            urls = {name: f"ws://127.0.0.1:{relay.port}" for name, relay in relays.items()}
            with service(tmp_path, urls) as port:

                def tickets(match: str) -> list[dict[str, str]]:
                    return [asked(port, {"match": match, "slot": n})[1] for n in range(2)]

                games = {m: await asyncio.to_thread(tickets, m) for m in ("m1", "m2", "m3", "m4")}
                # Both of a match go to one relay, and not all matches do.
                assert all(one["url"] == other["url"] for one, other in games.values())
                served = {one["url"].rpartition("/")[0] for one, _ in games.values()}
                done = await asyncio.gather(
                    *(play(found, n) for both in games.values() for n, found in enumerate(both))
                )
                (extra, _) = await asyncio.to_thread(tickets, "m5")
                wrong = next(u for u in urls.values() if not extra["url"].startswith(u)) + "/m5"
                refused = await play({**extra, "url": wrong}, 0)
                return done, refused, served

    done, refused, served = asyncio.run(run())
    assert len(served) == 2
    for events in done:
        assert isinstance(events[-1], Ended)
    (event,) = [event for event in refused if isinstance(event, Refused)]
    assert "the ticket is for relay" in event.reason


@pytest.mark.parametrize(
    ("body", "key", "path", "status"),
    [
        ({"match": "m", "slot": 1}, KEY, "/tickets", 200),
        ({"match": "m", "spectator": True}, KEY, "/tickets", 200),
        ({"match": "m"}, "another key", "/tickets", 401),
        ({"match": "m"}, KEY, "/other", 404),
        ({"slot": 1}, KEY, "/tickets", 400),
        ({"match": "m", "slot": 64}, KEY, "/tickets", 400),
        ({"match": "m" * 200}, KEY, "/tickets", 400),
        ([], KEY, "/tickets", 400),
        (b"{", KEY, "/tickets", 400),
        (b"[" * 4000, KEY, "/tickets", 400),
        (b" " * 5000, KEY, "/tickets", 400),
    ],
)
def test_requests_get_a_ticket_or_why_not(
    tmp_path: Path, body: object, key: str, path: str, status: int
) -> None:
    with service(tmp_path, {"a": "ws://a", "b": "ws://b"}) as port:
        found, answer = asked(port, body, key, path)
    assert found == status
    assert set(answer) == ({"url", "ticket"} if status == 200 else {"error"})


def test_the_commands_of_the_compose_file_are_those_of_the_command_line() -> None:
    text = (FOLDER / "compose.yaml").read_text()
    entry = re.search(r'ENTRYPOINT \["samebits", (.*)\]', (FOLDER / "Dockerfile").read_text())
    assert entry is not None
    commands = re.findall(r"command: (\[.*\])", text)
    assert len(commands) == 2
    for command in commands:
        words = [*json.loads(f"[{entry[1]}]"), *json.loads(command)]
        options = {word for word in words if word.startswith("--")}
        known = serve_options()
        assert options <= known, options - known
    for name in re.findall(r"COPY (.*) /game/", (FOLDER / "Dockerfile").read_text())[0].split():
        assert (EXAMPLES / name).is_file()


def serve_options() -> set[str]:
    """The options of `samebits net serve`."""
    import typer.main

    command: Any = typer.main.get_command(commands.application)
    serve = command.commands["net"].commands["serve"]
    return {option for parameter in serve.params for option in parameter.opts}
