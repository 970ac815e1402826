"""Files that samebits writes: whole under their name, or not there at all.

Owns the way of a file from its first byte to its name. Every command and function that writes one
uses it:

- `write_file(path, data)` for bytes or text that is there already;
- `with Output(path) as out: out.file.write(…)` for what is made piece by piece: leaving the block
  gives the file its name, an exception removes it;
- `Output(path)`, then `commit`, `keep` or `discard`, for a file that lives longer than a block;
- `hindrance(path)` asks before long work whether the file can be written;
- `holds_other(path, marks)` asks whether something else is there that would be lost.

All of them raise OSError, whatever is wrong with the path; `told(error)` is its reason in words,
and `remedy(error)` what to do about it.

The bytes go to a file beside the path that did not exist before: `<path>.partial`, or
`<path>.<8 hex digits>.partial` where that name is taken, by whomever. It is opened with `O_EXCL`,
so that no link is followed and no file of another is touched, brought to the disk, and renamed:
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
    """A file on its way to its name. Raises OSError where it can't be made.

    `mode` is the file's permissions, less what the umask takes; without it, those of the file
    that it replaces, or 0o666. With `replace=False` a file at the path is never replaced:
    `commit` raises FileExistsError, and one of two writers at once is refused.
    """

    def __init__(self, path: StrPath, *, mode: int | None = None, replace: bool = True) -> None:
        self.path = Path(os.path.abspath(_checked(path)))
        """Where it will be, whatever becomes of the current folder."""
        self.partial: Path | None = None
        """Where its bytes are until then; None for a terminal or a pipe."""
        self._replace = replace
        self._owner = os.getpid()
        self._in_block = False
        self._files: list[BinaryIO] = []
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
        """Open a file in the path's folder that was not there before."""
        name = f"{self.path.name}.partial"
        while True:
            self.partial = self.path.with_name(name)
            opener: Any = partial(os.open, mode=mode)
            opened = partial(open, str(self.partial), "x+b", opener=opener)
            try:
                # Made and noted in one call of C's: no interrupt comes between.
                self._files.extend(map(operator.call, (opened,)))
                return
            except OSError as error:
                if error.errno not in (errno.EEXIST, errno.ENAMETOOLONG):
                    raise
                if error.errno == errno.ENAMETOOLONG and name != f"{self.path.name}.partial":
                    raise
            name = f"{self.path.name[:_LONGEST]}.{os.urandom(4).hex()}.partial"

    def __del__(self) -> None:
        """An interrupt at either end of a block, or before the first byte, leaves no file."""
        with suppress(Exception):
            file = self._files[0]
            lost = self._in_block or (not file.closed and not file.tell())
            if lost and self.partial is not None and self._owner == os.getpid():
                self.discard()

    def commit(self) -> None:
        """Close the file and give it its name. Raises OSError; it is at `partial` then."""
        self.keep()
        if self.partial is not None:
            _name(self.partial, self.path, self._replace)
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
        """Close the file and remove what is there of it. Raises nothing."""
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
    """What the system has against writing there, or None. Everything is left as it was.

    Pipes and devices are not tried: to open one may wait, or be heard at its other end.
    """
    try:
        there = _status(Path(os.path.abspath(_checked(path))))
        if there is None or not (stat.S_ISFIFO(there.st_mode) or stat.S_ISCHR(there.st_mode)):
            Output(path).discard()
    except OSError as error:
        return error
    return None


def holds_foreign_file(path: StrPath, *marks: bytes) -> bool:
    """Whether a file is there, not empty, in whose first `_BEGINNING` bytes is none of `marks`: a
    source, or a file of another kind, that a mistyped name would replace. Of a link, only that is
    lost that it is one."""
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
    """What to do where a file cannot be written."""
    if error.filename == "":
        return "give it a name"
    generic = "give a place that this user may write to"
    if error.errno == errno.ENOENT and os.path.isdir(os.path.dirname(str(error.filename))):
        return generic  # as in /proc, where nobody makes files
    return _REMEDIES.get(error.errno or 0, generic)


_REMEDIES = {
    errno.ENAMETOOLONG: "give a shorter name",
    errno.ENOENT: "make the folder first, or give another name",
    errno.ENOTDIR: "give a path whose folders are folders: one of them is a file",
    errno.EISDIR: "name a file in it",
    errno.EEXIST: "give another name: there is something of this name",
    errno.ELOOP: "give a path whose links lead somewhere",
    errno.EINVAL: "give another name",
    errno.ENOSPC: "make room on that disk, or give a place that has it",
    errno.EDQUOT: "make room for this user there, or give a place that has it",
    errno.EFBIG: "give a place that takes files of this size",
    errno.EIO: "see whether the disk is sound, or give a place on another",
}


def _checked(path: StrPath) -> str:
    """The path as text that the system can be given."""
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
    """A descriptor of what is written to as it is; None where a file is to be made.

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


def _name(partial: Path, path: Path, replace: bool) -> None:
    """Rename; where nothing may be replaced, the system itself refuses a name that is taken."""
    if replace:
        os.replace(partial, path)
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
