"""The collector's pages: causes, one cause, one report, builds; without scripts."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import time
from functools import cache
from importlib.resources import files as package_files
from typing import Any
from urllib.parse import parse_qs, urlencode

from sqlalchemy import Select, and_, or_, select
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from samebits.collector.database.tables import (
    STATES,
    group_machines,
    group_versions,
    groups,
    reports,
)
from samebits.collector.grouping import builds
from samebits.collector.grouping.catalogue import known_causes
from samebits.collector.grouping.groups import reopen, resolve
from samebits.collector.intake.storage import DIGEST
from samebits.collector.problem import CollectorError
from samebits.collector.web.access import Refused, holder_of, require_own_page, service_of
from samebits.collector.web.files import named
from samebits.pages import filled

A_PAGE = 50
"""Rows of a list."""
MOST_FORM = 4096
"""Most bytes of a form."""
RUN = re.compile(r"[0-9a-f]{40}")
_NUMBER = re.compile(r"[0-9]{1,15}")
_WORDS = {
    "same": "the same", "differs": "different bits", "incomplete": "not proven",
    "alone": "one machine",
}  # fmt: skip
"""What is said of a build's result."""
_KINDS = {"same": "certain", "differs": "unknown", "incomplete": "likely", "alone": "likely"}
"""Its colours, by the names of certainties."""
_UNITS = ((86_400, "days"), (3600, "hours"), (60, "minutes"))


def ago(at: int) -> str:
    """A time in words, from now back."""
    seconds = max(0, int(time.time()) - at)
    for size, name in _UNITS:
        if seconds >= 2 * size:
            return f"{seconds // size} {name} ago"
    return "just now"


def page(template: str, title: str, q: str = "", **values: Any) -> Response:
    """A page made of a template."""
    text = filled(
        "samebits.collector.web", f"templates/{template}.html", title=title, q=q, ago=ago, **values
    )
    return HTMLResponse(text)


def listed(request: Request) -> Response:
    """`GET /`: causes, the latest first; `q` searches, `state=resolved` shows those."""
    holder_of(request, "read")
    service, given = service_of(request), request.query_params
    q = given.get("q", "").strip()[:200]
    if DIGEST.fullmatch(q):
        return RedirectResponse(f"/reports/{q}", 303)
    state = "resolved" if given.get("state") == "resolved" else "open"
    query = _found(select(groups).where(groups.c.state == state), q, given.get("before", ""))
    with service.database.reading() as connection:
        rows = connection.execute(query).all()
        counts = service.database.counts(connection)
    more = ""
    if len(rows) > A_PAGE:
        last = rows[A_PAGE - 1]
        more = "/?" + urlencode({"q": q, "state": state, "before": f"{last.last_seen}.{last.id}"})
    title = "Resolved" if state == "resolved" else "Desyncs by cause"
    return page("list", title, q, rows=rows[:A_PAGE], counts=counts, more=more)


def _found(query: Select[Any], q: str, before: str) -> Select[Any]:
    columns = groups.c
    if q:
        prefix = re.sub(r"([\\%_])", r"\\\1", q)
        query = query.where(
            or_(columns.simulation == q, columns.cause == q,
                columns.place.like(f"%{prefix}%", escape="\\"),
                columns.title.like(f"%{prefix}%", escape="\\"))
        )  # fmt: skip
    at, _, number = before.partition(".")
    if _NUMBER.fullmatch(at) and _NUMBER.fullmatch(number):
        query = query.where(
            or_(columns.last_seen < int(at),
                and_(columns.last_seen == int(at), columns.id < int(number)))
        )  # fmt: skip
    return query.order_by(columns.last_seen.desc(), columns.id.desc()).limit(A_PAGE + 1)


def group(request: Request) -> Response:
    """`GET /groups/N`: one cause."""
    holder_of(request, "read")
    service, number = service_of(request), _number(request)
    with service.database.reading() as connection:
        found = connection.execute(select(groups).where(groups.c.id == number)).first()
        if found is None:
            raise Refused(404, "there is no such group")
        versions, machines = (
            connection.execute(
                select(table).where(table.c.group == number)
                .order_by(table.c.count.desc()).limit(A_PAGE)
            ).all()
            for table in (group_versions, group_machines)
        )  # fmt: skip
        latest = connection.execute(
            select(reports).where(reports.c.group == number).order_by(reports.c.id.desc()).limit(20)
        ).all()
        example = connection.execute(select(reports).where(reports.c.id == found.example)).first()
        cousins = connection.execute(
            select(groups).where(groups.c.cause == found.cause, groups.c.id != number)
            .order_by(groups.c.last_seen.desc()).limit(10)
        ).all()  # fmt: skip
    try:
        causes = known_causes(found, service.settings.catalogue)
    except CollectorError as error:  # the team's own was changed since, and is wrong
        service.log.say("catalogue", error=str(error))
        causes = known_causes(found, None)
    return page(
        "group", found.title, g=found, versions=versions, machines=machines, reports=latest,
        example=example, cousins=cousins if found.cause != "unknown" else [], causes=causes,
    )  # fmt: skip


def listed_reports(request: Request) -> Response:
    """`GET /reports?state=failed`: files of one state, the latest first."""
    holder_of(request, "read")
    given = request.query_params
    state = given.get("state", "")
    if state not in STATES:
        raise Refused(404, "there is no such state", f"give one of {', '.join(STATES)}")
    query = select(reports).where(reports.c.state == state)
    if _NUMBER.fullmatch(before := given.get("before", "")):
        query = query.where(reports.c.id < int(before))
    with service_of(request).database.reading() as connection:
        rows = connection.execute(query.order_by(reports.c.id.desc()).limit(A_PAGE + 1)).all()
    more = ""
    if len(rows) > A_PAGE:
        more = "/reports?" + urlencode({"state": state, "before": rows[A_PAGE - 1].id})
    return page("reports", f"Files: {state}", rows=rows[:A_PAGE], states=STATES, more=more)


def report(request: Request) -> Response:
    """`GET /reports/DIGEST`: one file."""
    holder_of(request, "read")
    service, row = service_of(request), named(request)
    with service.database.reading() as connection:
        other = connection.execute(select(reports).where(reports.c.id == row.other)).first()
    has_page = service.storage.result(row.digest, ".html").is_file()
    return page("report", row.simulation or row.kind, r=row, other=other, has_page=has_page)


def diagnosis(request: Request) -> Response:
    """`GET /reports/DIGEST/diagnosis`: the page of `samebits diagnose --html`."""
    holder_of(request, "read")
    service, row = service_of(request), named(request)
    try:
        data = service.storage.result(row.digest, ".html").read_bytes()
    except FileNotFoundError:
        raise Refused(404, "this file has no diagnosis") from None
    policy = (
        f"default-src 'none'; style-src '{_own_style()}'; style-src-attr 'unsafe-inline'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return HTMLResponse(data, headers={"Content-Security-Policy": policy})


@cache
def _own_style() -> str:
    """The hash by which a browser lets the diagnosis's own style sheet in, and no other."""
    text = (package_files("samebits.diagnosis.report") / "page.html").read_text("utf-8")
    inner = text.partition("<style>")[2].partition("</style>")[0]
    return "sha256-" + base64.b64encode(hashlib.sha256(inner.encode()).digest()).decode()


def listed_builds(request: Request) -> Response:
    """`GET /builds`: builds that have bits files, the latest first."""
    holder_of(request, "read")
    at, _, run = request.query_params.get("before", "").partition(".")
    before = (int(at), run) if _NUMBER.fullmatch(at) and RUN.fullmatch(run) else None
    rows = builds.listed(service_of(request).database, A_PAGE + 1, before)
    more = ""
    if len(rows) > A_PAGE:
        more = "/builds?" + urlencode(
            {"before": f"{rows[A_PAGE - 1].last_seen}.{rows[A_PAGE - 1].run}"}
        )
    return page(
        "builds", "Builds", rows=rows[:A_PAGE], more=more, kind=_KINDS.get, words=_WORDS.get
    )


def build(request: Request) -> Response:
    """`GET /builds/RUN`: the bits files of one build beside each other."""
    holder_of(request, "read")
    run = request.path_params["run"]
    found = builds.build(service_of(request).database, run) if RUN.fullmatch(run) else None
    if found is None:
        raise Refused(404, "there is no such build")
    told = json.loads(found.comparison) if found.comparison else None
    return page(
        "build",
        f"{found.simulation} {found.version}",
        b=found,
        told=told,
        kind=_KINDS.get,
        words=_WORDS.get,
    )


def style(_request: Request) -> Response:
    """`GET /style.css`."""
    text = (package_files("samebits.collector.web") / "templates" / "style.css").read_text("utf-8")
    return Response(text, media_type="text/css", headers={"Cache-Control": "max-age=3600"})


async def resolved(request: Request) -> Response:
    """`POST /groups/N/resolve`, with `version`."""
    return await _changed(request, True)


async def reopened(request: Request) -> Response:
    """`POST /groups/N/reopen`."""
    return await _changed(request, False)


async def _changed(request: Request, is_resolved: bool) -> Response:
    holder = holder_of(request, "admin")
    require_own_page(request)
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > MOST_FORM:
            raise Refused(413, "the form is too large")
    version = parse_qs(body.decode("utf-8", "replace")).get("version", [""])[0]
    service, number = service_of(request), _number(request)
    try:
        if is_resolved:
            resolve(service.database, number, version)
        else:
            reopen(service.database, number)
    except CollectorError as error:
        raise Refused(400, error.message, error.fix or "") from None
    event = "resolved" if is_resolved else "reopened by hand"
    service.log.say(event, group=number, version=version, key=holder.id)
    return RedirectResponse(f"/groups/{number}", 303)


def _number(request: Request) -> int:
    text = request.path_params["number"]
    if not _NUMBER.fullmatch(text):
        raise Refused(404, "there is no such group")
    return int(text)
