"""The folder of a collector's files, each under the digest of its bytes.

Owns `incoming`, where files are until they are whole and checked, `objects`, where each takes the
name of its SHA-256 once it is on the disk, and `found`, what was made of them. A name in `objects`
is a whole file, whenever the process ends.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from samebits.collector.intake.kinds import BEGINNING, ENDING, MOST, Kind, check_whole, kind_of
from samebits.collector.problem import CollectorError
from samebits.output import os_reason, remedy

try:
    import fcntl
except ImportError:  # Windows, where an open file is locked anyway
    fcntl = None

DIGEST = re.compile(r"[0-9a-f]{64}")
EachOf = Callable[[Callable[[Path], None], Iterable[Path]], Iterable[None]]
"""What calls a function for each path, as `map` does."""
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)


class TooLarge(CollectorError):
    """A file of more than `MOST` bytes."""

    def __init__(self) -> None:
        super().__init__(
            f"the file has more than {MOST:,} bytes", fix="send fewer frames in detail"
        )


@dataclass(frozen=True, slots=True)
class Arrived:
    """A whole file that is on the disk, and does not have its name yet."""

    path: Path
    digest: str
    size: int
    kind: Kind


class Storage:
    """The files below a folder, which is made. Raises CollectorError where that can't be."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.incoming, self.objects = folder / "incoming", folder / "objects"
        self.found = folder / "found"
        self._lock: BinaryIO | None = None
        try:
            for each in (folder, self.incoming, self.objects, self.found):
                each.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise CollectorError(
                f"cannot make {folder}: {os_reason(error)}", fix=remedy(error)
            ) from None

    def own(self) -> None:
        """Be the one server of this folder, and remove what a killed one left half received.
        Raises CollectorError while another process is."""
        self._lock = (self.folder / "server.lock").open("ab")
        if fcntl is not None:
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                self.close()
                raise CollectorError(
                    f"another process serves {self.folder}",
                    fix="end it first, or give another --folder",
                ) from None
        for path in self.incoming.iterdir():
            path.unlink()

    def close(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def path(self, digest: str) -> Path:
        """Where a file is that has this digest. Raises CollectorError for what is no digest."""
        if not DIGEST.fullmatch(digest):
            raise CollectorError(
                f"'{digest:.70}' is no digest of a file", fix="give 64 hexadecimal digits"
            )
        return self.objects / digest[:2] / digest

    def result(self, digest: str, suffix: str) -> Path:
        """Where a diagnosis is that was made for a file: `.json` or `.html`."""
        return self.found / self.path(digest).parent.name / f"{digest}{suffix}"

    def take(self, pieces: Iterable[bytes]) -> Arrived:
        """Write a file and check its kind. Raises CollectorError, and leaves nothing."""
        intake = Intake(self)
        try:
            for piece in pieces:
                intake.add(piece)
            return intake.end()
        except BaseException:
            intake.discard()
            raise

    def keep(self, arrived: Iterable[Arrived], each_of: EachOf = map) -> None:
        """Give files their names, on the disk. `each_of` calls for each folder, all at once where
        it is a pool's `map`: a file system flushes together what is asked for together. Raises
        OSError."""
        folders: set[Path] = set()
        for each in arrived:
            path = self.path(each.digest)
            if not path.parent.is_dir():
                path.parent.mkdir(exist_ok=True)
                folders.add(self.objects)
            os.replace(each.path, path)
            folders.add(path.parent)
        for _ in each_of(_flush, folders):
            pass

    def remove(self, digest: str) -> None:
        """Remove a file and what was made of it."""
        for path in (self.path(digest), self.result(digest, ".json"), self.result(digest, ".html")):
            with suppress(FileNotFoundError):
                path.unlink()

    def digests(self) -> Iterator[str]:
        """The digests of all files, in order."""
        for folder in sorted(self.objects.iterdir()):
            yield from sorted(path.name for path in folder.iterdir())


class Intake:
    """A file that is being received, piece by piece."""

    def __init__(self, storage: Storage) -> None:
        self.path = storage.incoming / os.urandom(12).hex()
        self._file: Any = os.fdopen(os.open(self.path, _NEW, 0o600), "wb", buffering=0)
        self._hash = hashlib.sha256()
        self._size = 0
        self._first = self._last = b""

    def add(self, piece: bytes) -> None:
        """Take the next bytes. Raises TooLarge as soon as there are too many."""
        self._size += len(piece)
        if self._size > MOST:
            raise TooLarge
        self._hash.update(piece)
        self._file.write(piece)
        if len(self._first) < BEGINNING:
            self._first += piece[: BEGINNING - len(self._first)]
        self._last = (self._last + piece[-ENDING:])[-ENDING:]

    def end(self) -> Arrived:
        """The whole file, on the disk. Raises CollectorError for a kind that is not taken, and
        DamagedFile."""
        kind = kind_of(self._first, self._last)
        with self.path.open("rb") as file:
            check_whole(kind, file)
        os.fsync(self._file.fileno())
        self._file.close()
        return Arrived(self.path, self._hash.hexdigest(), self._size, kind)

    def discard(self) -> None:
        """Remove what there is of it."""
        self._file.close()
        with suppress(FileNotFoundError):
            self.path.unlink()


def _flush(folder: Path) -> None:
    """Have a folder's names on the disk, where the system can."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
