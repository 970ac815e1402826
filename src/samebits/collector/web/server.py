"""The process that serves: a socket, uvicorn, and the worker processes beside it."""

from __future__ import annotations

import socket
from collections.abc import Awaitable, Callable

import uvicorn

from samebits.collector.operate.logs import Log
from samebits.collector.problem import CollectorError
from samebits.collector.settings import Settings
from samebits.collector.web.application import application
from samebits.collector.web.service import Service
from samebits.output import os_reason

MOST_AT_ONCE = 512
"""Requests that are answered at a time; further ones get 503."""


def listening(host: str, port: int) -> socket.socket:
    """A socket on which a server listens. Raises CollectorError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
    except OSError as error:
        made.close()
        raise CollectorError(
            f"cannot listen on {host}:{port}: {os_reason(error)}",
            fix="give another --port or --host",
        ) from None
    return made


def server_of(
    service: Service, started: Callable[[], Awaitable[None]] | None = None,
    stopped: Callable[[], Awaitable[None]] | None = None,
) -> uvicorn.Server:  # fmt: skip
    """A server of a service, which it closes when it ends."""
    settings = service.settings
    config = uvicorn.Config(
        application(service, started, stopped), access_log=False, log_level="warning",
        limit_concurrency=MOST_AT_ONCE, server_header=False, proxy_headers=False,
        timeout_graceful_shutdown=10, ssl_certfile=settings.cert, ssl_keyfile=settings.key,
        h11_max_incomplete_event_size=16 * 1024,
    )  # fmt: skip
    return uvicorn.Server(config)


def serve(settings: Settings, ready: Callable[[str], None], log: Log | None = None) -> None:
    """Serve until a signal ends the process; `ready` gets the address. Raises CollectorError."""
    with listening(settings.host, settings.port) as made:
        service = Service.open(settings, log)
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        address = f"{'https' if settings.cert else 'http'}://{host}:{made.getsockname()[1]}"

        async def started() -> None:
            ready(address)
            service.log.say("started", address=address)

        async def stopped() -> None:
            service.log.say("stopped")

        server_of(service, started, stopped).run(sockets=[made])
