"""The files under a path, and the text of Python's. Links out of a folder are not followed."""

from __future__ import annotations

import os
import tokenize
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from samebits.errors import ArgumentError
from samebits.lint.check import CheckedFile, check_source
from samebits.lint.rule import Confidence, LintRule
from samebits.lint.rules import RULES

_LEFT_OUT = frozenset({"__pycache__", "node_modules", "site-packages", "build", "dist"})
SIZE_LIMIT = 8 << 20
"""Bytes of the largest file that is read."""
Checks = Mapping[str, Callable[[str], CheckedFile]]
"""What checks files of other languages, by the ends of their names, as `.lua`."""


def check_paths(
    paths: Sequence[str],
    rules: Sequence[LintRule] = RULES,
    least: Confidence = Confidence.LOW,
    others: Checks | None = None,
) -> Iterator[CheckedFile]:
    """Check files, and every `.py` file in folders, in the order of their names.

    Files that end as a key of `others` are checked by its value, in folders too. Hidden folders,
    virtual environments and build folders are left out unless they are named.
    Raises ArgumentError for a path that does not exist.
    """
    for path in paths:
        if not os.path.exists(path):
            raise ArgumentError(f"there is no file or folder {path}", fix="check the path")
    others = others or {}
    endings = (".py", *others)
    seen: set[str] = set()
    for path in paths:
        for file in source_files(path, endings):
            real = os.path.realpath(file)
            if real in seen:
                continue
            seen.add(real)
            other = others.get(os.path.splitext(file)[1])
            yield check_file(file, rules, least) if other is None else other(file)


def source_files(path: str, endings: tuple[str, ...]) -> Iterator[str]:
    """The file itself, or the files in a folder and below."""
    if not os.path.isdir(path):
        yield path
        return
    for folder, folders, files in os.walk(path):
        folders[:] = sorted(f for f in folders if not _is_left_out(os.path.join(folder, f)))
        for file in sorted(files):
            if file.endswith(endings):
                yield os.path.join(folder, file)


def _is_left_out(folder: str) -> bool:
    name = os.path.basename(folder)
    inside_venv = os.path.exists(os.path.join(folder, "pyvenv.cfg"))
    return name.startswith(".") or name in _LEFT_OUT or inside_venv


@dataclass(frozen=True, slots=True)
class FileText:
    """A file's text, or why it has none."""

    text: str = ""
    error: str | None = None


def read_text(path: str) -> FileText:
    """The text of a Python file, in the encoding that it declares."""
    try:
        if not os.path.isfile(path):
            return FileText(error="it is not a file")
        if os.path.getsize(path) > SIZE_LIMIT:
            return FileText(error=f"it is larger than {SIZE_LIMIT >> 20} MiB")
        with tokenize.open(path) as file:
            return FileText(file.read())
    except (SyntaxError, UnicodeDecodeError, LookupError) as error:
        return FileText(error=f"its encoding can't be read: {error}")
    except OSError as error:
        return FileText(error=error.strerror or str(error))


def check_file(path: str, rules: Sequence[LintRule], least: Confidence) -> CheckedFile:
    """The findings in one file."""
    read = read_text(path)
    if read.error is not None:
        return CheckedFile(path, error=read.error)
    return check_source(read.text, Path(path).as_posix(), rules, least)
