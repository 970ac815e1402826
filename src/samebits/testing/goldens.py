"""Golden bits of tests: a text file beside the tests, one line a hash, which reads well in a diff.

A line is a hash, the number of the call in its test, with `@` and a frame where the call ran a
simulation, and the test's name as pytest has it, without the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from samebits.errors import SamebitsError
from samebits.output import Output

FOLDER = "__samebits__"
"""The folder of these files, beside the tests."""
_FIRST = "# samebits golden bits 1"
_LARGEST = 16 << 20
_LINE = re.compile(r"([0-9a-f]{16}) ([1-9][0-9]{0,5}(?:@[0-9]{1,10})?) (\S.*)")

Bits = dict[str, dict[str, str]]
"""Hashes by the test's name, and by the call."""


class GoldenError(SamebitsError):
    """A file of golden bits that cannot be read or written."""


def path_of(test: Path) -> Path:
    """The file of a test module."""
    return test.parent / FOLDER / f"{test.stem}.txt"


def read(path: Path) -> Bits:
    """All hashes of a file; none where there is no file. Raises GoldenError with the line."""
    try:
        if path.stat().st_size > _LARGEST:
            raise GoldenError(f"{path} has more than {_LARGEST:,} bytes", fix=_ANEW)
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise GoldenError(f"{path} cannot be read: {error}") from None
    if not lines or lines[0] != _FIRST:
        raise GoldenError(f"{path} does not begin with '{_FIRST}'", fix=_ANEW)
    found: Bits = {}
    for number, line in enumerate(lines[1:], 2):
        row = _LINE.fullmatch(line)
        if row is None:
            raise GoldenError(
                f"{path}: line {number} is {line[:60]!a}, not a hash, a call and a test", fix=_ANEW
            )
        calls = found.setdefault(row[3], {})
        if row[2] in calls:
            raise GoldenError(
                f"{path}: line {number} has call {row[2]} of {row[3]} again", fix=_ANEW
            )
        calls[row[2]] = row[1]
    return found


_ANEW = "restore it, or write it again: pytest --samebits-update"


def write(path: Path, bits: Mapping[str, Mapping[str, str]]) -> None:
    """Write a file, sorted by test and call; one without hashes is removed."""
    rows = [
        f"{value} {call} {name}"
        for name, calls in sorted(bits.items())
        for call, value in sorted(calls.items(), key=lambda item: _order(item[0]))
    ]
    try:
        if not rows:
            path.unlink(missing_ok=True)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        with Output(path) as out:
            out.file.write("".join(f"{line}\n" for line in (_FIRST, *rows)).encode())
    except OSError as error:
        raise GoldenError(f"{path} cannot be written: {error.strerror or error}") from None


def _order(call: str) -> tuple[int, int]:
    number, _, frame = call.partition("@")
    return int(number), int(frame or -1)


def unused(
    known: Bits, used: Mapping[str, Iterable[str]], collected: Iterable[str] | None
) -> dict[str, list[str]]:
    """The calls that no test makes any more: those of tests that ran and made others, in `used`,
    and all of tests that are not there, where it is known which are."""
    there = None if collected is None else {*collected}
    found: dict[str, list[str]] = {}
    for name, calls in known.items():
        if name in used:
            gone = sorted(calls.keys() - {*used[name]}, key=_order)
        else:
            gone = [] if there is None or name in there else sorted(calls, key=_order)
        if gone:
            found[name] = gone
    return found


@dataclass
class GoldenFile:
    """A file of golden bits: what it held, and what tests made of it."""

    path: Path
    bits: Bits
    used: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    written: Bits = field(default_factory=dict[str, dict[str, str]])
    passed: set[str] = field(default_factory=set[str])
    collected: set[str] | None = None
    """Names of all tests of the module; None where only some of them were asked for."""

    @property
    def unused(self) -> dict[str, list[str]]:
        used = {name: calls for name, calls in self.used.items() if name in self.passed}
        known = {n: c for n, c in self.bits.items() if n in used or n not in self.used}
        return unused(known, used, self.collected)
