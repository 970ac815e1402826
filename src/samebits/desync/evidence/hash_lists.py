"""Bare lists of hashes: a frame and the hash of the state after it, a line each, or as JSON.

Owns what a line may look like. That the frames count from 0, as here, is not known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, cast

from samebits.desync.evidence.facts import report_of_facts
from samebits.desync.evidence.text_files import Number, Pairs, json_of, read_text
from samebits.desync.format import MAX_FRAMES
from samebits.desync.report import Report
from samebits.errors import ReportError
from samebits.replay.header import ReplayHeader

MAX_HASHES = 1 << 20
"""Most hashes of a list: each frame of almost five hours at 60 frames a second."""
MAX_OTHERS = 1 << 16
"""Most lines besides."""
WHAT = "a list of frames and hashes"

_BETWEEN = re.compile(r"""[\s,;:=|"'{}\[\]]+""")
"""What may stand around frame and hash."""
_NAMES = {"frame", "hash"}
_INIT = {"-1", "init"}
_HEX = re.compile(r"(?:0[xX])?([0-9a-fA-F]+)")
_LOG = "log f'{session.frame - 1} {session.hash():016x}' after each step"
_LINE = f"write a frame and 16 hexadecimal digits: {_LOG}"


def read_hash_list(path: str, header: ReplayHeader) -> Report:
    """The hashes of a list as a report of the run that `header` names. ReportError names the line,
    and what to write in it."""
    text = read_text(path, WHAT)
    is_json = text.lstrip()[:1] in ("{", "[")
    value = json_of(path, text) if is_json else None
    rows = _lines(path, text) if value is None else _items(path, value)
    known = _known(path, rows)
    if not known:
        raise ReportError(f"{path} has no hashes", fix=_LINE)
    return report_of_facts(header, path, known)


@dataclass(frozen=True, slots=True)
class _Row:
    """Frame and hash as they stand in a place, and whether places are in the order of frames."""

    place: str
    frame: str
    hash: str
    is_ordered: bool = True
    is_last: bool = False
    """Whether the text ends in this row, without the end of its line."""


def _lines(path: str, text: str) -> Iterator[_Row]:
    others, lines = 0, text.split("\n")
    for number, line in enumerate(lines, 1):
        content = line.partition("#")[0]
        words = [word for word in _BETWEEN.split(content) if word]
        place = f"line {number:,}"
        is_head = number == others + 1 and not re.search("[0-9]", content)
        if not words or is_head:
            others += 1
            if others > MAX_OTHERS:
                raise ReportError(f"{path} has more than {MAX_OTHERS:,} lines besides its hashes",
                                  fix=_LINE)  # fmt: skip
            continue
        found = [word for word in words if word.lower() not in _NAMES]
        if len(found) != 2:
            raise _wrong(path, place, f"is {line.strip()[:60]!a}, not a frame and a hash", _LINE)
        yield _Row(place, found[0], found[1], is_last=number == len(lines))


def _items(path: str, value: Any) -> Iterator[_Row]:
    """The rows of `{"120": "hash", …}` or `[{"frame": 120, "hash": "…"}, …]`."""
    if isinstance(value, Pairs):
        for number, (frame, hash_) in enumerate(value, 1):
            yield _Row(f"entry {number:,}", frame, _text(path, f"entry {number:,}", hash_), False)
        return
    entries = cast("list[Any]", value) if isinstance(value, list) else []
    for number, entry in enumerate(entries, 1):
        place, pairs = f"entry {number:,}", dict(entry) if isinstance(entry, Pairs) else {}
        frame = pairs.get("frame")
        if not isinstance(frame, str) or pairs.keys() != _NAMES or len(entry) != 2:
            raise _wrong(path, place, "is not a frame and a hash",
                         'write {"frame": 120, "hash": "00112233aabbccdd"}')  # fmt: skip
        yield _Row(place, frame, _text(path, place, pairs["hash"]))


def _text(path: str, place: str, hash_: Any) -> str:
    if isinstance(hash_, str) and not isinstance(hash_, Number):
        return hash_
    shown = hash_ if isinstance(hash_, Number) else ascii(hash_)
    raise _wrong(path, place, f"has the hash {shown[:40]}, which is no text",
                 "write 16 hexadecimal digits as text: numbers of JSON lose digits")  # fmt: skip


def _known(path: str, rows: Iterable[_Row]) -> dict[int, int]:
    """The hashes by frame, in ascending order."""
    found: dict[int, int] = {}
    last = -2
    for row in rows:
        frame = _frame(path, row)
        hash_ = _hash(path, row)
        if frame in found:
            raise _wrong(path, row.place, f"has frame {frame:,} again",
                         "keep one hash of each frame: the last one, once no rollback can change "
                         "it any more")  # fmt: skip
        if row.is_ordered and frame < last:
            raise _wrong(path, row.place, f"has frame {frame:,} after frame {last:,}",
                         "sort by frame, as `sort -n` does")  # fmt: skip
        if len(found) == MAX_HASHES:
            raise _wrong(path, row.place, f"is behind the {MAX_HASHES:,} hashes that a list holds",
                         "keep the hash of every 60th frame")  # fmt: skip
        found[frame], last = hash_, frame
    return found if last == max(found, default=last) else dict(sorted(found.items()))


def _frame(path: str, row: _Row) -> int:
    text = row.frame
    if text.lower() in _INIT:
        return -1
    if not (text.isascii() and text.isdecimal()):
        raise _wrong(path, row.place, f"has {text[:40]!a} for a frame",
                     "write a whole number, or init for the state before frame 0")  # fmt: skip
    if len(text) > 12 or int(text) >= MAX_FRAMES:
        raise _wrong(path, row.place, f"has frame {text[:20]}, and a run of {MAX_FRAMES:,} frames "
                     "is the longest", "count frames from 0")  # fmt: skip
    return int(text)


_HASHES: tuple[tuple[Callable[[str, bool], bool], str, str], ...] = (
    (lambda digits, marked: not marked and 16 < len(digits) <= 20 and digits.isdecimal(),
     "in decimal", "write it as f'{hash:016x}'"),
    (lambda digits, _: len(digits) <= 8, "with 32 bits",
     "the state's own hash has 64 bits: log f'{session.hash():016x}'"),
    (lambda digits, _: len(digits) < 16, "without its leading zeros", "write it as f'{hash:016x}'"),
    (lambda digits, _: True, "that is not the state's own: that has 16 digits",
     "log f'{session.hash():016x}'"),
)  # fmt: skip
"""Hexadecimal digits that are no hash: what they seem to be, and what to do."""


def _hash(path: str, row: _Row) -> int:
    text = row.hash
    found = _HEX.fullmatch(text)
    if found is None:
        raise _wrong(path, row.place, f"has {text[:60]!a} for a hash", _LINE)
    digits = found[1]
    if len(digits) == 16:
        return int(digits, 16)
    if row.is_last and len(digits) < 16:
        what = f"ends in {text[:40]!a}, {len(digits)} of 16 digits: the file is cut"
        raise _wrong(path, row.place, what, "copy it again, or leave that line out")
    marked = len(digits) < len(text)
    what, fix = next((what, fix) for is_so, what, fix in _HASHES if is_so(digits, marked))
    raise _wrong(path, row.place, f"has {text[:40]!a}, which seems to be a hash {what}", fix)


def _wrong(path: str, place: str, what: str, fix: str) -> ReportError:
    return ReportError(f"{path}: {place} {what}", fix=fix)
