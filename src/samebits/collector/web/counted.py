"""Counters of sessions as builds send them: `POST /sessions`."""

from __future__ import annotations

import asyncio
import json

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from samebits.collector.problem import CollectorError
from samebits.collector.rollout.counts import add
from samebits.collector.web.access import Refused, holder_of, service_of

MOST = 4096
"""Most bytes of a batch."""


async def take(request: Request) -> Response:
    """Add a batch of counters. 202 once it counts, and if it did before."""
    holder_of(request, "send")
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > MOST:
            raise Refused(413, f"a batch has {MOST:,} bytes at most")
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        raise Refused(400, "the batch is not JSON") from None
    try:
        is_new = await asyncio.to_thread(add, service_of(request).database, given)
    except CollectorError as error:
        raise Refused(400, error.message, error.fix or "") from None
    return JSONResponse({"known": not is_new}, 202)
