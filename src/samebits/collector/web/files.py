"""Files as they are sent, fetched and deleted: the requests that programs make."""

from __future__ import annotations

import asyncio
import re
import time
from typing import Any

from sqlalchemy import delete, select
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response

from samebits.collector.database.tables import deleted, reports
from samebits.collector.grouping.builds import forget as forget_file
from samebits.collector.grouping.groups import next_example
from samebits.collector.intake.kinds import BY_NAME, MOST, DamagedFile
from samebits.collector.intake.ledger import Entry
from samebits.collector.intake.storage import DIGEST, Arrived, Intake, TooLarge
from samebits.collector.problem import CollectorError
from samebits.collector.web.access import Refused, holder_of, require_own_page, service_of
from samebits.collector.web.service import Service

SECONDS = 120
"""Seconds in which a file must have come."""
MATCH = re.compile(r"[A-Za-z0-9._:-]{1,100}")
"""What a sender may call a match: what the sides of one match have in common, and no name."""


async def take(request: Request) -> Response:
    """`POST /reports`: keep a file. 202 once it is on the disk."""
    holder = holder_of(request, "send")
    service = service_of(request)
    match = request.query_params.get("match", "")
    if match and not MATCH.fullmatch(match):
        raise Refused(400, "match is no name of a match", "give up to 100 of A-Z a-z 0-9 . _ : -")
    size = request.headers.get("content-length", "")
    if size.isdecimal() and (len(size) > 12 or int(size) > MOST):
        raise _too_large(TooLarge())
    arrived = await _received(request, service)
    try:
        receipt = await asyncio.wrap_future(service.ledger.enter(Entry(arrived, holder.id, match)))
    except OSError as error:
        raise _no_room(error) from None
    if receipt.is_deleted:
        raise Refused(410, "this file was deleted on request, and is not taken again")
    service.crew.wake()
    service.log.say(
        "taken", digest=receipt.digest, kind=arrived.kind.name, size=arrived.size,
        key=holder.id, known=receipt.is_known,
    )  # fmt: skip
    told = {"digest": receipt.digest, "known": receipt.is_known, "at": f"/files/{receipt.digest}"}
    return JSONResponse(told, 202)


async def _received(request: Request, service: Service) -> Arrived:
    """The request's body as a whole file. Raises Refused, and leaves nothing then."""
    intake: Intake | None = None
    try:
        intake = Intake(service.storage)
        async with asyncio.timeout(SECONDS):
            async for piece in request.stream():
                intake.add(piece)
        return await asyncio.to_thread(intake.end)
    except BaseException as error:
        if intake is not None:
            intake.discard()
        match error:
            case TooLarge():
                raise _too_large(error) from None
            case DamagedFile():
                raise Refused(422, error.message, error.fix or "") from None
            case CollectorError():
                raise Refused(415, error.message, error.fix or "") from None
            case TimeoutError():
                raise Refused(408, f"the file took longer than {SECONDS} seconds") from None
            case ClientDisconnect():
                raise Refused(400, "the connection ended before the file") from None
            case OSError():
                raise _no_room(error) from None
            case _:
                raise


def _too_large(error: TooLarge) -> Refused:
    return Refused(413, error.message, error.fix or "")


def _no_room(error: OSError) -> Refused:
    said = error.strerror or type(error).__name__
    return Refused(507, f"the file could not be kept: {said}", "send it again", Retry_After="60")


def fetch(request: Request) -> Response:
    """`GET /files/DIGEST`: a file as it was sent."""
    holder_of(request, "read")
    service, row = service_of(request), named(request)
    kind = BY_NAME[row.kind]
    return FileResponse(
        service.storage.path(row.digest), filename=f"{row.digest[:16]}{kind.suffix}",
        media_type="application/octet-stream",
    )  # fmt: skip


def forget(request: Request) -> Response:
    """`DELETE /files/DIGEST`: remove a file, and take it no more."""
    holder = holder_of(request, "admin")
    require_own_page(request)
    service, row = service_of(request), named(request)
    remove(service, row.digest, for_good=True)
    service.log.say("deleted", digest=row.digest, key=holder.id)
    return JSONResponse({"digest": row.digest, "deleted": True})


def remove(service: Service, digest: str, for_good: bool) -> None:
    """Remove a file, its row, and what was made of it. `for_good` is on request: it is not taken
    again then. The group's counts stay, which are of nobody."""
    with service.database.writing() as connection:
        row = connection.execute(
            delete(reports).where(reports.c.digest == digest)
            .returning(reports.c.id, reports.c.size, reports.c.state, reports.c.group,
                       reports.c.kind, reports.c.run)
        ).first()  # fmt: skip
        if row is not None:
            changes = {"reports": -1, "bytes": -row.size, row.state: -1}
            service.database.count(connection, **changes)
            if row.group is not None:
                next_example(connection, row.group, row.id)
            if row.kind == "bits" and row.run:
                forget_file(service.database, connection, row.run)
        if for_good:
            statement = service.database.insert(deleted).on_conflict_do_nothing()
            connection.execute(statement.values(digest=digest, at=int(time.time())))
    service.storage.remove(digest)


def named(request: Request) -> Any:
    """The row of the file that the path names. Raises Refused."""
    digest = request.path_params["digest"]
    if DIGEST.fullmatch(digest):
        with service_of(request).database.reading() as connection:
            row = connection.execute(select(reports).where(reports.c.digest == digest)).first()
        if row is not None:
            return row
    raise Refused(404, "there is no such file")
