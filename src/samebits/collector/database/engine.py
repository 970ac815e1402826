"""A collector's database: transactions that read, and transactions that write.

Owns how SQLite is set: write-ahead log, every commit on the disk before it returns, and a writer
that takes its turn at the beginning of its transaction rather than fail in the middle of it.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, create_engine, event, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from samebits.collector.database.migration import migrate
from samebits.collector.database.tables import counters
from samebits.collector.problem import CollectorError

BUSY_MS = 30_000
"""Milliseconds that SQLite waits for another writer."""
FILE = "collector.sqlite"
_URL = re.compile(r"postgres(?:ql)?(?:\+psycopg)?://")
_PRAGMAS = (
    "PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL", f"PRAGMA busy_timeout={BUSY_MS}",
    "PRAGMA foreign_keys=ON", "PRAGMA trusted_schema=OFF", "PRAGMA cache_size=-65536",
)  # fmt: skip


class Database:
    """The database at a `postgresql://` URL, or the SQLite file of a folder; brought to today's
    tables if it is older. Raises CollectorError where it cannot be opened."""

    def __init__(self, folder: Path, url: str | None = None) -> None:
        self.is_sqlite = url is None
        if url is not None and not _URL.match(url):
            raise CollectorError(
                f"--database '{url[:40]}' is no PostgreSQL URL",
                fix="write postgresql://user@host/database, or leave it out for SQLite",
            )
        self.path = folder / FILE
        where = f"sqlite:///{self.path}" if url is None else _URL.sub("postgresql+psycopg://", url)
        options: dict[str, Any] = {} if url is None else {"pool_pre_ping": True}
        self.engine = create_engine(where, **options)
        new = self.insert(counters)
        self._add_counts = new.on_conflict_do_update(
            index_elements=["name"], set_={"value": counters.c.value + new.excluded.value}
        )
        if self.is_sqlite:
            event.listen(self.engine, "connect", _set)
            event.listen(self.engine, "begin", _begin)
        try:
            with self.writing() as connection:
                migrate(connection)
        except BaseException as error:
            self.engine.dispose()
            if not isinstance(error, SQLAlchemyError):
                raise
            said = str(getattr(error, "orig", None) or error).strip().splitlines()
            raise CollectorError(
                f"cannot open the database: {said[0] if said else error:.200}",
                fix="check --folder and --database, and that this user may write there",
            ) from None

    @contextmanager
    def reading(self) -> Generator[Connection]:
        """A transaction that sees one state of the tables."""
        with self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self) -> Generator[Connection]:
        """A transaction that is on the disk when the block ends, or undone if it raises."""
        with (
            self.engine.connect().execution_options(writes=True) as connection,
            connection.begin(),
        ):
            yield connection

    def insert(self, table: Table) -> Any:
        """An INSERT of this database's dialect, which has `on_conflict_…`."""
        return sqlite.insert(table) if self.is_sqlite else postgresql.insert(table)

    def add(
        self, connection: Connection, table: Table, row: Mapping[str, Any],
        add: Sequence[str], replace: Sequence[str] = (),
    ) -> None:  # fmt: skip
        """Insert a row, or add to the one with its primary key: columns `add` are summed, columns
        `replace` take the new value."""
        statement = self.insert(table).values(**row)
        new = statement.excluded
        changes = {name: table.c[name] + new[name] for name in add}
        changes.update((name, new[name]) for name in replace)
        connection.execute(
            statement.on_conflict_do_update(
                index_elements=[column.name for column in table.primary_key], set_=changes
            )
        )

    def count(self, connection: Connection, **changes: int) -> None:
        """Add to kept counts."""
        rows = [{"name": name, "value": changes[name]} for name in sorted(changes) if changes[name]]
        if rows:
            connection.execute(self._add_counts, rows)

    def counts(self, connection: Connection) -> dict[str, int]:
        """All kept counts by name."""
        rows = connection.execute(select(counters.c.name, counters.c.value))
        return {name: value for name, value in rows}

    def close(self) -> None:
        self.engine.dispose()


def is_busy(error: OperationalError) -> bool:
    """Whether another writer held SQLite's file for longer than is waited."""
    return "locked" in str(error.orig)


def _set(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # transactions begin where `_begin` says
    for pragma in _PRAGMAS:
        connection.execute(pragma)


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
