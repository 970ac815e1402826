"""The files to audit: what a user names as it is, of folders every binary by its bytes."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator

from samebits.audit.formats.magic import BUILD_FILES, kind_of
from samebits.audit.limits import MOST_FILES
from samebits.errors import ArgumentError

_SKIPPED = frozenset({".git", ".hg", ".svn", "__pycache__", "node_modules"})
_HEAD = 64
_MAKEFILES = frozenset({"Makefile", "makefile", "GNUmakefile"})


def binaries_of(paths: Iterable[str]) -> list[str]:
    """Files that a user names, and the binaries of folders, sorted within each.

    Raises ArgumentError for a path that does not exist or that is no binary.
    """
    found: dict[str, None] = {}
    for path in paths:
        if os.path.isdir(path):
            found.update(dict.fromkeys(_of_folder(path)))
        elif not os.path.exists(path):
            raise ArgumentError(f"there is no file {path}", fix="check the path")
        elif os.path.basename(path) in _MAKEFILES and not is_binary(path):
            raise ArgumentError(
                f"{path}: the commands of a Makefile are known by running it alone, which is not "
                "done here",
                fix="have them listed, as `bear -- make` or `compiledb make` does, and audit "
                "compile_commands.json; or audit what it has built",
            )
        elif not is_binary(path):
            raise ArgumentError(
                f"{path} is no binary that is known here",
                fix="give ELF, PE, COFF, Mach-O or WebAssembly files, archives of objects, wheels, "
                "or folders of them",
            )
        else:
            found[path] = None
    return list(found)


def is_binary(path: str) -> bool:
    """Whether a file is a binary by its first bytes; False where it cannot be read."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return False
        with open(path, "rb") as file:
            return kind_of(path, file.read(_HEAD)) is not None
    except OSError:
        return False


def _counting(base: str, files: list[str]) -> list[str]:
    """The files of a folder without those that say of its build what another says better. Below
    the top of a build CMake's Makefiles say nothing more."""
    there = [name for name in BUILD_FILES if name in files]
    fewer = set(there[1:])
    if "CMakeCache.txt" not in files:
        fewer.add("Makefile")
    return [name for name in files if name not in fewer]


def _of_folder(folder: str) -> Iterator[str]:
    seen = 0
    for base, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        for name in sorted(_counting(base, files)):
            seen += 1
            if seen > MOST_FILES:
                raise ArgumentError(
                    f"{folder} has more than {MOST_FILES:,} files", fix="name the build's folder"
                )
            path = os.path.join(base, name)
            if not os.path.islink(path) and is_binary(path):
                yield path
