"""Atomic writes: a file is complete under its name, or not there at all.

Owns a file from its first byte to its final name. Every command and function that writes one uses
it:

- `write_file(path, data)` for bytes or text at hand;
- `with Output(path) as out: out.file.write(…)` for output in pieces: leaving the block
  gives the file its name, an exception removes it;
- `Output(path)`, then `commit`, `keep` or `discard`, for a file that lives longer than a block;
- `write_error(path)` tests before long work whether the file can be written;
- `holds_foreign_file(path, *marks)` tells whether a file of another kind would be lost.

All errors are OSError, whatever is wrong with the path; `os_reason(error)` is the system's reason
in words, and `remedy(error)` what to do about it.

The bytes go to a file beside the path that did not exist before: `<path>.partial`, or
`<path>.<8 hex digits>.partial` if that name is taken. It is opened with `O_EXCL`,
so that no link is followed and no existing file is touched, flushed to the disk, and renamed:
readers see the old file or the whole new one, and of two writers at once each leaves a whole one.
A link at the path is replaced, not followed; a replaced file's permissions stay. A terminal, a
pipe or `/dev/stdout` is written to as it is.
"""

from __future__ import annotations

import errno
import operator
import os
import re
import stat
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

StrPath = str | os.PathLike[str]

_DESCRIPTOR = re.compile(r"/dev/std(out|err)|/(?:dev|proc/self)/fd/([0-9]{1,6})")
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
_STREAM = os.O_WRONLY | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_CLOEXEC", 0)
_BEGINNING = 512
_LONGEST = 50
"""Characters of a name that its unique partial name begins with: 255 bytes hold them."""


class Output:
    """A file that is being written. Raises OSError if it can't be made.

    `mode` is the file's permissions, less the umask; by default those of the file that it
    replaces, or 0o666. With `replace=False` a file at the path is never replaced:
    `commit` raises FileExistsError, and one of two writers at once is refused.
    """

    def __init__(self, path: StrPath, *, mode: int | None = None, replace: bool = True) -> None:
        self.path = Path(os.path.abspath(_checked(path)))
        """Its final path, absolute: the current folder may change."""
        self.partial: Path | None = None
        """Where its bytes are until `commit`; None for a terminal or a pipe."""
        self._replace = replace
        self._owner = os.getpid()
        self._in_block = False
        self._files: list[BinaryIO] = []
        self._named: list[None] = []
        """An item once the file has its name."""
        there = _status(self.path)
        descriptor = _stream(self.path, there)
        if descriptor is not None:
            self._files.append(os.fdopen(descriptor, "wb"))
        else:
            if there is not None and not replace:
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(self.path))
            old = there is not None and stat.S_ISREG(there.st_mode) and mode is None
            wanted = 0o600 if old else 0o666 if mode is None else mode
            self._make(wanted)
            if old and there is not None:
                with suppress(OSError):
                    os.chmod(self.partial or "", there.st_mode & 0o777)
        self.file = self._files[0]

    def _make(self, mode: int) -> None:
        """Open a new file in the path's folder."""
        name = f"{self.path.name}.partial"
        while True:
            self.partial = self.path.with_name(name)
            opener: Any = partial(os.open, mode=mode)
            opened = partial(open, str(self.partial), "x+b", opener=opener)
            try:
                # One C call creates the file and notes it: no interrupt comes between.
                self._files.extend(map(operator.call, (opened,)))
                return
            except OSError as error:
                if error.errno not in (errno.EEXIST, errno.ENAMETOOLONG):
                    raise
                if error.errno == errno.ENAMETOOLONG and name != f"{self.path.name}.partial":
                    raise
            name = f"{self.path.name[:_LONGEST]}.{os.urandom(4).hex()}.partial"

    def __del__(self) -> None:
        """Remove the file after an interrupt at either end of a block, or before the first byte."""
        with suppress(Exception):
            file = self._files[0]
            lost = self._in_block or (not file.closed and not file.tell())
            if lost and self.partial is not None and self._owner == os.getpid():
                self.discard()

    def commit(self) -> None:
        """Close the file and give it its name. Raises OSError; it is at `partial` then."""
        self.keep()
        if self.partial is not None:
            if not self._named:  # else an interrupt came right after it
                _name(self.partial, self.path, self._replace, self._named)
            self.partial = None

    def keep(self) -> None:
        """Close the file and leave it at `partial`. Raises OSError."""
        if self.file.closed:
            return
        try:
            self.file.flush()
            if self.partial is not None:
                os.fsync(self.file.fileno())
        finally:
            self.file.close()

    def discard(self) -> None:
        """Close the file and remove it. Raises nothing."""
        for file in self._files:
            with suppress(OSError):
                file.close()
        if self.partial is not None and self._files:
            with suppress(OSError):
                self.partial.unlink()
        self.partial = None

    def __enter__(self) -> Output:
        self._in_block = True
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if error is None:
                self.commit()
        finally:
            if error is not None or self.partial is not None:
                self.discard()


def write_file(
    path: StrPath, data: bytes | str, *, mode: int | None = None, replace: bool = True
) -> None:
    """Write a whole file; text as UTF-8 with its line ends as they are. Raises OSError."""
    with Output(path, mode=mode, replace=replace) as out:
        out.file.write(data.encode() if isinstance(data, str) else data)


def write_error(path: StrPath) -> OSError | None:
    """The error that writing there would raise, or None. Everything is left as it was.

    Pipes and devices are not tried: opening one may block, or be noticed at its other end.
    """
    try:
        there = _status(Path(os.path.abspath(_checked(path))))
        if there is None or not (stat.S_ISFIFO(there.st_mode) or stat.S_ISCHR(there.st_mode)):
            Output(path).discard()
    except OSError as error:
        return error
    return None


def holds_foreign_file(path: StrPath, *marks: bytes) -> bool:
    """Whether a file is there, not empty, without any of `marks` in its first `_BEGINNING` bytes: a
    source or a file of another kind, which a mistyped name would replace. False for a link, since
    replacing it leaves its target."""
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return False
        with open(path, "rb") as file:
            beginning = file.read(_BEGINNING)
    except (OSError, ValueError):
        return False
    return beginning != b"" and not any(mark in beginning for mark in marks)


def os_reason(error: OSError) -> str:
    """The system's reason, in words and without the path."""
    return error.strerror or str(error)


def remedy(error: OSError) -> str:
    """The remedy if a file cannot be written."""
    if error.filename == "":
        return "give it a name"
    generic = "give a path that this user may write to"
    if error.errno == errno.ENOENT and os.path.isdir(os.path.dirname(str(error.filename))):
        return generic  # as in /proc, where no file can be made
    return _REMEDIES.get(error.errno or 0, generic)


_REMEDIES = {
    errno.ENAMETOOLONG: "give a shorter name",
    errno.ENOENT: "make the folder first, or give another name",
    errno.ENOTDIR: "give another path: one of its folders is a file",
    errno.EISDIR: "name a file in it",
    errno.EEXIST: "give another name: this one is taken",
    errno.ELOOP: "give a path whose links lead somewhere",
    errno.EINVAL: "give another name",
    errno.ENOSPC: "free space on that disk, or give a path on another",
    errno.EDQUOT: "free some of this user's quota, or give a path on another disk",
    errno.EFBIG: "give a path on a disk that takes files of this size",
    errno.EIO: "check the disk, or give a path on another",
}


def _checked(path: StrPath) -> str:
    """The path as text, if the system accepts it."""
    text = os.fspath(path)
    if not text:
        raise FileNotFoundError(errno.ENOENT, "the name is empty", text)
    if "\0" in text:
        raise OSError(errno.EINVAL, "the name has a NUL character", text)
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        raise OSError(errno.EINVAL, "the name can't be encoded for this system", text) from None
    return text


def _status(path: Path) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except FileNotFoundError:
        return None


def _stream(path: Path, there: os.stat_result | None) -> int | None:
    """A descriptor of a stream that is written in place; None if a file is to be made.

    A descriptor's own name is duplicated: opened again, a redirected file would be written from
    its beginning.
    """
    if match := _DESCRIPTOR.fullmatch(str(path)):
        number = int(match[2]) if match[2] else 1 if match[1] == "out" else 2
        if number in (1, 2):
            (sys.stdout if number == 1 else sys.stderr).flush()
        return os.dup(number)
    if there is None or stat.S_ISREG(there.st_mode) or stat.S_ISLNK(there.st_mode):
        return None
    if stat.S_ISDIR(there.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if stat.S_ISBLK(there.st_mode) or stat.S_ISSOCK(there.st_mode):
        raise OSError(errno.EINVAL, "it is a block device or a socket", str(path))
    return os.open(path, _STREAM)


def _name(partial: Path, path: Path, replace: bool, named: list[None]) -> None:
    """Rename, and note that in `named`; without `replace` the system itself refuses a name that is
    taken."""
    if replace:
        # One C call renames and notes it: no interrupt comes between.
        named.extend(map(os.replace, (partial,), (path,)))
    elif sys.platform == "win32":
        os.rename(partial, path)
    else:
        try:
            os.link(partial, path, follow_symlinks=False)
        except (FileExistsError, FileNotFoundError):
            raise
        except OSError:  # a file system without links
            os.close(os.open(path, _NEW))
            os.replace(partial, path)
        else:
            partial.unlink()
