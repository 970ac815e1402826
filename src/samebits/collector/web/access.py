"""Who a request is from, and whether that is enough.

A program sends its key as `Authorization: Bearer KEY`; a browser as the password of Basic, by its
own dialog. As browsers send that along from other sites' pages too, requests that change something
must come from the collector's own.
"""

from __future__ import annotations

import base64
import binascii
import math
import time
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import Request

from samebits.collector.intake.keys import Holder
from samebits.collector.web.service import Service

NOBODY = "nobody"
"""The bucket of requests without a valid key, all together: no address is looked at."""


class Refused(Exception):
    """An answer other than the one that was asked for, as JSON."""

    def __init__(self, status: int, error: str, fix: str = "", **headers: str) -> None:
        super().__init__(error)
        self.status, self.error, self.fix = status, error, fix
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


def service_of(request: Request) -> Service:
    found: Any = request.app.state.service
    assert isinstance(found, Service)
    return found


def holder_of(request: Request, scope: str) -> Holder:
    """The holder of the request's key, who has `scope` and is within the limits. Raises Refused."""
    service = service_of(request)
    key = _key(request.headers.get("authorization", ""))
    holder = service.keyring.holder(key) if key else None
    wait = service.rates.wait(NOBODY if holder is None else holder.id, time.monotonic())
    if wait:
        raise Refused(
            429, f"more than {service.settings.rate:g} requests a second", "send again later",
            Retry_After=str(math.ceil(wait)),
        )  # fmt: skip
    if holder is None:
        raise Refused(
            401,
            "this key is unknown here, or was revoked" if key else "this needs a key",
            "make one: samebits collector key new",
            WWW_Authenticate='Basic realm="samebits collector: the password is a key"',
        )  # fmt: skip
    if not holder.may(scope):
        raise Refused(403, f"this key has not the scope {scope}", f"use one with the scope {scope}")
    return holder


def require_own_page(request: Request) -> None:
    """Refuse what another site's page has a browser send. Raises Refused."""
    site = request.headers.get("sec-fetch-site", "same-origin")
    origin = request.headers.get("origin")
    host = request.headers.get("host", "")
    if site not in ("same-origin", "none") or (
        origin is not None and urlsplit(origin).netloc != host
    ):
        raise Refused(403, "this request comes from another site's page")


def _key(authorization: str) -> str:
    word, _, rest = authorization.partition(" ")
    if word.lower() == "bearer":
        return rest.strip()
    if word.lower() == "basic":
        try:
            text = base64.b64decode(rest.strip(), validate=True).decode()
        except (binascii.Error, ValueError):
            return ""
        return text.partition(":")[2]
    return ""
