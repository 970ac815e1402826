"""The reader of `build.ninja`: which command makes which files of which others.

Owns Ninja's language: variables, rules, edges, files that are included. Nothing is run. Files may
be anybody's: what they hold and what it expands to is bounded.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from samebits.audit.errors import UnreadableBinary

NINJA = "build.ninja"
_MOST_BYTES = 256 << 20
"""Bytes of a file with all that it includes."""
_MOST_EDGES = 500_000
_MOST_TEXT = 1 << 20
"""Characters of one value, once its variables are expanded."""
_DEEPEST = 16
"""Variables within variables of rules, and files within files."""
_CONTINUED = re.compile(r"\$(?:\r?\n[ \t]*|[^\n])")
_WORD = re.compile(r"(?:\$.|[^ \t:|$])+|:|\|\||\|@|\|")
_ESCAPE = re.compile(r"\$(?:([$ :|])|([\w-]+)|\{([\w.-]+)\}|(.?))", re.DOTALL)
_VARIABLE = re.compile(r"([\w.-]+)[ \t]*=[ \t]*(.*)")
_SIGNS = frozenset({":", "|", "||", "|@"})

_Values = dict[str, str]
_Lookup = Callable[[str], str]


@dataclass(eq=False)
class _Scope:
    """A file's variables and rules, before those of the file that includes it."""

    above: _Scope | None = None
    values: _Values = field(default_factory=_Values)
    rules: dict[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])

    def value(self, name: str) -> str:
        scope: _Scope | None = self
        while scope is not None:
            if name in scope.values:
                return scope.values[name]
            scope = scope.above
        return ""

    def rule(self, name: str) -> Mapping[str, str]:
        scope: _Scope | None = self
        while scope is not None:
            if name in scope.rules:
                return scope.rules[name]
            scope = scope.above
        if name == "phony":
            return {}
        raise UnreadableBinary(f"it has no rule {name:.60}")


@dataclass(frozen=True, eq=False, slots=True)
class Edge:
    """One step of a build: files that one command makes of others. Paths are as written."""

    outputs: tuple[str, ...]
    inputs: tuple[str, ...]
    """Those that `$in` stands for."""
    _rule: Mapping[str, str]
    _values: Mapping[str, str]
    _scope: _Scope

    @property
    def command(self) -> str:
        """The command, for a shell; empty for an edge that has none. Raises UnreadableBinary."""
        return self._value("command", 0)

    @property
    def response(self) -> tuple[str, str]:
        """The response file that is written before the command, and its text; else empty."""
        return self._value("rspfile", 0), self._value("rspfile_content", 0)

    def _value(self, name: str, depth: int) -> str:
        if depth > _DEEPEST:
            raise UnreadableBinary(f"the variable {name:.60} of a rule has itself in it")
        match name:
            case "in":
                return " ".join(map(shlex.quote, self.inputs))
            case "in_newline":
                return "\n".join(map(shlex.quote, self.inputs))
            case "out":
                return " ".join(map(shlex.quote, self.outputs))
            case _ if name in self._values:
                return self._values[name]
            case _ if name in self._rule:
                return _expanded(self._rule[name], lambda each: self._value(each, depth + 1))
            case _:
                return self._scope.value(name)


def read_ninja(path: str, data: bytes) -> list[Edge]:
    """The edges of a file and of those that it includes. Raises UnreadableBinary."""
    reader = _Reader(Path(path).parent)
    reader.read(data, _Scope(), 0)
    return reader.edges


class _Reader:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._left = _MOST_BYTES
        self.edges: list[Edge] = []

    def read(self, data: bytes, scope: _Scope, depth: int) -> None:
        self._left -= len(data)
        if self._left < 0 or depth > _DEEPEST:
            raise UnreadableBinary(f"its files have more than {_MOST_BYTES:,} bytes, or no end")
        lines = list(_lines(data.decode("utf-8", "replace")))
        at = 0
        while at < len(lines):
            number = at + 1
            while number < len(lines) and lines[number][:1] in (" ", "\t"):
                number += 1
            self._statement(lines[at], lines[at + 1 : number], scope, depth)
            at = number

    def _statement(self, line: str, indented: list[str], scope: _Scope, depth: int) -> None:
        kind, _, rest = line.partition(" ")
        match kind:
            case "build":
                self._build(rest, indented, scope)
            case "rule":
                scope.rules[rest.strip()] = dict(map(_variable, indented))
            case "pool" | "default":
                pass
            case "include" | "subninja":
                path = _expanded(rest.strip(), scope.value)
                inner = scope if kind == "include" else _Scope(scope)
                self.read(_bytes_of(self._folder / path, path), inner, depth + 1)
            case _:
                name, text = _variable(line)
                scope.values[name] = _expanded(text, scope.value)

    def _build(self, text: str, indented: list[str], scope: _Scope) -> None:
        if len(self.edges) >= _MOST_EDGES:
            raise UnreadableBinary(f"it has more than {_MOST_EDGES:,} edges")
        values: _Values = {}

        def value(name: str) -> str:
            return values[name] if name in values else scope.value(name)

        for name, given in map(_variable, indented):
            values[name] = _expanded(given, value)
        words = _WORD.findall(text)
        if ":" not in words[:-1]:
            raise UnreadableBinary("a build statement of it has no rule")
        colon = words.index(":")
        outputs = [_expanded(word, value) for word in _explicit(words[:colon])]
        inputs = [_expanded(word, value) for word in _explicit(words[colon + 2 :])]
        rule = scope.rule(words[colon + 1])
        self.edges.append(Edge(tuple(outputs), tuple(inputs), rule, values, scope))


def _explicit(words: list[str]) -> Iterator[str]:
    """The words up to a sign: those behind are no part of `$in` and `$out`."""
    for word in words:
        if word in _SIGNS:
            return
        yield word


def _lines(text: str) -> Iterator[str]:
    """Lines that say something, those that `$` continues as one."""
    whole = _CONTINUED.sub(lambda found: "" if "\n" in found[0] else found[0], text)
    for line in whole.splitlines():
        bare = line.lstrip()
        if bare and not bare.startswith("#"):
            yield line.rstrip("\r")


def _variable(line: str) -> tuple[str, str]:
    found = _VARIABLE.fullmatch(line.strip(" \t"))
    if found is None:
        raise UnreadableBinary(f"it has a line that is no statement: {line.strip()[:60]!a}")
    return found[1], found[2]


def _expanded(text: str, value: _Lookup) -> str:
    """A text with its variables' values. Raises UnreadableBinary."""
    if "$" not in text:
        return text
    size = len(text)

    def replaced(found: re.Match[str]) -> str:
        nonlocal size
        if found[1]:
            return found[1]
        name = found[2] or found[3]
        if not name:
            raise UnreadableBinary(f"it has a $ before {found[4]!a}")
        new = value(name)
        size += len(new)
        if size > _MOST_TEXT:
            raise UnreadableBinary(f"{name:.60} expands to more than {_MOST_TEXT:,} characters")
        return new

    return _ESCAPE.sub(replaced, text)


def _bytes_of(path: Path, name: str) -> bytes:
    try:
        if not path.is_file() or os.stat(path).st_size > _MOST_BYTES:
            raise UnreadableBinary(f"it includes {name:.200}, which is no file here")
        return path.read_bytes()
    except (OSError, ValueError):
        raise UnreadableBinary(f"it includes {name:.200}, which can't be read") from None
