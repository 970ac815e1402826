"""The compile commands of a build, by the files that build systems leave. Nothing is run.

Owns which files are read, and which of a folder counts: `compile_commands.json` says it all,
`build.ninja` and the Makefiles that CMake writes have the same commands in them. Other Makefiles
are programs, whose commands are known by running them alone.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from samebits.audit.errors import UnreadableBinary
from samebits.audit.flags.findings import entries_of
from samebits.audit.flags.judge import compiler_of, unwrapped
from samebits.audit.flags.ninja import read_ninja
from samebits.audit.formats.magic import BUILD_FILES, CMAKE_MAKEFILE

_SOURCE = re.compile(
    r".*\.(?:c|cc|cpp|cxx|c\+\+|m|mm|cu|hip|f|for|f90|f95|rs|ixx|cppm)", re.IGNORECASE
)
_MOST_TARGETS = 20_000
_MOST_BYTES = 64 << 20
"""Bytes of one file that CMake writes for a target."""
_MAKE_VARIABLE = re.compile(r"^([A-Z]\w*) = (.*)$", re.MULTILINE)
_MAKE_USE = re.compile(r"\$\((\w+)\)|\$(\$)")

Entry = tuple[str, str, list[str]]
"""A source file, the folder that its command runs in, and the command."""


def commands_in(path: str, data: bytes) -> Iterator[Entry]:
    """The commands that compile, of a file of a build. Raises UnreadableBinary."""
    return _READERS[BUILD_FILES[os.path.basename(path)]](path, data)


def build_file(folder: Path) -> Path | None:
    """The file of a build's folder that says most of its commands; None where none does."""
    for name in BUILD_FILES:
        if (folder / name).is_file():
            return folder / name
    return None


def _of_json(path: str, data: bytes) -> Iterator[Entry]:
    return entries_of(data)


def _of_ninja(path: str, data: bytes) -> Iterator[Entry]:
    folder = os.path.dirname(os.path.abspath(path))
    for edge in read_ninja(path, data):
        sources = [each for each in edge.inputs if _SOURCE.fullmatch(each)]
        if not sources:
            continue
        response, text = edge.response
        for words in commands_of(edge.command):
            if compiler_of(words) is not None:
                given = [
                    part
                    for word in words
                    for part in (_words(text) if response and word == f"@{response}" else [word])
                ]
                yield os.path.normpath(os.path.join(folder, sources[0])), folder, given


def _of_make(path: str, data: bytes) -> Iterator[Entry]:
    """Of CMake's Makefiles: `build.make` of a target has its commands, `flags.make` their flags."""
    if not data.startswith(CMAKE_MAKEFILE):
        raise UnreadableBinary(
            "the commands of a Makefile are known by running it alone, which is not done: "
            "`bear -- make` or `compiledb make` writes compile_commands.json"
        )
    folder = Path(os.path.abspath(path)).parent
    for number, file in enumerate(sorted(folder.glob("**/CMakeFiles/*.dir/build.make"))):
        if number >= _MOST_TARGETS:
            raise UnreadableBinary(f"it has more than {_MOST_TARGETS:,} targets")
        flags = _text(file.with_name("flags.make"))
        values = dict(_MAKE_VARIABLE.findall(flags))
        for line in _text(file).splitlines():
            if line.startswith("\t") and " -c " in line:
                yield from _of_recipe(line, str(file.parent.parent.parent), values)


def _of_recipe(line: str, folder: str, values: Mapping[str, str]) -> Iterator[Entry]:
    text = _MAKE_USE.sub(lambda use: use[2] or values.get(use[1], ""), line)
    for words in commands_of(text):
        if len(words) == 2 and words[0] == "cd":
            folder = os.path.join(folder, words[1])
        elif "-c" in words[:-1] and compiler_of(words) is not None:
            yield words[words.index("-c") + 1], folder, words


def commands_of(text: str) -> Iterator[list[str]]:
    """The commands that a shell runs for a line, each without what is put before a compiler."""
    part: list[str] = []
    for word in [*_words(text), "&&"]:
        if word not in ("&&", "||", ";"):
            part.append(word)
        elif part:
            yield unwrapped(part)
            part = []


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise UnreadableBinary(f"a command of it can't be read: {error}") from None


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise UnreadableBinary(f"{path.name} has more than {_MOST_BYTES:,} bytes")
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""


_READERS: Mapping[str, Callable[[str, bytes], Iterator[Entry]]] = {
    "commands": _of_json, "ninja": _of_ninja, "make": _of_make,
}  # fmt: skip
