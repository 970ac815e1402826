"""One file sent to a collector: the request, and what its answer means."""

from __future__ import annotations

import http.client
import json
import ssl
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import quote, urlsplit

from samebits.collector.problem import CollectorError

SECONDS = 30.0
"""Seconds that a connection waits for the other side."""
GONE = 410
_LATER = {408, 425, 429, 500, 502, 503, 504, 507}
"""Statuses after which the same request may do better."""
_REFUSED = {400, 413, 415, 422}
"""Statuses that are of the file, or of the match that goes with it."""
_NO_COLLECTOR = {404, 405}
"""Statuses of an address that takes no files."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a file. `sent` is for good; with `again` it may be sent later, no sooner than
    in `wait` seconds; else sending it again is no use. `told` is why, in a line."""

    sent: bool
    again: bool = False
    wait: float = 0.0
    told: str = ""
    digest: str = ""
    is_refused: bool = False
    """Whether it is the file itself that is not taken: no key and no other day changes that."""


@dataclass(frozen=True, slots=True)
class Collector:
    """A collector's address and a key with the scope `send`. Raises CollectorError for an address
    that is none, or that would send the key unencrypted to another machine."""

    url: str
    key: str

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise CollectorError(
                f"'{self.url:.100}' is no collector's address", fix="write https://host"
            )
        if parts.scheme == "http" and parts.hostname not in ("127.0.0.1", "::1", "localhost"):
            raise CollectorError(
                f"{self.url:.100} would send the key for everybody on the way to read",
                fix="write https://, or http:// to this machine",
            )
        if not self.key.isascii() or not self.key.isprintable() or not self.key:
            raise CollectorError("the key is empty, or no key", fix="make one with scope send")

    def send(self, data: bytes, match: str = "") -> Answer:
        """Send a file's bytes once. Raises nothing: what went wrong is in the answer."""
        parts = urlsplit(self.url)
        path = f"{parts.path.rstrip('/')}/reports" + (f"?match={quote(match)}" if match else "")
        try:
            connection = self._connection(parts.scheme, parts.hostname or "", parts.port)
        except ValueError as error:
            return Answer(False, told=str(error))
        try:
            headers = {
                "Authorization": f"Bearer {self.key}", "Content-Type": "application/octet-stream",
            }  # fmt: skip
            connection.request("POST", path, body=data, headers=headers)
            response = connection.getresponse()
            body = response.read(65536)
            return meaning(response.status, response.headers.get("Retry-After"), body)
        except (OSError, http.client.HTTPException) as error:
            said = getattr(error, "strerror", None) or str(error) or type(error).__name__
            return Answer(False, True, told=f"no answer: {said:.200}")
        finally:
            connection.close()

    @staticmethod
    def _connection(scheme: str, host: str, port: int | None) -> http.client.HTTPConnection:
        if scheme == "https":
            context = ssl.create_default_context()
            return http.client.HTTPSConnection(host, port, timeout=SECONDS, context=context)
        return http.client.HTTPConnection(host, port, timeout=SECONDS)


def meaning(status: int, retry_after: str | None, body: bytes) -> Answer:
    """What an HTTP answer means to who sent a file."""
    try:
        found = json.loads(body)
    except ValueError:
        found = None
    facts = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
    if status == 202:
        return Answer(True, told="known" if facts.get("known") else "new",
                      digest=str(facts.get("digest", "")))  # fmt: skip
    if status == GONE:
        return Answer(True, told="deleted on request, and not taken again")
    said = f"{status}: {facts.get('error') or 'no reason given'}"
    fix = facts.get("fix")
    if status in _NO_COLLECTOR:
        fix = "no collector takes files there: give its address as serve prints it"
    said = ascii(f"{said}; {fix}" if fix else said)[1:-1][:300]
    after = retry_after or ""
    wait = float(after) if after.isdecimal() else 0.0
    is_later, is_refused = status in _LATER, status in _REFUSED
    return Answer(False, is_later, min(wait, 3600.0), said, is_refused=is_refused)
