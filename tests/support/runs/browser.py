"""A headless Chromium on a page of a folder, and what the page says."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Empty, Queue
from typing import Any

import pytest

from tests.support.limits import HANG_SECONDS

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
needs_chromium = pytest.mark.skipif(
    CHROMIUM is None, reason="chromium is not installed: apt-get install chromium"
)
_AS_ROOT = ["--no-sandbox"] if os.geteuid() == 0 else []
"""Chromium has no sandbox for root."""


class PageServer(ThreadingHTTPServer):
    """Serves a folder on the loopback; `said` gets what the page posts. What the page gets from
    `wait` is what `waits` returns, when it does."""

    def __init__(self, folder: Path, waits: Callable[[], str] | None = None) -> None:
        super().__init__(("127.0.0.1", 0), partial(_Handler, directory=str(folder)))
        self.said: Queue[str] = Queue()
        self.waits = waits

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(SimpleHTTPRequestHandler):
    server: PageServer

    def do_GET(self) -> None:
        if self.path != "/wait" or self.server.waits is None:
            super().do_GET()
            return
        body = self.server.waits().encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        self.server.said.put(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def served(folder: Path, waits: Callable[[], str] | None = None) -> Iterator[PageServer]:
    """The server of a folder while a block runs."""
    with PageServer(folder, waits) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def opened(address: str, work: Path) -> Iterator[Path]:
    """Chromium on a page while a block runs; where it writes what goes wrong."""
    with (work / "log").open("wb") as log:
        browser = subprocess.Popen(
            [str(CHROMIUM), "--headless=new", *_AS_ROOT, "--disable-gpu", "--no-first-run",
             "--disable-dev-shm-usage", "--disable-background-networking",
             "--disable-component-update", f"--user-data-dir={work / 'profile'}", address],
            stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
        try:
            yield work / "log"
        finally:
            os.killpg(browser.pid, signal.SIGKILL)
            browser.wait()


def said_by(server: PageServer, log: Path) -> str:
    """What the page posts next; fails with the browser's words where it says nothing."""
    try:
        return server.said.get(timeout=HANG_SECONDS)
    except Empty:
        pytest.fail(log.read_text(errors="replace")[-2000:])
