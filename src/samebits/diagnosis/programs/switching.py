"""One operation switched in a side's IR: made strict there and nowhere else, by its source line."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from samebits.foreign.probes.debug_info import DebugInfo
from samebits.foreign.probes.instrument import Site

_FLAGGED = re.compile(
    r"^(  (?:%[-\w.$]+ = )?(?:tail |notail )?"
    r"(?:fadd|fsub|fmul|fdiv|frem|fneg|fcmp|select|call|phi) )"
    r"((?:(?:fast|nnan|ninf|nsz|arcp|contract|afn|reassoc) )+)"
)
_MULADD = re.compile(
    r"^  (%[-\w.$]+) = (?:tail )?call (?:\w+ )*(?:float|double) @llvm\.fmuladd\.f(?:32|64)\("
    r"(float|double) ([^,]+), (?:float|double) ([^,]+), (?:float|double) ([^)]+)\)(.*)$"
)
Lines = Collection[tuple[str, int]]


def lines_of(sites: Collection[Site]) -> set[tuple[str, int]]:
    """The source lines of sites."""
    return {(site.place.file, site.place.line) for site in sites}


def made_strict(lines: Lines) -> Callable[[str, str], str]:
    """A change of IR: on these source lines no operation may be fused, moved or estimated."""

    def change(name: str, text: str) -> str:
        debug = DebugInfo(text)
        return "\n".join(_strict(line, debug, lines) for line in text.split("\n"))

    return change


def _strict(line: str, debug: DebugInfo, lines: Lines) -> str:
    location = re.search(r"!dbg (![0-9]+)", line) if line.startswith("  ") else None
    if location is None:
        return line
    place = debug.place(location[1])
    if place is None or (place.file, place.line) not in lines:
        return line
    if match := _MULADD.match(line):
        result, type, a, b, c, rest = match.groups()
        product = f"%sb.product.{result[1:]}"
        debugged = re.search(r", !dbg ![0-9]+", rest)
        where = debugged[0] if debugged else ""
        return (
            f"  {product} = fmul {type} {a}, {b}{where}\n"
            f"  {result} = fadd {type} {product}, {c}{where}"
        )
    return _FLAGGED.sub(r"\1", line)
