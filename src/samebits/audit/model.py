"""Plain records of an audit: what it knows of a binary, and what it finds.

A process that reads binaries hands these to the one that asked as JSON: `to_json`, `from_json`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

MOST_PLACES = 8
"""Places of a finding that are kept; all are counted."""


@dataclass(frozen=True, slots=True)
class Function:
    """A run of code: where it is, its bytes, and whether the file says that it is one."""

    name: str
    address: int
    code: memoryview
    section: int = 0
    """The number of its section: in objects all sections begin at address 0."""
    is_thumb: bool = False
    is_known: bool = True
    """False where a whole section is decoded for lack of symbols and unwind tables."""


@dataclass(slots=True, eq=False)
class Image:
    """One binary, as far as an audit reads it."""

    format: str
    kind: str
    """`program`, `shared library`, `object` or `module`."""
    architecture: str
    functions: list[Function] = field(default_factory=list[Function])
    imports: dict[str, str] = field(default_factory=dict[str, str])
    """Imported functions, and the library that has them where the file says so."""
    defined: set[str] = field(default_factory=set[str])
    constructors: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])
    """Section and address of functions that run when the file is loaded."""
    compilers: tuple[str, ...] = ()
    """What compilers wrote of themselves, outside DWARF."""
    recorded_flags: tuple[str, ...] = ()
    """Command lines that compilers recorded."""
    data: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])
    """Section, start and end of what is data between instructions."""
    undecoded: int = 0
    """Bytes of executable sections that belong to no function."""
    base: int = 0
    debug: dict[str, memoryview] = field(default_factory=dict[str, memoryview])
    """DWARF's sections by ELF's names, of files that are no ELF files."""
    notes: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class Place:
    """One instruction: its address, its text, and its source line where DWARF has it."""

    address: int
    text: str
    line: str | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """What breaks one rule in one function, or in the file as a whole (no function)."""

    code: str
    function: str
    message: str
    count: int = 1
    places: tuple[Place, ...] = ()

    @property
    def line(self) -> str | None:
        """The first source line that is known."""
        return next((place.line for place in self.places if place.line), None)


@dataclass(frozen=True, slots=True)
class AuditedBinary:
    """What was found in one binary, or why it could not be read (`error`)."""

    path: str
    """As it was given; members of archives stand behind ` : `."""
    format: str = ""
    kind: str = ""
    architecture: str = ""
    compilers: tuple[str, ...] = ()
    functions: int = 0
    instructions: int = 0
    undecoded: int = 0
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    error: str | None = None


def to_json(binary: AuditedBinary) -> dict[str, Any]:
    """A binary as JSON's types."""
    return asdict(binary)


def from_json(values: Mapping[str, Any]) -> AuditedBinary:
    """The binary that `to_json` gave. Raises TypeError or KeyError for anything else."""
    findings = tuple(
        Finding(
            str(f["code"]), str(f["function"]), str(f["message"]), int(f["count"]),
            tuple(Place(int(p["address"]), str(p["text"]), p["line"]) for p in f["places"]),
        )
        for f in values["findings"]
    )  # fmt: skip
    kept: dict[str, Any] = {**values, "findings": findings}
    kept["compilers"], kept["notes"] = _texts(kept["compilers"]), _texts(kept["notes"])
    return AuditedBinary(**kept)


def _texts(values: Sequence[Any]) -> tuple[str, ...]:
    return tuple(map(str, values))
