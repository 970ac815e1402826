"""One part of a report as messages: compressed, cut into pieces, each with what it belongs to.

Owns the bytes of a message's data, in both directions. A piece says how large its part is, and is
believed only where that is what the reader expects.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

from samebits.bits import xxh64
from samebits.errors import ReportError

PIECE_BYTES = 60 * 1024
"""Most bytes of compressed data in one message."""
_HEAD = struct.Struct("<QIIQ")
"""Number of the part, index of the piece, count of pieces, XXH64 of the part."""
_LEVEL = 9


def pieces(number: int, data: bytes) -> Iterator[bytes]:
    """The messages' data that hold a part."""
    packed = zlib.compress(data, _LEVEL)
    checksum = xxh64(data)
    count = -(-len(packed) // PIECE_BYTES)
    for index in range(count):
        at = index * PIECE_BYTES
        yield _HEAD.pack(number, index, count, checksum) + packed[at : at + PIECE_BYTES]


class Piece:
    """A message's data, taken apart. Raises ReportError where it is too short to be a piece."""

    __slots__ = ("checksum", "count", "data", "index", "number")

    def __init__(self, message: bytes) -> None:
        if len(message) <= _HEAD.size:
            raise ReportError(f"a message of {len(message)} bytes")
        self.number, self.index, self.count, self.checksum = _HEAD.unpack_from(message)
        self.data = message[_HEAD.size :]


class Assembly:
    """A part of `size` bytes on its way: pieces come in any order."""

    def __init__(self, size: int) -> None:
        self._size = size
        # What zlib makes of bytes that do not compress: 5 more for each 16 KiB, and some.
        self._most = 1 + (size + size // 1024 + 1024) // PIECE_BYTES
        self._pieces: dict[int, Piece] = {}

    def add(self, piece: Piece) -> bytes | None:
        """The part, once its last piece has come. Raises ReportError where a piece does not fit
        those before it, or the part is not what they say."""
        first = next(iter(self._pieces.values()), piece)
        if not piece.index < piece.count <= self._most or piece.index in self._pieces:
            raise ReportError(
                f"piece {piece.index} of {piece.count} where at most {self._most} belong"
            )
        if (piece.count, piece.checksum) != (first.count, first.checksum):
            raise ReportError("pieces of two different parts under one name")
        self._pieces[piece.index] = piece
        if len(self._pieces) < piece.count:
            return None
        packed = b"".join(self._pieces[i].data for i in range(piece.count))
        self._pieces.clear()
        return self._unpacked(packed, piece.checksum)

    def _unpacked(self, packed: bytes, checksum: int) -> bytes:
        inflate = zlib.decompressobj()
        try:
            data = inflate.decompress(packed, self._size + 1)
        except zlib.error:
            raise ReportError("compressed data that is none") from None
        if len(data) != self._size or not inflate.eof or inflate.unused_data:
            raise ReportError(f"a part of another size than its {self._size} bytes")
        if xxh64(data) != checksum:
            raise ReportError("a part whose checksum does not hold")
        return data
