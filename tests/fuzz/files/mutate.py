"""Bytes changed by chance: as a disk or a network does it, and as somebody who means harm."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random

EXTREMES = tuple(
    sorted(
        {
            value % 2**64
            for bits in (7, 8, 15, 16, 31, 32, 63, 64)
            for value in (2**bits - 1, 2**bits, 2**bits + 1, -(2**bits))
        }
        | {0, 1, 2, 3, 255, 256, 257, 1000, 65_576, 1 << 20, 1 << 28, 2**64 - 2}
    )
)
"""Numbers at the edges of what fields hold."""
_SIZES = (1, 1, 2, 4, 8, 16, 64, 300, 5000)
_NUMBER = re.compile(rb"[0-9]+")

Change = Callable[[bytearray, Random], None]


def damaged(data: bytes, chance: Random) -> bytes:
    """What becomes of a file by accident: flips, cuts, holes, noise, repeats. Never `data`."""
    while True:
        changed = bytearray(data)
        for _ in range(chance.choice((1, 1, 1, 2, 5))):
            chance.choice(_ACCIDENTS)(changed, chance)
        if changed != data:
            return bytes(changed)


def mutated(data: bytes, others: Sequence[bytes], words: Sequence[bytes], chance: Random) -> bytes:
    """What somebody might try: the same, numbers at their edges, words, pieces of other files."""
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 3, 6))):
        match chance.randrange(8):
            case 0 | 1:
                chance.choice(_ACCIDENTS)(changed, chance)
            case 2 | 3:
                number(changed, chance)
            case 4:
                decimal(changed, chance)
            case 5 if words:
                _put(changed, chance.choice(words), chance)
            case 6 if others:
                _splice(changed, chance.choice(others), chance)
            case _:
                lines(changed, chance)
    return bytes(changed)


def number(data: bytearray, chance: Random) -> None:
    """A little-endian number somewhere becomes an extreme one, or one more or less."""
    size = chance.choice((1, 2, 4, 8))
    if len(data) < size:
        return
    at = chance.randrange(len(data) - size + 1)
    old = int.from_bytes(data[at : at + size], "little")
    new = chance.choice(
        (old + 1, old - 1, old * 2, chance.choice(EXTREMES), chance.choice(EXTREMES))
    )
    data[at : at + size] = (new % 256**size).to_bytes(size, "little")


def decimal(data: bytearray, chance: Random) -> None:
    """A number in text becomes another, of any size or none."""
    found = list(_NUMBER.finditer(data))
    if found:
        match = chance.choice(found)
        new = chance.choice((str(chance.choice(EXTREMES)), "-1", "", "01", "9" * 40, "1e999", "٣"))
        data[match.start() : match.end()] = new.encode()


def lines(data: bytearray, chance: Random) -> None:
    """Lines lost, doubled or swapped."""
    parts = data.splitlines(keepends=True)
    if len(parts) < 2:
        return
    i, k = chance.randrange(len(parts)), chance.randrange(len(parts))
    match chance.randrange(4):
        case 0:
            del parts[i]
        case 1:
            parts.insert(k, parts[i])
        case 2:
            parts[i], parts[k] = parts[k], parts[i]
        case _:
            parts[i:i] = [parts[k]] * chance.choice((2, 20, 200))
    data[:] = b"".join(parts)


def _flip(data: bytearray, chance: Random) -> None:
    if data:
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def _cut(data: bytearray, chance: Random) -> None:
    del data[chance.randrange(len(data) + 1) :]


def _lose(data: bytearray, chance: Random) -> None:
    at = chance.randrange(len(data) + 1)
    del data[at : at + chance.choice(_SIZES)]


def _zero(data: bytearray, chance: Random) -> None:
    at = chance.randrange(len(data) + 1)
    size = min(chance.choice(_SIZES), len(data) - at)
    data[at : at + size] = bytes(size)


def _noise(data: bytearray, chance: Random) -> None:
    at = chance.randrange(len(data) + 1)
    size = min(chance.choice(_SIZES), len(data) - at)
    data[at : at + size] = chance.randbytes(size)


def _more(data: bytearray, chance: Random) -> None:
    at = chance.randrange(len(data) + 1)
    data[at:at] = chance.randbytes(chance.choice(_SIZES))


def _repeat(data: bytearray, chance: Random) -> None:
    at, to = chance.randrange(len(data) + 1), chance.randrange(len(data) + 1)
    data[to:to] = data[at : at + chance.choice(_SIZES)]


_ACCIDENTS: tuple[Change, ...] = (_flip, _flip, _flip, _cut, _lose, _zero, _noise, _more, _repeat)


def _put(data: bytearray, word: bytes, chance: Random) -> None:
    at = chance.randrange(len(data) + 1)
    data[at : at + chance.choice((0, len(word)))] = word


def _splice(data: bytearray, other: bytes, chance: Random) -> None:
    at, start = chance.randrange(len(data) + 1), chance.randrange(len(other) + 1)
    piece = other[start : start + chance.choice((8, 64, 500, len(other)))]
    data[at : at + chance.choice((0, len(piece)))] = piece
