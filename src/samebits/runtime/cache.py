"""Compiled objects on disk, found again by what they were made from.

An entry is believed only if its checksum holds, and the checksum is bound to the key. A disk that
is full, read-only or damaged costs a compilation, never an answer. What is read back is executed:
the directory must belong to this user.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import struct
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, cast

from samebits.backend import llvm
from samebits.backend.emit import TrapSite
from samebits.backend.llvm import CompiledObject
from samebits.backend.targets import Target
from samebits.errors import Span

SIZE_LIMIT = 256 << 20
"""Bytes that the entries of a directory may take; the longest unused go first."""

ENTRY_LIMIT = 64 << 20
"""Bytes of one entry; larger objects are not cached, and larger files not read."""

_MAGIC = b"samebits object 1\n"
_HEAD = struct.Struct("<16sI")
_KEY = re.compile(r"[0-9a-f]{16,64}")
_TOUCH_AFTER = 3600.0
_STALE_AFTER = 3600.0
_PUTS_BETWEEN_SWEEPS = 64


def digest(*parts: str | bytes) -> str:
    """A key from parts whose borders matter: 40 hexadecimal digits."""
    state = hashlib.blake2b(digest_size=20)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        state.update(struct.pack("<Q", len(data)))
        state.update(data)
    return state.hexdigest()


@cache
def compiler_fingerprint() -> str:
    """Changes whenever a source file of the installed package does."""
    root = Path(__file__).resolve().parent.parent
    rows: list[str] = []
    for path in sorted(root.rglob("*.py")):
        status = path.stat()
        rows.append(f"{path.relative_to(root)} {status.st_size} {status.st_mtime_ns}")
    return digest(*rows)


def object_key(ir_text: str, entries: Sequence[str], mode: str, target: Target, opt: int) -> str:
    """The key of an object: everything that its bytes depend on."""
    row = (
        target.triple, target.cpu, target.features, target.tune,
        str(target.has_fma), str(target.has_round),
    )  # fmt: skip
    made_by = (llvm.llvm_version(), compiler_fingerprint())
    return digest(ir_text, "\n".join(entries), mode, *row, str(opt), *made_by)


def _pack_traps(traps: Sequence[TrapSite]) -> bytes:
    rows = [
        [t.kind, t.detail, t.span.file, t.span.function,
         t.span.line, t.span.column, t.span.end_line, t.span.end_column]
        for t in traps
    ]  # fmt: skip
    return json.dumps(rows).encode()


def _unpack_traps(data: bytes) -> tuple[TrapSite, ...]:
    rows = cast("list[list[Any]]", json.loads(data))
    return tuple(TrapSite(row[0], Span(*row[2:]), row[1]) for row in rows)


def pack(key: str, compiled: CompiledObject) -> bytes:
    """An entry's bytes: magic, checksum, length of the trap table, trap table, object."""
    traps = _pack_traps(compiled.traps)
    body = traps + compiled.object_bytes
    return _MAGIC + _HEAD.pack(_checksum(key, len(traps), body), len(traps)) + body


def unpack(key: str, data: bytes) -> CompiledObject | None:
    """The object in an entry's bytes; None where they are not what `pack` made for `key`."""
    start = len(_MAGIC) + _HEAD.size
    if len(data) < start or not data.startswith(_MAGIC):
        return None
    checksum, count = _HEAD.unpack_from(data, len(_MAGIC))
    body = data[start:]
    if count > len(body) or checksum != _checksum(key, count, body):
        return None
    return CompiledObject(body[count:], _unpack_traps(body[:count]))


def _checksum(key: str, count: int, body: bytes) -> bytes:
    state = hashlib.blake2b(struct.pack("<I", count), digest_size=16, key=key.encode())
    state.update(body)
    return state.digest()


class ObjectCache:
    """Entries in one directory. Any number of processes and threads may use it at once."""

    def __init__(self, directory: Path, size_limit: int = SIZE_LIMIT) -> None:
        self.directory = directory
        self.size_limit = size_limit
        self._lock = threading.Lock()
        self._puts = 0
        self._warned = False
        self._trusted: bool | None = None

    def get(self, key: str) -> CompiledObject | None:
        """The object that was put under `key`; None if there is none, or only a damaged one."""
        data = self._read(self._path(key, "object"), ENTRY_LIMIT)
        return None if data is None else unpack(key, data)

    def put(self, key: str, compiled: CompiledObject) -> None:
        """Keep an object. A disk that does not take it is warned about once."""
        data = pack(key, compiled)
        if len(data) <= ENTRY_LIMIT:
            self._write(self._path(key, "object"), data)

    def get_front(self, source_key: str) -> str | None:
        """The object key that was noted for a kernel's source; None if there is none."""
        data = self._read(self._path(source_key, "front"), 256)
        if data is None:
            return None
        key, _, check = data.decode("ascii", "replace").partition(" ")
        return key if _KEY.fullmatch(key) and check == digest(source_key, key) else None

    def put_front(self, source_key: str, key: str) -> None:
        """Note which object a kernel's source compiles to, so that a warm start skips the front
        end. `source_key` must cover all that the front end reads, `compiler_fingerprint` too."""
        text = f"{key} {digest(source_key, key)}"
        self._write(self._path(source_key, "front"), text.encode())

    def sweep(self) -> None:
        """Remove the longest unused entries beyond the size limit, and abandoned files."""
        entries: list[tuple[float, int, Path]] = []
        now = time.time()
        for path in self.directory.glob("??/*"):
            with contextlib.suppress(OSError):
                status = path.stat()
                if path.suffix == ".part" and now - status.st_mtime > _STALE_AFTER:
                    path.unlink()
                elif path.suffix != ".part":
                    entries.append((status.st_mtime, status.st_size, path))
        total = sum(size for _, size, _ in entries)
        for _, size, path in sorted(entries, key=lambda entry: entry[0]):
            if total <= self.size_limit:
                break
            with contextlib.suppress(OSError):
                path.unlink()
            total -= size

    def _path(self, key: str, suffix: str) -> Path:
        if not _KEY.fullmatch(key):
            raise ValueError(f"a cache key is 16 to 64 hexadecimal digits, not {key!r}")
        return self.directory / key[:2] / f"{key}.{suffix}"

    def _is_trusted(self) -> bool:
        """Whether nobody else can put files into the directory."""
        if self._trusted is None and hasattr(os, "getuid"):
            try:
                status = self.directory.stat()
            except OSError:
                return True  # nothing there to read; asked again once it exists
            self._trusted = status.st_uid == os.getuid() and not status.st_mode & 0o022
            if not self._trusted:
                self._warn(
                    f"the object cache {self.directory} is not used: other users can write to it"
                )
        return self._trusted is not False

    def _read(self, path: Path, limit: int) -> bytes | None:
        try:
            with open(path, "rb") as file:
                if not self._is_trusted():
                    return None
                status = os.fstat(file.fileno())
                if status.st_size > limit:
                    return None
                data = file.read(limit + 1)
            if time.time() - status.st_mtime > _TOUCH_AFTER:
                with contextlib.suppress(OSError):
                    os.utime(path)
        except OSError:
            return None
        return data

    def _write(self, path: Path, data: bytes) -> None:
        """Write beside, then rename: a reader sees a whole entry or none."""
        try:
            self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self._is_trusted():
                return
            path.parent.mkdir(mode=0o700, exist_ok=True)
            handle, part = tempfile.mkstemp(suffix=".part", dir=path.parent)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(data)
                os.replace(part, path)
            except BaseException:
                with contextlib.suppress(OSError):
                    os.unlink(part)
                raise
        except OSError as error:
            self._warn(f"compiled kernels are not kept in {self.directory}: {error.strerror}")
            return
        with self._lock:
            self._puts += 1
            due = self._puts % _PUTS_BETWEEN_SWEEPS == 1
        if due:
            self.sweep()

    def _warn(self, message: str) -> None:
        with self._lock:
            first, self._warned = not self._warned, True
        if first:
            warnings.warn(
                f"{message}; sb.set_cache_dir(path) chooses another place, None turns it off",
                RuntimeWarning,
                stacklevel=4,
            )


def user_cache_directory() -> Path:
    """Where this user's caches belong on this system."""
    home = Path.home()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", home / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        given = os.environ.get("XDG_CACHE_HOME", "")
        base = Path(given) if os.path.isabs(given) else home / ".cache"
    return base / "samebits"


class _Setting:
    """Which cache this process uses; `UNSET` until somebody asks or chooses."""

    UNSET = object()
    chosen: Any = UNSET


def current_cache() -> ObjectCache | None:
    """The cache of this process; None where it was turned off."""
    if _Setting.chosen is _Setting.UNSET:
        try:
            _Setting.chosen = ObjectCache(user_cache_directory() / "objects")
        except RuntimeError:  # no home directory
            _Setting.chosen = None
    return cast("ObjectCache | None", _Setting.chosen)


def set_cache_dir(path: str | os.PathLike[str] | None) -> None:
    """Keep compiled kernels under `path` from now on; None keeps them nowhere.

    The default is the user's cache directory: `XDG_CACHE_HOME` or `~/.cache`, then `samebits`.
    """
    _Setting.chosen = None if path is None else ObjectCache(Path(path))
