"""The counters that builds send: sessions, and those of them that desynced, by build and target."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import func, select

from samebits.collector.database.engine import Database
from samebits.collector.database.tables import batches, sessions
from samebits.collector.problem import CollectorError
from samebits.collector.rollout.intervals import wilson
from samebits.collector.rollout.sequential import Answer, Period, compared

MOST = 1_000_000
"""Most sessions that one batch may count."""
HOUR = 3600
_ID = re.compile(r"[A-Za-z0-9_-]{8,64}")


@dataclass(frozen=True, slots=True)
class Rate:
    """How often a build desynced on a target; `low` and `high` are the ends of Wilson's 95 %
    interval."""

    simulation: str
    build: str
    target: str
    sessions: int
    desyncs: int
    rate: float
    low: float
    high: float


def add(database: Database, given: Any, now: float | None = None) -> bool:
    """Add a batch of counters; whether it was not there yet. Raises CollectorError."""
    table = cast("dict[str, Any]", given) if isinstance(given, dict) else {}
    row = {name: _text(table, name, most) for name, most in
           (("simulation", 200), ("build", 200), ("target", 60))}  # fmt: skip
    number = table.get("id")
    if not isinstance(number, str) or not _ID.fullmatch(number):
        raise CollectorError(
            "a batch of counters needs an id", fix="give 8 to 64 of A-Z a-z 0-9 _ -, once each"
        )
    count, bad = table.get("sessions"), table.get("desyncs")
    if type(count) is not int or type(bad) is not int or not 0 <= bad <= count <= MOST:
        raise CollectorError(
            "sessions and desyncs are no counts", fix=f"give 0 <= desyncs <= sessions <= {MOST:,}"
        )
    at = int(time.time() if now is None else now)
    with database.writing() as connection:
        statement = database.insert(batches).values(id=number, at=at).on_conflict_do_nothing()
        if connection.execute(statement.returning(batches.c.id)).first() is None:
            return False
        values = {**row, "hour": at - at % HOUR, "sessions": count, "desyncs": bad}
        database.add(connection, sessions, values, ["sessions", "desyncs"])
    return True


def _text(table: Mapping[str, Any], name: str, most: int) -> str:
    value = table.get(name)
    if not isinstance(value, str) or not 0 < len(value) <= most or not value.isprintable():
        raise CollectorError(f"{name} is no text", fix=f"give 1 to {most} printable characters")
    return value


def rates(database: Database, most: int = 500) -> list[Rate]:
    """The rates of builds and targets, the latest first."""
    columns = sessions.c
    names = (columns.simulation, columns.build, columns.target)
    query = (
        select(*names, func.sum(columns.sessions), func.sum(columns.desyncs)).group_by(*names)
        .order_by(func.max(columns.hour).desc(), *names).limit(most)
    )  # fmt: skip
    with database.reading() as connection:
        rows = connection.execute(query).all()
    found: list[Rate] = []
    for simulation, build, target, total, bad in rows:
        low, high = wilson(int(bad), int(total))
        rate = int(bad) / int(total) if total else 0.0
        found.append(Rate(simulation, build, target, int(total), int(bad), rate, low, high))
    return found


def compare(
    database: Database, simulation: str, a: str, b: str, now: float | None = None
) -> tuple[Answer, list[Rate]]:
    """Whether build `b` desyncs more than `a`, over whole hours and targets in which both ran, each
    target beside itself: a build is no worse for running on others. The running hour is not looked
    at: the test's error holds for periods that are over. Also the rates of both over all there is.
    Raises CollectorError where one has no sessions."""
    columns = sessions.c
    query = (
        select(
            columns.hour, columns.target, columns.build,
            func.sum(columns.sessions), func.sum(columns.desyncs),
        )
        .where(columns.simulation == simulation, columns.build.in_((a, b)))
        .group_by(columns.hour, columns.target, columns.build)
    )  # fmt: skip
    strata: dict[tuple[int, str], dict[str, tuple[int, int]]] = {}
    with database.reading() as connection:
        for hour, target, build, total, bad in connection.execute(query):
            strata.setdefault((hour, target), {})[build] = int(total), int(bad)
    both: list[Rate] = []
    for build in (a, b):
        total, bad = (
            sum(each[build][k] for each in strata.values() if build in each) for k in (0, 1)
        )
        if not total:
            raise CollectorError(
                f"build {build!a:.60} of {simulation!a:.60} has reported no sessions",
                fix="see the page /rollout for builds that have",
            )
        both.append(Rate(simulation, build, "all", total, bad, bad / total, *wilson(bad, total)))
    none, time_now = (0, 0), time.time() if now is None else now
    over = [each for (hour, _), each in sorted(strata.items()) if hour + HOUR <= time_now]
    return compared(Period(*each.get(a, none), *each.get(b, none)) for each in over), both
