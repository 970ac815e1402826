"""Findings of compile commands: of a compile_commands.json, and of what a binary has recorded."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, cast

from samebits.audit.errors import UnreadableBinary
from samebits.audit.flags.judge import judge
from samebits.audit.flags.state import FlagState
from samebits.audit.model import AuditedBinary, Finding

_MOST_COMMANDS = 200_000
_GNU = re.compile(r"GNU ([A-Za-z]+\S*) (\d+[\d.]*)\S*( .*)?")
_CLANG = re.compile(r"(?:.*\s)?clang version (\d+[\d.]*)\S*(.*?)?( -.*)", re.DOTALL)


def of_state(state: FlagState, links: bool = True) -> Iterator[tuple[str, str]]:
    """Codes and messages of a state; what happens only at linking if it `links`."""
    if state.contracts:
        said = state.contract_flag or f"the default of {_compiler(state)}"
        if state.has_fma:
            yield "AU401", f"{said} fuses on {state.architecture}"
        else:
            yield "AU406", f"{said} fuses nothing on this {state.architecture}, but on ARM64"
    by_flag: dict[str, list[str]] = {}
    for part, flag in state.fast.items():
        by_flag.setdefault(flag, []).append(part)
    for flag, parts in by_flag.items():
        yield "AU402", f"{flag}: {', '.join(parts)}"
    if state.flush and links:
        yield "AU403", f"{state.flush} makes what is linked so flush subnormals"
    if state.x87:
        yield "AU404", f"{state.x87} computes in x87 registers"
    if state.native:
        yield "AU405", f"{state.native}: the building machine's processor decides"
    if state.single_constants:
        yield "AU407", state.single_constants
    if state.relaxed:
        yield "AU408", state.relaxed


def _compiler(state: FlagState) -> str:
    version = ".".join(map(str, state.version or ()))
    return f"{state.family} {version}".strip()


def of_commands(
    path: str, kind: str, commands: Iterable[tuple[str, str, list[str]]]
) -> AuditedBinary:
    """What the commands of a build say: of each a source file, its folder and the words. Raises
    UnreadableBinary."""
    found: list[Finding] = []
    compilers: dict[str, None] = {}
    unknown = 0
    entries = list(commands)
    for file, folder, command in entries:
        file = _below(file, folder)
        state = judge(command, folder)
        if state is None:
            unknown += 1
            continue
        compilers[_compiler(state)] = None
        found += [Finding(code, file, message) for code, message in of_state(state)]
    notes = [f"{unknown} commands are of compilers that are not known"] if unknown else []
    return AuditedBinary(
        path, kind, "build", "", tuple(compilers), len(entries), findings=tuple(found),
        notes=tuple(notes),
    )  # fmt: skip


def entries_of(data: bytes) -> Iterator[tuple[str, str, list[str]]]:
    """Source file, folder and command of each entry. Raises UnreadableBinary."""
    try:
        rows = json.loads(data)
    except (ValueError, RecursionError):
        raise UnreadableBinary("it is no JSON") from None
    if not isinstance(rows, list):
        raise UnreadableBinary("it is no list of commands")
    for row in cast("list[Any]", rows)[:_MOST_COMMANDS]:
        yield _entry(row)


def _entry(row: Any) -> tuple[str, str, list[str]]:
    """Source file, folder and command of an entry. Raises UnreadableBinary."""
    if not isinstance(row, dict):
        raise UnreadableBinary("an entry of it is no table")
    values = cast("dict[str, Any]", row)
    file, folder = str(values.get("file", "?")), str(values.get("directory", "."))
    given: Any = values.get("arguments")
    if isinstance(given, list):
        return file, folder, [str(word) for word in cast("list[Any]", given)]
    text = str(values.get("command", ""))
    return file, folder, words_of(text)


def words_of(command: str) -> list[str]:
    """The words of a command as its shell takes them: of Windows' `C:\\\\cl.exe` a backslash stays.

    Raises UnreadableBinary.
    """
    windows = re.match(r'"?[A-Za-z]:\\|"?\S*\b(?:cl|clang-cl)(?:\.exe)?\b', command, re.IGNORECASE)
    try:
        if windows:
            return [word.strip('"') for word in shlex.split(command, posix=False)]
        return shlex.split(command)
    except ValueError as error:
        raise UnreadableBinary(f"a command of it can't be read: {error}") from None


def _below(file: str, folder: str) -> str:
    """A source's path below the folder that holds both it and its build."""
    try:
        base = os.path.commonpath([file, folder])
    except ValueError:  # one is relative, or on another drive
        return file
    return file if base == os.path.dirname(base) else os.path.relpath(file, base)


def of_producers(producers: Sequence[str], architecture: str) -> Iterator[Finding]:
    """What the flags say that compilers recorded in a binary; nothing where they recorded none."""
    found: dict[tuple[str, str], None] = {}
    for producer in producers:
        command = command_of(producer)
        state = None if command is None else judge(command, architecture=architecture)
        if state is not None:
            found.update(dict.fromkeys(of_state(state, links=False)))
    for code, message in found:
        yield Finding(code, "", f"recorded: {message}")


def command_of(producer: str) -> list[str] | None:
    """The command in DW_AT_producer: GCC's always, Clang's with -grecord-command-line."""
    gnu = _GNU.match(producer)
    if gnu is not None and gnu[3]:
        source = "a.cpp" if "++" in gnu[1] else "a.c"
        return [f"gcc-{gnu[2]}", *gnu[3].split(), source]
    clang = _CLANG.match(producer)
    if clang is not None:
        return [f"clang-{clang[1]}", *clang[3].split()[1:]]
    return None
