"""The compiler's identity: a digest of the contents of its source files.

Sizes and times do not identify a compiler: installers set times to one value, and an edit may keep
the size. Reading all files takes milliseconds, so the object cache, which only this user can write,
stores the digest by the files' metadata: path, device, inode, size, and the times of the last
change. A change of contents changes `ctime`, which nobody can set. Files that change while this
process runs are not those that it imported, and their digest is never used. If `ctime` has no
fractions, as in reproducible images, every process reads the contents.
"""

# No `from __future__ import annotations`: see `backend.targets.table`.
import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

_OTHERS = frozenset({
    "__pycache__", "cli", "desync", "diagnosis", "doctor", "export", "fpmodel", "frame_trace",
    "hazards", "inspection", "lint", "replay", "sides", "verify",
})  # fmt: skip
"""Packages that produce no cached code."""
_SUFFIXES = (".py", ".pyc", ".so", ".pyd")
_TICK = 10_000_000
"""Nanoseconds by which a file's time may lag behind the clock."""
_SECOND = 1_000_000_000


class Sources(NamedTuple):
    """The source files below a folder: their paths and metadata."""

    root: str
    paths: tuple[str, ...]
    signature: str
    newest: int
    """The time of the latest change, in nanoseconds since 1970."""

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
    """The source files below a folder, as they are now."""
    rows: list[tuple[str, int, int, int, int, int]] = []
    folders = [root]
    for folder in folders:  # which grow
        with os.scandir(folder) as found:
            for entry in found:
                name = entry.name
                if name.endswith(_SUFFIXES):
                    s = entry.stat()
                    facts = s.st_dev, s.st_ino, s.st_size, s.st_mtime_ns, s.st_ctime_ns
                    rows.append((entry.path, *facts))
                elif name not in _OTHERS and "." not in name and entry.is_dir():
                    folders.append(entry.path)
    rows.sort()
    signature = hashlib.blake2b(repr((root, rows)).encode("ascii", "backslashreplace"))
    newest = max((row[-1] for row in rows), default=0)
    return Sources(root, tuple([row[0] for row in rows]), signature.hexdigest()[:40], newest)


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
        if not found.paths:  # inside of an archive
            return os.urandom(20).hex()
        started = int(imported_at * _SECOND)
        if started - _TICK < found.newest <= now + _TICK:
            return os.urandom(20).hex()
        may_remember = found.newest <= now and found.newest % _SECOND != 0
        known = recall(found.signature) if may_remember else None
        if known is None:
            known = found.contents()
            if may_remember:
                keep(found.signature, known)
        return known
    except OSError:
        return os.urandom(20).hex()
