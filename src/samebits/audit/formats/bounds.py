"""Functions of a section from what a file says of them: symbols, unwind tables, starts.

Knows no file format. Bytes that nothing calls a function are not code to an audit: tables of
constants in a text section look like x87 instructions. Only where a file says nothing at all is a
whole section decoded.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from samebits.audit.errors import UnreadableBinary
from samebits.audit.model import Function


@dataclass(frozen=True, slots=True)
class CodeSection:
    """An executable section: its bytes and where they are."""

    number: int
    name: str
    address: int
    data: memoryview


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a function begins; size 0 where the file does not say, and then it ends at the next
    mark."""

    address: int
    size: int
    name: str = ""
    is_thumb: bool = False


def name_of(symbol: Any) -> str:
    """A symbol's name; lief gives bytes where they are no text."""
    name: str | bytes = symbol.name
    return name.decode("utf-8", "replace") if isinstance(name, bytes) else name


def kind_name(value: Any) -> str:
    """The name of a member of lief's enumerations; of a value that it does not know the number."""
    return str(getattr(value, "name", value))


def shown_name(symbol: Any, name: str) -> str:
    """A symbol's name as its source has it: C++'s demangled by lief."""
    if name.startswith("_Z"):
        shown: str | bytes = symbol.demangled_name
        return (shown if isinstance(shown, str) else "") or name
    return name


def part_of(data: memoryview, offset: int, size: int, name: str) -> memoryview:
    """A section's bytes. Raises UnreadableBinary where the file has fewer."""
    if offset + size > len(data):
        raise UnreadableBinary(f"it is cut off: {name} should end at byte {offset + size:,}")
    return data[offset : offset + size]


def functions_of(
    section: CodeSection, marks: Iterable[Mark], stops: Iterable[int] = ()
) -> tuple[list[Function], int]:
    """The functions of a section, and the number of its bytes that are in none.

    `stops` are addresses at which a function without a size ends too.
    """
    start, end = section.address, section.address + len(section.data)
    inside = [mark for mark in marks if start <= mark.address < end]
    if not inside:
        return [Function(section.name, start, section.data, section.number, is_known=False)], 0
    best: dict[int, Mark] = {}
    for mark in inside:
        best[mark.address] = _better(best.get(mark.address), mark)
    ordered = sorted(best)
    borders = sorted({*ordered, *(stop for stop in stops if start < stop < end), end})
    found: list[Function] = []
    covered = start
    position = 0
    for address in ordered:
        mark = best[address]
        while borders[position] <= address:
            position += 1
        size = mark.size or borders[position] - address
        last = min(address + size, end)
        if last <= covered:  # inside of one that is decoded already
            continue
        first = max(address, covered) if found and not mark.name else address
        code = section.data[first - start : last - start]
        name = mark.name or f"{section.name}+0x{first - start:x}"
        found.append(Function(name, first, code, section.number, mark.is_thumb))
        covered = max(covered, last)
    return found, len(section.data) - _union(found)


def _better(old: Mark | None, new: Mark) -> Mark:
    """Two marks at one address as one: with the shortest name of both, `sin` for `sinf64`."""
    if old is None:
        return new
    names = [name for name in (old.name, new.name) if name]
    name = min(names, key=lambda each: (len(each), each), default="")
    return Mark(old.address, max(old.size, new.size), name, old.is_thumb or new.is_thumb)


def _union(functions: Iterable[Function]) -> int:
    total, covered = 0, -1
    for function in functions:
        last = function.address + len(function.code)
        total += max(0, last - max(function.address, covered))
        covered = max(covered, last)
    return total


def without_data(
    functions: Iterable[Function], data: Sequence[tuple[int, int, int]]
) -> Iterator[Function]:
    """The functions, cut where data lies between their instructions."""
    if not data:
        yield from functions
        return
    by_section: dict[int, list[tuple[int, int]]] = {}
    for section, start, end in data:
        by_section.setdefault(section, []).append((start, end))
    for ranges in by_section.values():
        ranges.sort()
    for function in functions:
        yield from _cut(function, by_section.get(function.section, []))


def _cut(function: Function, data: list[tuple[int, int]]) -> Iterator[Function]:
    at, end = function.address, function.address + len(function.code)
    index = max(0, bisect_right(data, (at, 1 << 64)) - 1)
    while index < len(data) and data[index][0] < end:
        start, stop = data[index]
        if start > at:
            yield _part(function, at, start)
        at = max(at, min(stop, end))
        index += 1
    if at < end:
        yield _part(function, at, end)


def _part(function: Function, first: int, last: int) -> Function:
    if first == function.address and last == first + len(function.code):
        return function
    code = function.code[first - function.address : last - function.address]
    return Function(
        function.name, first, code, function.section, function.is_thumb, function.is_known
    )
