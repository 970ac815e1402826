"""Folders for work in hand: removed when it is done, and by a later process where one was killed.

Owns their names and the rule who may remove one. A folder's maker holds a lock on it (flock), which
ends with the process however that ends: whoever gets the lock may remove the folder. The sweep
looks at folders of this user alone, follows no link, and does a bounded amount of work.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import cache, partial
from itertools import islice
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows, where nothing is locked and nothing swept
    fcntl = None

PREFIX = "samebits-work-"
_FOLDER = (
    os.O_RDONLY
    | getattr(os, "O_DIRECTORY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
)
_MOST_LOOKED_AT = 20_000
"""Entries of the folder for temporary files."""
MOST_REMOVED = 16
"""Folders that one sweep removes."""
_ATTEMPTS = 100
"""A sweep may take a new folder in the moment before it is locked."""


def folder_of(owner: object) -> Path:
    """A new folder that is removed with its owner, or at the process's end. Raises OSError."""
    folder, remove = _made()
    weakref.finalize(owner, remove)
    return folder


@contextmanager
def work_folder() -> Generator[Path]:
    """A new folder that is removed when the block ends. Raises OSError."""
    folder, remove = _made()
    try:
        yield folder
    finally:
        remove()


def remove_stale(place: str) -> int:
    """Remove folders in `place` whose makers were killed; how many. Raises nothing for what cannot
    be read or removed."""
    if fcntl is None or not shutil.rmtree.avoids_symlink_attacks:
        return 0
    removed = 0
    with suppress(OSError):
        parent = os.open(place, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
        try:
            with os.scandir(parent) as entries:
                names = [e.name for e in islice(entries, _MOST_LOOKED_AT)]
            for name in names:
                if name.startswith(PREFIX) and removed < MOST_REMOVED:
                    removed += _remove_unlocked(parent, name)
        finally:
            os.close(parent)
    return removed


remove_stale_once = cache(remove_stale)
"""The same, once a process and place: work folders of this process are made without a look."""


def _made() -> tuple[Path, Callable[[], None]]:
    """A new folder, locked, and what removes it."""
    place = tempfile.gettempdir()
    remove_stale_once(place)
    for _ in range(_ATTEMPTS):
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=place))
        if fcntl is None:
            return folder, partial(shutil.rmtree, folder, ignore_errors=True)
        with suppress(OSError):
            held = os.open(folder, _FOLDER)
            if _locked(held) is not False and _is_at(held, str(folder), None):
                return folder, partial(_remove_held, folder, held)
            os.close(held)
    raise OSError(f"no folder can be made and locked in {place}")


def _remove_held(folder: Path, held: int) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    os.close(held)


def _remove_unlocked(parent: int, name: str) -> bool:
    """Remove a folder if it is this user's and nobody holds it; whether it is gone."""
    try:
        held = os.open(name, _FOLDER, dir_fd=parent)
    except OSError:  # a link, no folder, another user's, gone
        return False
    try:
        if os.fstat(held).st_uid != os.getuid() or _locked(held) is not True:
            return False
        if not _is_at(held, name, parent):
            return False
        # By the open folder, so that no other one that has taken its name is emptied.
        shutil.rmtree(".", ignore_errors=True, dir_fd=held)
        os.rmdir(name, dir_fd=parent)
    except OSError:
        return False
    finally:
        os.close(held)
    return True


def _locked(held: int) -> bool | None:
    """Take the lock of an open folder; whether that was free, None where the file system has no
    locks: there nobody sweeps either."""
    assert fcntl is not None
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _is_at(held: int, name: str, parent: int | None) -> bool:
    """Whether an open folder still has its name."""
    try:
        found = os.stat(name, dir_fd=parent, follow_symlinks=False)
    except OSError:
        return False
    return os.path.samestat(found, os.fstat(held))
