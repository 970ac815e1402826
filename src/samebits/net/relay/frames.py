"""The closed frames of a match, the latest of which are kept for those who lost some.

Owns their order and their bytes on the wire, made once for all peers.
"""

from __future__ import annotations

from samebits.net import limits
from samebits.net.input_codec import ClosedFrame, Entry, InputCodec
from samebits.net.messages import Bundle, Encoded, encode

_HEAD = 64
"""More bytes than a bundle has in front of its frames."""


class FrameLog:
    """Frames from `oldest` to `closed`; older ones are forgotten."""

    def __init__(self, codec: InputCodec, closed: int = 0, row: bytes | None = None) -> None:
        self._codec = codec
        self.closed = closed
        """How many frames are closed."""
        self.oldest = closed
        self.latest = codec.zeros if row is None else row
        """All players' inputs of the latest frame, zeros before the first."""
        self._frames: dict[int, tuple[bytes, int, tuple[Entry, ...], bytes]] = {}
        """What a frame has, and its bytes behind the frame before: no objects that the collector
        of garbage goes through, since there are thousands in each match."""
        self._made: tuple[tuple[int, int, bool], tuple[int, Encoded]] | None = None
        """The latest bundle, which most peers are sent: what it is, and what it became."""

    def close(self, frame: ClosedFrame) -> None:
        """Close the next frame."""
        out = bytearray()
        self._codec.put_frame(out, self.latest, frame)
        self._frames[self.closed] = frame.row, frame.substituted, frame.entries, bytes(out)
        self.latest = frame.row
        self.closed += 1
        if self.closed - self.oldest > limits.KEPT_FRAMES:
            del self._frames[self.oldest]
            self.oldest += 1

    def __getitem__(self, frame: int) -> ClosedFrame:
        return ClosedFrame(*self._frames[frame][:3])

    def row(self, frame: int) -> bytes:
        """All players' inputs of a frame."""
        return self._frames[frame][0]

    def bundle(self, first: int, end: int, relative: bool) -> tuple[int, Encoded]:
        """The BUNDLE of the frames from `first` on, as many as a message holds, up to `end`, and
        the frame behind them; with `relative` the first one is told by what changed since the
        frame before."""
        key = first, end, relative
        if self._made is None or self._made[0] != key:
            self._made = key, self._bundle(first, end, relative and first > 0)
        return self._made[1]

    def _bundle(self, first: int, end: int, relative: bool) -> tuple[int, Encoded]:
        if relative:
            body = bytearray(self._frames[first][3])
        else:
            body = bytearray()
            self._codec.put_frame(body, self._codec.zeros, self[first])
        last = first + 1
        most = min(end, first + limits.FRAMES)
        while last < most:
            part = self._frames[last][3]
            if len(body) + len(part) + _HEAD > limits.MESSAGE // 2:
                break
            body += part
            last += 1
        return last, Encoded(encode(Bundle(int(relative), first, last - first, bytes(body))))
