"""Collectors that run in a thread of the test, what is asked of them, and PostgreSQL for one."""

from __future__ import annotations

import http.client
import io
import json
import os
import pwd
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Generator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tools.prove_collector.load import whole_file

from samebits.collector.intake.keys import new_key
from samebits.collector.operate.logs import Log
from samebits.collector.settings import Settings
from samebits.collector.web.server import listening, server_of
from samebits.collector.web.service import Service
from samebits.desync.format import PROFILE
from samebits.replay.mcap_records import MAGIC
from tests.support.limits import HANG_SECONDS

HEAD = MAGIC + b"\x01" + PROFILE.encode()
"""The first bytes of a report."""


def some_report(text: str | bytes = "") -> bytes:
    """A whole file that looks like a report from outside."""
    return whole_file(text if isinstance(text, bytes) else text.encode())


@dataclass(frozen=True)
class Reply:
    """An answer of a collector."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def text(self) -> str:
        return self.body.decode()


@dataclass(frozen=True)
class Running:
    """A collector that serves, with a key for each scope."""

    service: Service
    port: int
    keys: Mapping[str, str]
    said: io.StringIO

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(self, method: str, path: str, body: Any = None, key: str = "", **headers: str) -> Reply:
        """One request. An iterator as its body is sent in chunks, without a length."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if key:
            sent["Authorization"] = f"Bearer {self.keys.get(key, key)}"
        with closing(
            http.client.HTTPConnection("127.0.0.1", self.port, timeout=HANG_SECONDS)
        ) as connection:
            connection.request(method, path, body, sent, encode_chunked=hasattr(body, "__next__"))
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return Reply(answer.status, found, answer.read())

    def send(self, data: bytes, match: str = "") -> Reply:
        return self.ask("POST", "/reports" + (f"?match={match}" if match else ""), data, "send")


@contextmanager
def running(folder: Path, **settings: Any) -> Generator[Running]:
    """A collector in a thread, without workers, while a block runs."""
    said = io.StringIO()
    given: dict[str, Any] = {"workers": 0, "rate": 1e6, "burst": 1e6, **settings}
    made = Settings(folder, port=0, **given)
    with listening(made.host, made.port) as socket:
        service = Service.open(made, Log(said))
        keys = {
            scope: new_key(service.database, scope, [scope]) for scope in ("send", "read", "admin")
        }
        server = server_of(service)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [socket]})
        thread.start()
        try:
            deadline = time.monotonic() + HANG_SECONDS
            while not server.started and time.monotonic() < deadline:
                time.sleep(0.005)
            yield Running(service, socket.getsockname()[1], keys, said)
        finally:
            server.should_exit = True
            thread.join()


_POSTGRES = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
needs_postgres = pytest.mark.skipif(
    not _POSTGRES or os.name != "posix",
    reason="PostgreSQL is not installed: apt-get install postgresql",
)


@contextmanager
def postgres() -> Generator[str]:
    """The URL of an empty database of a PostgreSQL of one's own, on a socket in its folder, run by
    a user without privileges."""
    programs = _POSTGRES[-1].parent
    user = "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
    other: dict[str, Any] = {}
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    if os.geteuid() == 0:
        other = {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []}
        shutil.chown(folder, user)
    try:
        options: dict[str, Any] = {
            "check": True,
            "stdout": subprocess.DEVNULL,
            "cwd": folder,
            **other,
        }
        data = folder / "data"
        subprocess.run(
            [programs / "initdb", "-D", data, "-U", "test", "-A", "trust", "--no-sync",
             "-E", "UTF8", "--locale=C"], **options,
        )  # fmt: skip
        with (folder / "log").open("wb") as log:
            server = subprocess.Popen(
                [programs / "postgres", "-D", data, "-k", folder, "-c", "listen_addresses=",
                 "-c", "fsync=off"], stdout=log, stderr=log, cwd=folder, **other,
            )  # fmt: skip
        try:
            deadline = time.monotonic() + HANG_SECONDS
            ready = [programs / "pg_isready", "-q", "-h", folder, "-U", "test"]
            while subprocess.run(ready, check=False).returncode:
                assert server.poll() is None, (folder / "log").read_text()
                assert time.monotonic() < deadline, (folder / "log").read_text()
                time.sleep(0.05)
            yield f"postgresql://test@/postgres?host={folder}"
        finally:
            server.terminate()
            server.wait()
    finally:
        shutil.rmtree(folder)
