"""The delivery of records that must come, over a transport that loses and reorders messages.

Owns numbers, acknowledgements and resending of one connection's end. Inputs, bundles and the like
are not numbered: what is lost of them is told again by their own rules.
"""

from __future__ import annotations

from collections.abc import Iterable

from samebits.net import limits
from samebits.net.messages import (
    Ack,
    Bundle,
    Control,
    Early,
    Encoded,
    Input,
    Ping,
    Pong,
    Record,
    Slack,
    encode,
)

AGAIN = limits.SECOND // 5
"""Time after which a record is sent again."""
LOOSE = (Input, Bundle, Early, Encoded, Slack, Ping, Pong)
"""Records that are sent as they are."""
MOST_AHEAD = 64
"""Records that may come before one that is missing."""


class Reliable:
    """One end of a connection over such a transport."""

    def __init__(self) -> None:
        self._next = 0
        self._unknown: dict[int, tuple[Record, int]] = {}
        self._expected = 0
        self._early: dict[int, bytes] = {}
        self._owes = False

    @property
    def settled(self) -> bool:
        """Whether the other end has all that was sent."""
        return not self._unknown

    def pack(self, records: Iterable[Record], now_ns: int) -> list[Record]:
        """What is to be sent for some records, and for those before that have to be sent again."""
        out: list[Record] = []
        for record in records:
            if isinstance(record, LOOSE):
                out.append(record)
            else:
                self._unknown[self._next] = record, now_ns - AGAIN
                self._next += 1
        for number, (record, sent) in list(self._unknown.items())[:MOST_AHEAD]:
            if now_ns - sent >= AGAIN:
                self._unknown[number] = record, now_ns
                out.append(Control(number, self._expected, encode(record)))
                self._owes = False
        if self._owes:
            out.append(Ack(self._expected))
            self._owes = False
        return out

    def wake(self) -> int | None:
        """When something has to be sent again."""
        times = [sent for _, sent in self._unknown.values()]
        return min(times) + AGAIN if times else None

    def acknowledged(self, number: int) -> None:
        """The other end has all records below a number."""
        for n in [n for n in self._unknown if n < number]:
            del self._unknown[n]

    def take(self, record: Control) -> list[bytes]:
        """The records, as bytes, that have their turn now that one came."""
        self.acknowledged(record.ack)
        self._owes = True
        ahead = record.number - self._expected
        if 0 <= ahead < MOST_AHEAD:
            self._early[record.number] = record.body
        found: list[bytes] = []
        while self._expected in self._early:
            found.append(self._early.pop(self._expected))
            self._expected += 1
        return found
