"""The queue in the database: a report is leased to one worker, and comes back if that one ends.

Owns states and leases. At least once: a report whose worker was killed is done again, and what it
then counts in is counted once, as the result is written only by who has the lease.
"""

from __future__ import annotations

import os
import zlib
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select, text, update

from samebits.collector.database.engine import Database
from samebits.collector.database.tables import reports

MOST_ATTEMPTS = 3
"""How often a report may end the process that opens it; then it is poison."""


@dataclass(frozen=True, slots=True)
class Lease:
    """A report that is this worker's for some seconds. `attempts` counts this one too."""

    id: int
    digest: str
    kind: str
    match: str
    received: int
    attempts: int
    holder: str


def claim(database: Database, now: int, seconds: int) -> Lease | None:
    """Take the report that has waited longest, one whose worker is gone before others; None where
    none waits."""
    columns = reports.c
    with database.writing() as connection:
        gone = select(columns.id).where(columns.state == "working", columns.leased < now)
        new = select(columns.id).where(columns.state == "queued")
        first = [
            query.order_by(columns.id).limit(1).with_for_update(skip_locked=True)
            for query in (gone, new)
        ]
        number = connection.scalar(first[0])
        is_new = number is None
        if is_new:
            number = connection.scalar(first[1])
        if number is None:
            return None
        holder = os.urandom(16).hex()
        row = connection.execute(
            update(reports).where(columns.id == number)
            .values(state="working", holder=holder, leased=now + seconds,
                    attempts=columns.attempts + 1)
            .returning(columns.id, columns.digest, columns.kind, columns.match, columns.received,
                       columns.attempts)
        ).one()  # fmt: skip
        if is_new:
            database.count(connection, queued=-1, working=1)
    return Lease(row.id, row.digest, row.kind, row.match, row.received, row.attempts, holder)


def is_held(connection: Connection, lease: Lease) -> bool:
    """Whether the report is still this worker's, locked until the transaction ends."""
    row = connection.execute(
        select(reports.c.state, reports.c.holder).where(reports.c.id == lease.id).with_for_update()
    ).first()
    return row is not None and row.state == "working" and row.holder == lease.holder


def settle(
    database: Database, connection: Connection, lease: Lease, state: str, **values: Any
) -> None:
    """Say what became of a held report, in the transaction that checked `is_held`."""
    connection.execute(
        update(reports)
        .where(reports.c.id == lease.id)
        .values(state=state, holder="", leased=0, **values)
    )
    database.count(connection, working=-1, **{state: 1})


def lock_run(database: Database, connection: Connection, run: str) -> None:
    """Let one worker alone look for the other side of a run, until its transaction ends. SQLite has
    one writer anyway."""
    if not database.is_sqlite:
        number = zlib.crc32(run.encode())
        connection.execute(text("SELECT pg_advisory_xact_lock(:n)"), {"n": number})
