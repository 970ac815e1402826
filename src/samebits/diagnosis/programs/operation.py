"""The operation at which two traces part, as a diagnosis tells it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from samebits.bits import ulp_distance
from samebits.diagnosis.frame.state_diff import datum
from samebits.diagnosis.report.findings import Datum, OperationFact, Place
from samebits.foreign.probes.align import Parting
from samebits.foreign.probes.debug_info import SourcePlace
from samebits.foreign.probes.instrument import Site, bits_of, plain_name
from samebits.foreign.probes.trace import Trace
from samebits.source_lines import line_of
from samebits.types import (
    BOOL,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    INT8,
    INT16,
    INT32,
    INT64,
    ScalarType,
)

_SPOKEN = {
    "fadd": "add", "fsub": "sub", "fmul": "mul", "fdiv": "div", "frem": "mod", "fneg": "neg",
    "fmuladd": "muladd", "sdiv": "div", "udiv": "div", "srem": "mod", "urem": "mod",
    "lshr": "shr", "ashr": "shr", "fabs": "abs",
}  # fmt: skip
_TYPES = {
    "half": FLOAT16, "float": FLOAT32, "double": FLOAT64, "i1": BOOL, "i8": INT8, "i16": INT16,
    "i32": INT32, "i64": INT64,
}  # fmt: skip
_VECTOR = re.compile(r"<(\d+) x (\w+)>")


@dataclass(frozen=True, slots=True)
class Lane:
    """The part of a value that differs: a whole scalar, or one of a small vector's."""

    type: str
    shift: int = 0

    def of(self, word: int) -> int:
        return word >> self.shift & ((1 << bits_of(self.type)) - 1)


def lane_of(type: str, a: int, b: int) -> Lane:
    """The lane of a value in which two words differ first."""
    vector = _VECTOR.match(type)
    if vector is None:
        return Lane(type)
    width = bits_of(vector[2])
    for shift in range(0, 64, width):
        if (a ^ b) >> shift & ((1 << width) - 1):
            return Lane(vector[2], shift)
    return Lane(vector[2])


def scalar_of(type: str) -> ScalarType | None:
    """samebits' type of one of LLVM's."""
    return _TYPES.get(type)


def word_datum(lane: Lane, word: int, name: str = "") -> Datum:
    """A traced word as reports show it."""
    t = scalar_of(lane.type)
    bits = lane.of(word)
    if t is None:
        return Datum(lane.type, f"0x{bits:x}", str(bits), name)
    return datum(t, bits, name)


def place_of(place: SourcePlace) -> Place:
    """A place with its line of source, and the columns of one word there."""
    source = line_of(place.file, place.line).rstrip("\n")
    column = max(place.column - 1, 0)
    word = re.match(r"\w+|\W", source[column:])
    end = column + (word.end() if word else 1)
    return Place(place.file, place.line, column, end, place.function or "?", source)


def spoken_opcode(site: Site) -> str:
    """An operation by the name that reports give it."""
    name = plain_name(site.opcode)
    if site.opcode in ("fptrunc", "fpext", "fptosi", "fptoui", "sitofp", "uitofp"):
        t = scalar_of(site.type)
        return f"convert to {site.type if t is None else t.name}"
    if name.startswith("@"):
        return f"call of {_readable(name[1:])}"
    return _SPOKEN.get(name, name)


def _readable(symbol: str) -> str:
    """A C++ symbol's own name, for `_ZN7harbour5drawERNS_6ChanceE` `harbour::draw`."""
    rest = symbol[3:] if symbol.startswith("_ZN") else symbol[2:] if symbol.startswith("_Z") else ""
    rest = rest.lstrip("KLr")
    parts: list[str] = []
    while match := re.match(r"L?(\d+)", rest):
        size = int(match[1])
        parts.append(rest[match.end() : match.end() + size])
        rest = rest[match.end() + size :]
        if not symbol.startswith("_ZN"):
            break
    return "::".join(parts) or symbol


def is_of_the_program(place: SourcePlace, folder: Path) -> bool:
    """Whether a place is in the program's own sources."""
    return os.path.realpath(place.file).startswith(f"{os.path.realpath(folder)}{os.sep}")


def operation_fact(a: Trace, b: Trace, found: Parting, how: str) -> OperationFact | None:
    """The fact of a parting with rows on both sides: a result, or an operand from elsewhere."""
    if found.a is None or found.b is None or found.kind == "path":
        return None
    site = a.site(found.a)
    mine, theirs = a.result(found.a), b.result(found.b)
    lane = lane_of(site.type, mine, theirs)
    is_store = site.opcode == "store"
    operands: list[Datum] = []
    if not is_store:
        for number, (type, word) in enumerate(zip(site.operands, a.operands(found.a), strict=True)):
            other = b.operands(found.b)[number]
            at = lane_of(type, word, other)
            operands.append(word_datum(at, word))
    is_result = found.kind == "result" or is_store
    return OperationFact(
        "result" if is_result else "memory", spoken_opcode(site), place_of(site.place), (), (),
        tuple(operands), word_datum(lane, mine), word_datum(lane, theirs),
        _ulps(lane, mine, theirs), how,
    )  # fmt: skip


def _ulps(lane: Lane, a: int, b: int) -> int | None:
    t = scalar_of(lane.type)
    if t is None or not t.is_ieee:
        return None
    return ulp_distance(lane.of(a), lane.of(b), t.bits)


def path_fact(a: Trace, b: Trace, found: Parting, folder: Path, how: str) -> OperationFact | None:
    """The fact of traces that go other ways: the first record of the program's own that side b
    alone does there, else side a's."""
    for trace, row, only, other in ((b, found.b, "b", a), (a, found.a, "a", b)):
        at = _own(trace, row, folder)
        if at is None:
            continue
        site = trace.site(at)
        lane = lane_of(site.type, 0, 0)
        told = word_datum(lane, trace.result(at))
        beside = _after(other, found.a if only == "b" else found.b)
        lines = {(each.place.file, each.place.line) for each in beside}
        return OperationFact(
            "path", spoken_opcode(site), place_of(site.place), (), (), (),
            told if only == "a" else None, told if only == "b" else None, None, how, only,
            (site.place.file, site.place.line) not in lines,
        )  # fmt: skip
    return None


_NEAR = 400


def _own(trace: Trace, row: int | None, folder: Path) -> int | None:
    """The first record from a row on that is in the program's own sources."""
    if row is None:
        return None
    for at in range(row, min(row + _NEAR, len(trace))):
        if is_of_the_program(trace.site(at).place, folder):
            return at
    return None


def _after(trace: Trace, row: int | None) -> list[Site]:
    start = len(trace) if row is None else row
    return [trace.site(at) for at in range(start, min(start + _NEAR, len(trace)))]
