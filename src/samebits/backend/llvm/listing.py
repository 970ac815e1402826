"""LLVM text and assembly as classified lines, each with the source that it comes from.

The lines are those of the compiled code; their locations come from a second compilation with debug
locations. Knows nothing of how lines are shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

from samebits.backend.llvm.compile import Listing
from samebits.backend.targets.instructions import (
    InstructionKind,
    comment_mark,
    kinds,
    without_comment,
)
from samebits.backend.targets.table import Target
from samebits.backend.text.locations import FILE, Location

InlineStack = tuple[Location, ...]
"""The origin of code: its statement, then the call that it was inlined at, and so on."""


@dataclass(frozen=True, slots=True)
class CodeLine:
    """A line of code; `text` is without LLVM's comment."""

    text: str
    comment: str
    kind: InstructionKind
    place: InlineStack


_NUMBER = re.compile(rf"{FILE}:(\d+)")
_LOC = re.compile(r"\s+\.(?:loc|cv_loc)\b")
_SKIPPED = re.compile(r"\.(loc|file|cv_\w+|cfi_\w+|p2align|section)\b|[.$]?L?\$?(tmp|func_)\w*:")
_TEMPORARY = re.compile(r"(?<=[$.L])tmp\d+")
_END = (".cfi_endproc", ".size", "end_function")


def assembly_lines(listing: Listing, target: Target, allow_fma: bool = False) -> list[CodeLine]:
    """The assembly of `listing`, line by line; `allow_fma` as for `audit`."""
    lines = listing.assembly.splitlines()
    mark = comment_mark(target)
    stripped = [without_comment(line, mark) for line in lines]
    ours = [_normal(text) for text in stripped]
    places = _aligned(ours, list(_located(listing, mark)))
    kind = kinds(listing.assembly, target, allow_fma)
    return [
        CodeLine(text, line[len(text) :].strip(), k, place)
        for line, text, k, place in zip(lines, stripped, kind, places, strict=True)
    ]


def _normal(text: str) -> str:
    """The form of a line that both compilations share; empty if it may be in one alone."""
    text = " ".join(text.split())
    return "" if _SKIPPED.match(text) else _TEMPORARY.sub("tmp", text)


def _located(listing: Listing, mark: str) -> Iterator[tuple[str, InlineStack]]:
    """Each line of the located assembly that both compilations share, with its origin."""
    place: InlineStack = ()
    for line in listing.located_assembly.splitlines():
        if _LOC.match(line):
            numbers = (int(n) for n in _NUMBER.findall(line))
            place = _place(numbers, listing.locations)
            continue
        text = _normal(without_comment(line, mark))
        if text.startswith(_END):
            place = ()
        if text:
            yield text, place if line[0].isspace() else ()


def _place(numbers: Iterator[int], locations: Sequence[Location]) -> InlineStack:
    # LLVM writes line 0 for code of several lines; the calls around it are still valid.
    return tuple(locations[n - 1] for n in numbers if 0 < n <= len(locations))


def _aligned(ours: list[str], theirs: list[tuple[str, InlineStack]]) -> list[InlineStack]:
    """The origin of each line: that of the matching line in the other compilation."""
    places: list[InlineStack] = [()] * len(ours)
    numbers = [i for i, text in enumerate(ours) if text]
    parts = _parts([ours[i] for i in numbers])
    others = _parts([text for text, _ in theirs])
    if len(parts) != len(others):
        parts, others = [(0, len(numbers))], [(0, len(theirs))]
    for (start, end), (other, other_end) in zip(parts, others, strict=True):
        a = [ours[i] for i in numbers[start:end]]
        b = [text for text, _ in theirs[other:other_end]]
        whole = [(0, 0, len(a))]
        blocks = whole if a == b else SequenceMatcher(None, a, b, False).get_matching_blocks()
        for i, j, size in blocks:
            for k in range(size):
                places[numbers[start + i + k]] = theirs[other + j + k][1]
    return places


def _parts(lines: list[str]) -> list[tuple[int, int]]:
    """The starts and ends of the blocks of code; both compilations have them in one order."""
    starts = [0, *(i for i, text in enumerate(lines) if text.endswith(":")), len(lines)]
    return list(pairwise(starts))


_DEBUG = re.compile(r",? !dbg !(\d+)")
_LABEL_COMMENT = re.compile(r":\s+; preds = .*")
_NODE_NUMBER = re.compile(r"!\d+")
_NODE = re.compile(r"!(\d+) = (?:distinct )?(.*)")
_AT = re.compile(r"!DILocation\(line: (\d+),(?:.*inlinedAt: !(\d+))?")


def llvm_lines(listing: Listing) -> list[CodeLine]:
    """The LLVM text of `listing`, line by line."""
    nodes = {m[1]: m[2] for m in map(_NODE.match, listing.located_llvm.splitlines()) if m}
    located: list[tuple[str, InlineStack]] = []
    for line in listing.located_llvm.splitlines():
        text = _normal_llvm(line)
        if text:
            numbers = _llvm_numbers(line, nodes)
            located.append((text, _place(numbers, listing.locations)))
    lines = listing.llvm.splitlines()
    places = _aligned([_normal_llvm(line) for line in lines], located)
    return [
        CodeLine(text, line[len(text) :].strip(), _llvm_kind(text), place)
        for line, place in zip(lines, places, strict=True)
        for text in (_without_llvm_comment(line),)
    ]


def _normal_llvm(line: str) -> str:
    if line.startswith(("!", "source_filename")):
        return ""
    return _NODE_NUMBER.sub("!", _DEBUG.sub("", _without_llvm_comment(line)))


def _without_llvm_comment(line: str) -> str:
    """LLVM writes comments on lines of their own, and after white space behind labels."""
    if line.startswith(";"):
        return ""
    return _LABEL_COMMENT.sub(":", line).rstrip()


def _llvm_numbers(line: str, nodes: dict[str, str]) -> Iterator[int]:
    """The numbers of a line's location and of the calls that it was inlined at."""
    found = _DEBUG.search(line)
    node = found[1] if found and line.startswith("  ") else None
    while node is not None:
        match = _AT.match(nodes.get(node, ""))
        node = match[2] if match else None
        if match:
            yield int(match[1])


_VECTOR = re.compile(r"<(?:vscale x )?\d+ x ")
_LLVM_FLOAT = re.compile(
    r"\b(fadd|fsub|fmul|fdiv|fneg|frem|fcmp|fpext|fptrunc|[su]itofp|fpto[su]i)\b|\b(float|double)\b"
)
_CALL = re.compile(r"\bcall\b.* @(?!llvm\.)")


def _llvm_kind(text: str) -> InstructionKind:
    if not text:
        return InstructionKind.COMMENT
    if not text.startswith("  "):
        head = text.endswith(":") or text.startswith(("define ", "}"))
        return InstructionKind.LABEL if head else InstructionKind.DIRECTIVE
    if _CALL.search(text):
        return InstructionKind.CALL
    if _VECTOR.search(text):
        return InstructionKind.PACKED
    moves = " getelementptr " in text or not _LLVM_FLOAT.search(text)
    return InstructionKind.OTHER if moves else InstructionKind.SCALAR
