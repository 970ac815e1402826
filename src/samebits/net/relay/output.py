"""The work that a call of a relay's core leaves: messages, frames and events."""

from __future__ import annotations

from samebits.net.events import MatchEvent
from samebits.net.input_codec import ClosedFrame


class RelayOutput:
    """Messages to connections, connections to close with a reason, frames to store with their
    number, and events to show."""

    __slots__ = ("closed", "events", "frames", "hashes", "messages", "seats")

    def __init__(self) -> None:
        self.messages: list[tuple[int, bytes]] = []
        self.closed: list[tuple[int, str]] = []
        self.frames: list[tuple[int, ClosedFrame]] = []
        self.events: list[MatchEvent] = []
        self.hashes: list[tuple[int, int]] = []
        """Frames and the hashes that all agree on."""
        self.seats: dict[int, int] | None = None
        """The latest epoch of each slot that is played, where that changed."""
