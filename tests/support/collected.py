"""Reports of some causes, as many as are wanted, and a worker in the test's own process."""

from __future__ import annotations

import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from samebits.collector.database.engine import Database
from samebits.collector.intake.ledger import Entry, Ledger
from samebits.collector.intake.storage import Storage
from samebits.collector.operate.logs import Log
from samebits.collector.work.helper import Helper
from samebits.collector.work.worker import Worker
from samebits.desync.writer import report_bytes
from tests.support.runs import reports_of_runs as runs

CAUSES = ("fma", "changed-constant", "lost-store", "narrower", "constant")
"""Hazards that are told apart at one operation of the traced simulation."""


@cache
def _report(hazard: str) -> Any:
    text = f"opt=0,hazard={hazard}@drift,from=9" if hazard else "opt=0"
    return runs.report("x", range(7, 11), 9, text=text)


def report_of(hazard: str = "", machine: str = "CPU", version: str = "1") -> bytes:
    """A report by a machine whose bits a hazard changes, or by one that has the right bits."""
    made = _report(hazard)
    return report_bytes(
        replace(
            made,
            machine=replace(made.machine, processor=machine),
            header=replace(made.header, version=version),
        )
    )


@cache
def shared_helper() -> Helper:
    """The limited process of all benches: whoever uses some closes it."""
    return Helper(60, 4 << 30)


class Bench:
    """A collector's parts without its server, and one worker."""

    def __init__(self, folder: Path, url: str | None = None, seconds: int = 60) -> None:
        self.database, self.storage = Database(folder, url), Storage(folder)
        self.ledger = Ledger(self.database, self.storage)
        self.time = time.time()
        self.worker = self.another_worker(seconds)

    def another_worker(self, seconds: int = 60) -> Worker:
        log = Log(sys.stderr)
        return Worker(
            self.database, self.storage, log, seconds, 4 << 30, lambda: self.time, shared_helper()
        )

    def put(self, data: bytes, match: str = "") -> str:
        """Enter a file; its digest."""
        entry = Entry(self.storage.take([data]), "key", match)
        return self.ledger.enter(entry).result().digest

    def work(self) -> int:
        """Do all there is; how many reports that were."""
        count = 0
        while self.worker.work():
            count += 1
        return count

    def rows(self, table: Any) -> list[Any]:
        with self.database.reading() as connection:
            return [*connection.execute(table.select().order_by(*table.primary_key.columns))]

    def counts(self) -> dict[str, int]:
        with self.database.reading() as connection:
            return {name: n for name, n in self.database.counts(connection).items() if n}

    def close(self) -> None:
        self.ledger.close()
        self.database.close()


@contextmanager
def bench(folder: Path, url: str | None = None, seconds: int = 60) -> Generator[Bench]:
    made = Bench(folder, url, seconds)
    try:
        yield made
    finally:
        made.close()
