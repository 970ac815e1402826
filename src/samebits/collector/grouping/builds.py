"""The builds whose bits files were compared: a row each, with the latest comparison."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, delete, select, tuple_, update

from samebits.collector.database.engine import Database
from samebits.collector.database.tables import builds, reports


def note(
    database: Database, connection: Connection, report: int, at: int, about: dict[str, Any],
    found: dict[str, Any],
) -> None:  # fmt: skip
    """Write down what the comparison with a file found of its build, unless that of a later file is
    there."""
    row = {
        "run": about["run"], "simulation": about["simulation"], "version": about["version"],
        "build": about["build"], "machines": found["machines"], "result": found["result"],
        "told": found["told"], "comparison": found["comparison"], "latest": report,
        "first_seen": at, "last_seen": at,
    }  # fmt: skip
    made = database.insert(builds).values(**row).on_conflict_do_nothing()
    if connection.execute(made.returning(builds.c.run)).first() is not None:
        return
    names = ("machines", "result", "told", "comparison", "latest", "last_seen")
    later = builds.c.latest.is_(None) | (builds.c.latest <= report)
    connection.execute(
        update(builds)
        .where(builds.c.run == row["run"], later)
        .values(**{name: row[name] for name in names})
    )


def forget(database: Database, connection: Connection, run: str) -> None:
    """Have the files of a build that are left compared again, of which one was removed: nothing of
    that one is told any more."""
    left = connection.execute(
        select(reports.c.id, reports.c.state)
        .where(reports.c.run == run, reports.c.kind == "bits")
        .order_by(reports.c.id.desc()).limit(1)
    ).first()  # fmt: skip
    if left is None:
        connection.execute(delete(builds).where(builds.c.run == run))
        return
    connection.execute(
        update(builds)
        .where(builds.c.run == run)
        .values(
            comparison="", latest=None, told="a file was removed, the others are compared again"
        )
    )
    connection.execute(
        update(reports)
        .where(reports.c.id == left.id)
        .values(state="queued", holder="", leased=0, attempts=0)
    )
    database.count(connection, **{left.state: -1})
    database.count(connection, queued=1)


def listed(database: Database, most: int, before: tuple[int, str] | None) -> Sequence[Any]:
    """Rows of builds, the latest first, from behind (last seen, run) on."""
    columns = builds.c
    query = select(
        columns.run, columns.simulation, columns.version, columns.build, columns.machines,
        columns.result, columns.told, columns.last_seen,
    )  # fmt: skip
    if before is not None:
        query = query.where(tuple_(columns.last_seen, columns.run) < before)
    with database.reading() as connection:
        return connection.execute(
            query.order_by(columns.last_seen.desc(), columns.run.desc()).limit(most)
        ).all()


def build(database: Database, run: str) -> Any:
    """A build's row; None where there is none."""
    with database.reading() as connection:
        return connection.execute(select(builds).where(builds.c.run == run)).first()
