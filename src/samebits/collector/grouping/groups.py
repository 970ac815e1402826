"""The groups in the database: a report joins one, which is resolved in a version, or comes back."""

from __future__ import annotations

import time
from typing import Any

from sqlalchemy import Connection, select, update

from samebits.collector.database.engine import Database
from samebits.collector.database.tables import group_machines, group_versions, groups, reports
from samebits.collector.grouping.facts import Facts
from samebits.collector.grouping.version_order import is_at_least
from samebits.collector.problem import CollectorError


def join(
    database: Database, connection: Connection, facts: Facts, report: int, machine: str, at: int
) -> tuple[int, bool]:
    """Count a report in its group, which is made if need be. The group's number, and whether this
    report has reopened it: it was resolved in this version, or in an earlier one."""
    row = {
        "signature": facts.signature, "simulation": facts.simulation, "cause": facts.cause,
        "title": facts.title, "certainty": facts.certainty, "operation": facts.operation,
        "place": facts.place[:300], "source": facts.source, "targets": facts.targets[:130],
        "remedy": facts.remedy, "state": "open", "resolved_in": "", "count": 0, "first_seen": at,
        "last_seen": at, "example": report,
    }  # fmt: skip
    statement = database.insert(groups).values(**row).on_conflict_do_nothing()
    if connection.execute(statement.returning(groups.c.id)).first() is not None:
        database.count(connection, groups=1)
    query = select(groups).where(groups.c.signature == facts.signature).with_for_update()
    found = connection.execute(query).one()
    reopens = found.state == "resolved" and is_at_least(facts.version, found.resolved_in)
    changes: dict[str, Any] = {
        "count": groups.c.count + 1, "first_seen": min(found.first_seen, at),
        "last_seen": max(found.last_seen, at),
    }  # fmt: skip
    if reopens:
        changes.update(state="open", reopened=at)
    if found.example is None:
        changes["example"] = report
    connection.execute(update(groups).where(groups.c.id == found.id).values(**changes))
    seen = {"group": found.id, "count": 1, "first_seen": at, "last_seen": at}
    database.add(
        connection, group_versions, {**seen, "version": facts.version}, ["count"], ["last_seen"]
    )
    database.add(
        connection, group_machines, {"group": found.id, "machine": machine, "count": 1}, ["count"]
    )
    return found.id, reopens


def resolve(database: Database, number: int, version: str) -> None:
    """Call a group resolved in a version: it reopens by itself when that one or a later one reports
    it. Raises CollectorError where there is no such group, or no version."""
    if not version.strip() or len(version) > 200 or not version.isprintable():
        raise CollectorError("a group is resolved in a version", fix="give one, as in 1.4.2")
    values = {"state": "resolved", "resolved_in": version.strip(), "resolved": int(time.time())}
    _change(database, number, values)


def reopen(database: Database, number: int) -> None:
    """Call a group open again. Raises CollectorError where there is no such group."""
    _change(database, number, {"state": "open", "resolved_in": "", "reopened": int(time.time())})


def _change(database: Database, number: int, values: dict[str, Any]) -> None:
    with database.writing() as connection:
        statement = update(groups).where(groups.c.id == number).values(**values)
        if not connection.execute(statement).rowcount:
            raise CollectorError(
                f"there is no group {number}", fix="see samebits collector groups --all"
            )


def next_example(connection: Connection, group: int, gone: int) -> None:
    """Give a group whose example is gone the first report of it that is still there."""
    found = select(reports.c.id).where(reports.c.group == group).order_by(reports.c.id).limit(1)
    connection.execute(
        update(groups)
        .where(groups.c.id == group, groups.c.example == gone)
        .values(example=connection.scalar(found))
    )
