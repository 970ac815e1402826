"""Who may come in: which hosts and origins a request may name, and the join code.

A page of another site that a browser has open must not reach a match on this machine, whatever its
host's name resolves to: requests name their host, and those that matter their origin.
"""

from __future__ import annotations

import hmac
import ipaddress
import re
import secrets
from dataclasses import dataclass

from websockets.datastructures import Headers

CODE_HEADER = "Join-Code"
_ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""No letter that is taken for a digit."""
_CODE = 10
_HOST = re.compile(r"(\[[0-9a-fA-F:.]{2,45}\]|[A-Za-z0-9.-]{1,253})(:[0-9]{1,5})?")
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def is_loopback(host: str) -> bool:
    """Whether an address to listen on is of this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def new_code() -> str:
    """A join code, such as `7QK4X-M2P9T`: 49 bits."""
    text = "".join(secrets.choice(_ALPHABET) for _ in range(_CODE))
    return f"{text[: _CODE // 2]}-{text[_CODE // 2 :]}"


@dataclass(frozen=True, slots=True)
class Door:
    """`loopback` says that only names of this machine are its own; `code`, if any, must be shown
    for a ticket."""

    loopback: bool
    code: str | None

    def host(self, headers: Headers) -> str | None:
        """The host that a request names, if it may."""
        found = headers.get_all("Host")
        named = _HOST.fullmatch(found[0]) if len(found) == 1 else None
        if named is None or (self.loopback and named[1] not in _LOOPBACK):
            return None
        return found[0]

    def is_own_page(self, headers: Headers, host: str) -> bool:
        """Whether a request comes from a page of this host."""
        origins = headers.get_all("Origin")
        sites = headers.get_all("Sec-Fetch-Site")
        own = (f"http://{host}", f"https://{host}")
        return len(origins) == 1 and origins[0] in own and sites in ([], ["same-origin"])

    def may_connect(self, headers: Headers, host: str) -> bool:
        """Whether a request for a WebSocket comes from such a page, or from no browser."""
        return not headers.get_all("Origin") or self.is_own_page(headers, host)

    def knows_code(self, headers: Headers) -> bool:
        """Whether a request shows the join code, if there is one; letters may be small."""
        if self.code is None:
            return True
        found = headers.get_all(CODE_HEADER)
        given = found[0].strip().upper().replace("-", "") if len(found) == 1 else ""
        return hmac.compare_digest(given.encode(), self.code.replace("-", "").encode())
