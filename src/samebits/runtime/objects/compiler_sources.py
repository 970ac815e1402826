"""The identity of the compiler and of the math library: digests of their source files' contents.

Sizes and times do not identify a compiler: installers set times to one value, and an edit may keep
the size. Reading all files takes milliseconds, so the object cache, which only this user can write,
stores the digest with the list of the files and a digest of their metadata and their folders':
device, inode, size, and the times of the last change. A change of contents changes a file's
`ctime`, a new name its folder's, and nobody can set those. Python runs the bytecode beside a source
file if that names its size and time: bytecode that it would run and that is not of these contents
counts with them, however it came there. Files that change while this process runs are not those
that it imported, and their digest is never used. If `ctime` has no fractions, as in reproducible
images, every process reads the contents.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import struct
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter, itemgetter
from pathlib import Path

from samebits.lang.signal_safe import closing_descriptors, open_descriptor

COMPILER, LIBRARY, LIBRARY_FOR_C = "compiler", "math library", "math library for C"
_FOLDERS = {
    COMPILER: (".",),
    LIBRARY: ("mathlib",),
    LIBRARY_FOR_C: ("mathlib", "export", "runtime/ufunc"),
}
"""The parts of the package, each known by a digest of its own: the folders of each, relative to the
package's. What the compiler makes of a kernel that reaches none of the library's depends on the
compiler alone, and looking at the library's files would take as long as at half of its own."""
_OTHERS = frozenset({
    "audit", "ci", "cli", "collector", "desync", "diagnosis", "doctor", "ensemble", "export",
    "farm", "foreign", "fpmodel", "frame_trace", "gym", "hazards", "inspection", "lint", "lua",
    "managed", "mathlib", "minimise", "net", "play", "replay", "runtime/calls",
    "runtime/emulation", "runtime/threads", "runtime/ufunc", "scene", "sides", "sim", "testing",
    "typed", "verify", "view",
})  # fmt: skip
"""Folders that no compilation runs code of, besides kernels, whose sources are in their keys."""
_SUFFIXES = (".py", ".pyc", ".so", ".pyd")
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_TICK = 10_000_000
"""Nanoseconds by which a file's time may lag behind the clock."""
_SECOND = 1_000_000_000
_HEADER = 16
"""Bytes before the code in a file of bytecode."""
_AS_PATHS = "utf-8", "surrogateescape"
_METADATA = attrgetter("st_dev", "st_ino", "st_size", "st_mtime_ns", "st_ctime_ns")
_CHANGED = itemgetter(-1)


class Sources:
    """Source files, the folders that list them, and the files' bytecode, as they are when this is
    made, in order, by their paths from the root, which is the folder "."."""

    __slots__ = ("_root", "_rows", "bytecode", "files", "folders")

    def __init__(
        self, root: str, folders: Sequence[str], files: Sequence[str], bytecode: Sequence[str] = ()
    ) -> None:
        """Raises OSError if one does not exist."""
        self._root, self.folders, self.files, self.bytecode = root, folders, files, bytecode
        held: list[int] = []
        with closing_descriptors(held):
            paths = (*folders, *files, *bytecode)
            self._rows = [*map(_METADATA, map(_status_in(root, held), paths))]

    @property
    def newest(self) -> int:
        """The time of the files' latest change, in nanoseconds since 1970; 0 without files."""
        first = len(self.folders)
        return max(map(_CHANGED, self._rows[first : first + len(self.files)]), default=0)

    @property
    def newest_name(self) -> int:
        """The time of the latest change of the folders and the bytecode."""
        first = len(self.folders)
        others = self._rows[:first] + self._rows[first + len(self.files) :]
        return max(map(_CHANGED, others), default=0)

    @property
    def signature(self) -> str:
        """A digest of the metadata."""
        # Version 2 writes equal values alike, whether or not they are one object.
        return hashlib.blake2b(marshal.dumps(self._rows, 2)).hexdigest()[:40]

    def contents(self, compared: set[str] | None = None) -> str:
        """The digest of paths and contents, and of bytecode that Python would run and that is not
        of these contents. Raises OSError.

        `compared` has what was found to be alike before, which is not compiled again, and then what
        is alike now."""
        state = hashlib.blake2b(digest_size=20)
        read: dict[str, bytes] = {}
        for name in self.files:
            data = read[name] = Path(self._root, name).read_bytes()
            state.update(f"{len(name)} {name} {len(data)} ".encode(*_AS_PATHS))
            state.update(data)
        before = frozenset(compared or ())
        alike: set[str] = set()
        if self.bytecode:
            kept = {place: name for name in self.files for place in _places(self._root, name)}
            for place in self.bytecode:
                name = kept[place]
                data = Path(self._root, place).read_bytes()
                about = _digest_of(read[name], data)
                if about in before or _is_alike(os.path.join(self._root, name), read[name], data):
                    alike.add(about)
                    continue
                state.update(f"bytecode {len(name)} {name} {len(data)} ".encode(*_AS_PATHS))
                state.update(data)
        if compared is not None:
            compared.clear()
            compared.update(alike)
        return state.hexdigest()


def _places(root: str, name: str) -> list[str]:
    """Where this Python keeps the bytecode of a source file, from the root if it is below that."""
    from importlib.util import cache_from_source  # where contents are read, which is seldom

    if not name.endswith(".py"):
        return []
    try:
        return [cache_from_source(os.path.join(root, name) if sys.pycache_prefix else name)]
    except NotImplementedError:
        return []


def _digest_of(source: bytes, bytecode: bytes) -> str:
    state = hashlib.blake2b(b"%d " % len(source), digest_size=10)
    state.update(source)
    state.update(bytecode)
    return state.hexdigest()


def _is_alike(path: str, source: bytes, bytecode: bytes) -> bool:
    """Whether Python runs what the source says: the bytecode is of other contents at most where
    Python would not take it."""
    flags, changed, size = struct.unpack_from("<III", bytecode.ljust(_HEADER, b"\0"), 4)
    if flags == 0:
        status = os.stat(path)
        now = int(status.st_mtime) & 0xFFFFFFFF, status.st_size & 0xFFFFFFFF
        if (changed, size) != now:
            return True
    try:
        # Comparing leaves out nothing but the path.
        found = marshal.loads(bytecode[_HEADER:])
        return bool(found == compile(source, path, "exec", dont_inherit=True))
    except (EOFError, TypeError, ValueError, SyntaxError, Warning):
        return False


def _status_in(root: str, held: list[int]) -> Callable[[str], os.stat_result]:
    """What tells the status of a path from a root. Short paths from an open folder take a third
    less time than whole ones."""
    if os.stat in os.supports_dir_fd:
        return partial(os.stat, dir_fd=open_descriptor(held, root, _FOLDER))
    return lambda name: os.stat(os.path.join(root, name))


def sources(root: str, part: str = COMPILER) -> Sources:
    """The source files of a part of the package in a folder, as they are now. Raises OSError."""
    folders, files, kept = list(_FOLDERS[part]), list[str](), set[str]()
    for folder in folders:  # which grow
        with os.scandir(os.path.join(root, folder)) as found:
            for entry in found:
                name = entry.name
                path = name if folder == "." else os.path.join(folder, name)
                if name.endswith(_SUFFIXES):
                    files.append(path)
                elif name == "__pycache__":
                    kept.add(path)
                elif path in _OTHERS or "." in name:
                    continue
                elif entry.is_dir():
                    folders.append(path)
    files.sort()
    places = [place for name in files for place in _places(root, name)]
    bytecode = [place for place in places if os.path.exists(os.path.join(root, place))]
    kept.update(os.path.dirname(place) for place in bytecode)
    return Sources(root, folders + sorted(kept), files, bytecode)


def fingerprint(
    root: str,
    imported_at: float,
    recall: Callable[[str], str | None],
    keep: Callable[[str, str], None],
    part: str = COMPILER,
) -> str:
    """The digest of a part of the package in `root`; a digest that no other process has if it is
    unknown what this process imported. `recall` and `keep` look up and store texts by 40
    hexadecimal digits."""
    now = time.time_ns()
    started = int(imported_at * _SECOND)
    try:
        key = _key(root, part)
        noted = _noted(root, recall(key))
        found, known = (sources(root, part), None) if noted is None else noted
        newest = found.newest
        if not newest:  # inside of an archive
            return os.urandom(20).hex()
        if started - _TICK < newest <= now + _TICK:
            return os.urandom(20).hex()
        if known is None or newest > now:
            about = hashlib.blake2b(f"bytecode {key}".encode(), digest_size=20).hexdigest()
            before = (recall(about) or "").split()
            compared = set(before)
            known = found.contents(compared)
            if compared != set(before):
                keep(about, " ".join(sorted(compared)))
            settled = found.newest_name < now - _TICK  # no later name has its folder's time
            if newest <= now and newest % _SECOND != 0 and settled:
                names = (*found.folders, "", *found.files, "", *found.bytecode)
                keep(key, "\0".join((found.signature, known, *names)))
        return known
    except OSError:
        return os.urandom(20).hex()


def _key(root: str, part: str) -> str:
    """The key of an installation's note. Raises OSError if there is no such folder."""
    place = os.stat(root)
    kept = f"{sys.implementation.cache_tag} {sys.flags.optimize} {sys.pycache_prefix}"
    told = f"sources of the {part} for {kept}: {place.st_dev} {place.st_ino} {root}".encode(
        *_AS_PATHS
    )
    return hashlib.blake2b(told, digest_size=20).hexdigest()


def _noted(root: str, note: str | None) -> tuple[Sources, str] | None:
    """The sources of a note and the digest of their contents; None where any of them, or a folder's
    list of names, is not as it was."""
    if note is None:
        return None
    signature, contents, *paths = note.split("\0")
    try:
        end = paths.index("")
        last = paths.index("", end + 1)
        found = Sources(root, paths[:end], paths[end + 1 : last], paths[last + 1 :])
    except (OSError, ValueError):  # ValueError: a note of an older version
        return None
    return (found, contents) if found.signature == signature else None
