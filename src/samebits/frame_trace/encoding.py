"""Reduced traces as bytes: a hash, then the compressed columns.

Owns the format and its checks: no length or count is trusted, and none allocates more memory than
the limits allow.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samebits.bits import xxh64
from samebits.errors import TraceError
from samebits.frame_trace.observer import LIMIT
from samebits.frame_trace.record import Trace
from samebits.frame_trace.reduce import ENDINGS, Corrections, ReducedTrace, TrapParts, reduce_trace

_MAGIC = b"sbtrace1"
_HASH = struct.Struct("<Q")
_HEAD = struct.Struct("<QQQQBQ")
"""Digest, events, regions, hash of the state after, ending, times of the operation that trapped."""
_COUNT = struct.Struct("<I")
_WIDTHS = (1, 2, 4, 8)
_MOST_BYTES = 1 << 25
"""Bytes of a reduced trace after decompression."""
_MOST_COLUMNS = 1 << 17
"""Columns of one: results of a program's operations."""


def encode(trace: Trace) -> bytes:
    """A trace as bytes, reduced to what no other machine can recompute."""
    return to_bytes(reduce_trace(trace))


def to_bytes(reduced: ReducedTrace) -> bytes:
    """The bytes that `decode` reads."""
    body = zlib.compress(b"".join(_parts(reduced)), 6)
    return _MAGIC + _HASH.pack(xxh64(body)) + body


def _parts(reduced: ReducedTrace) -> Iterator[bytes]:
    ending = ENDINGS.index(reduced.ending)
    head = reduced.digest, reduced.events, reduced.regions, reduced.after, ending, reduced.times
    yield _HEAD.pack(*head)
    kind, detail, own = reduced.trap or (None, None, None)
    for text in (kind, detail, None if own is None else ",".join(map(str, own))):
        yield _text(text)
    for numbers in (np.array(reduced.last), reduced.absent):
        yield _COUNT.pack(len(numbers)) + numbers.astype("<u4").tobytes()
    yield from _index(reduced.columns, [len(found) for found in reduced.columns.values()])
    yield bytes(found.itemsize for found in reduced.columns.values())
    for found in reduced.columns.values():
        # The first bytes of all numbers, then the second ones, ...: they compress better.
        little = found.astype(found.dtype.newbyteorder("<"))
        yield little.view(np.uint8).reshape(-1, found.itemsize).T.tobytes()
    yield from _index(reduced.corrections, [len(t) for t, _ in reduced.corrections.values()])
    for times, patterns in reduced.corrections.values():
        yield times.astype("<u8").tobytes() + patterns.astype("<u8").tobytes()
    where, what = reduced.patch
    yield _COUNT.pack(len(where)) + where.astype("<u8").tobytes() + what.tobytes()


def _text(text: str | None) -> bytes:
    """The length plus one, then the text; 0 for None."""
    data = b"" if text is None else text.encode(errors="backslashreplace")
    return _COUNT.pack(0 if text is None else len(data) + 1) + data


def _index(columns: Mapping[int, object], counts: list[int]) -> Iterator[bytes]:
    yield _COUNT.pack(len(columns))
    yield np.array([*columns, *counts], "<u4").tobytes()


def decode(data: bytes) -> ReducedTrace:
    """Read what `encode` wrote. Raises TraceError if it is damaged or exceeds the limits."""
    start = len(_MAGIC) + _HASH.size
    if not data.startswith(_MAGIC) or len(data) < start:
        raise TraceError("these bytes are not a trace")
    (digest,) = _HASH.unpack_from(data, len(_MAGIC))
    if xxh64(data[start:]) != digest:
        raise TraceError("the trace is damaged", note="its hash does not match")
    reduced = _read(_Reader(_inflated(data[start:])))
    if max(reduced.events, reduced.regions) > LIMIT:
        raise TraceError(f"the trace has {reduced.events} operations, too many")
    return reduced


def _inflated(data: bytes) -> bytes:
    inflating = zlib.decompressobj()
    try:
        found = inflating.decompress(data, _MOST_BYTES)
    except zlib.error as error:
        raise TraceError("the trace is damaged", note=str(error)) from None
    if inflating.unconsumed_tail:
        raise TraceError(f"the trace has more than {_MOST_BYTES} bytes")
    if not inflating.eof or inflating.unused_data:
        raise TraceError("the trace is damaged", note="its compressed data ends elsewhere")
    return found


def _read(reader: _Reader) -> ReducedTrace:
    head: tuple[int, ...] = reader.unpack(_HEAD)
    digest, events, regions, after, ending, times = head
    kind, detail, own = reader.text(), reader.text(), reader.text()
    last, absent = reader.numbers(), reader.numbers()
    ids, counts = reader.index()
    widths = reader.take(len(ids))
    columns = {
        column: reader.column(count, width)
        for column, count, width in zip(ids, counts, widths, strict=True)
    }
    ids, counts = reader.index()
    corrections: dict[int, Corrections] = {
        column: (reader.array(count, "u8"), reader.array(count, "u8"))
        for column, count in zip(ids, counts, strict=True)
    }
    (count,) = reader.unpack(_COUNT)
    patch = reader.array(count, "u8"), reader.array(count, "u1")
    if reader.left or ending >= len(ENDINGS):
        raise _damaged()
    return ReducedTrace(
        digest, events, regions, absent, columns, corrections, ENDINGS[ending],
        tuple(last.tolist()), times, _trap(kind, detail, own), after, patch,
    )  # fmt: skip


def _trap(kind: str | None, detail: str | None, own: str | None) -> TrapParts | None:
    if kind is None:
        return None
    if own is None:
        return kind, detail, None
    try:
        index, first, end = map(int, own.split(",") if len(own) < 100 else [])
    except ValueError:
        raise _damaged() from None
    return kind, detail, (index, first, end)


def _damaged() -> TraceError:
    return TraceError("the trace is damaged", note="its contents are inconsistent")


class _Reader:
    """Reads bytes from the front, never beyond the end."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def left(self) -> int:
        return len(self._data) - self._at

    def take(self, count: int) -> bytes:
        if count > self.left:
            raise _damaged()
        self._at += count
        return self._data[self._at - count : self._at]

    def unpack(self, layout: struct.Struct) -> tuple[Any, ...]:
        return layout.unpack(self.take(layout.size))

    def text(self) -> str | None:
        (length,) = self.unpack(_COUNT)
        try:
            return self.take(length - 1).decode() if length else None
        except UnicodeDecodeError:
            raise _damaged() from None

    def array(self, count: int, dtype: str) -> NDArray[Any]:
        kept = np.dtype(dtype)
        return np.frombuffer(self.take(count * kept.itemsize), kept.newbyteorder("<")).astype(kept)

    def numbers(self) -> NDArray[Any]:
        (count,) = self.unpack(_COUNT)
        return self.array(count, "u4")

    def index(self) -> tuple[list[int], list[int]]:
        """Column numbers, each once, and the number of values of each."""
        (count,) = self.unpack(_COUNT)
        if count > _MOST_COLUMNS:
            raise TraceError(f"the trace has {count:,} columns, more than {_MOST_COLUMNS:,}")
        ids, counts = self.array(count, "u4").tolist(), self.array(count, "u4").tolist()
        if len(set(ids)) != len(ids):
            raise _damaged()
        return ids, counts

    def column(self, count: int, width: int) -> NDArray[Any]:
        if width not in _WIDTHS:
            raise _damaged()
        flat = np.frombuffer(self.take(count * width), np.uint8).reshape(width, count)
        return np.ascontiguousarray(flat.T).view(f"<u{width}").reshape(count).astype(f"u{width}")
