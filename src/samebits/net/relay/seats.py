"""Seats and connections: who plays a slot, over which connection, and what came of them.

Owns one connection's limits of rate and time. Knows nothing of frames of other seats.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field

from samebits.errors import ProtocolError
from samebits.net import limits
from samebits.net.messages import Hello, Record
from samebits.net.reliable import Reliable
from samebits.net.transfers import Incoming, Outgoing


class TokenBucket:
    """Allows `rate` messages a second in the long run, and `burst` at once."""

    def __init__(self, rate: int, burst: int, now_ns: int) -> None:
        self._cost = limits.SECOND // rate
        self._room = burst * self._cost
        self._left, self._at = self._room, now_ns

    def take(self, now_ns: int) -> None:
        """Take one. Raises ProtocolError if none is left."""
        self._left = min(self._room, self._left + now_ns - self._at)
        self._at = now_ns
        if self._left < self._cost:
            raise ProtocolError("messages come faster than the match plays")
        self._left -= self._cost


@dataclass(eq=False)
class Connection:
    """One connection, and where its peer is in the match."""

    number: int
    since: int
    heard: int
    bucket: TokenBucket
    hello: Hello | None = None
    slot: int | None = None
    spectator: bool = False
    ready: bool = False
    """Whether its peer has a state, and takes bundles."""
    started: bool = False
    """Whether it was told when frames close."""
    sent: int = 0
    """Frames that were sent; those that it said it has, where messages may be lost."""
    absolute: bool = True
    """Whether the next bundle must not refer to the frame before."""
    held: bool = False
    """Whether its transport takes no more for now."""
    outgoing: dict[tuple[int, int], Outgoing] = field(
        default_factory=dict[tuple[int, int], Outgoing]
    )
    incoming: dict[tuple[int, int], Incoming] = field(
        default_factory=dict[tuple[int, int], Incoming]
    )
    needs_state: bool = False
    """Whether it waits for a snapshot."""
    records: list[Record] = field(default_factory=list[Record])
    """What is sent to it with the next poll."""
    slack_due: int = 0
    begun: int = 0
    """The frame that its peer was ready with."""
    deaf_until: int = 0
    """Until when hashes may be of a state that was replaced: they are told again."""
    reliable: Reliable | None = None
    """What resends, over a transport that loses messages."""
    told: int = 0
    told_at: int = 0
    """Frames that were sent, perhaps in vain, and when."""
    over_since: int | None = None
    closed: str | None = None
    """Why it is over."""


@dataclass(eq=False)
class Seat:
    """One player's place. Unoccupied its inputs are zeros."""

    slot: int
    connection: Connection | None = None
    occupied: bool = False
    """Whether somebody plays it, perhaps away for the moment."""
    away_since: int | None = None
    epoch: int = 0
    token: bytes = b""
    earlier: bytes = b""
    """The token before, which is good until its peer has shown that the new one came."""
    nonce: str = ""
    """That of the ticket for it, which is good again until its peer has shown that a token came."""
    inputs: dict[int, bytes] = field(default_factory=dict[int, bytes])
    """Inputs of frames that are not closed."""
    received: int = 0
    """The frame after its latest input."""
    base: bytes = b""
    """Its latest input."""
    late: bool = True
    """Whether frames don't wait for it until its inputs come in time."""
    slack: int = 0
    hashed: int = 0
    repeated: int = 0
    """Frames in a row for which its input was made up."""
    substituted: int = 0
    """Frames altogether for which it was."""
    heals: int = 0

    def takes(self, token: bytes) -> bool:
        """Whether a token brings its peer back to this seat."""
        return any(hmac.compare_digest(each, token) for each in (self.token, self.earlier) if each)
