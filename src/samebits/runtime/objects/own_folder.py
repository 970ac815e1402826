"""A folder to which only this user and root can write: files read from it may be executed.

Owns the question who could have written a file. The path to the folder is walked from the root, one
component at a time, each relative to an open folder, as ssh does for its keys: every folder on it
belongs to this user or root and nobody else may write to it, or it is sticky, as /tmp is, and the
next component belongs to this user or root. Links are checked likewise. What cannot be checked
counts as unsafe. On systems without such owners, as Windows, the system's own rules for a user's
folders must suffice.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from contextlib import suppress
from pathlib import Path

from samebits.lang.signal_safe import closing_descriptors, open_descriptor

_POSIX = hasattr(os, "getuid") and os.open in os.supports_dir_fd
_CLOEXEC = getattr(os, "O_CLOEXEC", 0)
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NOFOLLOW | _CLOEXEC
_PASSED = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0) | _NOFOLLOW | _CLOEXEC
_READ = (
    os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | _NOFOLLOW | _CLOEXEC
)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | _NOFOLLOW | _CLOEXEC
_MOST_LINKS = 40
_PIECE = 1 << 20
_OTHERS_WRITE = 0o022

PART = ".part"
"""Suffix of the name of an incomplete file."""


class UntrustedError(Exception):
    """Others can write to the folder. Says who, and what to do."""


class StrangeFileError(Exception):
    """A file is not regular, not this user's alone, or too long. Says which."""


_NO_FILES = frozenset({errno.ELOOP, errno.ENXIO, errno.EACCES})
"""The errors for a link, a socket, and a file that this user may not read."""
_NOT_ALONE = "it is no file of this user's alone"


def _whole(path: Path) -> Path:
    """The path from the root. A `..` behind a link is the parent of where that leads, as for the
    system; what is opened then has no link before it."""
    parts = path.parts
    last = max((k for k, part in enumerate(parts) if part == os.pardir), default=-1) + 1
    if last:
        path = Path(os.path.realpath(Path(*parts[:last])), *parts[last:])
    return Path(os.path.abspath(path))


class OwnFolder:
    """One folder, verified at its first use and again if another folder takes its place.

    Its files are in groups, which are subfolders. Methods raise UntrustedError if others can write
    there.
    """

    def __init__(self, path: Path, what: str = "object cache") -> None:
        self.path = _whole(path)
        self._what = what
        self._known: tuple[str, int, int] | None = None

    def closed(self) -> Path:
        """The folder's path without links, for files of other programs; nobody else can enter it.
        Makes it if there is none. Raises OSError too."""
        held: list[int] = []
        with closing_descriptors(held):
            folder = self._opened(held, make=True)
            if not isinstance(folder, int):
                return Path(folder)
            os.fchmod(folder, 0o700)
            for name in os.listdir(folder):
                status = os.stat(name, dir_fd=folder, follow_symlinks=False)
                if status.st_uid != os.getuid():
                    raise UntrustedError(
                        _refusal(self.path, self._what, str(self.path / name), _owned(status))
                    )
            return Path(self._known[0] if self._known else self.path)

    def read(self, group: str, name: str, limit: int) -> tuple[bytes, float] | None:
        """The bytes of a file and their modification time; None if there is no such file. Raises
        StrangeFileError if it is not a regular file, not this user's alone, or longer than `limit`.
        Never blocks.
        """
        held: list[int] = []
        try:
            with closing_descriptors(held):
                place = _within(held, self._opened(held), group)
                try:
                    descriptor = open_descriptor(
                        held, _name(place, name), _READ, dir_fd=_below(place)
                    )
                except OSError as error:
                    if error.errno in _NO_FILES:
                        raise StrangeFileError(_NOT_ALONE) from None
                    raise
                status = os.fstat(descriptor)
                if not _may_be_read(status):
                    raise StrangeFileError(_NOT_ALONE)
                if status.st_size > limit:
                    raise StrangeFileError(f"it has more than {limit:,} bytes")
                return _contents(descriptor, status.st_size, limit), status.st_mtime
        except (OSError, ValueError):
            return None

    def write(self, group: str, name: str, data: bytes) -> None:
        """Write a file, whole or not at all. Raises OSError and ValueError too."""
        held: list[int] = []
        with closing_descriptors(held):
            folder = self._opened(held, make=True)
            with suppress(FileExistsError):
                os.mkdir(_name(folder, group), 0o700, dir_fd=_below(folder))
            place = _within(held, folder, group)
            part = f"{os.urandom(8).hex()}{PART}"
            try:
                new: list[int] = []
                with closing_descriptors(new):
                    open_descriptor(new, _name(place, part), _NEW, 0o600, dir_fd=_below(place))
                    with open(new[0], "wb", closefd=False) as file:
                        file.write(data)
                os.replace(
                    _name(place, part), _name(place, name),
                    src_dir_fd=_below(place), dst_dir_fd=_below(place),
                )  # fmt: skip
            except BaseException:
                with suppress(OSError):
                    os.unlink(_name(place, part), dir_fd=_below(place))
                raise

    def use(self, group: str, name: str) -> None:
        """Mark a file as used now. Raises OSError too."""
        held: list[int] = []
        with closing_descriptors(held):
            place = _within(held, self._opened(held), group)
            os.utime(_name(place, name), dir_fd=_below(place), follow_symlinks=not _POSIX)

    def remove(self, group: str, name: str) -> None:
        """Remove a file. Raises OSError too."""
        held: list[int] = []
        with closing_descriptors(held):
            place = _within(held, self._opened(held), group)
            os.unlink(_name(place, name), dir_fd=_below(place))

    def files(self) -> list[tuple[str, str, os.stat_result]]:
        """Every regular file that can be examined: its group, its name and its status."""
        found: list[tuple[str, str, os.stat_result]] = []
        held: list[int] = []
        with suppress(OSError, ValueError), closing_descriptors(held):
            folder = self._opened(held)
            for group in os.listdir(folder):
                inner: list[int] = []
                with suppress(OSError), closing_descriptors(inner):
                    place = _within(inner, folder, group)
                    for entry in list(os.scandir(place)):  # the list also closes it
                        if entry.is_file(follow_symlinks=False):
                            found.append((group, entry.name, entry.stat(follow_symlinks=False)))
        return found

    def _opened(self, held: list[int], make: bool = False) -> int | str:
        """The folder's descriptor, appended to `held`, or its path on systems without descriptors
        of folders. Raises OSError too."""
        if not _POSIX:
            if make:
                self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            return str(self.path)
        if os.getuid() != os.geteuid():
            raise UntrustedError(
                f"the {self._what} {self.path} is not used: this process has two users' rights"
            )
        folder = self._again(held)
        if folder is None:
            folder, real = _verified(self.path, self._what, make, held)
            status = os.fstat(folder)
            self._known = real, status.st_dev, status.st_ino
        return folder

    def _again(self, held: list[int]) -> int | None:
        """A descriptor of the folder verified before. The path to it need not be walked again:
        nobody else can replace a component."""
        if self._known is None:
            return None
        real, *identity = self._known
        try:
            folder = open_descriptor(held, real, _FOLDER)
        except OSError:
            return None
        status = os.fstat(folder)
        return (
            folder
            if [status.st_dev, status.st_ino] == identity and not _fault(status, folder)
            else None
        )


def _contents(descriptor: int, expected: int, limit: int) -> bytes:
    """All of a file, but no more than `limit` bytes; one read where it has the expected length. A
    file object would take as long to make as the rest."""
    data = os.read(descriptor, min(expected + 1, limit))
    if len(data) == expected or not data:
        return data
    parts = [data]
    left = limit - len(data)
    while left and (more := os.read(descriptor, min(left, _PIECE))):
        parts.append(more)
        left -= len(more)
    return b"".join(parts)


def _below(place: int | str) -> int | None:
    return place if isinstance(place, int) else None


def _name(place: int | str, name: str) -> str:
    return name if isinstance(place, int) else os.path.join(place, name)


def _within(held: list[int], folder: int | str, group: str) -> int | str:
    """A subfolder, appended to `held`, which must be this user's own as well."""
    if isinstance(folder, str):
        return os.path.join(folder, group)
    place = open_descriptor(held, group, _FOLDER, dir_fd=folder)
    if _fault(os.fstat(place), place):
        raise PermissionError(errno.EACCES, "another user's folder", group)
    return place


def _may_be_read(status: os.stat_result) -> bool:
    if not stat.S_ISREG(status.st_mode):
        return False
    return not _POSIX or (status.st_uid == os.getuid() and not status.st_mode & _OTHERS_WRITE)


def _fault(status: os.stat_result, folder: int) -> str | None:
    """Why a folder is not this user's alone, with {} for its name; None if it is."""
    if status.st_uid != os.getuid():
        return _owned(status)
    return _written_by_others(status, folder)


def _owned(status: os.stat_result) -> str:
    return f"{{}} belongs to {_user(status.st_uid)}"


def _written_by_others(status: os.stat_result, folder: int) -> str | None:
    others = status.st_mode & _OTHERS_WRITE
    if others & 0o020 and not _has_list(folder) and _is_alone(status.st_gid):
        others &= ~0o020
    return "other users can write to {}" if others else None


def _has_list(folder: int) -> bool:
    """Whether a folder may have an access control list, whose mask then stands where the group's
    rights do, and whose rows may be of any user."""
    get = getattr(os, "getxattr", None)
    if get is None:
        return sys.platform == "linux"
    try:
        # By its path in /proc, since a folder that is only passed through has no attributes.
        get(f"/proc/self/fd/{folder}", "system.posix_acl_access")
    except OSError as error:
        return error.errno not in (errno.ENODATA, errno.EOPNOTSUPP)
    return True


def _fault_on_the_way(status: os.stat_result, folder: int) -> str | None:
    """Why others could replace the contents of a folder or a link's target; None if they cannot."""
    if status.st_uid not in (0, os.getuid()):
        return _owned(status)
    if stat.S_ISLNK(status.st_mode) or status.st_mode & stat.S_ISVTX:
        return None
    return _written_by_others(status, folder)


def _is_alone(gid: int) -> bool:
    """Whether a group is this user's private one: it has the user's name, no other member, and is
    no other user's own."""
    import grp
    import pwd

    try:
        user, group = pwd.getpwuid(os.getuid()), grp.getgrgid(gid)
    except (KeyError, OSError):
        return False
    if group.gr_name != user.pw_name or user.pw_gid != gid:
        return False
    others = [row.pw_name for row in pwd.getpwall() if row.pw_gid == gid]
    return {*group.gr_mem, *others} <= {user.pw_name}


def _user(uid: int) -> str:
    import pwd

    try:
        return f"user {pwd.getpwuid(uid).pw_name}"
    except (KeyError, OSError):
        return f"user {uid}"


def _verified(path: Path, what: str, make: bool, held: list[int]) -> tuple[int, str]:
    """A descriptor of the folder and its path without links, none of which others can change.

    With `make`, missing folders are made. Opened descriptors are appended to `held`.
    """
    parts = list(reversed(path.parts[1:]))
    on_the_way: list[int] = []
    with closing_descriptors(on_the_way):
        folders, names, links = [open_descriptor(on_the_way, "/", _PASSED)], ["/"], 0
        while True:
            here = os.path.join(*names)
            status = os.fstat(folders[-1])
            fault_of = _fault_on_the_way if parts else _fault
            if fault := fault_of(status, folders[-1]):
                raise UntrustedError(_refusal(path, what, here, fault))
            if not parts:
                return open_descriptor(held, ".", _FOLDER, dir_fd=folders[-1]), here
            name = parts.pop()
            if name == "..":
                if len(folders) > 1:
                    folders.pop()
                    names.pop()
                continue
            status = _status(name, folders[-1], make)
            if not stat.S_ISLNK(status.st_mode):
                folders.append(open_descriptor(on_the_way, name, _PASSED, dir_fd=folders[-1]))
                names.append(name)
                continue
            links += 1
            if links > _MOST_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
            if fault := _fault_on_the_way(status, folders[-1]):
                raise UntrustedError(_refusal(path, what, os.path.join(here, name), fault))
            target = Path(os.readlink(name, dir_fd=folders[-1]))
            if target.is_absolute():
                del folders[1:], names[1:]
            parts += reversed(target.parts[1:] if target.is_absolute() else target.parts)


def _status(name: str, folder: int, make: bool) -> os.stat_result:
    """The status of a component; with `make`, of a new folder if there is none."""
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        if not make:
            raise
    with suppress(FileExistsError):
        os.mkdir(name, 0o700, dir_fd=folder)
    return os.stat(name, dir_fd=folder, follow_symlinks=False)


def _refusal(path: Path, what: str, here: str, fault: str) -> str:
    own = "it" if here == str(path) else here
    fix = f"; `chmod go-w {here}` fixes that" if "write" in fault else ""
    return f"the {what} {path} is not used: {fault.format(own)}{fix}"
