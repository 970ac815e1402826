"""One frame of a script, operation by operation, in two runs, and the first that differs.

A traced script is prepared so that each operator of numbers, and each function of math, tells its
place, operands and result. What it finds is believed only where the traced frame gives the bits of
the plain one.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from samebits.lua.errors import LuaError
from samebits.lua.game import Game
from samebits.lua.record import Frames
from samebits.lua.source import Site

_EVENT = struct.Struct("<IIddd")


@dataclass(frozen=True, slots=True)
class Event:
    """An operation as it ran: its place in the script, operands and result, as bits."""

    site: int
    count: int
    operands: tuple[bytes, ...]
    result: bytes


@dataclass(frozen=True, slots=True)
class FirstDifference:
    """Where two runs part. `site` is None where no traced operation differs; `is_path` says that
    the runs took other ways before any result differed, `is_believed` whether tracing kept the bits
    of both."""

    frame: int
    site: Site | None = None
    a: Event | None = None
    b: Event | None = None
    is_path: bool = False
    is_believed: bool = True

    def text(self) -> Iterator[str]:
        """Lines that tell it."""
        when = "the set-up" if self.frame < 0 else f"frame {self.frame:,}"
        if self.site is None:
            yield f"{when}: the states differ, and no operation of numbers does"
            return
        yield f"{when}: {self.site.file}:{self.site.line}: {self.site.text}"
        if self.is_path:
            yield "  the runs took other ways here: what led to it is no result of an operation"
        elif self.a is not None and self.b is not None:
            operands = ", ".join(_shown(each) for each in self.a.operands)
            if self.a.operands == self.b.operands:
                yield f"  operands  {operands}"
            else:
                yield f"  operands  a  {operands}"
                yield f"            b  {', '.join(_shown(each) for each in self.b.operands)}"
            yield f"  result    a  {_shown(self.a.result)}"
            yield f"            b  {_shown(self.b.result)}"
        if not self.is_believed:
            yield "  not believed: a traced frame has other bits than the plain one"


def _shown(data: bytes) -> str:
    (value,) = struct.unpack("<d", data)
    return f"{value!r} ({int.from_bytes(data, 'little'):016x})"


def first_difference(a: Frames, b: Frames) -> int | None:
    """The first frame after which the states differ; -1 is the set-up."""
    pairs = enumerate(zip(a.states, b.states, strict=False), -1)
    return next((frame for frame, (mine, theirs) in pairs if mine != theirs), None)


def trace_frame(game: Game, run: Frames, frame: int) -> tuple[list[Event], bool]:
    """The operations of a frame of a run, by a traced game; whether it gave the run's state."""
    if frame < 0:
        game.runtime.start_trace()
        state = game.start()
    else:
        game.restore(run.states[frame])
        game.runtime.start_trace()
        state = game.step(run.inputs[frame])
    return list(_events(game.runtime.taken_trace())), state == run.states[frame + 1]


def compare(
    frame: int, traced: tuple[Game, Game], runs: tuple[Frames, Frames], sites: Sequence[Site]
) -> FirstDifference:
    """The first operation of a frame that differs between two runs of one script."""
    found: list[list[Event]] = []
    faithful = True
    for game, run in zip(traced, runs, strict=True):
        events, is_same = trace_frame(game, run, frame)
        found.append(events)
        faithful = faithful and is_same
    a, b = found
    for mine, theirs in zip(a, b, strict=False):
        if mine.site != theirs.site:
            return FirstDifference(frame, sites[mine.site], mine, theirs, True, faithful)
        if mine != theirs:
            return FirstDifference(frame, sites[mine.site], mine, theirs, False, faithful)
    if len(a) != len(b):
        rest = a[len(b) :] or b[len(a) :]
        return FirstDifference(frame, sites[rest[0].site], rest[0], None, True, faithful)
    return FirstDifference(frame, is_believed=faithful)


def _events(data: bytes) -> Iterator[Event]:
    if len(data) % _EVENT.size:
        raise LuaError("a trace of a script is damaged")
    for at in range(0, len(data), _EVENT.size):
        site, count = struct.unpack_from("<II", data, at)
        numbers = [data[at + 8 + n * 8 : at + 16 + n * 8] for n in range(3)]
        yield Event(site, count, tuple(numbers[1 : 1 + count]), numbers[0])
