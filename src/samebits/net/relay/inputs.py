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

    def usual(self, connection: Connection, seat: Seat, message: bytes, now_ns: int) -> bool:
        """Take a message of a seat's peer that is as nearly all are: an INPUT with one hash or none
        and one frame's input, each the one behind the latest. False where it is not; then nothing
        is done. Raises ProtocolError."""
        size = len(message)
        if not 10 <= size < 0x82 or message[0] != Input.TYPE or message[1] != size - 2:
            return False
        confirmed, at = message[2], 3
        if confirmed > 0x7F:
            high, at = message[3], 4
            confirmed += (high - 1) << 7
            if high > 0x7F:
                high, at = message[4], 5
                confirmed += (high - 1) << 14
            if not 0 < high <= 0x7F:
                return False
        ahead, frames, behind, hashes = message[at : at + 4]
        relay = self._relay
        log, codec = relay.log, relay.codec
        frame, closed = confirmed + (ahead >> 1), log.closed
        body = at + 4 + 8 * hashes
        if (
            frames != 3  # one, told by what changed
            or hashes > 1
            or (ahead | behind) > 0x7F
            or ahead & 1
            or body >= size
            or confirmed > closed
            or not closed <= frame <= closed + limits.AHEAD
            or frame != seat.received
            or not connection.ready
            or relay.rules.validator is not None
        ):
            return False
        given = seat.base
        if message[body:] != codec.no_change:
            given, end = codec.get(message, body, given)
            if end != size:
                return False
        if hashes:
            told = confirmed - behind - 1
            if told < 0 or told != seat.hashed:
                return False
            value = int.from_bytes(message[body - 8 : body], "little")
            relay.votes.report(seat.slot, told, value, now_ns)
            seat.hashed = told + 1
        self._keep(seat, frame, given, now_ns)
        seat.received, seat.base = frame + 1, given
        closing = relay.closing
        if closing.running and not closing.paused:
            seat.slack = closing.due(frame) - now_ns
        return True

    def take(self, connection: Connection, seat: Seat, record: Input, now_ns: int) -> None:
        """An INPUT of a seat's peer. Raises ProtocolError."""
        relay, confirmed = self._relay, record.confirmed
        ordered, closed = relay.rules.ordered, relay.log.closed
        if confirmed > closed or confirmed + record.ahead < 0:
            raise ProtocolError(f"frame {confirmed} is not closed, and said to be known")
        if not ordered and connection.ready and not connection.needs_state:
            # Not the most that it ever said: of before it was given a state it may have more.
            connection.sent = max(connection.begun, confirmed)
        body = record.body
        at = 8 * record.hashes
        frame = confirmed - record.behind - record.hashes
        if frame < 0 or len(body) < at:
            raise ProtocolError("an INPUT has not the hashes that it tells of")
        if connection.ready and now_ns >= connection.deaf_until:
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
        self._keep(seat, frame, given, now_ns)

    def _keep(self, seat: Seat, frame: int, given: bytes, now_ns: int) -> None:
        """Keep an input until its frame closes."""
        relay, inputs = self._relay, seat.inputs
        before, closing = inputs.get(frame - 1), relay.closing
        if before is None:
            before = relay.codec.input_of(relay.log.latest, seat.slot)
        inputs[frame] = given
        if closing.running:
            if given != before:
                relay.sending.early(seat.slot, frame, given, now_ns)
            if seat.late:
                closing.came(seat, frame, now_ns)
