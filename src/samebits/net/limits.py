"""Every limit of the protocol, in one table: what exceeds one ends the connection that sent it."""

from __future__ import annotations

SECOND = 1_000_000_000
"""Nanoseconds, in which all times are."""

PROTOCOL = 1
"""The protocol's version."""

MESSAGE = 64 << 10
"""Most bytes of one message from a relay."""
MESSAGE_UP = 4 << 10
"""Most bytes of one message from a peer, but for those that hold a chunk."""
CHUNK = 32 << 10
"""Most bytes of a snapshot or report in one message."""
CHUNK_UP = CHUNK + 256
"""Most bytes of a message from a peer that holds a chunk."""
RECORDS = 64
"""Most records in one message."""
TEXT = 400
"""Most bytes of a text, in UTF-8."""
TICKET = 2048
"""Most bytes of a ticket."""
PLAYERS = 64
"""Most players of a match."""
FRAME = 1 << 48
"""The largest frame number."""
FRAMES = 4096
"""Most frames in one record."""
INPUT_FRAMES = 128
"""Most frames of inputs in one record of a peer."""
HASHES = 256
"""Most hashes in one record."""
AHEAD = 120
"""Frames that a peer's inputs may be ahead of the frame that closes next."""
RATE = 2
"""Messages of a peer for each frame of the simulation, in the long run."""
BURST = 240
"""Messages of a peer that may come at once."""
SOCKET_FRAMES = 500
"""WebSocket frames of a connection in a second in the long run, control frames among them."""
SOCKET_BURST = 1000
"""Such frames that may come at once."""
HELLO = 5 * SECOND
"""Time in which a connection must say who it is."""
IDLE = 10 * SECOND
"""Time without any message after which a connection is over."""
AWAY = 60 * SECOND
"""Time in which a dropped player may come back to the slot."""
KEPT_FRAMES = 1800
"""Closed frames that the relay keeps for those who come back, or lost some."""
VOTE = SECOND
"""Time in which peers must report the hash of a frame in which some differ."""
SNAPSHOT = 256 << 20
"""Most bytes of a snapshot; a simulation's own size is the tighter limit."""
SNAPSHOT_WAIT = 5 * SECOND
"""Time in which a peer must have sent a snapshot that it was asked for."""
REPORT = 16 << 20
"""Most bytes of a desync report."""
REPORTS = 3
"""Desyncs of a match of which reports are gathered."""
HEALED = 3 * SECOND
"""Time in which a peer that was sent the agreed state must prove it; then it is sent again."""
HEALS = 3
"""Most heals of a match."""
SPECTATORS = 64
"""Most spectators of a match."""
BACKLOG = 256 << 10
"""Bytes that may wait to be sent to a connection; then it gets a snapshot instead of frames."""
GROUPS = 64
"""Most groups of hashes that a desync has."""
NONCES = 100_000
"""Used tickets that are remembered until they expire."""
TICKET_SECONDS = 3600
"""The longest time that a ticket may be valid for."""
