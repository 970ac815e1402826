"""The one writer of received files: a thread that makes many durable by one commit.

Owns the order that no acknowledged file can be lost by: the file's bytes, its name, its row, then
the answer. Whoever hands one in is told when all of it is on the disk.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from queue import Empty, SimpleQueue

from sqlalchemy import select

from samebits.collector.database.engine import Database
from samebits.collector.database.tables import deleted, reports
from samebits.collector.intake.storage import Arrived, Storage

MOST_TOGETHER = 256
"""Most files that one commit has."""
FLUSHES = 32
"""Folders that are flushed side by side."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file that arrived, with the key that sent it and what the match was called."""

    arrived: Arrived
    key: str
    match: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of a file: `is_known` where it was there before, `is_deleted` where it was
    deleted on request and stays so."""

    digest: str
    is_known: bool
    is_deleted: bool


class Ledger:
    """Files become durable here. `close` waits for those that were handed in."""

    def __init__(self, database: Database, storage: Storage) -> None:
        self._database, self._storage = database, storage
        self._queue: SimpleQueue[tuple[Entry, Future[Receipt]] | None] = SimpleQueue()
        # PostgreSQL may have another server, which has just entered the same file.
        self._new = database.insert(reports).on_conflict_do_nothing().returning(reports.c.size)
        self._flushes = ThreadPoolExecutor(FLUSHES, "flush")
        self._thread = threading.Thread(target=self._run, name="ledger", daemon=True)
        self._thread.start()

    def enter(self, entry: Entry) -> Future[Receipt]:
        """Hand in a file; the result comes once it is durable, or the error why it is not."""
        future: Future[Receipt] = Future()
        self._queue.put((entry, future))
        return future

    def close(self) -> None:
        self._queue.put(None)
        self._thread.join()
        self._flushes.shutdown()

    def _run(self) -> None:
        is_open = True
        while is_open:
            taken = [self._queue.get()]
            while len(taken) < MOST_TOGETHER:
                try:
                    taken.append(self._queue.get_nowait())
                except Empty:
                    break
            is_open = None not in taken
            given = [each for each in taken if each is not None]
            if not given:
                continue
            try:
                receipts = self._durable([entry for entry, _ in given])
            except BaseException as error:
                for _, future in given:
                    future.set_exception(error)
            else:
                for (_, future), receipt in zip(given, receipts, strict=True):
                    future.set_result(receipt)

    def _durable(self, entries: Sequence[Entry]) -> list[Receipt]:
        now = int(time.time())
        wanted = {entry.arrived.digest for entry in entries}
        with self._database.writing() as connection:
            gone = set(
                connection.scalars(select(deleted.c.digest).where(deleted.c.digest.in_(wanted)))
            )
            known = set(
                connection.scalars(select(reports.c.digest).where(reports.c.digest.in_(wanted)))
            )
            receipts: list[Receipt] = []
            new: list[Entry] = []
            for entry in entries:
                digest = entry.arrived.digest
                receipts.append(Receipt(digest, digest in known, digest in gone))
                if digest in known or digest in gone:
                    entry.arrived.path.unlink()
                else:
                    new.append(entry)
                    known.add(digest)
            self._storage.keep((entry.arrived for entry in new), self._flushes.map)
            if new:
                rows = [row_of(each, now) for each in new]
                made = connection.scalars(self._new, rows).all()
                self._database.count(
                    connection, reports=len(made), queued=len(made), bytes=sum(made)
                )
        return receipts


def row_of(entry: Entry, now: int) -> dict[str, object]:
    """A new report's row, of which nothing is known but its bytes."""
    texts = dict.fromkeys(
        ("holder", "run", "simulation", "version", "build", "machine", "target", "told"), ""
    )
    return {
        **texts, "digest": entry.arrived.digest, "kind": entry.arrived.kind.name,
        "size": entry.arrived.size, "received": now, "key": entry.key, "match": entry.match,
        "state": "queued", "attempts": 0, "leased": 0,
    }  # fmt: skip
