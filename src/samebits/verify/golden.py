"""Golden files: the hashes that a simulation must give, as text that reads well in a diff.

A file is a header of three `#` lines, `frame hash` lines, and two `#` lines with their count and a
checksum over header and hashes, so that a cut or altered file is refused. Other lines that
begin with `#` are comments, which neither counts nor checks.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from shlex import quote
from typing import BinaryIO

from samebits.bits import xxh64
from samebits.errors import ReplayError
from samebits.output import Output, holds_foreign_file, os_reason, remedy
from samebits.replay.file import open_file
from samebits.replay.header import digest_problem, name_problem

MAX_LINE = 1024
"""Most bytes of a line, its end included."""
MAX_HASHES = 1 << 20
"""Most hashes of a file: each frame of almost five hours at 60 frames a second."""
MAX_COMMENTS = 1 << 16
"""Most lines of a file besides hashes."""

_GOLDEN = "# samebits golden "
MARK = _GOLDEN.encode()
"""How a golden file of any format begins."""
_FIRST = f"{_GOLDEN}2"
_OLD = f"{_GOLDEN}1"
_SIMULATION = "# simulation: "
_DIGEST = "# digest: "
_COUNT = "# hashes: "
_CHECKSUM = "# checksum: "
_ROW = re.compile(r"(0|[1-9][0-9]{0,19}) ([0-9a-f]{16})")
_ROW_BEGINS = re.compile(rb"(0|[1-9][0-9]{0,19})( [0-9a-f]{0,16})?")


@dataclass(frozen=True)
class Golden:
    """The content of a golden file: ascending frames, each with the hash of the state after it."""

    simulation: str
    digest: str
    hashes: tuple[tuple[int, int], ...]


def check_place(path: str | os.PathLike[str]) -> None:
    """Raise ReplayError if a file of another kind is there, which must not be replaced."""
    if holds_foreign_file(path, MARK):
        raise ReplayError(
            f"{path} exists already and is not a golden file", fix="give another name"
        )


def write_golden(
    path: str | os.PathLike[str],
    simulation: str,
    digest: str,
    hashes: Iterable[tuple[int, int]],
    every: int = 1,
) -> None:
    """Write the frames of `hashes` that `every` divides, and the last one.

    Frames are uint64 and ascend; hashes are uint64. ReplayError otherwise, or without any frame, or
    if a file of another kind is at `path`; a golden file there is replaced only by a complete one.
    """
    if problem := name_problem(simulation):
        raise ReplayError(f"golden file: the simulation's name {problem}")
    if problem := digest_problem(digest):
        raise ReplayError(f"golden file: the digest {problem}")
    if every < 1:
        raise ReplayError(f"golden file: every {every} frames", fix="give 1 or more")
    rows = tuple(_sampled(hashes, every))
    if len(rows) > MAX_HASHES:
        raise ReplayError(f"golden file: more than {MAX_HASHES:,} hashes", fix=_FEWER)
    text = _checked_text(simulation, digest, rows)
    text += f"{_COUNT}{len(rows)}\n{_CHECKSUM}{_checksum(text)}\n"
    check_place(path)
    try:
        with Output(path) as out:
            out.file.write(text.encode())
    except OSError as error:
        raise ReplayError(
            f"cannot write {os.fspath(path)}: {os_reason(error)}", fix=remedy(error)
        ) from None


def read_golden(path: str | os.PathLike[str]) -> Golden:
    """Read an untrusted golden file; ReplayError names the line and what to write."""
    name = os.fspath(path)
    descriptor, _ = open_file(name, "a golden file")
    try:
        with os.fdopen(descriptor, "rb") as file:
            return _parse(name, file)
    except OSError as error:
        raise ReplayError(f"cannot read {name}: {error.strerror or error}") from None


def _sampled(hashes: Iterable[tuple[int, int]], every: int) -> Iterator[tuple[int, int]]:
    last: tuple[int, int] | None = None
    written = True
    for frame, value in hashes:
        if not (0 <= frame < 2**64 and 0 <= value < 2**64):
            raise ReplayError(f"golden file: frame {frame} with hash {value} is not two uint64")
        if last is not None and frame <= last[0]:
            raise ReplayError(f"golden file: frame {frame} comes after frame {last[0]}")
        last = (frame, value)
        written = frame % every == 0
        if written:
            yield last
    if last is None:
        raise ReplayError("golden file: no frames to write")
    if not written:
        yield last


def _checked_text(simulation: str, digest: str, rows: Iterable[tuple[int, int]]) -> str:
    """The text under the checksum: the file without comments, up to the count."""
    head = f"{_FIRST}\n{_SIMULATION}{simulation}\n{_DIGEST}{digest}\n"
    return head + "".join(f"{frame} {value:016x}\n" for frame, value in rows)


def _checksum(text: str) -> str:
    return f"{xxh64(text.encode()):016x}"


def _parse(name: str, file: BinaryIO) -> Golden:
    said: dict[str, str] = {}
    rows: list[tuple[int, int]] = []
    number = 0
    while line := file.readline(MAX_LINE + 1):
        number += 1
        if number - len(rows) > MAX_COMMENTS:
            raise ReplayError(f"{name} has more than {MAX_COMMENTS:,} lines besides its hashes",
                              fix=_REWRITE)  # fmt: skip
        if len(rows) > MAX_HASHES:
            raise ReplayError(f"{name} has more than {MAX_HASHES:,} hashes", fix=_FEWER)
        if _CHECKSUM not in said and _is_cut(line):
            raise ReplayError(f"{name} is cut short: it ends inside line {number}", fix=_RESTORE)
        text = _decode(name, number, line)
        if number == 1:
            _check_first(name, text)
        else:
            _take(name, number, text, said, rows)
    if not number:
        raise ReplayError(f"{name} is empty", fix=_REWRITE)
    for what in (_SIMULATION, _DIGEST):
        if what not in said:
            raise ReplayError(f"{name} has no line '{what}…'", fix=_REWRITE)
    if not rows:
        raise ReplayError(f"{name} has no hashes", fix=_REWRITE)
    for what in (_COUNT, _CHECKSUM):
        if what not in said:
            raise ReplayError(f"{name} is cut short: it has no line '{what}…'", fix=_RESTORE)
    if said[_COUNT] != str(len(rows)):
        raise ReplayError(
            f"{name} has {len(rows)} hashes, and declares {said[_COUNT][:20]!a}",
            fix=_RESTORE,
        )
    found = _checksum(_checked_text(said[_SIMULATION], said[_DIGEST], rows))
    if said[_CHECKSUM] != found:
        raise ReplayError(
            f"{name} is damaged: its checksum is {said[_CHECKSUM][:20]!a}, its lines give "
            f"'{found}'",
            fix=_RESTORE,
        )
    return Golden(said[_SIMULATION], said[_DIGEST], tuple(rows))


def _is_cut(line: bytes) -> bool:
    """Whether the line is the beginning of a valid line, cut short."""
    if line.endswith(b"\n"):
        return False
    known = (_FIRST, _SIMULATION, _DIGEST, _COUNT, _CHECKSUM)
    is_row = _ROW_BEGINS.fullmatch(line) is not None and _ROW.fullmatch(line.decode()) is None
    return is_row or any(what.encode().startswith(line) for what in known if what.encode() != line)


def _check_first(name: str, text: str) -> None:
    if text == _OLD:
        raise ReplayError(
            f"{name} is a golden file of format 1, which has no count and no checksum to "
            "show that it is complete",
            fix="check its hashes, and write it again: "
            f"samebits verify SIM --golden {quote(name)} --update-golden",
        )
    if text != _FIRST:
        raise ReplayError(
            f"{name} is not a golden file: its first line is {text[:60]!a}, not '{_FIRST}'",
            fix="name the file that --update-golden wrote",
        )


def _take(
    name: str, number: int, text: str, said: dict[str, str], rows: list[tuple[int, int]]
) -> None:
    """Take one line after the first."""
    for what, (does, problem_of) in _SAID.items():
        if text.startswith(what):
            value = text.removeprefix(what)
            if what in said:
                raise _wrong(name, number, f"says '{what}…' again", _RESTORE)
            if problem := problem_of(value):
                raise _wrong(name, number, f"{does} {problem}", _REWRITE)
            said[what] = value
            return
    if not text.startswith("#"):
        before = rows[-1][0] if rows else -1
        rows.append(_row(name, number, text, before))


_SAID: dict[str, tuple[str, Callable[[str], str | None]]] = {
    _SIMULATION: ("names a simulation that", name_problem),
    _DIGEST: ("has a digest that", digest_problem),
    _COUNT: ("", lambda _: None),
    _CHECKSUM: ("", lambda _: None),
}
"""The header lines, each with the words before a problem, and the function that finds one."""

_FEWER = "keep the hashes of fewer frames, as `write_golden(..., every=60)` does"
_REWRITE = "write the golden file again"
_RESTORE = "copy it again from its source, or write it again with --update-golden"


def _decode(name: str, number: int, line: bytes) -> str:
    if len(line) > MAX_LINE:
        raise _wrong(name, number, f"is longer than {MAX_LINE} bytes", _REWRITE)
    try:
        # A checkout with CRLF line ends is still the same golden file.
        return line.decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        if number == 1:
            raise ReplayError(
                f"{name} is not a golden file: it does not begin with '{_FIRST}'",
                fix="name the file that --update-golden wrote",
            ) from None
        raise _wrong(name, number, "is not UTF-8", _REWRITE) from None


def _row(name: str, number: int, text: str, before: int) -> tuple[int, int]:
    row = _ROW.fullmatch(text)
    if row is None or int(row[1]) >= 2**64:
        raise _wrong(
            name,
            number,
            f"is {text[:60]!a}, not a frame and a hash",
            "write a frame, a space and 16 lowercase hex digits, as in '60 00112233aabbccdd'",
        )
    frame = int(row[1])
    if frame == before:
        raise _wrong(name, number, f"has frame {frame} again", "keep one line for each frame")
    if frame < before:
        raise _wrong(
            name, number, f"has frame {frame} after frame {before}", "sort the lines by frame"
        )
    return frame, int(row[2], 16)


def _wrong(name: str, number: int, what: str, fix: str) -> ReplayError:
    return ReplayError(f"{name}: line {number} {what}", fix=fix)
