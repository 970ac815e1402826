"""The collector's database: SQLite and PostgreSQL with the same tables, whole after every end."""

from __future__ import annotations

import gc
import hashlib
import sqlite3
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import text
from tests.support.collectors import needs_postgres, postgres, running, some_report

from samebits.collector.database.engine import Database
from samebits.collector.database.tables import metadata
from samebits.collector.problem import CollectorError


def differences(database: Database) -> list[object]:
    with database.reading() as connection:
        return [*compare_metadata(MigrationContext.configure(connection), metadata)]


def connections() -> set[int]:
    """The open connections of SQLite in this process."""
    every = [each for each in gc.get_objects() if isinstance(each, sqlite3.Connection)]
    return {id(each) for each in every if is_open(each)}


def is_open(connection: sqlite3.Connection) -> bool:
    try:
        return connection.total_changes >= 0
    except sqlite3.ProgrammingError:
        return False


def test_revisions_end_in_the_tables_that_are_used(tmp_path: Path) -> None:
    database = Database(tmp_path)
    assert differences(database) == []
    database.close()
    Database(tmp_path).close()  # nothing to do


def test_a_commit_is_on_the_disk_before_it_is_told(tmp_path: Path) -> None:
    database = Database(tmp_path)
    with database.reading() as connection:
        found = [connection.exec_driver_sql(f"PRAGMA {name}").scalar()
                 for name in ("journal_mode", "synchronous")]  # fmt: skip
    database.close()
    assert found == ["wal", 2]


def test_a_transaction_that_fails_leaves_nothing(tmp_path: Path) -> None:
    database = Database(tmp_path)

    def fail() -> None:
        with database.writing() as connection:
            database.count(connection, reports=1)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    with database.reading() as connection:
        assert database.counts(connection) == {}
    database.close()


def test_the_tables_of_a_newer_samebits_are_left_alone(tmp_path: Path) -> None:
    database = Database(tmp_path)
    with database.writing() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    database.close()
    before = connections()
    with pytest.raises(CollectorError, match="tables of revision 9999"):
        Database(tmp_path)
    assert connections() == before


@pytest.mark.parametrize("url", ["mysql://host/x", "sqlite:///x", "/tmp/x"])
def test_other_databases_are_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(CollectorError, match="no PostgreSQL URL"):
        Database(tmp_path, url)


def test_a_database_that_is_away_is_named_without_its_password(tmp_path: Path) -> None:
    with pytest.raises(CollectorError) as caught:
        Database(tmp_path, f"postgresql://user:hunter2@/x?host={tmp_path}")
    assert "hunter2" not in str(caught.value)


@needs_postgres
def test_postgresql_takes_and_counts_files_as_sqlite_does(tmp_path: Path) -> None:
    data = some_report("pg")
    with postgres() as url, running(tmp_path, database=url) as collector:
        assert differences(collector.service.database) == []
        assert collector.send(data).json["known"] is False
        assert collector.send(data).json["known"] is True
        with collector.service.database.reading() as connection:
            counts = collector.service.database.counts(connection)
        digest = hashlib.sha256(data).hexdigest()
        assert (counts["reports"], counts["bytes"]) == (1, len(data))
        assert collector.ask("DELETE", f"/files/{digest}", key="admin").status == 200
        assert collector.send(data).status == 410
