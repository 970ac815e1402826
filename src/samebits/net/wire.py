"""The scalars of the wire: varints, fixed integers, texts and blobs, each with a limit.

Owns how a field's value becomes bytes, and that no length or number is believed. A reader raises
ProtocolError for anything that its writer would not have written.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from samebits.errors import ProtocolError


def put_varint(out: bytearray, value: int) -> None:
    """Append an unsigned integer, seven bits a byte, lowest first (LEB128)."""
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)


def get_varint(data: bytes, at: int, end: int, most: int) -> tuple[int, int]:
    """The integer at `at`, at most `most`, in its shortest form, and where it ends."""
    if at < end and data[at] < 0x80:
        value = data[at]
        if value <= most:
            return value, at + 1
        raise ProtocolError(f"a number is {value}, more than {most}")
    value = shift = 0
    start = at
    while True:
        if at >= end:
            raise ProtocolError("a number ends within the record")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            break
        shift += 7
        if shift > 63:
            raise ProtocolError("a number has more than 64 bits")
    if byte == 0 and at - start > 1:
        raise ProtocolError("a number is not in its shortest form")
    if value > most:
        raise ProtocolError(f"a number is {value}, more than {most}")
    return value, at


class Kind(ABC):
    """How one field of a record is written and read."""

    @property
    @abstractmethod
    def text(self) -> str:
        """As the documentation names it."""

    @abstractmethod
    def write(self, out: bytearray, value: Any) -> None:
        """Append a value; ProtocolError if it is beyond the limit."""

    @abstractmethod
    def read(self, data: bytes, at: int, end: int) -> tuple[Any, int]:
        """The value at `at`, and where it ends, at most `end`. Raises ProtocolError."""


@dataclass(frozen=True)
class Varint(Kind):
    """An unsigned integer up to `most`."""

    most: int

    @property
    def text(self) -> str:
        return f"varint ≤ {self.most:,}"

    def write(self, out: bytearray, value: Any) -> None:
        if not 0 <= value <= self.most:
            raise ProtocolError(f"a number is {value}, not one from 0 to {self.most}")
        put_varint(out, value)

    def read(self, data: bytes, at: int, end: int) -> tuple[Any, int]:
        return get_varint(data, at, end, self.most)


@dataclass(frozen=True)
class Signed(Kind):
    """An integer from −`most` to `most`: 0, −1, 1, −2 … are 0, 1, 2, 3 … as varints."""

    most: int

    @property
    def text(self) -> str:
        return f"zigzag varint, ±{self.most:,}"

    def write(self, out: bytearray, value: Any) -> None:
        if not -self.most <= value <= self.most:
            raise ProtocolError(f"a number is {value}, beyond ±{self.most}")
        put_varint(out, value << 1 if value >= 0 else (-value << 1) - 1)

    def read(self, data: bytes, at: int, end: int) -> tuple[Any, int]:
        value, at = get_varint(data, at, end, 2 * self.most)
        return (value >> 1 if not value & 1 else -((value + 1) >> 1)), at


@dataclass(frozen=True)
class U64(Kind):
    """Eight bytes, lowest first."""

    @property
    def text(self) -> str:
        return "u64"

    def write(self, out: bytearray, value: Any) -> None:
        out += value.to_bytes(8, "little")

    def read(self, data: bytes, at: int, end: int) -> tuple[Any, int]:
        if at + 8 > end:
            raise ProtocolError("a u64 ends within the record")
        return int.from_bytes(data[at : at + 8], "little"), at + 8


@dataclass(frozen=True)
class Blob(Kind):
    """Bytes behind their count, up to `most`."""

    most: int

    @property
    def text(self) -> str:
        return f"blob ≤ {self.most:,}"

    def write(self, out: bytearray, value: Any) -> None:
        if len(value) > self.most:
            raise ProtocolError(f"a field has {len(value)} bytes, more than {self.most}")
        put_varint(out, len(value))
        out += value

    def read(self, data: bytes, at: int, end: int) -> tuple[Any, int]:
        size, at = get_varint(data, at, end, self.most)
        if at + size > end:
            raise ProtocolError(f"a field of {size} bytes ends within the record")
        return data[at : at + size], at + size


@dataclass(frozen=True)
class Text(Blob):
    """Printable UTF-8 behind its count of bytes."""

    @property
    def text(self) -> str:
        return f"text ≤ {self.most:,}"

    def write(self, out: bytearray, value: Any) -> None:
        super().write(out, value.encode())

    def read(self, data: bytes, at: int, end: int) -> tuple[Any, int]:
        found, at = super().read(data, at, end)
        try:
            text = found.decode()
        except UnicodeDecodeError:
            raise ProtocolError("a text is not UTF-8") from None
        if not text.isprintable():
            raise ProtocolError("a text has characters that cannot be printed")
        return text, at


@dataclass(frozen=True)
class Rest(Kind):
    """All bytes up to the record's end."""

    @property
    def text(self) -> str:
        return "bytes to the end"

    def write(self, out: bytearray, value: Any) -> None:
        out += value

    def read(self, data: bytes, at: int, end: int) -> tuple[Any, int]:
        return data[at:end], end
