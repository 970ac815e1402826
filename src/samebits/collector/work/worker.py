"""A worker: takes reports from the queue, has them opened, and writes down what they are.

Owns the way of a report through its states, from `queued` to one of `waiting` for the other side of
its run, `compared` with a later one, `same`, `diagnosed`, `failed`, or `poison`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import select, update

from samebits.collector.database.engine import Database
from samebits.collector.database.tables import reports
from samebits.collector.grouping import builds, groups
from samebits.collector.grouping.facts import Facts
from samebits.collector.intake.storage import Storage
from samebits.collector.operate.logs import Log
from samebits.collector.work.helper import Helper, HelperEnded
from samebits.collector.work.queue import (
    MOST_ATTEMPTS,
    Lease,
    claim,
    is_held,
    lock_run,
    settle,
)

MOST_FILES = 64
"""Most bits files of a build that are compared: the latest ones."""
_SIDES = ("waiting", "compared", "same", "diagnosed", "working")
"""States of reports that a later one of their run is compared with."""
_TOLD = ("run", "simulation", "version", "build", "machine", "target")


class Worker:
    """Works on a collector's queue. `seconds` and `memory` are the limits of each diagnosis."""

    def __init__(
        self, database: Database, storage: Storage, log: Log, seconds: int, memory: int,
        now: Callable[[], float] = time.time, helper: Helper | None = None,
    ) -> None:  # fmt: skip
        self._database, self._storage, self._log = database, storage, log
        self._helper = helper or Helper(seconds, memory)
        self._lease = 8 * seconds  # two jobs of three times as long, and a margin
        self._now = now

    def close(self) -> None:
        self._helper.close()

    def work(self) -> bool:
        """Do the next report; whether there was one."""
        lease = claim(self._database, int(self._now()), self._lease)
        if lease is None:
            return False
        if lease.attempts > MOST_ATTEMPTS:
            self._end(lease, "poison", told="it ended every worker that opened it")
            return True
        try:
            self._do(lease)
        except HelperEnded as error:
            if lease.attempts >= MOST_ATTEMPTS:
                self._end(lease, "poison", told=f"given up after {lease.attempts} times: {error}")
            else:
                self._end(lease, "queued", told=f"tried again: {error}")
        return True

    def _do(self, lease: Lease) -> None:
        path = str(self._storage.path(lease.digest))
        found = self._helper.ask(job="read", path=path, kind=lease.kind, match=lease.match)
        if "refused" in found:
            self._end(lease, "failed", told=found["refused"][:2000])
            return
        told = {name: found[name] for name in _TOLD}
        if lease.kind == "bits":
            self._agree(lease, told)
        elif lease.kind == "verdict":
            self._finish(lease, told, found["told"], found["facts"])
        else:
            other = self._other(lease, told)
            if other is not None:
                self._compare(lease, told, other)

    def _other(self, lease: Lease, told: dict[str, Any]) -> Any:
        """The report that this one is compared with: the first of its run. None where there is none
        yet; this one waits then, or is no longer this worker's."""
        with self._database.writing() as connection:
            lock_run(self._database, connection, told["run"])
            if not is_held(connection, lease):
                return None
            row = connection.execute(
                select(reports.c.id, reports.c.digest)
                .where(reports.c.run == told["run"], reports.c.id != lease.id,
                       reports.c.kind == "report", reports.c.state.in_(_SIDES))
                .order_by(reports.c.id).limit(1)
            ).first()  # fmt: skip
            if row is None:
                said = "the other side of its run has not come"
                settle(self._database, connection, lease, "waiting", **told, told=said)
            else:
                connection.execute(update(reports).where(reports.c.id == lease.id).values(**told))
        return row

    def _compare(self, lease: Lease, told: dict[str, Any], other: Any) -> None:
        base = self._storage.result(lease.digest, "")
        base.parent.mkdir(exist_ok=True)
        found = self._helper.ask(
            job="compare", a=str(self._storage.path(other.digest)),
            b=str(self._storage.path(lease.digest)), found=str(base),
        )  # fmt: skip
        if "refused" in found:
            self._end(lease, "failed", **told, told=found["refused"][:2000], other=other.id)
            return
        same = found.pop("same")
        self._finish(lease, told, found["told"], None if same else found, [other.id])

    def _agree(self, lease: Lease, told: dict[str, Any]) -> None:
        """Compare a bits file with those of the same build that other machines sent."""
        with self._database.writing() as connection:
            lock_run(self._database, connection, told["run"])
            if not is_held(connection, lease):
                return
            connection.execute(update(reports).where(reports.c.id == lease.id).values(**told))
            rows = connection.execute(
                select(reports.c.id, reports.c.digest)
                .where(reports.c.run == told["run"], reports.c.id != lease.id,
                       reports.c.kind == "bits", reports.c.state.in_(_SIDES))
                .order_by(reports.c.id.desc()).limit(MOST_FILES - 1)
            ).all()  # fmt: skip
        found = self._helper.ask(
            job="agree", path=str(self._storage.path(lease.digest)),
            others=[str(self._storage.path(row.digest)) for row in rows],
        )  # fmt: skip
        if "refused" in found:
            self._end(lease, "failed", **told, told=found["refused"][:2000])
            return
        others = [row.id for row in rows] if found["state"] != "waiting" else []
        self._finish(lease, told, found["told"], found["facts"], others, found)

    def _finish(
        self, lease: Lease, told: dict[str, Any], said: str, facts: dict[str, Any] | None,
        others: Sequence[int] = (), build: dict[str, Any] | None = None,
    ) -> None:  # fmt: skip
        """Write down a diagnosis, and count it in its group. `others` are the reports with which it
        was compared; of a bits file `build` is what was found of its build."""
        reopened = False
        state = "same" if facts is None else "diagnosed"
        if build is not None:
            state = build["state"]
        with self._database.writing() as connection:
            if not is_held(connection, lease):
                return
            # Of a bits file that is compared again, as another one was removed.
            group = connection.scalar(select(reports.c.group).where(reports.c.id == lease.id))
            if facts is not None and group is None:
                group, reopened = groups.join(
                    self._database, connection, Facts.from_json(facts), lease.id,
                    told["machine"], lease.received,
                )  # fmt: skip
            settle(
                self._database, connection, lease, state, **told, told=said,
                other=others[0] if others else None, group=group,
            )  # fmt: skip
            if build is not None:
                found = {**build, "told": build["build_told"]}
                builds.note(self._database, connection, lease.id, lease.received, told, found)
            changed = connection.execute(
                update(reports)
                .where(reports.c.id.in_(others), reports.c.state == "waiting")
                .values(state="compared", told="a later report of its run was compared with it")
            ).rowcount
            self._database.count(connection, waiting=-changed, compared=changed)
        self._log.say(state, digest=lease.digest, group=group)
        if reopened:
            self._log.say("reopened", group=group, version=told["version"])

    def _end(self, lease: Lease, state: str, **values: Any) -> None:
        with self._database.writing() as connection:
            if is_held(connection, lease):
                settle(self._database, connection, lease, state, **values)
        self._log.say(state, digest=lease.digest, kind=lease.kind, attempts=lease.attempts)
