"""Retention: files older than a collector keeps them are removed, some at a time."""

from __future__ import annotations

import asyncio
import time

from sqlalchemy import delete, select

from samebits.collector.database.tables import batches, reports
from samebits.collector.web.files import remove
from samebits.collector.web.service import Service

EVERY = 600.0
"""Seconds from one sweep to the next."""
AT_ONCE = 500
"""Most files that a sweep removes, so that others get their turn."""
DAY = 86_400


def sweep(service: Service, now: int) -> int:
    """Remove files that are older than they are kept, the oldest first; how many. What is being
    worked on stays for the next time. Counts of groups stay for good."""
    days = service.settings.keep_days
    with service.database.writing() as connection:
        connection.execute(delete(batches).where(batches.c.at < now - 7 * DAY))
    if not days:
        return 0
    with service.database.reading() as connection:
        old = connection.scalars(
            select(reports.c.digest)
            .where(reports.c.received < now - days * DAY, reports.c.state != "working")
            .order_by(reports.c.received).limit(AT_ONCE)
        ).all()  # fmt: skip
    for digest in old:
        remove(service, digest, for_good=False)
    if old:
        service.log.say("removed", files=len(old), days=days)
    return len(old)


async def keep_sweeping(service: Service) -> None:
    """Sweep until cancelled."""
    while True:
        found = await asyncio.to_thread(sweep, service, int(time.time()))
        await asyncio.sleep(1.0 if found == AT_ONCE else EVERY)
