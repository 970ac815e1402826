"""The compiler's identity: a digest of the contents of its source files.

Sizes and times do not identify a compiler: installers set times to one value, and an edit may keep
the size. Reading all files takes milliseconds, so the object cache, which only this user can write,
stores the digest with the list of the files and a digest of their metadata and their folders':
device, inode, size, and the times of the last change. A change of contents changes a file's
`ctime`, a new name its folder's, and nobody can set those. Files that change while this process
runs are not those that it imported, and their digest is never used. If `ctime` has no fractions, as
in reproducible images, every process reads the contents.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import time
from collections.abc import Callable, Sequence
from operator import attrgetter, itemgetter
from pathlib import Path

_OTHERS = frozenset({
    "__pycache__", "audit", "ci", "cli", "collector", "desync", "diagnosis", "doctor", "export",
    "farm", "foreign", "fpmodel", "frame_trace", "gym", "hazards", "inspection", "lint", "minimise",
    "net", "play", "replay", "sides", "testing", "verify", "view",
})  # fmt: skip
"""Packages that produce no cached code."""
_SUFFIXES = (".py", ".pyc", ".so", ".pyd")
_TICK = 10_000_000
"""Nanoseconds by which a file's time may lag behind the clock."""
_SECOND = 1_000_000_000
_METADATA = attrgetter("st_dev", "st_ino", "st_size", "st_mtime_ns", "st_ctime_ns")
_CHANGED = itemgetter(-1)


class Sources:
    """Source files and the folders that list them, as they are when this is made, in order."""

    __slots__ = ("_rows", "files", "folders")

    def __init__(self, folders: Sequence[str], files: Sequence[str]) -> None:
        """Raises OSError if one does not exist."""
        self.folders, self.files = folders, files
        self._rows = [*map(_METADATA, map(os.stat, (*folders, *files)))]

    @property
    def newest(self) -> int:
        """The time of the files' latest change, in nanoseconds since 1970; 0 without files."""
        return max(map(_CHANGED, self._rows[len(self.folders) :]), default=0)

    @property
    def newest_name(self) -> int:
        """The time of the folders' latest change."""
        return max(map(_CHANGED, self._rows[: len(self.folders)]), default=0)

    @property
    def signature(self) -> str:
        """A digest of the metadata."""
        # Version 2 writes equal values alike, whether or not they are one object.
        return hashlib.blake2b(marshal.dumps(self._rows, 2)).hexdigest()[:40]

    def contents(self) -> str:
        """The digest of paths and contents. Raises OSError."""
        state = hashlib.blake2b(digest_size=20)
        for path in self.files:
            data = Path(path).read_bytes()
            name = os.path.relpath(path, self.folders[0])
            state.update(f"{len(name)} {name} {len(data)} ".encode("utf-8", "surrogateescape"))
            state.update(data)
        return state.hexdigest()


def sources(root: str) -> Sources:
    """The source files below a folder, as they are now. Raises OSError."""
    folders, files = [root], list[str]()
    for folder in folders:  # which grow
        with os.scandir(folder) as found:
            for entry in found:
                name = entry.name
                if name.endswith(_SUFFIXES):
                    files.append(entry.path)
                elif name not in _OTHERS and "." not in name and entry.is_dir():
                    folders.append(entry.path)
    return Sources(folders, sorted(files))


def fingerprint(
    root: str,
    imported_at: float,
    recall: Callable[[str], str | None],
    keep: Callable[[str, str], None],
) -> str:
    """The digest of the compiler below `root`; a digest that no other process has if it is unknown
    what this process imported. `recall` and `keep` look up and store texts by 40 hexadecimal
    digits."""
    now = time.time_ns()
    started = int(imported_at * _SECOND)
    try:
        key = _key(root)
        noted = _noted(recall(key))
        found, known = (sources(root), None) if noted is None else noted
        newest = found.newest
        if not newest:  # inside of an archive
            return os.urandom(20).hex()
        if started - _TICK < newest <= now + _TICK:
            return os.urandom(20).hex()
        if known is None or newest > now:
            known = found.contents()
            settled = found.newest_name < now - _TICK  # no later name has its folder's time
            if newest <= now and newest % _SECOND != 0 and settled:
                keep(key, "\0".join((found.signature, known, *found.folders, "", *found.files)))
        return known
    except OSError:
        return os.urandom(20).hex()


def _key(root: str) -> str:
    """The key of an installation's note. Raises OSError if there is no such folder."""
    place = os.stat(root)
    told = f"sources {place.st_dev} {place.st_ino} {root}".encode("utf-8", "surrogateescape")
    return hashlib.blake2b(told, digest_size=20).hexdigest()


def _noted(note: str | None) -> tuple[Sources, str] | None:
    """The sources of a note and the digest of their contents; None where any of them, or a folder's
    list of names, is not as it was."""
    if note is None:
        return None
    signature, contents, *paths = note.split("\0")
    end = paths.index("")
    try:
        found = Sources(paths[:end], paths[end + 1 :])
    except OSError:
        return None
    return (found, contents) if found.signature == signature else None
