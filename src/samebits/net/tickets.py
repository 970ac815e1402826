"""Tickets: who may play which slot of which match, signed with a secret that the relay shares.

Owns their text, `payload.signature` in URL-safe Base64, and that one is used once. A ticket is in
the first message of a connection, never in a URL, since URLs end up in logs.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import json
import re
import secrets
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any, Literal, cast

from samebits.errors import ArgumentError, MatchError
from samebits.lang.signal_safe import keeps_flags
from samebits.net import limits

SHORTEST_SECRET = 16
"""Bytes of the shortest secret."""
Role = Literal["player", "spectator"]
_ROLES = ("player", "spectator")
_NAME = 100
_MATCH = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
"""What a match may be called: its name is in URLs, and that of a folder."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """What a ticket allows. `expires` is in nanoseconds since 1970; `slot` is of no meaning for a
    spectator; `relay` is the name that the relay goes by, or empty for any."""

    match: str
    slot: int
    role: Role
    relay: str
    expires: int
    nonce: str


@keeps_flags
def make_ticket(
    secret: bytes,
    match: str,
    slot: int = 0,
    *,
    now_ns: int,
    seconds: int = 60,
    role: Role = "player",
    relay: str = "",
    nonce: str | None = None,
) -> str:
    """The text of a ticket that is valid for `seconds`, 1 to 3,600, and once.

    Raises ArgumentError.
    """
    _check_secret(secret)
    if not 0 < seconds <= limits.TICKET_SECONDS:
        raise ArgumentError(
            f"a ticket for {seconds} seconds", fix=f"give 1 to {limits.TICKET_SECONDS}"
        )
    if not 0 <= slot < limits.PLAYERS or role not in _ROLES:
        raise ArgumentError(
            f"a ticket for slot {slot} of a {role}",
            fix=f"give a slot from 0 to {limits.PLAYERS - 1} of a player or spectator",
        )
    if not is_match_name(match) or len(relay) > _NAME:
        raise ArgumentError(
            f"a ticket for match {match!r:.60}" + (f" at relay {relay!r:.60}" if relay else ""),
            fix="give names of at most 100 letters, digits, dots, dashes and underscores",
        )
    expires = now_ns + seconds * limits.SECOND
    ticket = Ticket(match, slot, role, relay, expires, nonce or secrets.token_urlsafe(12))
    payload = json.dumps(asdict(ticket), separators=(",", ":"), sort_keys=True).encode()
    return f"{_text(payload)}.{_text(_signature(secret, payload))}"


def is_match_name(text: str) -> bool:
    """Whether a match may be called so."""
    return _MATCH.fullmatch(text) is not None


class TicketError(MatchError):
    """A ticket that is not good, and why."""


class TicketBooth:
    """Checks tickets of one secret, each of which it takes once. Used nonces are forgotten when
    their tickets have expired; those that are `used` already, with when they expire, it begins
    with, and `note` is called with each that is used."""

    def __init__(
        self,
        secret: bytes,
        relay: str = "",
        used: Mapping[str, int] | None = None,
        note: Callable[[str, int], None] | None = None,
    ) -> None:
        _check_secret(secret)
        self._secret, self._relay = secret, relay
        self._used, self._note = dict(used or {}), note

    def check(
        self, text: str, now_ns: int, match: str, again: Collection[str] = frozenset()
    ) -> Ticket:
        """The ticket for a match, which is used from now on. Raises TicketError, which says why it
        is none; one for another match or relay stays good, and so does one whose nonce is in
        `again`."""
        ticket = read_ticket(self._secret, text)
        if ticket.expires <= now_ns:
            raise TicketError(
                f"the ticket expired {(now_ns - ticket.expires) // limits.SECOND} seconds ago",
                fix="ask for a new one",
            )
        if ticket.expires > now_ns + limits.TICKET_SECONDS * limits.SECOND:
            raise TicketError("the ticket is valid for longer than a ticket may be")
        if ticket.relay and ticket.relay != self._relay:
            own = f"not '{self._relay}'" if self._relay else "and this one has no name"
            raise TicketError(f"the ticket is for relay '{ticket.relay}', {own}")
        if ticket.match != match:
            raise TicketError(f"the ticket is for match '{ticket.match}', not '{match}'")
        if ticket.nonce in again:
            return ticket
        if ticket.nonce in self._used:
            raise TicketError("the ticket was used before", fix="ask for a new one")
        if len(self._used) >= limits.NONCES:
            self._used = {n: expires for n, expires in self._used.items() if expires > now_ns}
            if len(self._used) >= limits.NONCES:
                raise TicketError("too many tickets are in use", fix="try again in a minute")
        self._used[ticket.nonce] = ticket.expires
        if self._note is not None:
            self._note(ticket.nonce, ticket.expires)
        return ticket

    def has_used(self, nonce: str) -> bool:
        """Whether a ticket of that nonce was used, as far as that is remembered."""
        return nonce in self._used


@keeps_flags
def read_ticket(secret: bytes, text: str) -> Ticket:
    """The ticket that `make_ticket` wrote with the same secret, expired or not.

    Raises TicketError.
    """
    payload, _, signature = text.partition(".")
    try:
        body, given = _bytes(payload), _bytes(signature)
    except (binascii.Error, ValueError):
        raise TicketError("the ticket is not one") from None
    if not hmac.compare_digest(_signature(secret, body), given):
        raise TicketError("the ticket's signature does not hold")
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise TicketError("the ticket is not one") from None
    if not isinstance(found, Mapping):
        raise TicketError("the ticket is not one")
    try:
        ticket = Ticket(**cast("Mapping[str, Any]", found))
    except TypeError:
        raise TicketError("the ticket has other fields than a ticket has") from None
    texts = (ticket.match, ticket.relay, ticket.nonce)
    numbers = (ticket.slot, ticket.expires)
    good = all(type(t) is str for t in texts) and all(type(n) is int for n in numbers)
    good = good and max(map(len, texts)) <= _NAME and not any(map(str.isspace, ticket.nonce))
    if not good or ticket.role not in _ROLES or not 0 <= ticket.slot < limits.PLAYERS:
        raise TicketError("the ticket has fields that do not fit")
    return ticket


def _check_secret(secret: bytes) -> None:
    if len(secret) < SHORTEST_SECRET:
        raise ArgumentError(
            f"the secret has {len(secret)} bytes",
            fix=f"give at least {SHORTEST_SECRET}, such as secrets.token_bytes(32)",
        )


def _signature(secret: bytes, payload: bytes) -> bytes:
    return hmac.digest(secret, b"samebits ticket 1\0" + payload, sha256)


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    """The bytes of a text that `_text` made; ValueError of any other, also of one that base64 reads
    alike."""
    data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    if _text(data) != text:
        raise ValueError("not in base64's own form")
    return data
