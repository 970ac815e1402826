"""The record of proofs, results.json: by function, type and precision, with a digest of its IR.

A digest that is still the same says that the kernel has not changed since.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

PLACE = Path(__file__).with_name("results.json")


@dataclass
class Part:
    """One set of inputs of one function, and how it came out."""

    what: str
    asked: int = 0
    """How many inputs were gone through."""
    checked: int = 0
    """How many of them were compared: those on which something is promised."""
    wrong: int = 0
    """Not the correctly rounded result."""
    special: int = 0
    """Of those: NaN for a number or the reverse, another NaN, a zero of the other sign."""
    by_mpfr: int = 0
    worst: float = 0.0
    """Largest error in ULP of the wrong ones."""
    worst_at: tuple[str, ...] = ()
    differ: int = 0
    """Results that were not the same on every level compared."""
    named: list[str] = field(default_factory=list[str])
    seconds: float = 0.0


def _kind(what: str) -> str:
    """All floats, or every so manieth, are one kind of set."""
    return "in order" if what.startswith(("all", "every")) else what


@dataclass
class Record:
    """One function, type and precision."""

    digest: str
    date: str
    versions: str
    levels: tuple[str, ...]
    fuses: bool
    """Whether levels run different operations, so that each was run on every input."""
    reference_error: float
    """Largest error of the wide reference on a sample, in its half ULP."""
    parts: list[Part]

    @property
    def wrong(self) -> int:
        """Over all parts."""
        return sum(part.wrong for part in self.parts)

    @property
    def differ(self) -> int:
        """Over all parts."""
        return sum(part.differ for part in self.parts)

    def covers(self, wanted: Mapping[str, int]) -> bool:
        """Whether as many inputs were gone through of every set as are wanted now."""
        done = {_kind(part.what): part.asked for part in self.parts}
        return all(done.get(_kind(what), 0) >= count for what, count in wanted.items())

    @property
    def worst(self) -> Part:
        """The part with the largest error."""
        return max(self.parts, key=lambda part: part.worst)


def key(function: str, type_name: str, precision: str) -> str:
    """A record's name."""
    return f"{function} {type_name} {precision}"


def load(place: Path = PLACE) -> dict[str, Record]:
    """All records; none where there is no file."""
    if not place.exists():
        return {}
    return {name: _record(entry) for name, entry in json.loads(place.read_text()).items()}


def _record(entry: dict[str, Any]) -> Record:
    parts = [
        Part(**{**part, "worst_at": tuple(part.get("worst_at", ()))}) for part in entry["parts"]
    ]
    return Record(**{**entry, "levels": tuple(entry["levels"]), "parts": parts})


def save(records: dict[str, Record], place: Path = PLACE) -> None:
    """Write all records, sorted by name: a line a set of inputs, zeros left out."""
    entries = [f"{json.dumps(name)}: {_text(record)}" for name, record in sorted(records.items())]
    place.write_text("{\n" + ",\n".join(entries) + "\n}\n")


def _text(record: Record) -> str:
    entry = asdict(record)
    parts = [
        json.dumps({k: v for k, v in part.items() if v}, ensure_ascii=False)
        for part in entry.pop("parts")
    ]
    head = json.dumps(entry, ensure_ascii=False).removesuffix("}")
    return head + ', "parts": [\n ' + ",\n ".join(parts) + "\n]}"
