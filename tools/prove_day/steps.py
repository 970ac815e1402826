"""The steps of the page: files to save, commands with what they print, pictures to take."""

from __future__ import annotations

import re
from dataclasses import dataclass

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$|^<!-- picture: (.+?) -->$", re.MULTILINE | re.DOTALL)
_SAVED = re.compile(r"# (\S+\.\w+)\n")
_STATUS = re.compile(r"  # ends with (\d)$")
_TIMES = re.compile(
    r"\b[\d,]+(\.\d+)? (?=s\b|a second|ms\b)|(?<=in )[\d.]+s( \(\d+:\d\d:\d\d\))?"
    r"|\d{4}-\d\d-\d\d \d\d:\d\d"
)
_COMMITS = re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{10,64}\b")


@dataclass(frozen=True)
class Saved:
    """A file of the project."""

    name: str
    text: str


@dataclass(frozen=True)
class Command:
    """What is typed, what it ends with, and the lines that it must print, with `…` for others."""

    typed: str
    status: int
    shown: tuple[str, ...]


@dataclass(frozen=True)
class Picture:
    """A page to look at: a picture's name, and an address or a file; `$name` is a line of a file
    named so."""

    name: str
    address: str


Step = Saved | Command | Picture


def steps_of(page: str) -> list[Step]:
    """The steps of a page, in order."""
    found: list[Step] = []
    for match in _BLOCK.finditer(page):
        kind, text, picture = match.groups()
        if picture is not None:
            found.append(Picture(*picture.split(maxsplit=1)))
        elif saved := _SAVED.match(text):
            found.append(Saved(saved[1], text[saved.end() :]))
        elif kind == "sh":
            found.append(Command(text.strip(), 0, ()))
        elif text.startswith("$ "):
            found += _commands(text)
    return found


def _commands(text: str) -> list[Command]:
    found: list[Command] = []
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        typed, *shown = part.rstrip().splitlines()
        while typed.endswith("\\"):
            typed = f"{typed}\n{shown.pop(0)}"
        status = _STATUS.search(typed)
        found.append(Command(_STATUS.sub("", typed), int(status[1]) if status else 0, tuple(shown)))
    return found


def missing(shown: tuple[str, ...], said: str, *, numbers: bool) -> str | None:
    """The first shown line that is not among those said, in their order; None where all are.
    Times, dates and commits may be others, and all numbers without `numbers`."""
    lines = [_plain(line, numbers) for line in said.splitlines()]
    at = 0
    for line in shown:
        if line.strip() == "…":
            continue
        wanted = _plain(line, numbers)
        while at < len(lines) and lines[at] != wanted:
            at += 1
        if at == len(lines):
            return line
        at += 1
    return None


def _plain(line: str, numbers: bool) -> str:
    text = _COMMITS.sub("#", _TIMES.sub("# ", line))
    if not numbers:
        text = re.sub(r"[\d,]+", "#", text)
    return " ".join(text.split())
