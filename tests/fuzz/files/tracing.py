"""Where a reader goes, and for how long: lines of the package that follow one another, counted."""

from __future__ import annotations

import gc
import sys
from collections import defaultdict
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import samebits

PACKAGE = str(Path(samebits.__file__).parent)

Edge = tuple[int, int]
"""A step from one line to another, and about how often it was made."""


class Endless(BaseException):
    """A reader made more steps than the file's length allows."""


Trace = Callable[[FrameType, str, Any], Any]


class Steps:
    """The lines that were run while the block `counted` lasted."""

    def __init__(self) -> None:
        self.count = 0
        self._made = _no_steps()
        self._numbers: dict[CodeType, int] = {}

    @contextmanager
    def counted(self, most: int) -> Generator[None]:
        """Count anew; Endless inside once there are more than `most`.

        No garbage is collected inside: what others left behind may run lines of the package as it
        goes, at a moment that says nothing of the file.
        """
        self._made = _no_steps()
        old, collects = sys.gettrace(), gc.isenabled()
        gc.disable()
        sys.settrace(self._tracer(most))
        try:
            yield
        finally:
            sys.settrace(old)
            if collects:
                gc.enable()
            self.count = sum(sum(row.values()) for row in self._made.values())

    @property
    def edges(self) -> set[Edge]:
        """What was gone through, each with the length of its count in bits."""
        return {
            (before << 40 | here, count.bit_length())
            for before, row in self._made.items()
            for here, count in row.items()
        }

    def _tracer(self, most: int) -> Trace:
        """Every line costs what is done here for it: one function a code object knows its number,
        and the line before has its row of counts ready."""
        made, numbers = self._made, self._numbers
        lines: dict[CodeType, Trace | None] = {}
        row = made[0]
        count = 0

        def called(frame: FrameType, event: str, arg: Any) -> Any:
            code = frame.f_code
            try:
                return lines[code]
            except KeyError:
                number = numbers.get(code)
                if number is None:
                    own = code.co_filename.startswith(PACKAGE)
                    number = numbers[code] = len(numbers) + 1 if own else 0
                lines[code] = line = lines_of(number << 20) if number else None
                return line

        def lines_of(first: int) -> Trace:
            def line(frame: FrameType, event: str, arg: Any) -> Any:
                nonlocal row, count
                if event == "line":
                    here = first | frame.f_lineno
                    row[here] += 1
                    row = made[here]
                    count += 1
                    if count > most:
                        raise Endless
                return line

            return line

        return called


def _no_steps() -> defaultdict[int, defaultdict[int, int]]:
    """How often each line came after each, by the line before and then by the line."""
    return defaultdict(lambda: defaultdict(int))
