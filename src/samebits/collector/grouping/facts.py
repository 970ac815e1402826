"""The facts of a diagnosis by which reports are grouped, and the signature that follows from them.

A diagnosis may be a stranger's JSON: every value is taken for what it is, and cut.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import PurePosixPath
from typing import Any, cast

from samebits.visible import visible

UNKNOWN = "unknown"
"""The cause where none was found."""
_INDEX = re.compile(r"\[[^\]]*\]")
_OTHERS = (
    ("inputs", "inputs", "inputs that differ"),
    ("changes", "changed-state", "a state changed outside of its frames"),
    ("edits", "edits", "a change of the source"),
    ("headers", "headers", "another {}"),
)
"""What is said of a desync without a cause: the JSON's key, the cause's name, its title."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What a diagnosis comes down to. `line` is where the operation stands, in words that a change
    elsewhere in the file leaves alone: the line's text, or its distance from its function's first
    line."""

    simulation: str
    version: str
    cause: str
    title: str
    certainty: str
    operation: str
    function: str
    file: str
    number: int
    line: str
    source: str
    field: str
    targets: str
    remedy: str
    told: str
    seen: str = ""
    """Where it was seen first, where that is no part of the cause."""

    @property
    def signature(self) -> str:
        """The same for each report of this cause: of simulation, file, function, line, cause and
        targets; where no line is known the field stands for it, where no cause is the operation.
        With a cause the operation is none of it, since the first one of a line to differ depends on
        the inputs; nor is the version: a group lives through versions, is resolved in one, and may
        come back."""
        where = self.line or self.field
        operation = self.operation if self.cause == UNKNOWN else ""
        parts = [self.simulation, self.file, self.function, where, operation, self.cause,
                 self.targets]  # fmt: skip
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    @property
    def place(self) -> str:
        """Function and line, as people read them; the field where no operation is known, and where
        that is not either, where it was seen first."""
        if not self.function:
            return self.field or self.seen
        return f"{self.function}, {self.file}:{self.number}"

    def to_json(self) -> dict[str, Any]:
        """All facts by name, as `from_json` takes them."""
        return asdict(self)

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Facts:
        """Those that `to_json` gave."""
        return cls(**{each.name: given[each.name] for each in fields(cls)})


def facts_of(
    told: Mapping[str, Any], targets: Sequence[str], starts: Mapping[tuple[str, str], int]
) -> Facts:
    """The facts of a diagnosis as JSON. `starts` are the first lines of functions, by file and
    name."""
    causes = _tables(told.get("causes"))
    operation = _table(told.get("operation"))
    place = _table(operation.get("place"))
    first = causes[0] if causes else {}
    cause, title = _text(first, "hazard", 80), _text(first, "title", 300)
    if not cause:
        cause, title = _other(told)
    file, function = _text(place, "file", 300), _text(place, "function", 200)
    number, source = _number(place, "line"), _text(place, "source", 500).strip()
    start = starts.get((file, function))
    offset = str(number) if start is None else f"+{number - start}"
    differing = _tables(told.get("fields")) or _tables(told.get("columns"))
    return Facts(
        simulation=_text(told, "simulation", 200),
        version=_text(told, "version", 200),
        cause=cause,
        title=title,
        certainty=_text(told, "certainty", 20) or "unknown",
        operation=_text(operation, "opcode", 80),
        function=function,
        file=PurePosixPath(file.replace("\\", "/")).name,
        number=number,
        line=(" ".join(source.split()) or offset) if function else "",
        source=source,
        field=_INDEX.sub("[]", _text(differing[0], "path", 300)) if differing else "",
        targets=" / ".join(targets),
        remedy=_text(told, "to_do", 2000),
        told=_text(told, "answer", 1000).replace("\n", " "),
    )


def one_line(text: str, most: int = 1000) -> str:
    """A text of strangers in one line that is safe to show, of so many characters at most."""
    return visible(text).replace("\n", " ")[:most]


def _other(told: Mapping[str, Any]) -> tuple[str, str]:
    for key, cause, title in _OTHERS:
        value = told.get(key)
        rows = _tables(value if isinstance(value, list) else [value])
        if rows:
            name = _text(rows[0], "name", 60)
            return (f"{cause}:{name}" if name else cause), title.format(name or "header")
    return UNKNOWN, "the cause is not known"


def _tables(value: Any) -> list[dict[str, Any]]:
    rows = cast("list[Any]", value) if isinstance(value, list) else []
    return [cast("dict[str, Any]", row) for row in rows[:16] if isinstance(row, dict)]


def _table(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _text(table: Mapping[str, Any], key: str, most: int) -> str:
    value = table.get(key)
    return visible(value)[:most] if isinstance(value, str) else ""


def _number(table: Mapping[str, Any], key: str) -> int:
    value = table.get(key)
    return value if type(value) is int and 0 <= value < 1 << 31 else 0
