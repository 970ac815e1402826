"""The body of a record as numbers and texts, none of which reaches beyond it."""

from __future__ import annotations

from samebits.foreign.format import MAX_FRAMES


class Malformed(Exception):
    """A record that says what cannot be; the text continues a sentence."""


class Body:
    """Bytes, read from the first on; what they lack is Malformed."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def rest(self) -> bytes:
        """What was not read."""
        return self._data[self._at :]

    @property
    def is_whole(self) -> bool:
        """Whether all was read."""
        return self._at >= len(self._data)

    def number(self, size: int) -> int:
        """A little-endian integer of `size` bytes."""
        return int.from_bytes(self._take(size), "little")

    def frame(self) -> int:
        """The number of a frame; -1 is the set-up."""
        found = int.from_bytes(self._take(8), "little", signed=True)
        if not -1 <= found < MAX_FRAMES:
            raise Malformed(f"a frame {found:,}, which no run has")
        return found

    def text(self) -> str:
        """A text under its length, made one printable line."""
        found = self.raw_text()
        return found if found.isprintable() else ascii(found)[1:-1]

    def raw_text(self) -> str:
        """A text as it is; what is no UTF-8 shows as such."""
        return self._take(self.number(2)).decode("utf-8", "replace")

    def end(self) -> None:
        """Nothing may follow."""
        if not self.is_whole:
            raise Malformed(f"{len(self.rest):,} bytes more than it needs")

    def _take(self, size: int) -> bytes:
        found = self._data[self._at : self._at + size]
        if len(found) < size:
            raise Malformed("a record that is too short")
        self._at += size
        return found
