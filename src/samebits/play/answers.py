"""Answers over HTTP, with the headers that keep a page to itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from websockets.datastructures import Headers
from websockets.http11 import Response

_POLICY = (
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "worker-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self' ws://{host} wss://{host}",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
)
"""What a page may load, and from where: all from its own host, and nothing that is inline."""
_FIXED = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def answer(
    host: str,
    body: bytes,
    type: str,
    status: HTTPStatus = HTTPStatus.OK,
    more: Mapping[str, str] | None = None,
) -> Response:
    """An answer to a request for `host`, whose name was checked."""
    headers = Headers({
        "Content-Type": type,
        "Content-Length": str(len(body)),
        "Content-Security-Policy": "; ".join(_POLICY).format(host=host),
        "Connection": "close",
        **_FIXED,
        **(more or {}),
    })  # fmt: skip
    return Response(status.value, status.phrase, headers, body)


def json_answer(host: str, value: Any, status: HTTPStatus = HTTPStatus.OK) -> Response:
    """A value as JSON."""
    return answer(host, json.dumps(value).encode(), "application/json", status)


def refusal(
    host: str, status: HTTPStatus, why: str, more: Mapping[str, str] | None = None
) -> Response:
    """Why there is nothing else, as text for people."""
    return answer(host, f"{why}\n".encode(), "text/plain; charset=utf-8", status, more)
