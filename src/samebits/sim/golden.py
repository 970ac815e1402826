"""Golden files: the hashes that a simulation must give, as small text meant to be read in a diff.

A file is `#` comment lines, the first three of them its header, then `frame hash` lines.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from samebits.errors import ReplayError
from samebits.output import Output, told
from samebits.sim.replay_header import digest_problem, name_problem

MAX_LINE = 1024
"""Most bytes of a line, its end included."""

_FIRST = "# samebits golden 1"
_SIMULATION = "# simulation: "
_DIGEST = "# digest: "
_ROW = re.compile(r"(0|[1-9][0-9]{0,19}) ([0-9a-f]{16})")


@dataclass(frozen=True)
class Golden:
    """What a golden file says: frames, rising, each with the hash of the state after it."""

    simulation: str
    digest: str
    hashes: tuple[tuple[int, int], ...]


def write_golden(
    path: str | os.PathLike[str],
    simulation: str,
    digest: str,
    hashes: Iterable[tuple[int, int]],
    every: int = 1,
) -> None:
    """Write the frames of `hashes` that `every` divides, and the last one.

    Frames are uint64 and rise; hashes are uint64. ReplayError otherwise, or where no frame is
    given; a file already at `path` is replaced only by a whole one.
    """
    if problem := name_problem(simulation):
        raise ReplayError(f"golden file: the simulation's name {problem}")
    if problem := digest_problem(digest):
        raise ReplayError(f"golden file: the digest {problem}")
    if every < 1:
        raise ReplayError(f"golden file: every {every} frames", fix="give 1 or more")
    try:
        with Output(path) as out:
            head = f"{_FIRST}\n{_SIMULATION}{simulation}\n{_DIGEST}{digest}\n"
            out.file.write(head.encode())
            for frame, value in _sampled(hashes, every):
                out.file.write(f"{frame} {value:016x}\n".encode())
    except OSError as error:
        raise ReplayError(f"cannot write {os.fspath(path)}: {told(error)}") from None


def read_golden(path: str | os.PathLike[str]) -> Golden:
    """Read a golden file that nobody vouches for; ReplayError names the line and what to write."""
    name = os.fspath(path)
    if not os.path.isfile(name):
        raise ReplayError(f"{name} is not a file", fix="give the path of a golden file")
    try:
        with open(name, "rb") as file:
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


def _parse(name: str, file: BinaryIO) -> Golden:
    simulation = digest = ""
    rows: list[tuple[int, int]] = []
    number = 0
    while line := file.readline(MAX_LINE + 1):
        number += 1
        text = _decode(name, number, line)
        if number == 1:
            if text != _FIRST:
                raise _wrong(name, 1, f"is {text[:60]!a}", f"begin the file with {_FIRST!r}")
        elif text.startswith(_SIMULATION) and not simulation:
            simulation = text.removeprefix(_SIMULATION)
            if problem := name_problem(simulation):
                raise _wrong(name, number, f"names a simulation that {problem}", _REWRITE)
        elif text.startswith(_DIGEST) and not digest:
            digest = text.removeprefix(_DIGEST)
            if problem := digest_problem(digest):
                raise _wrong(name, number, f"has a digest that {problem}", _REWRITE)
        elif not text.startswith("#"):
            rows.append(_row(name, number, text, rows[-1][0] if rows else -1))
    if not number:
        raise ReplayError(f"{name} is empty", fix=_REWRITE)
    for what, found in ((_SIMULATION, simulation), (_DIGEST, digest)):
        if not found:
            raise ReplayError(f"{name} has no line '{what}…'", fix=_REWRITE)
    if not rows:
        raise ReplayError(f"{name} has no hashes", fix=_REWRITE)
    return Golden(simulation, digest, tuple(rows))


_REWRITE = "write the golden file again"


def _decode(name: str, number: int, line: bytes) -> str:
    if len(line) > MAX_LINE:
        raise _wrong(name, number, f"is longer than {MAX_LINE} bytes", _REWRITE)
    try:
        # A checkout with CRLF line ends is still the same golden file.
        return line.decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
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
        raise _wrong(name, number, f"has frame {frame} after frame {before}", "let frames rise")
    return frame, int(row[2], 16)


def _wrong(name: str, number: int, what: str, fix: str) -> ReplayError:
    return ReplayError(f"{name}: line {number} {what}", fix=fix)
