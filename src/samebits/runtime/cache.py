"""The object cache: compiled objects on disk, found by what they were made from.

An entry is used only if its checksum holds, and the checksum is bound to the key. A disk that
is full, read-only or damaged costs a compilation, never an answer. What is read back is executed:
`own_folder` sees to it that nobody else put it there.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import struct
import sys
import time
import warnings
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from samebits.backend.objects import CompiledObject, TrapSite
from samebits.errors import Span
from samebits.importing import IMPORTED_AT
from samebits.runtime.objects import compiler_sources
from samebits.runtime.objects.own_folder import PART, OwnFolder, StrangeFileError, UntrustedError

if TYPE_CHECKING:
    from samebits.backend.targets.table import Target

SIZE_LIMIT = 256 << 20
"""Bytes that the entries of a directory may take; the longest unused go first."""

ENTRY_LIMIT = 64 << 20
"""Bytes of one entry; larger objects are not cached, and larger files not read."""

_MAGIC = b"samebits object 4\n"
_HEAD = struct.Struct("<16sI")
_LENGTH = struct.Struct("<I")
_TRAP_TEXTS = 9
_DIGITS = frozenset("0123456789abcdef")
_PACKAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")
_SUFFIXES = (".object", ".front", ".sources", PART)
_TOUCH_AFTER = 3600.0
_STALE_AFTER = 3600.0
_PUTS_BETWEEN_SWEEPS = 64
_SECONDS_BETWEEN_SWEEPS = 60.0
_SWEPT = "00", "swept"
"""The file that was written when the latest sweep of any process began."""
_LEAST_ON_DISK = 4096
"""Bytes that a file takes, however small: what most file systems give at a time."""


def digest(*parts: str | bytes) -> str:
    """A key from parts whose borders matter: 40 hexadecimal digits."""
    state = hashlib.blake2b(digest_size=20)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        state.update(struct.pack("<Q", len(data)))
        state.update(data)
    return state.hexdigest()


def compiler_fingerprint() -> str:
    """Changes whenever the contents of a source file of the compiler do."""
    return sources_fingerprint(compiler_sources.COMPILER)


@cache
def sources_fingerprint(part: str) -> str:
    """Changes whenever the contents of a source file do of a part of the package, as
    `compiler_sources` names them. What a library kernel becomes depends on the library's too; an
    object's key has all of its IR, and needs but the compiler's."""
    store = current_cache()
    return compiler_sources.fingerprint(
        os.path.dirname(os.path.dirname(os.path.realpath(__file__))),
        IMPORTED_AT,
        _forgetful if store is None else store.get_sources,
        _forgetful if store is None else store.put_sources,
        part,
    )


def _forgetful(*_: str) -> None:
    """Remembers nothing."""


_BY_LIBRARY = "0" * 40
"""Noted in place of an object's key: the sources of the math library are part of what it is of."""


def _with_library(source_key: str) -> str:
    return digest(source_key, sources_fingerprint(compiler_sources.LIBRARY))


def object_key(ir_text: str, entries: Sequence[str], mode: str, target: Target, opt: int) -> str:
    """The key of an object: everything that its bytes depend on."""
    from samebits.backend.llvm import engine

    row = (
        target.triple, target.cpu, target.features, target.tune,
        str(target.has_fma), str(target.has_round),
    )  # fmt: skip
    made_by = (engine.llvm_version(), compiler_fingerprint())
    return digest(ir_text, "\n".join(entries), mode, *row, str(opt), *made_by)


def _pack_head(compiled: CompiledObject) -> bytes:
    texts = [str(len(compiled.traps)), str(len(compiled.needs))]
    for site in compiled.traps:
        span = site.span
        place = (span.line, span.column, span.end_line, span.end_column)
        optional = ["" if text is None else f"={text}" for text in (site.detail, site.said)]
        texts += [site.kind, *optional, _stored(span.file), span.function]
        texts += map(str, place)
    return _pack_texts([*texts, *compiled.needs, *compiled.has])


def _unpack_head(data: bytes) -> tuple[tuple[TrapSite, ...], tuple[str, ...], tuple[str, ...]]:
    texts = _unpack_texts(data)
    end = 2 + _TRAP_TEXTS * int(texts[0])
    traps: list[TrapSite] = []
    for at in range(2, end, _TRAP_TEXTS):
        kind, detail, said, file, function, *place = texts[at : at + _TRAP_TEXTS]
        span = Span(_here(file), function, *map(int, place))
        traps.append(TrapSite(kind, span, *(text[1:] if text else None for text in (detail, said))))
    needs = end + int(texts[1])
    return tuple(traps), tuple(texts[end:needs]), tuple(texts[needs:])


def _stored(file: str) -> str:
    """A source file as entries name it. Installations of one version share their entries, so the
    library's own files are named from its folder, after a character that no path has."""
    return f"\0{file[len(_PACKAGE) :]}" if file.startswith(_PACKAGE) else file


def _here(file: str) -> str:
    """The source file that an entry names, in this installation where it is the library's."""
    return f"{_PACKAGE}{file[1:]}" if file.startswith("\0") else file


def _pack_texts(texts: Sequence[str]) -> bytes:
    """Each after its length: a process that only looks entries up needs no parser for them."""
    rows = [text.encode("utf-8", "surrogatepass") for text in texts]
    return b"".join([_LENGTH.pack(len(row)) + row for row in rows])


def _unpack_texts(data: bytes) -> list[str]:
    texts: list[str] = []
    at = 0
    while at < len(data):
        (length,) = _LENGTH.unpack_from(data, at)
        at += _LENGTH.size
        texts.append(data[at : at + length].decode("utf-8", "surrogatepass"))
        at += length
    return texts


def pack(key: str, compiled: CompiledObject) -> bytes:
    """An entry's bytes: magic, checksum, length of the head, head, object. The head has the table
    of traps, and the shared functions that the object needs and has."""
    head = _pack_head(compiled)
    body = head + compiled.object_bytes
    return _MAGIC + _HEAD.pack(_checksum(key, len(head), body), len(head)) + body


def unpack(key: str, data: bytes) -> CompiledObject | None:
    """The object in an entry's bytes; None where they are not what `pack` made for `key`."""
    start = len(_MAGIC) + _HEAD.size
    if len(data) < start or not data.startswith(_MAGIC):
        return None
    checksum, count = _HEAD.unpack_from(data, len(_MAGIC))
    body = data[start:]
    if count > len(body) or checksum != _checksum(key, count, body):
        return None
    try:
        found = CompiledObject(body[count:], *_unpack_head(body[:count]))
    except (IndexError, TypeError, ValueError, struct.error):
        return None
    # Lengths and counts may lie in ways that raise nothing.
    return found if _pack_head(found) == body[:count] else None


def _checksum(key: str, count: int, body: bytes) -> bytes:
    state = hashlib.blake2b(struct.pack("<I", count), digest_size=16, key=key.encode())
    state.update(body)
    return state.digest()


class ObjectCache:
    """Entries in one directory. Any number of processes and threads may use it at once."""

    def __init__(self, directory: Path, size_limit: int = SIZE_LIMIT) -> None:
        self.directory = directory
        self.size_limit = size_limit
        self._folder = OwnFolder(directory)
        # Processes that compile little take turns at it: a sweep of a large cache takes long.
        self._puts = itertools.count(os.urandom(1)[0])
        self._warned = False

    def get(self, key: str) -> CompiledObject | None:
        """The object that was put under `key`; None if there is none, or only a damaged one."""
        return self._entry(_name(key, "object"), key)

    def _entry(self, name: str, key: str) -> CompiledObject | None:
        data = self._read(name, ENTRY_LIMIT)
        found = None if data is None else unpack(key, data)
        if data is not None and found is None:
            self._refuse(name, "it is damaged")
        return found

    def put(self, key: str, compiled: CompiledObject) -> None:
        """Keep an object. A disk that does not take it is warned about once."""
        data = pack(key, compiled)
        if len(data) <= ENTRY_LIMIT:
            self._write(_name(key, "object"), data)

    def get_front(self, source_key: str) -> str | None:
        """The object key that was noted for a kernel's source; None if there is none."""
        found = self._noted(_name(source_key, "front"), source_key)
        if found != _BY_LIBRARY:
            return found
        by_library = _with_library(source_key)
        return self._noted(_name(by_library, "front"), by_library)

    def put_front(self, source_key: str, key: str, by_library: bool = False) -> None:
        """Note which object a kernel's source compiles to, so that a warm start skips the front
        end. `source_key` must cover all that the front end reads, `compiler_fingerprint` too, but
        the sources of the math library: `by_library` says that it may have read those."""
        self._note(_name(source_key, "front"), source_key, _BY_LIBRARY if by_library else key)
        if by_library:
            source_key = _with_library(source_key)
            self._note(_name(source_key, "front"), source_key, key)

    def get_sources(self, key: str) -> str | None:
        """What was noted of an installation's source files."""
        found = self._entry(_name(key, "sources"), key)
        return None if found is None else os.fsdecode(found.object_bytes)

    def put_sources(self, key: str, note: str) -> None:
        """Note something of an installation's source files."""
        self._write(_name(key, "sources"), pack(key, CompiledObject(os.fsencode(note), ())))

    def sweep(self) -> None:
        """Remove the longest unused entries beyond the size limit, and abandoned files. What is
        no entry by its name is left alone, whoever put it there."""
        entries: list[tuple[float, int, str, str]] = []
        now = time.time()
        with contextlib.suppress(UntrustedError):
            for group, name, status in self._folder.files():
                if not _is_entry(group, name):
                    continue
                if not name.endswith(PART):
                    size = max(status.st_size, _LEAST_ON_DISK)
                    entries.append((status.st_mtime, size, group, name))
                elif now - status.st_mtime > _STALE_AFTER:
                    self._remove(group, name)
        total = sum(size for _, size, _, _ in entries)
        for _, size, group, name in sorted(entries):
            if total <= self.size_limit:
                break
            self._remove(group, name)
            total -= size

    def _remove(self, group: str, name: str) -> None:
        with contextlib.suppress(OSError, UntrustedError):
            self._folder.remove(group, name)

    def _noted(self, name: str, about: str) -> str | None:
        data = self._read(name, 256)
        if data is None:
            return None
        key, _, check = data.decode("ascii", "replace").partition(" ")
        if _is_key(key) and check == digest(about, key):
            return key
        self._refuse(name, "it is damaged")
        return None

    def _note(self, name: str, about: str, key: str) -> None:
        self._write(name, f"{key} {digest(about, key)}".encode())

    def _read(self, name: str, limit: int) -> bytes | None:
        try:
            found = self._folder.read(name[:2], name, limit)
            if found is None:
                return None
            data, written = found
            if time.time() - written > _TOUCH_AFTER:
                with contextlib.suppress(OSError):
                    self._folder.use(name[:2], name)
        except UntrustedError as refusal:
            self._warn(str(refusal))
            return None
        except StrangeFileError as error:
            self._refuse(name, str(error))
            return None
        return data

    def _refuse(self, name: str, why: str) -> None:
        path = self.directory / name[:2] / name
        self._warn(f"{path} in the object cache is not used: {why}; the kernel is compiled anew")

    def _write(self, name: str, data: bytes) -> None:
        """Write beside, then rename: a reader sees a whole entry or none."""
        try:
            self._folder.write(name[:2], name, data)
        except UntrustedError as refusal:
            self._warn(str(refusal))
            return
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            self._warn(f"compiled kernels are not kept in {self.directory}: {reason}")
            return
        if next(self._puts) % _PUTS_BETWEEN_SWEEPS == 0 and self._is_time_to_sweep():
            self.sweep()

    def _is_time_to_sweep(self) -> bool:
        """Whether no process has begun a sweep of late: one of many entries takes longer than many
        compilations."""
        with contextlib.suppress(StrangeFileError, UntrustedError, OSError, ValueError):
            found = self._folder.read(*_SWEPT, 0)
            if found is not None and abs(time.time() - found[1]) < _SECONDS_BETWEEN_SWEEPS:
                return False
            self._folder.write(*_SWEPT, b"")
        return True

    def _warn(self, message: str) -> None:
        first, self._warned = not self._warned, True
        if first:
            place = "XDG_CACHE_HOME or, in a program, " if sys.platform.startswith("linux") else ""
            from samebits.visible import visible  # for warnings alone

            said = visible(message)
            _warn(f"{said}; {place}sb.set_cache_dir(path) chooses another place, None none")


_NOT_USERS = (_PACKAGE, contextlib.__file__)


def _warn(message: str) -> None:
    """A warning of the innermost line that is not ours."""
    import inspect  # which takes long, and is for warnings alone

    from samebits.runtime.threads.caller import caller

    frame = caller.frame or inspect.currentframe()
    while frame is not None and frame.f_code.co_filename.startswith(_NOT_USERS):
        frame = frame.f_back
    if frame is None:
        warnings.warn(message, RuntimeWarning, stacklevel=2)
        return
    names = frame.f_globals
    warnings.warn_explicit(
        message,
        RuntimeWarning,
        filename=frame.f_code.co_filename,
        lineno=frame.f_lineno,
        module=names.get("__name__"),
        registry=names.setdefault("__warningregistry__", {}),
    )


def _is_key(text: str) -> bool:
    return 16 <= len(text) <= 64 and _DIGITS.issuperset(text)


def _is_entry(group: str, name: str) -> bool:
    """Whether a file is one of those that are written here, by its names."""
    stem, suffix = os.path.splitext(name)
    return suffix in _SUFFIXES and _is_key(stem) and len(group) == 2 and _DIGITS.issuperset(group)


def _name(key: str, suffix: str) -> str:
    if not _is_key(key):
        raise ValueError(f"a cache key is 16 to 64 hexadecimal digits, not {key!r}")
    return f"{key}.{suffix}"


def user_cache_directory() -> Path:
    """The folder in which this user's caches belong on this system.

    Raises RuntimeError where the user has no home directory.
    """
    if (
        sys.platform == "linux"
    ):  # what platformdirs says there; importing it takes half a first call
        cache, home = (os.environ.get(name, "") for name in ("XDG_CACHE_HOME", "HOME"))
        if os.path.isabs(cache) or os.path.isabs(home):
            return Path(cache if os.path.isabs(cache) else Path(home, ".cache"), "samebits")
    from platformdirs import user_cache_path  # at the first compilation, not at the import

    return user_cache_path("samebits", appauthor=False, opinion=False)


class _Setting:
    """The cache that this process uses; `UNSET` until somebody asks or chooses."""

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

    The default is the user's cache directory: `XDG_CACHE_HOME` or `~/.cache`, then `samebits`. A
    place that others could write to, itself or on the way to it, is not used: a RuntimeWarning says
    which folder it is.
    """
    _Setting.chosen = None if path is None else ObjectCache(Path(path))
