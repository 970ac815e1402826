"""Memory for one call between pages that nobody may touch.

Owns where bytes lie: flush against the page after them, or against the one before. What is left
of their pages is filled with a pattern that has to be there afterwards.
"""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Sequence

PAGE = mmap.PAGESIZE
APART = 16 * PAGE
"""Bytes that trap before and after each piece of memory."""
NOBODY = 0
"""The protection PROT_NONE."""
PATTERN = bytes((167 * k + 91) % 256 for k in range(251))
"""Differs from byte to byte, so that what is read out of place shows as well."""

_protect = ctypes.CDLL(None, use_errno=True).mprotect
_protect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)


class Pages:
    """`count` pieces of `room` bytes, a number of whole pages."""

    def __init__(self, count: int, room: int = PAGE) -> None:
        stride = APART + room
        self.room = room
        self.count = count
        self._pattern = PATTERN * (room // len(PATTERN) + 1)
        self._map = mmap.mmap(-1, count * stride + APART, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self._view = memoryview(self._map)
        self._base = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
        self._starts = [APART + k * stride for k in range(count)]
        for start in (0, *(piece + room for piece in self._starts)):
            if _protect(self._base + start, APART, NOBODY):
                raise OSError(ctypes.get_errno(), "mprotect")

    def place(self, blobs: Sequence[bytes], *, after: bool) -> list[int]:
        """Put a blob into each piece, its end (or, with `after`, its start) beside what traps;
        their addresses."""
        addresses: list[int] = []
        for start, blob in zip(self._starts, blobs, strict=False):
            slack = self._pattern[: self.room - len(blob)]
            if len(blob) > self.room:
                raise ValueError(f"{len(blob)} bytes do not fit into {self.room}")
            whole = blob + slack if after else slack + blob
            self._view[start : start + self.room] = whole
            addresses.append(self._base + start + (0 if after else len(slack)))
        return addresses

    def contents(self, sizes: Sequence[int], *, after: bool) -> list[bytes] | None:
        """What lies now in the places of blobs of these sizes; None where something beside them
        was written."""
        found: list[bytes] = []
        for start, size in zip(self._starts, sizes, strict=False):
            now = bytes(self._view[start : start + self.room])
            slack = self.room - size
            beside = now[size:] if after else now[:slack]
            if beside != self._pattern[:slack]:
                return None
            found.append(now[:size] if after else now[slack:])
        return found
