"""Simulated links: latency, jitter, loss, reordering, duplication, bandwidth, partitions.

Owns when a message arrives. All chance comes from one seeded generator.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from samebits.net.limits import SECOND

MILLI = 1_000_000
"""Nanoseconds of a millisecond."""
RETRANSMISSION = 50 * MILLI
"""What it takes an ordered link to see a loss, beside a round trip: three more messages, by which
TCP resends at once."""


@dataclass(frozen=True, slots=True)
class Link:
    """One direction of a link. Times in nanoseconds; `loss`, `duplicate` and `reorder` are
    probabilities; `bandwidth` is in bytes a second, 0 for any; `partitions` are times from when to
    when nothing passes. An `ordered` link is like TCP: what is lost comes later, and holds up all
    behind it."""

    latency: int = 0
    jitter: int = 0
    loss: float = 0.0
    duplicate: float = 0.0
    reorder: float = 0.0
    bandwidth: int = 0
    partitions: tuple[tuple[int, int], ...] = ()
    ordered: bool = True


class Wire:
    """A link in use."""

    def __init__(self, link: Link, random: Random) -> None:
        self.link = link
        self.carried = 0
        """Bytes that were sent."""
        self._random = random
        self._free = 0
        self._last = 0

    def send(self, now_ns: int, size: int) -> list[int]:
        """When a message of so many bytes arrives: never, once, or more often."""
        link, random = self.link, self._random
        self.carried += size
        sent = max(now_ns, self._free)
        if link.bandwidth:
            sent += size * SECOND // link.bandwidth
            self._free = sent
        cut = next((end for start, end in link.partitions if start <= sent < end), None)
        arrival = sent + link.latency + self._jitter()
        lost = random.random() < link.loss
        if link.ordered:
            if cut is not None:
                arrival += cut - sent + RETRANSMISSION
            elif lost:
                arrival += RETRANSMISSION + 2 * link.latency
            arrival = self._last = max(arrival, self._last)
            return [arrival]
        if cut is not None or lost:
            return []
        if random.random() < link.reorder:
            arrival += link.latency + 20 * MILLI
        twice = random.random() < link.duplicate
        return [arrival, arrival + self._jitter() + MILLI] if twice else [arrival]

    def _jitter(self) -> int:
        """Mostly small, sometimes large: exponential of mean `jitter`, at most eight times it."""
        if not self.link.jitter:
            return 0
        return min(int(self._random.expovariate(1.0) * self.link.jitter), 8 * self.link.jitter)


def shapes(ordered: bool) -> dict[str, Link]:
    """The kinds of links of a soak, by name."""
    rows = {
        "lan": Link(MILLI, MILLI // 5),
        "wifi": Link(15 * MILLI, 6 * MILLI, loss=0.01, reorder=0.01),
        "cable": Link(25 * MILLI, 2 * MILLI, loss=0.001),
        "mobile": Link(45 * MILLI, 15 * MILLI, loss=0.03, duplicate=0.01, reorder=0.02),
        "far": Link(120 * MILLI, 8 * MILLI, loss=0.005),
        "bad": Link(90 * MILLI, 40 * MILLI, loss=0.08, duplicate=0.02, reorder=0.05),
        "thin": Link(30 * MILLI, 5 * MILLI, loss=0.01, bandwidth=12_000),
    }
    return {
        name: Link(
            link.latency, link.jitter, link.loss, link.duplicate, link.reorder, link.bandwidth,
            (), ordered,
        )
        for name, link in rows.items()
    }  # fmt: skip
