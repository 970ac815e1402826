"""The compiler's identity: a digest of the contents of its source files.

Sizes and times do not identify a compiler: installers set times to one value, and an edit may keep
the size. Reading all files takes milliseconds, so the object cache, which only this user can write,
stores the digest by the files' metadata: path, device, inode, size, and the times of the last
change. A change of contents changes `ctime`, which nobody can set. Files that change while this
process runs are not those that it imported, and their digest is never used. If `ctime` has no
fractions, as in reproducible images, every process reads the contents.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import time
from collections.abc import Callable
from pathlib import Path

from samebits.lang.signal_safe import closing_descriptors, open_descriptor

_OTHERS = frozenset({
    "__pycache__", "cli", "desync", "diagnosis", "doctor", "export", "fpmodel", "frame_trace",
    "hazards", "inspection", "lint", "replay", "sides", "verify",
})  # fmt: skip
"""Packages that produce no cached code."""
_SUFFIXES = (".py", ".pyc", ".so", ".pyd")
_TICK = 10_000_000
"""Nanoseconds by which a file's time may lag behind the clock."""
_SECOND = 1_000_000_000
_BY_DESCRIPTOR = os.scandir in os.supports_fd
"""Whether files are examined relative to their open folder, which takes half the time."""

_Row = tuple[str, int, int, int, int, int]
"""A file's name and metadata: device, inode, size, and the times of the last changes."""


class Sources:
    """The source files below a folder: `rows` has those of each folder, in order."""

    __slots__ = ("_rows", "newest", "root")

    def __init__(self, root: str, rows: list[tuple[str, list[_Row]]]) -> None:
        self.root = root
        self._rows = rows
        self.newest = max((row[-1] for _, files in rows for row in files), default=0)
        """The time of the latest change, in nanoseconds since 1970; 0 without files."""

    @property
    def paths(self) -> list[str]:
        """The files' paths, in order."""
        return sorted(os.path.join(folder, row[0]) for folder, files in self._rows for row in files)

    @property
    def signature(self) -> str:
        """A digest of paths and metadata."""
        # Version 2 writes equal values alike, whether or not they are one object.
        return hashlib.blake2b(marshal.dumps((self.root, self._rows), 2)).hexdigest()[:40]

    def contents(self) -> str:
        """The digest of paths and contents. Raises OSError."""
        state = hashlib.blake2b(digest_size=20)
        for path in self.paths:
            data = Path(path).read_bytes()
            name = os.path.relpath(path, self.root)
            state.update(f"{len(name)} {name} {len(data)} ".encode("utf-8", "surrogateescape"))
            state.update(data)
        return state.hexdigest()


def sources(root: str) -> Sources:
    """The source files below a folder, as they are now. Raises OSError."""
    rows: list[tuple[str, list[_Row]]] = []
    folders = [root]
    for folder in folders:  # which grow
        files: list[_Row] = []
        held: list[int] = []
        with closing_descriptors(held):
            place = open_descriptor(held, folder, os.O_RDONLY) if _BY_DESCRIPTOR else folder
            with os.scandir(place) as found:
                for entry in found:
                    name = entry.name
                    if name.endswith(_SUFFIXES):
                        s = entry.stat()
                        facts = s.st_dev, s.st_ino, s.st_size, s.st_mtime_ns, s.st_ctime_ns
                        files.append((name, *facts))
                    elif name not in _OTHERS and "." not in name and entry.is_dir():
                        folders.append(os.path.join(folder, name))
        files.sort()
        rows.append((folder, files))
    rows.sort()
    return Sources(root, rows)


def fingerprint(
    root: str,
    imported_at: float,
    recall: Callable[[str], str | None],
    keep: Callable[[str, str], None],
) -> str:
    """The digest of the compiler below `root`; a digest that no other process has if it is unknown
    what this process imported. `recall` and `keep` look up and store digests."""
    now = time.time_ns()
    try:
        found = sources(root)
        if not found.newest:  # inside of an archive
            return os.urandom(20).hex()
        started = int(imported_at * _SECOND)
        if started - _TICK < found.newest <= now + _TICK:
            return os.urandom(20).hex()
        may_remember = found.newest <= now and found.newest % _SECOND != 0
        signature = found.signature
        known = recall(signature) if may_remember else None
        if known is None:
            known = found.contents()
            if may_remember:
                keep(signature, known)
        return known
    except OSError:
        return os.urandom(20).hex()
