"""The commands by which a build of Ninja or CMake links a program, as steps of a plan.

Owns where these are written: `build.ninja`, and CMake's `link.txt` of Makefiles. Of a command that
is several, joined by `&&`, that counts which makes the file of others.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from samebits.audit.errors import UnreadableBinary
from samebits.audit.flags.judge import unwrapped
from samebits.audit.flags.ninja import NINJA, read_ninja
from samebits.foreign.programs.plan import (
    LinkCommand,
    LinkStep,
    LinkWord,
    Made,
    Mark,
    Object,
    placed,
)

_CMAKE_LINKS = "**/CMakeFiles/*.dir/link.txt"
_SIGNS = frozenset({"&&", "||", ";"})
_SONAME = re.compile(r"-Wl,(?:-soname|-h|--soname)[,=](\S+)|-Wl,-install_name,(?:\S*/)?(\S+)")
_SHARED = re.compile(r"\.(?:so(?:\.\d+)*|dylib)$")
_DROPPED = ("-Wl,--dependency-file", "-Wl,-Map")
"""What has a linker write other files into the build's folder."""
_MOST_RESPONSE = 16 << 20


@dataclass(frozen=True, slots=True)
class _Line:
    """The words of a command that makes a file, and the folder that it runs in."""

    words: tuple[str, ...]
    folder: Path

    def path(self, word: str) -> str:
        """The file that a word is, if it is one."""
        return os.path.realpath(os.path.join(self.folder, word))


def recorded_link(
    program: Path, folder: Path, objects: Mapping[str, int], place: str
) -> LinkStep | None:
    """The commands that link a program in a build's folder; None where none are found.

    `objects` are the real paths of objects, each with its number.
    """
    lines = dict(_lines_of(folder))
    wanted = os.path.realpath(program)
    if wanted not in lines:  # it was copied from where it was linked
        namesakes = [path for path in lines if os.path.basename(path) == program.name]
        if len(namesakes) != 1:
            return None
        (wanted,) = namesakes
    found = _Links(lines, objects, place)
    found.add(wanted)
    return LinkStep(tuple(found.commands), place, program.parent)


@dataclass(eq=False)
class _Links:
    """The commands for one file, those for what it is made of first."""

    lines: Mapping[str, _Line]
    objects: Mapping[str, int]
    place: str
    commands: list[LinkCommand] = field(default_factory=list[LinkCommand])
    _numbers: dict[str, int] = field(default_factory=dict[str, int])
    _open: set[str] = field(default_factory=set[str])

    def add(self, path: str) -> int:
        """The number of the command that makes a file."""
        if path not in self._numbers:
            self._open.add(path)
            line = self.lines[path]
            words = [self._word(path, line, word) for word in line.words]
            if len(self._open) == 1:
                words.insert(1, Mark.MORE)
            self._numbers[path] = len(self.commands)
            name = _name(line, path)
            shared = _SHARED.search(name) is not None
            self.commands.append(LinkCommand(tuple(words), line.folder, name, shared))
            self._open.discard(path)
        return self._numbers[path]

    def _word(self, output: str, line: _Line, word: str) -> LinkWord:
        path = line.path(word)
        if path == output:
            return Mark.OUT
        if path in self.objects:
            return Object(self.objects[path])
        if path in self.lines and path not in self._open:
            return Made(self.add(path))
        return placed(word, self.place)


def _name(line: _Line, path: str) -> str:
    """By what name those who use a linked file find it."""
    for word in line.words:
        found = _SONAME.fullmatch(word)
        if found is not None:
            return str(found[1] or found[2])
    return os.path.basename(path)


def _lines_of(folder: Path) -> Iterator[tuple[str, _Line]]:
    """Files that the build links, by their real paths."""
    ninja = folder / NINJA
    if ninja.is_file():
        yield from _of_ninja(ninja)
        return
    for path in sorted(folder.glob(_CMAKE_LINKS)):
        base = path.parent.parent.parent
        for text in path.read_text("utf-8", "replace").splitlines():
            yield from _of_text(text, base, None)


def _of_ninja(path: Path) -> Iterator[tuple[str, _Line]]:
    try:
        edges = read_ninja(str(path), path.read_bytes())
        for edge in edges:
            if edge.outputs and edge.inputs and edge.command:
                response = edge.response
                yield from _of_text(edge.command, path.parent, edge.outputs[:1], response)
    except (UnreadableBinary, OSError):
        return


def _of_text(
    text: str, folder: Path, outputs: Iterable[str] | None, response: tuple[str, str] = ("", "")
) -> Iterator[tuple[str, _Line]]:
    """The command of a line that links, with what it makes: `outputs`, else what follows `-o`, or
    an archive's name."""
    for words, where in _commands(text, folder):
        line = _Line(tuple(_expanded(unwrapped(words), where, response)), where)
        made = outputs or _made_by(line.words)
        for output in made:
            if _links(line, line.path(output)):
                yield line.path(output), line


def _commands(text: str, folder: Path) -> Iterator[tuple[list[str], Path]]:
    """The commands that a shell runs for a line, each with its folder."""
    try:
        words = shlex.split(text)
    except ValueError:
        return
    part: list[str] = []
    for word in [*words, "&&"]:
        if word not in _SIGNS:
            part.append(word)
            continue
        if len(part) == 2 and part[0] == "cd":
            folder = folder / part[1]
        elif part:
            yield part, folder
        part = []


def _expanded(words: Iterable[str], folder: Path, response: tuple[str, str]) -> Iterator[str]:
    """Words without those that write other files, and with what response files hold."""
    for word in words:
        if word.startswith(_DROPPED):
            continue
        text = response[1] if word == f"@{response[0]}" else None
        if text is None and word.startswith("@"):
            path = folder / word[1:]
            if path.is_file() and path.stat().st_size <= _MOST_RESPONSE:
                text = path.read_text("utf-8", "replace")
        if text is None:
            yield word
        else:
            yield from shlex.split(text)


def _made_by(words: tuple[str, ...]) -> list[str]:
    """What a command of `link.txt` makes."""
    if "-o" in words[:-1]:
        return [words[words.index("-o") + 1]]
    return [word for word in words[1:4] if word.endswith((".a", ".lib"))][:1]


def _links(line: _Line, output: str) -> bool:
    """Whether a command makes a file of objects or libraries, and not something of a source."""
    named = [line.path(word) for word in line.words[1:] if not word.startswith("-")]
    return (
        output in named
        and "-c" not in line.words
        and any(path.endswith((".o", ".obj", ".a", ".lo")) for path in named if path != output)
    )
