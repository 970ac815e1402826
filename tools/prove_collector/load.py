"""Reports sent to a collector at a rate, while it is killed and started again.

Owns the senders, the kills, and the comparison of what was acknowledged with what is there.
"""

from __future__ import annotations

import hashlib
import http.client
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
import zlib
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import select

from samebits.collector.database.engine import Database
from samebits.collector.database.tables import reports
from samebits.collector.intake.keys import new_key
from samebits.collector.intake.storage import Storage
from samebits.desync.format import PROFILE
from samebits.replay.mcap_records import MAGIC

SIZE = 32 * 1024
"""Bytes of a report."""
SENDERS = 8
PATIENCE = 120.0
"""Seconds in which a report must have been taken."""


@dataclass
class Found:
    """What became of the reports that were sent."""

    acknowledged: set[str] = field(default_factory=set[str])
    refused: list[str] = field(default_factory=list[str])
    attempts: int = 0
    seconds: float = 0.0
    """From the first report to the last acknowledgement."""
    processor: float = 0.0
    """Seconds of a processor that servers took."""
    kills: int = 0
    lost: int = 0
    doubled: int = 0
    unwhole: int = 0


def some_bytes(number: int) -> bytes:
    """A report of this number, which nobody can compress."""
    return whole_file(random.Random(number).randbytes(SIZE - len(whole_file(b""))))


def whole_file(inner: bytes) -> bytes:
    """A file that is a whole report from outside, with other bytes for its records."""
    names = len(PROFILE).to_bytes(4, "little") + PROFILE.encode() + bytes(4)
    data = MAGIC + _record(1, names) + _record(0xFF, inner)
    data += _record(0x0F, zlib.crc32(data).to_bytes(4, "little"))
    footer = _record(2, bytes(20))[:-4]
    return data + footer + zlib.crc32(footer).to_bytes(4, "little") + MAGIC


def _record(opcode: int, body: bytes) -> bytes:
    return bytes([opcode]) + len(body).to_bytes(8, "little") + body


class Server:
    """`samebits collector serve` in a process of its own."""

    def __init__(self, folder: Path, port: int) -> None:
        self.port = port
        words = ["--folder", str(folder), "--port", str(port), "--workers", "0",
                 "--rate", "100000", "--burst", "100000"]  # fmt: skip
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "samebits", "collector", "serve", *words],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def end(self, how: int) -> float:
        """End it by a signal; the seconds of a processor that it took."""
        self.process.send_signal(how)
        usage = os.wait4(self.process.pid, 0)[2]
        self.process.returncode = -how
        return usage.ru_utime + usage.ru_stime

    def wait(self) -> None:
        """Until it answers."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)) as asked:
                try:
                    asked.request("GET", "/healthz")
                    if asked.getresponse().status == 200:
                        return
                except (OSError, http.client.HTTPException):
                    time.sleep(0.05)
        raise TimeoutError("the collector did not start")


class _Senders:
    """Threads that send reports by turns, each again until it is acknowledged."""

    def __init__(self, port: int, key: str, count: int, rate: float) -> None:
        self._port, self._key, self._count, self._rate = port, key, count, rate
        self._next, self._lock = 0, threading.Lock()
        self.found = Found()
        self.goes_on = False
        """Whether more than `count` are sent, until that is over."""
        self._begin = time.monotonic()
        self._threads = [threading.Thread(target=self._run) for _ in range(SENDERS)]

    def run(self) -> None:
        self._begin = time.monotonic()
        for thread in self._threads:
            thread.start()

    def join(self) -> None:
        for thread in self._threads:
            thread.join()
        self.found.seconds = time.monotonic() - self._begin

    @property
    def is_done(self) -> bool:
        return not any(thread.is_alive() for thread in self._threads)

    def _run(self) -> None:
        with closing(http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)) as to:
            while True:
                with self._lock:
                    number, self._next = self._next, self._next + 1
                if number >= self._count and not self.goes_on:
                    return
                time.sleep(max(0.0, self._begin + number / self._rate - time.monotonic()))
                self._send(to, some_bytes(number))

    def _send(self, to: http.client.HTTPConnection, data: bytes) -> None:
        digest = hashlib.sha256(data).hexdigest()
        deadline = time.monotonic() + PATIENCE
        said = "no answer"
        while time.monotonic() < deadline:
            with self._lock:
                self.found.attempts += 1
            try:
                to.request("POST", "/reports", data, {"Authorization": f"Bearer {self._key}"})
                answer = to.getresponse()
                answer.read()
                said = str(answer.status)
            except (OSError, http.client.HTTPException):
                to.close()
                time.sleep(0.05)
                continue
            if answer.status == 202:
                with self._lock:
                    self.found.acknowledged.add(digest)
                return
            time.sleep(0.05)
        with self._lock:
            self.found.refused.append(said)


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        return made.getsockname()[1]


def under_load(folder: Path, seconds: float, rate: float, kills: int, seed: int = 1) -> Found:
    """Send `rate` reports a second for `seconds`, kill the server `kills` times on the way, and
    compare what was acknowledged with what is there."""
    folder.mkdir()
    database = Database(folder)
    key = new_key(database, "load", ["send"])
    database.close()
    rng = random.Random(seed)
    server = Server(folder, free_port())
    server.wait()
    senders = _Senders(server.port, key, round(seconds * rate), rate)
    found = senders.found
    senders.goes_on = True
    senders.run()
    moments = sorted(rng.random() * seconds for _ in range(kills))
    begin = time.monotonic()
    for moment in moments:
        while time.monotonic() - begin < moment and not senders.is_done:
            time.sleep(0.001)
        if senders.is_done:
            break
        found.processor += server.end(signal.SIGKILL)
        found.kills += 1
        down = time.monotonic()
        server = Server(folder, server.port)
        server.wait()
        begin += time.monotonic() - down  # moments are of time in which it serves
    senders.goes_on = False
    senders.join()
    found.processor += server.end(signal.SIGTERM)
    compare(folder, found)
    return found


def compare(folder: Path, found: Found) -> None:
    """Count what is lost, there twice, or not whole."""
    database, storage = Database(folder), Storage(folder)
    with database.reading() as connection:
        rows = [*connection.scalars(select(reports.c.digest))]
        counted = database.counts(connection)["reports"]
    database.close()
    there = set(rows)
    found.lost = len(found.acknowledged - there)
    found.doubled = len(rows) - len(there) + abs(counted - len(rows))
    for digest in there:
        path = storage.path(digest)
        is_whole = path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == digest
        found.unwhole += not is_whole
