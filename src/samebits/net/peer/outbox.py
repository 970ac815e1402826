"""A peer's outbox: its inputs, and the hashes of confirmed frames, told once a tick.

Owns what is told again: where the transport may lose messages, all inputs that the relay hasn't
said it has, and hashes once it has said of no more for long; where it keeps their order, each thing
once.
"""

from __future__ import annotations

from samebits.net import limits
from samebits.net.input_codec import InputCodec
from samebits.net.messages import Input

AT_ONCE = limits.HASHES
"""Hashes of one message, so that those of a peer that catches up stay within a message's size."""
AGAIN = 12
"""Ticks without a new acknowledgement after which hashes are told again: nobody waits for them as
for inputs, and they are the larger part of a message."""


class Outbox:
    """The inputs and hashes that are not sent, or not known to have come."""

    def __init__(self, codec: InputCodec, ordered: bool) -> None:
        self._codec, self._ordered = codec, ordered
        self._inputs: dict[int, bytes] = {}
        self._received = 0
        """The relay has all inputs below; of an ordered transport, all that was sent."""
        self._hashed = 0
        """The same of hashes."""
        self._told = 0
        """The hashes below were told; what a relay says of others is not believed."""
        self._since = 0
        """Ticks since more hashes were acknowledged, or all told again."""
        self.next = 0
        """The frame after the latest one that has an input."""

    def begin(self, frame: int, hashed: int) -> None:
        """A new connection, or a new state: nothing below was told to this relay."""
        self._inputs.clear()
        self._received = self.next = frame
        self._hashed = self._told = hashed

    def hash_from(self, frame: int) -> None:
        """Hashes are told anew from a frame on: the state there was replaced."""
        self._hashed = self._told = frame

    def add(self, frame: int, given: bytes) -> None:
        """The input for a frame at or after `next`."""
        self._inputs[frame] = given
        self.next = frame + 1

    def acknowledged(self, received: int, hashed: int) -> None:
        """The relay has the inputs and hashes below these frames."""
        if not self._ordered:
            self._received = max(self._received, min(received, self.next))
            hashed = min(hashed, self._told)
            if hashed > self._hashed:
                self._hashed, self._since = hashed, 0

    def waiting(self, finished: int) -> int:
        """How many hashes are to be told."""
        return finished - self._hashed

    def message(self, confirmed: int, finished: int, hashes: dict[int, int]) -> Input | None:
        """What is to be told now; None if nothing. `hashes` has those below `finished`.

        Inputs for frames below `confirmed` are over, and never told.
        """
        inputs = self._inputs
        base = self._received - 1
        for frame in [n for n in inputs if n < min(confirmed, self.next) and n < base]:
            del inputs[frame]
        frames = [n for n in sorted(inputs) if n >= max(self._received, confirmed)]
        frames = _run(frames)[: self._codec.frames_at_once]
        if (
            self._hashed < finished and self._hashed not in hashes
        ):  # forgotten: too long ago to tell
            self._hashed = min((n for n in hashes if n > self._hashed), default=finished)
        self._since += 1
        if self._since >= AGAIN:
            start, self._since = self._hashed, 0
        else:
            start = max(self._hashed, self._told)
        count = min(finished - start, AT_ONCE)
        if not frames and count <= 0:
            return None
        body = bytearray()
        count = max(count, 0)
        told = range(start, start + count)
        for frame in told:
            body += hashes[frame].to_bytes(8, "little")
        self._told = max(self._told, told.stop)
        first = frames[0] if frames else self.next
        relative = first - 1 == base and base in inputs
        before = inputs[base] if relative else self._codec.zero
        for frame in frames:
            self._codec.put(body, before, inputs[frame])
            before = inputs[frame]
        if self._ordered:
            if frames:
                self._received = frames[-1] + 1
            self._hashed += count
        behind = confirmed - told.stop
        counts = 2 * len(frames) + relative
        return Input(confirmed, first - confirmed, counts, behind, count, bytes(body))


def _run(frames: list[int]) -> list[int]:
    """The frames from the first one on that follow one another."""
    count = 1
    while count < len(frames) and frames[count] == frames[count - 1] + 1:
        count += 1
    return frames[:count]
