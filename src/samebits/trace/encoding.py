"""A stored trace as bytes: a hash, then what is stored, column by column, compressed.

Owns the format and the checks while it is read: no length or count in it is believed, and none
makes more memory than `Limits` allows.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samebits.bits import xxh64
from samebits.errors import TraceError
from samebits.trace.record import LIMIT, Trace
from samebits.trace.reduce import ENDINGS, Corrections, ReducedTrace, TrapParts, reduce_trace

_MAGIC = b"sbtrace1"
_HASH = struct.Struct("<Q")
_HEAD = struct.Struct("<QQQQBQ")
"""Digest, events, turns, hash of the state after, ending, times of the operation that trapped."""
_COUNT = struct.Struct("<I")
_WIDTHS = (1, 2, 4, 8)


@dataclass(frozen=True, slots=True)
class Limits:
    """What a stored trace may take."""

    events: int = LIMIT
    """Operations of the frame, and turns of its loops."""
    bytes: int = 1 << 25
    """Bytes once it is no longer compressed."""
    columns: int = 1 << 17
    """Results of operations that have values of their own: a program's, at most."""


LIMITS = Limits()


def encode(trace: Trace) -> bytes:
    """A trace as bytes, without what another machine works out by itself."""
    return to_bytes(reduce_trace(trace))


def to_bytes(stored: ReducedTrace) -> bytes:
    """What `decode` reads."""
    body = zlib.compress(b"".join(_parts(stored)), 6)
    return _MAGIC + _HASH.pack(xxh64(body)) + body


def _parts(stored: ReducedTrace) -> Iterator[bytes]:
    ending = ENDINGS.index(stored.ending)
    head = stored.digest, stored.events, stored.regions, stored.after, ending, stored.times
    yield _HEAD.pack(*head)
    kind, detail, own = stored.trap or (None, None, None)
    for text in (kind, detail, None if own is None else ",".join(map(str, own))):
        yield _text(text)
    for numbers in (np.array(stored.last), stored.absent):
        yield _COUNT.pack(len(numbers)) + numbers.astype("<u4").tobytes()
    yield from _index(stored.columns, [len(found) for found in stored.columns.values()])
    yield bytes(found.itemsize for found in stored.columns.values())
    for found in stored.columns.values():
        # The first bytes of all numbers, then the second ones, ...: more alike, and so shorter.
        little = found.astype(found.dtype.newbyteorder("<"))
        yield little.view(np.uint8).reshape(-1, found.itemsize).T.tobytes()
    yield from _index(stored.corrections, [len(t) for t, _ in stored.corrections.values()])
    for times, patterns in stored.corrections.values():
        yield times.astype("<u8").tobytes() + patterns.astype("<u8").tobytes()
    where, what = stored.patch
    yield _COUNT.pack(len(where)) + where.astype("<u8").tobytes() + what.tobytes()


def _text(text: str | None) -> bytes:
    """A length, one more than it is, and the text; 0 for None."""
    data = b"" if text is None else text.encode(errors="backslashreplace")
    return _COUNT.pack(0 if text is None else len(data) + 1) + data


def _index(columns: Mapping[int, object], counts: list[int]) -> Iterator[bytes]:
    yield _COUNT.pack(len(columns))
    yield np.array([*columns, *counts], "<u4").tobytes()


def decode(data: bytes, limits: Limits = LIMITS) -> ReducedTrace:
    """Read what `encode` wrote. Raises TraceError where it is damaged or goes beyond the limits."""
    start = len(_MAGIC) + _HASH.size
    if not data.startswith(_MAGIC) or len(data) < start:
        raise TraceError("this is no stored trace")
    (digest,) = _HASH.unpack_from(data, len(_MAGIC))
    if xxh64(data[start:]) != digest:
        raise TraceError("the stored trace is damaged", note="its hash does not fit")
    stored = _read(_Reader(_inflated(data[start:], limits.bytes), limits.columns))
    if max(stored.events, stored.regions) > limits.events:
        raise TraceError(f"the stored trace has {stored.events} operations, too many")
    return stored


def _inflated(data: bytes, limit: int) -> bytes:
    inflating = zlib.decompressobj()
    try:
        found = inflating.decompress(data, limit)
    except zlib.error as error:
        raise TraceError("the stored trace is damaged", note=str(error)) from None
    if inflating.unconsumed_tail:
        raise TraceError(f"the stored trace has more than {limit} bytes")
    if not inflating.eof or inflating.unused_data:
        raise TraceError("the stored trace is damaged", note="it ends elsewhere")
    return found


def _read(reader: _Reader) -> ReducedTrace:
    head: tuple[int, ...] = reader.unpack(_HEAD)
    digest, events, turns, after, ending, times = head
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
        digest, events, turns, absent, columns, corrections, ENDINGS[ending],
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
    return TraceError("the stored trace is damaged", note="what it holds does not fit together")


class _Reader:
    """Takes from the front of bytes, never more than there are."""

    def __init__(self, data: bytes, most: int) -> None:
        self._data = data
        self._most = most
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
        """Columns, each once, and how many values each has."""
        (count,) = self.unpack(_COUNT)
        if count > self._most:
            raise TraceError(f"the stored trace has {count:,} columns, more than {self._most:,}")
        ids, counts = self.array(count, "u4").tolist(), self.array(count, "u4").tolist()
        if len(set(ids)) != len(ids):
            raise _damaged()
        return ids, counts

    def column(self, count: int, width: int) -> NDArray[Any]:
        if width not in _WIDTHS:
            raise _damaged()
        flat = np.frombuffer(self.take(count * width), np.uint8).reshape(width, count)
        return np.ascontiguousarray(flat.T).view(f"<u{width}").reshape(count).astype(f"u{width}")
