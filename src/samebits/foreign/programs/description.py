"""A program and the ways to build and run it, `sides`: the file `sim.toml`.

Owns which keys there are, and what they may hold. Commands are lists of words, never given to a
shell; they are the user's own, and run with the user's rights.
"""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from samebits.errors import SideError, nearest
from samebits.output import os_reason

MOST_SECONDS = 3600
_MOST_BYTES = 1 << 20
_MOST_SOURCES = 4096
SOURCES = (".c", ".cc", ".cpp", ".cxx", ".c++", ".C")
"""How names of sources end that are compiled here."""
_PLACES = ("{program}", "{record}", "{out}", "{folder}", "{compiler}", "{flags}", "{link}")
_EXAMPLE = 'as in sources = ["*.cpp"], run = ["{program}", "--frames", "120"], [sides.strict]'

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProgramSide:
    """One way to build and run a program."""

    name: str
    compiler: Words
    """Its words, such as `("python", "-m", "ziglang", "c++")`."""
    flags: Words = ()
    link: Words = ()
    target: str = ""
    libm: str = ""
    """A library that stands before the math library; empty for the system's alone."""
    environment: tuple[tuple[str, str], ...] = ()
    wrapper: Words = ()
    """What runs the program, such as `("qemu-aarch64",)`; nothing where it runs by itself."""
    run: Words = ()
    build: tuple[Words, ...] = ()

    @property
    def words(self) -> str:
        """The side in a line, as reports call it."""
        parts = [*self.compiler, *(["--target", self.target] if self.target else []), *self.flags]
        parts += [f"libm {Path(self.libm).name}"] * bool(self.libm)
        parts += [f"{name}={value}" for name, value in self.environment]
        parts += [f"under {Path(each).name}" for each in self.wrapper[:1]]
        return f"{self.name}: {' '.join(parts)}"


@dataclass(frozen=True, slots=True)
class Program:
    """What `sim.toml` says. Exactly one of `sources` and `build` is there."""

    path: Path
    name: str
    sources: tuple[Path, ...]
    include: tuple[Path, ...]
    flags: Words
    link: Words
    build: tuple[Words, ...]
    program: str
    """Where `build` leaves the program."""
    commands: str
    """Where it leaves the commands that compile, `compile_commands.json`."""
    run: Words
    seconds: float
    """Most of one run."""
    sides: tuple[ProgramSide, ...]

    @property
    def folder(self) -> Path:
        """Where the program runs, and what paths are relative to."""
        return self.path.parent

    def side(self, name: str) -> ProgramSide:
        """The side of that name. Raises SideError."""
        for side in self.sides:
            if side.name == name:
                return side
        names = [side.name for side in self.sides]
        close = nearest(name, names)
        raise SideError(
            f"{self.path} has no side {name!a:.60}",
            fix=f"did you mean {close}?" if close else f"it has {', '.join(names)}",
        )


_OF_PROGRAM: Mapping[str, str] = {
    "name": "text", "sources": "texts", "include": "texts", "flags": "words", "link": "words",
    "build": "commands", "program": "text", "commands": "text", "run": "words",
    "seconds": "number", "sides": "table",
}  # fmt: skip
_OF_SIDE: Mapping[str, str] = {
    "compiler": "words", "flags": "words", "link": "words", "target": "text", "libm": "text",
    "environment": "pairs", "wrapper": "words", "run": "words", "build": "commands",
}  # fmt: skip
_KINDS = {
    "text": 'a text, as in "harbour"',
    "texts": 'a list of texts, as in ["*.cpp"]',
    "words": 'a list of words, as in ["-O2", "-g"], or one text that is split as a shell does',
    "commands": 'a list of commands, each a list of words, as in [["make", "-j2"]]',
    "number": "a number",
    "table": "tables, as in [sides.strict]",
    "pairs": 'a table of texts, as in { OMP_NUM_THREADS = "1" }',
}


def read_program(path: str) -> Program:
    """What a file says. Raises SideError: what is wrong, at which key, and what to write."""
    file = Path(path)
    try:
        if not file.is_file():
            raise SideError(
                f"there is no file {path}", fix="write a sim.toml: samebits diagnose -h"
            )
        with file.open("rb") as opened:
            data = opened.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            raise SideError(f"{path} has more than {_MOST_BYTES:,} bytes: it is no sim.toml")
        table: dict[str, Any] = tomllib.loads(data.decode("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        if isinstance(error, SideError):
            raise
        reason = os_reason(error) if isinstance(error, OSError) else str(error)
        raise SideError(f"{path} cannot be read: {reason:.200}", fix="write TOML") from None
    return _program(file.resolve(), table)


def _program(path: Path, table: dict[str, Any]) -> Program:
    keys = _Keys(f"{path.name}", table, _OF_PROGRAM)
    folder = path.parent
    if ("sources" in table) == ("build" in table):
        raise SideError(
            f"{path.name} needs either sources or build",
            note="sources are compiled here, file by file; build is your own command",
            fix=_EXAMPLE,
        )
    if "build" in table and "program" not in table:
        raise SideError(
            f"{path.name} has build, and not where it leaves the program",
            fix='add program = "{out}/game"; {out} is the folder that samebits gives each build',
        )
    sides = table.get("sides")
    if not isinstance(sides, dict) or not sides:
        raise SideError(f"{path.name} has no sides", fix='write [sides.strict], compiler = "g++"')
    seconds = table.get("seconds", 60)
    if isinstance(seconds, bool) or not 0 < seconds <= MOST_SECONDS:
        raise SideError(f"{path.name}: seconds is {seconds!a:.40}", fix=f"give 1 to {MOST_SECONDS}")
    run = keys.words("run") or ("{program}",)
    return Program(
        path,
        keys.text("name") or folder.name or "program",
        _sources(folder, keys.words("sources")),
        tuple(folder / each for each in keys.words("include")),
        keys.words("flags"),
        keys.words("link"),
        keys.commands("build"),
        keys.text("program"),
        keys.text("commands"),
        run,
        float(seconds),
        tuple(_side(path, name, side) for name, side in cast("dict[str, Any]", sides).items()),
    )


def _side(path: Path, name: str, table: Any) -> ProgramSide:
    where = f"{path.name}: [sides.{name:.60}]"
    if not name.replace("-", "_").isidentifier() or not name.isascii() or len(name) > 60:
        raise SideError(
            f"{path.name}: a side is called {name!a:.60}", fix="letters, digits, _ and - alone"
        )
    if not isinstance(table, dict):
        raise SideError(f"{where} is no table", fix=f'write [sides.{name}], compiler = "g++"')
    keys = _Keys(where, cast("dict[str, Any]", table), _OF_SIDE)
    compiler = keys.words("compiler")
    if not compiler:
        raise SideError(f"{where} has no compiler", fix='compiler = "g++"')
    libm = keys.text("libm")
    found = str((path.parent / libm).resolve()) if libm else ""
    if found and not Path(found).is_file():
        raise SideError(
            f"{where}: there is no library {libm:.200}",
            fix="`samebits build --math-library` makes one",
        )
    return ProgramSide(
        name, compiler, keys.words("flags"), keys.words("link"), keys.text("target"), found,
        keys.pairs("environment"), keys.words("wrapper"), keys.words("run"), keys.commands("build"),
    )  # fmt: skip


def _sources(folder: Path, patterns: Sequence[str]) -> tuple[Path, ...]:
    """The files that patterns name, each once, in order."""
    found: dict[Path, None] = {}
    for pattern in patterns:
        if Path(pattern).is_absolute() or ".." in Path(pattern).parts:
            raise SideError(
                f"the source {pattern!a:.80} is not below sim.toml's folder",
                fix="put sim.toml into a folder above the sources",
            )
        try:
            files = sorted(each for each in folder.glob(pattern) if each.is_file())
        except (ValueError, NotImplementedError) as error:
            raise SideError(f"{pattern!a:.80} is no pattern of files: {error}") from None
        if not files:
            raise SideError(f"no file is {pattern!a:.80}", note=f"looked for in {folder}")
        for file in files:
            if file.suffix not in SOURCES:
                raise SideError(
                    f"{file.name} is no source of C or C++",
                    fix=f"sources are {' '.join(SOURCES)}",
                )
            found[file] = None
        if len(found) > _MOST_SOURCES:
            raise SideError(f"more than {_MOST_SOURCES:,} sources", fix="use build")
    return tuple(found)


class _Keys:
    """A table whose keys are known and whose values are of their kinds."""

    def __init__(self, where: str, table: dict[str, Any], known: Mapping[str, str]) -> None:
        self._where, self._table = where, table
        for key, value in table.items():
            if key not in known:
                close = nearest(key, known)
                raise SideError(
                    f"{where} has the key {key!a:.60}",
                    fix=f"did you mean {close}?" if close else f"keys are {', '.join(known)}",
                )
            if not _fits(known[key], value):
                raise SideError(
                    f"{where}: {key} is {value!a:.60}", fix=f"give {_KINDS[known[key]]}"
                )
            if known[key] != "table":
                self._check_places(key, value)

    def text(self, key: str) -> str:
        return str(self._table.get(key, ""))

    def words(self, key: str) -> Words:
        return self._split(key, self._table.get(key, ()))

    def commands(self, key: str) -> tuple[Words, ...]:
        return tuple(self._split(key, each) for each in self._table.get(key, ()))

    def pairs(self, key: str) -> tuple[tuple[str, str], ...]:
        return tuple(self._table.get(key, {}).items())

    def _split(self, key: str, value: Any) -> Words:
        if not isinstance(value, str):
            return tuple(value)
        try:
            return tuple(shlex.split(value))
        except ValueError as error:
            raise SideError(f"{self._where}: {key} cannot be split: {error}") from None

    def _check_places(self, key: str, value: Any) -> None:
        for word in _all_words(value):
            if "\0" in word:
                raise SideError(f"{self._where}: {key} has a NUL")
            if word.startswith("{") and word.endswith("}") and word not in _PLACES:
                raise SideError(
                    f"{self._where}: {key} has {word!a:.60}", fix=f"places are {' '.join(_PLACES)}"
                )


def _all_words(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [word for pair in cast("dict[str, str]", value).items() for word in pair]
    if isinstance(value, list):
        return [word for each in cast("list[Any]", value) for word in _all_words(each)]
    return []


def _fits(kind: str, value: Any) -> bool:
    match kind:
        case "text":
            return isinstance(value, str)
        case "words":
            return isinstance(value, str) or _are_texts(value)
        case "texts":
            return _are_texts(value)
        case "commands":
            return isinstance(value, list) and all(
                bool(each) and (isinstance(each, str) or _are_texts(each))
                for each in cast("list[Any]", value)
            )
        case "number":
            return isinstance(value, int | float)
        case "pairs":
            return isinstance(value, dict) and all(
                isinstance(each, str) and bool(name) and "=" not in name
                for name, each in cast("dict[str, Any]", value).items()
            )
        case _:
            return isinstance(value, dict)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(each, str) for each in cast("list[Any]", value)
    )


def filled(words: Sequence[str], places: Mapping[str, str | Words]) -> list[str]:
    """Words in which places stand for texts; a word that is a place of several words becomes them.

    `places` are by name, without braces.
    """
    found: list[str] = []
    for word in words:
        whole = places.get(word[1:-1]) if word.startswith("{") and word.endswith("}") else None
        if whole is not None and not isinstance(whole, str):
            found += whole
            continue
        for name, value in places.items():
            text = value if isinstance(value, str) else shlex.join(value)
            word = word.replace(f"{{{name}}}", text)
        found.append(word)
    return found
