"""A snapshot of a replay's bytes at the time of opening: one descriptor, one end, equal passes.

Owns protection from other processes while a file is read. A file that is renamed over stays the
one that was opened, appended bytes are not read, and a pass that reads other bytes than the first
one reports that. Knows nothing of what the bytes mean.
"""

from __future__ import annotations

import os
import stat
import weakref
from typing import BinaryIO

import xxhash

from samebits.errors import ReplayError

Target = str | os.PathLike[str] | BinaryIO

_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)  # a pipe would block instead of being refused
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


class FileSnapshot:
    """A file or a seekable binary stream, from its position on. A stream is never closed.

    Raises ReplayError if there is no file, or if the stream cannot seek.
    """

    def __init__(self, target: Target) -> None:
        self.first: tuple[int, bytes] | None = None
        """The count of bytes in the first complete pass, and their XXH3."""
        self._stream: BinaryIO | None = None
        self._descriptor = -1
        self._start = 0
        if isinstance(target, str | os.PathLike):
            self.name = os.fspath(target)
            self._descriptor, self.size = open_file(self.name, "a replay")
            self._close = weakref.finalize(self, os.close, self._descriptor)
        else:
            self.name = "the stream"
            self._stream = target
            self._start, self.size = _extent(target)
            self._close = weakref.finalize(self, int)

    def check_open(self) -> None:
        """Raise ReplayError after `close`."""
        if not self._close.alive:
            raise ReplayError(f"{self.name} is closed", fix="open it again")

    def close(self) -> None:
        """Close the file, if it was opened here. Any number of times."""
        self._close()

    def read_at(self, at: int, size: int) -> bytes:
        """At most `size` bytes, none after the end at opening. Raises OSError."""
        size = min(size, self.size - at)
        if size <= 0:
            return b""
        if self._stream is not None:
            self._stream.seek(self._start + at)
            return bytes(self._stream.read(size) or b"")[:size]
        if hasattr(os, "pread"):
            return os.pread(self._descriptor, size, at)
        os.lseek(self._descriptor, at, os.SEEK_SET)
        return os.read(self._descriptor, size)


class FilePass:
    """One reading of a snapshot from its beginning; a `Readable`."""

    def __init__(self, snapshot: FileSnapshot) -> None:
        self._snapshot = snapshot
        self._at = 0
        self._sum = xxhash.xxh3_128()
        self._failed = False

    def read(self, size: int) -> bytes:
        """The next bytes, at most `size`; none at the end. Raises OSError."""
        try:
            data = self._snapshot.read_at(self._at, size)
        except OSError:
            self._failed = True
            raise
        self._at += len(data)
        self._sum.update(data)
        return data

    def is_like_the_first(self) -> bool:
        """Whether this pass, at its end, has read the same as the first complete pass. A pass that
        could not be read to its end is not judged."""
        if self._failed:
            return True
        found = self._at, self._sum.digest()
        if self._snapshot.first is None:
            self._snapshot.first = found
        return found == self._snapshot.first


def open_file(name: str, what: str) -> tuple[int, int]:
    """A descriptor of a regular file, and its size. Raises ReplayError at once for pipes, folders
    and anything else; the error asks for `what` instead."""
    descriptor = -1
    try:
        descriptor = os.open(name, _FLAGS)
        about = os.fstat(descriptor)
        if stat.S_ISREG(about.st_mode):
            found, descriptor = descriptor, -1
            return found, about.st_size
    except (OSError, ValueError) as error:  # a name with a NUL is a ValueError
        why = error.strerror if isinstance(error, OSError) else None
        raise ReplayError(
            f"cannot read {name}: {why or error}",
            fix=f"give the path of {what} that this user may read",
        ) from None
    finally:
        if descriptor >= 0:
            os.close(descriptor)
    raise ReplayError(f"{name} is not a file", fix=f"give the path of {what}")


def _extent(stream: BinaryIO) -> tuple[int, int]:
    """A stream's position, and how many bytes follow it."""
    try:
        start = stream.tell()
        end = stream.seek(0, os.SEEK_END)
        stream.seek(start)
    except (OSError, ValueError):
        raise ReplayError(
            "the stream cannot seek",
            fix="read it whole first: io.BytesIO(stream.read())",
        ) from None
    return start, end - start
