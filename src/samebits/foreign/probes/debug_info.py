"""Source places of instructions, from the metadata of LLVM IR as text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_NODE = re.compile(r"^(![0-9]+) = (?:distinct )?!(DI\w+)\((.*)\)$", re.MULTILINE)
_KINDS = {"DILocation", "DISubprogram", "DILexicalBlock", "DILexicalBlockFile", "DIFile"}
_FIELD = re.compile(r'(\w+): (?:"((?:[^"\\]|\\.)*)"|(![0-9]+|[^,\s()]+))')
_DEEPEST = 200


@dataclass(frozen=True, slots=True)
class SourcePlace:
    """A place of source: the file as the compiler was given it, line and column from 1."""

    file: str
    function: str
    line: int
    column: int


class DebugInfo:
    """The debug locations of a module."""

    def __init__(self, text: str) -> None:
        self._nodes: dict[str, tuple[str, Mapping[str, str]]] = {}
        for match in _NODE.finditer(text):
            if match[2] in _KINDS:
                values = {m[1]: m[2] if m[2] is not None else m[3] for m in
                          _FIELD.finditer(match[3])}  # fmt: skip
                self._nodes[match[1]] = match[2], values
        self._known: dict[str, SourcePlace | None] = {}

    def place(self, location: str) -> SourcePlace | None:
        """The place of a location such as `!12`; None where it has none."""
        if location not in self._known:
            self._known[location] = self._found(location)
        return self._known[location]

    def _found(self, location: str) -> SourcePlace | None:
        kind, values = self._nodes.get(location, ("", {}))
        if kind != "DILocation" or values.get("line", "0") == "0":
            return None
        function, file = "", ""
        scope = values.get("scope", "")
        for _ in range(_DEEPEST):
            kind, inner = self._nodes.get(scope, ("", {}))
            file = file or self._file(inner.get("file", ""))
            if kind == "DISubprogram":
                function = inner.get("name", "")
                break
            scope = inner.get("scope", "")
        line, column = int(values["line"]), int(values.get("column", "0"))
        return SourcePlace(file, function, line, column)

    def _file(self, node: str) -> str:
        _, values = self._nodes.get(node, ("", {}))
        name, folder = values.get("filename", ""), values.get("directory", "")
        return f"{folder}/{name}" if folder and not name.startswith("/") else name
