"""The collector as an ASGI application: routes, headers of every answer, and errors."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from sqlalchemy.exc import OperationalError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from samebits.collector.database.engine import is_busy
from samebits.collector.operate import metrics
from samebits.collector.operate.retention import keep_sweeping
from samebits.collector.web import counted, files, pages
from samebits.collector.web.access import Refused
from samebits.collector.web.rollout import rollout
from samebits.collector.web.service import Service

HEADERS = (
    ("content-security-policy",
     "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; "
     "frame-ancestors 'none'"),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cache-control", "no-store"),
)  # fmt: skip
"""Headers of every answer that has not its own."""

ROUTES: list[Route] = [
    Route("/reports", files.take, methods=["POST"]),
    Route("/files/{digest}", files.fetch, methods=["GET"]),
    Route("/files/{digest}", files.forget, methods=["DELETE"]),
    Route("/sessions", counted.take, methods=["POST"]),
    Route("/", pages.listed, methods=["GET"]),
    Route("/groups/{number}", pages.group, methods=["GET"]),
    Route("/groups/{number}/resolve", pages.resolved, methods=["POST"]),
    Route("/groups/{number}/reopen", pages.reopened, methods=["POST"]),
    Route("/reports", pages.listed_reports, methods=["GET"]),
    Route("/reports/{digest}", pages.report, methods=["GET"]),
    Route("/reports/{digest}/diagnosis", pages.diagnosis, methods=["GET"]),
    Route("/builds", pages.listed_builds, methods=["GET"]),
    Route("/builds/{run}", pages.build, methods=["GET"]),
    Route("/rollout", rollout, methods=["GET"]),
    Route("/style.css", pages.style, methods=["GET"]),
    Route("/healthz", metrics.healthz, methods=["GET"]),
    Route("/metrics", metrics.metrics, methods=["GET"]),
]


class _Headers:
    """Adds what every answer has, and counts answers."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app, self._service = app, service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = {name for name, _ in message["headers"]}
                message["headers"] = [
                    *message["headers"],
                    *((n.encode(), v.encode()) for n, v in HEADERS if n.encode() not in given),
                ]
                route: Any = scope.get("route")
                path = "other" if route is None else route.path
                self._service.answered[scope["method"], path, message["status"]] += 1
            await send(message)

        await self._app(scope, receive, answer)


def _refused(_request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    told = {"error": error.error, **({"fix": error.fix} if error.fix else {})}
    return JSONResponse(told, error.status, headers=error.headers)


def _no_route(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    headers = {**(error.headers or {})}
    return JSONResponse({"error": error.detail.lower()}, error.status_code, headers=headers)


def _busy(request: Request, error: Exception) -> Response:
    assert isinstance(error, OperationalError)
    request.app.state.service.log.say("database", error=type(error.orig).__name__)
    what = "the database is busy" if is_busy(error) else "the database does not answer"
    return JSONResponse({"error": what, "fix": "send again"}, 503, headers={"Retry-After": "10"})


def _failed(request: Request, error: Exception) -> Response:
    request.app.state.service.log.say(
        "failed", path=request.url.path[:200], error=type(error).__name__
    )
    return JSONResponse({"error": "the collector failed", "fix": "see its log"}, 500)


def application(
    service: Service, started: Callable[[], Awaitable[None]] | None = None,
    stopped: Callable[[], Awaitable[None]] | None = None,
) -> ASGIApp:  # fmt: skip
    """The application of a service, which it closes when it ends."""

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncGenerator[None]:
        sweeper = asyncio.get_running_loop().create_task(keep_sweeping(service))
        try:
            service.crew.start()
            if started is not None:
                await started()
            yield
        finally:
            sweeper.cancel()
            await asyncio.gather(sweeper, return_exceptions=True)
            await service.crew.stop()
            if stopped is not None:
                await stopped()
            service.close()

    app = Starlette(
        routes=ROUTES, lifespan=lifespan,
        exception_handlers={
            Refused: _refused, HTTPException: _no_route, OperationalError: _busy,
            Exception: _failed,
        },
    )  # fmt: skip
    app.state.service = service
    return _Headers(app, service)
