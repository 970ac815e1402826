"""Hits, imports and names of an image as findings: one for each rule and function."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from samebits.audit.decode.words import Hit
from samebits.audit.flags.findings import of_producers
from samebits.audit.lines import SourceLines
from samebits.audit.model import MOST_PLACES, Finding, Function, Image, Place
from samebits.audit.rules.imports import linked_math, rule_of_import
from samebits.audit.rules.instructions import ALTERNATING, MIPS_MADD
from samebits.audit.rules.rule import BY_CODE

_FAST_MATH = "set_fast_math"
"""The constructor in GCC's crtfastmath.o."""
_MOST_LINES = 4000
"""Places of a file whose lines are looked up."""
_ORDER = {code: number for number, code in enumerate(BY_CODE)}


def findings_of(
    image: Image, found: Sequence[tuple[Function, list[Hit]]], lines: SourceLines
) -> Iterator[Finding]:
    """All findings, by rule and then by function as the file has them."""
    wanted = [
        (function.section, function.address + hit.offset)
        for function, hits in found
        for hit in _shown(hits)
    ]
    lines.find(wanted[:_MOST_LINES])
    recorded = of_producers([*lines.producers, *image.recorded_flags], image.architecture)
    every = [*_of_code(image, found, lines), *_of_names(image), *recorded]
    yield from sorted(every, key=lambda finding: _ORDER[finding.code])


def _shown(hits: Iterable[Hit]) -> Iterator[Hit]:
    """The first hits of each rule."""
    counts: dict[str, int] = {}
    for hit in hits:
        counts[hit.code] = counts.get(hit.code, 0) + 1
        if counts[hit.code] <= MOST_PLACES:
            yield hit


def _of_code(
    image: Image, found: Sequence[tuple[Function, list[Hit]]], lines: SourceLines
) -> Iterator[Finding]:
    merged: dict[tuple[str, int, str], list[tuple[Function, Hit]]] = {}
    for function, hits in found:
        for hit in hits:
            code = hit.code
            if code == "AU201" and _is_constructor(function, image):
                code = "AU202"
            merged.setdefault((function.name, function.section, code), []).append((function, hit))
    for (name, _, code), places in merged.items():
        shown = tuple(
            Place(at := function.address + hit.offset, hit.text, lines.line(function.section, at))
            for function, hit in places[:MOST_PLACES]
        )
        texts = [hit.text for _, hit in places]
        yield Finding(code, name, _message(code, texts, image, lines), len(places), shown)


def _is_constructor(function: Function, image: Image) -> bool:
    at = (function.section, function.address)
    return function.name.lstrip("_") == _FAST_MATH or at in image.constructors


_GCC = re.compile(r"GCC: \([^)]*\) 12\.[0-2]\.|GNU \S+ 12\.[0-2]\.")


def _message(code: str, texts: Sequence[str], image: Image, lines: SourceLines) -> str:
    """A clause on what was met."""
    mnemonics = list(dict.fromkeys(text.split(" ", 1)[0] for text in texts))
    message = ", ".join(mnemonics[:4]) + (", …" if len(mnemonics) > 4 else "")
    if any(map(MIPS_MADD.fullmatch, mnemonics)):
        message += ": rounds twice by MIPS' manual, once on Loongson; -mno-madd4 avoids it"
    known = [*image.compilers, *lines.producers, *image.recorded_flags]
    if (
        code == "AU101"
        and any(ALTERNATING.fullmatch(mnemonic) for mnemonic in mnemonics)
        and any(map(_GCC.search, known))
    ):
        off = " recorded here" if any("-ffp-contract=off" in each for each in known) else ""
        message += f": GCC 12.0 to 12.2 does so in spite of -ffp-contract=off{off} (GCC PR 107647)"
    return message


def _of_names(image: Image) -> Iterator[Finding]:
    groups: dict[str, list[str]] = {}
    for name, library in image.imports.items():
        if name in image.defined:
            continue
        code = rule_of_import(name)
        if code is not None:
            groups.setdefault(code, []).append(f"{name} of {library}" if library else name)
    for code, names in groups.items():
        for name in sorted(names):
            yield Finding(code, "", f"imports {name}")
    for name in linked_math(image.defined):
        if name not in image.imports:
            yield Finding("AU308", name, "is defined here")
