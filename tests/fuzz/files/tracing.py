"""Where a reader goes, and for how long: lines of the package that follow one another, counted."""

from __future__ import annotations

import sys
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


class Steps:
    """The lines that were run while the block `counted` lasted."""

    def __init__(self) -> None:
        self.count = 0
        self._made: dict[int, int] = {}
        self._numbers: dict[CodeType, int] = {}

    @contextmanager
    def counted(self, most: int) -> Generator[None]:
        """Count anew; Endless inside once there are more than `most`."""
        self._made = {}
        old = sys.gettrace()
        sys.settrace(self._tracer(most))
        try:
            yield
        finally:
            sys.settrace(old)
            self.count = sum(self._made.values())

    @property
    def edges(self) -> set[Edge]:
        """What was gone through, each with the length of its count in bits."""
        return {(step, count.bit_length()) for step, count in self._made.items()}

    def _tracer(self, most: int) -> Callable[[FrameType, str, Any], Any]:
        made, numbers = self._made, self._numbers
        before = count = 0

        def called(frame: FrameType, event: str, arg: Any) -> Any:
            number = numbers.get(frame.f_code)
            if number is None:
                own = frame.f_code.co_filename.startswith(PACKAGE)
                number = numbers[frame.f_code] = len(numbers) + 1 if own else 0
            return line if number else None

        def line(frame: FrameType, event: str, arg: Any) -> Any:
            nonlocal before, count
            if event == "line":
                here = numbers[frame.f_code] << 20 | frame.f_lineno
                step = before << 40 | here
                made[step] = made.get(step, 0) + 1
                before = here
                count += 1
                if count > most:
                    raise Endless
            return line

        return called
