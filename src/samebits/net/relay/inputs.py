"""Inputs of frames to come and hashes of closed ones: what players send each tick.

Owns which of it is believed. Knows nothing of what becomes of it.
"""

from __future__ import annotations

from typing import Protocol

from samebits.errors import ProtocolError
from samebits.net import limits
from samebits.net.input_codec import InputCodec
from samebits.net.messages import Input
from samebits.net.relay.closing import Closing
from samebits.net.relay.frames import FrameLog
from samebits.net.relay.rules import MatchRules
from samebits.net.relay.seats import Connection, Seat
from samebits.net.relay.sending import Sending
from samebits.net.relay.votes import Votes


class _Match(Protocol):
    """What inputs need of a match."""

    rules: MatchRules
    codec: InputCodec
    closing: Closing
    log: FrameLog
    votes: Votes
    sending: Sending


class Inputs:
    """The inputs of one match."""

    def __init__(self, relay: _Match) -> None:
        self._relay = relay

    def take(self, connection: Connection, seat: Seat, record: Input, now_ns: int) -> None:
        """An INPUT of a seat's peer. Raises ProtocolError."""
        relay, confirmed = self._relay, record.confirmed
        ordered, closed = relay.rules.ordered, relay.log.closed
        if confirmed > closed or confirmed + record.ahead < 0:
            raise ProtocolError(f"frame {confirmed} is not closed, and said to be known")
        if not ordered and connection.ready and not connection.needs_state:
            connection.sent = max(connection.sent, confirmed)
        body = record.body
        at = 8 * record.hashes
        frame = confirmed - record.behind - record.hashes
        if frame < 0 or len(body) < at:
            raise ProtocolError("an INPUT has not the hashes that it tells of")
        if connection.ready:
            for n in range(0, at, 8):
                # What was lost in between is told again, with all behind it, or was forgotten.
                missing = frame - seat.hashed
                if missing == 0 or (missing > 0 and (ordered or missing >= limits.HASHES)):
                    value = int.from_bytes(body[n : n + 8], "little")
                    relay.votes.report(seat.slot, frame, value, now_ns)
                    seat.hashed = frame + 1
                frame += 1
        self._inputs(seat, record, at, now_ns)

    def _inputs(self, seat: Seat, record: Input, at: int, now_ns: int) -> None:
        relay = self._relay
        body, codec, closed = record.body, relay.codec, relay.log.closed
        frame = record.confirmed + record.ahead
        frames = record.frames >> 1
        if frame + frames > closed + limits.AHEAD + 1:
            raise ProtocolError(f"inputs for frame {frame}, when {closed} are closed")
        before = codec.zero
        if record.frames & 1:
            if frame == seat.received:
                before = seat.base
            elif relay.rules.ordered:
                raise ProtocolError(f"inputs that go on from frame {frame - 1}")
            else:
                known = seat.inputs.get(frame - 1) if frame < seat.received else None
                if known is None:
                    # All of it came before, or closed since; what is new comes again.
                    return
                before = known
        for _ in range(frames):
            before, at = codec.get(body, at, before)
            if frame >= closed:
                self._one(seat, frame, before, now_ns)
            frame += 1
        if at != len(body):
            raise ProtocolError("an INPUT has bytes after its inputs")
        if frames and frame > seat.received:
            seat.received, seat.base = frame, before
            if relay.closing.running and not relay.closing.paused:
                seat.slack = relay.closing.due(frame - 1) - now_ns

    def _one(self, seat: Seat, frame: int, given: bytes, now_ns: int) -> None:
        """An input for a frame that is not closed."""
        relay = self._relay
        known = seat.inputs.get(frame)
        if known is not None:
            if known != given:
                raise ProtocolError(f"a second input for frame {frame}, another one")
            return
        validator = relay.rules.validator
        if validator is not None and not validator(seat.slot, frame, given):
            raise ProtocolError(f"an input for frame {frame} that is not possible")
        before, closing = seat.inputs.get(frame - 1), relay.closing
        if before is None:
            at = seat.slot * relay.codec.size
            before = relay.log.latest[at : at + relay.codec.size]
        if given != before and closing.running:
            relay.sending.early(seat.slot, frame, given, now_ns)
        seat.inputs[frame] = given
        if seat.late and closing.running:
            closing.came(seat, frame, now_ns)
