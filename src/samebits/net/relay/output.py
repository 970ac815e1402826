"""The work that a call of a relay's core leaves: messages, frames and events."""

from __future__ import annotations

from dataclasses import dataclass, field

from samebits.net.events import MatchEvent
from samebits.net.input_codec import ClosedFrame


@dataclass
class RelayOutput:
    """Messages to connections, connections to close with a reason, frames to store with their
    number, and events to show."""

    messages: list[tuple[int, bytes]] = field(default_factory=list[tuple[int, bytes]])
    closed: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    frames: list[tuple[int, ClosedFrame]] = field(default_factory=list[tuple[int, ClosedFrame]])
    events: list[MatchEvent] = field(default_factory=list[MatchEvent])
    hashes: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Frames and the hashes that all agree on."""
    seats: dict[int, int] | None = None
    """The latest epoch of each slot that is played, where that changed."""
