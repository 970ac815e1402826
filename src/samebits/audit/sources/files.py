"""The sources that a user names: files, folders, and those of a build's commands."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from samebits.audit.errors import UnreadableBinary
from samebits.audit.flags.build_files import commands_in
from samebits.audit.formats.magic import BUILD_FILES
from samebits.audit.limits import MOST_FILES
from samebits.audit.sources.read import SUFFIXES
from samebits.errors import ArgumentError

_SKIPPED = frozenset({".git", ".hg", ".svn", "node_modules", "CMakeFiles"})


def sources_of(paths: Iterable[str]) -> list[list[str]]:
    """Each source once: its path, the folder that its command runs in, and the command.

    Raises ArgumentError.
    """
    found: dict[str, list[str]] = {}
    for path in paths:
        if os.path.isdir(path):
            for file in _of_folder(path):
                found.setdefault(os.path.realpath(file), [file, "."])
        elif not os.path.exists(path):
            raise ArgumentError(f"there is no file {path}", fix="check the path")
        elif os.path.basename(path) in BUILD_FILES:
            for file, folder, command in _of_commands(path):
                found[os.path.realpath(file)] = [file, folder, *command]
        else:
            found.setdefault(os.path.realpath(path), [path, "."])
    return list(found.values())


def _of_commands(path: str) -> Iterator[tuple[str, str, list[str]]]:
    try:
        rows = list(commands_in(path, Path(path).read_bytes()))
    except UnreadableBinary as error:
        raise ArgumentError(
            f"{path} cannot be read: {error}", fix="have the build write it"
        ) from None
    for file, folder, command in rows:
        whole = os.path.normpath(os.path.join(os.path.dirname(path), folder, file))
        if whole.lower().endswith(SUFFIXES) and os.path.isfile(whole):
            relative = os.path.relpath(whole)
            yield whole if relative.startswith("..") else relative, folder, command


def _of_folder(folder: str) -> Iterator[str]:
    seen = 0
    for base, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        for name in sorted(files):
            seen += 1
            if seen > MOST_FILES:
                raise ArgumentError(f"{folder} has more than {MOST_FILES:,} files")
            path = os.path.join(base, name)
            if name.lower().endswith(SUFFIXES) and os.path.isfile(path):
                yield path
