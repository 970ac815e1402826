"""The format of a desync report: its parts, their sizes, and the bounds on them.

Owns what a report declares about its content, and the list of parts that follows from it: a reader
expects these and no others. Knows nothing of files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from samebits.bits import canonical_size
from samebits.errors import ReplayError, ReportError
from samebits.replay.header import ReplayHeader
from samebits.sim.outcome import TrapFact
from samebits.sim.state.schema import from_json
from samebits.types import FixedArrayType, MemoryType, StructType, VectorType

PROFILE = "samebits-report"
FORMAT = 1
FOREIGN_MODE = "FOREIGN"
"""The mode, and the precision, of a program that samebits did not make."""

HASHES = "/hashes"
INPUT_HASHES = "/input-hashes"
INPUTS = "/inputs"
STATES = "/states"
TREES = "/trees"
PROGRAM = "/program"
TRACE = "/trace"
TOPICS = (HASHES, INPUT_HASHES, INPUTS, STATES, TREES, PROGRAM, TRACE)
"""The order in which parts are written; a topic's channel is its position, from 1."""

BLOCK_VALUES = 512
"""Hashes in a part."""
INPUT_BLOCK = 32 * 1024
"""A part of several frames' inputs holds at most this many bytes."""
MAX_FRAMES = 1 << 22
"""Most frames of a run: 19 hours at 60 Hz."""
MAX_ASKED = 36_000
"""Most frames in detail."""
MAX_TREES = 8 * 1024 * 1024
"""Most bytes of Merkle trees, which bounds the frames in detail if states are large."""
MAX_STATES = 16 * 1024 * 1024
"""Most bytes of states, before compression."""
MAX_PROGRAM = 8 * 1024 * 1024
"""Most bytes of the program's text."""
MAX_TRACE = 8 * 1024 * 1024
"""Most bytes of a trace, which is compressed; a frame of the cloth has 100,000."""
MAX_INPUTS = 16 * 1024 * 1024
"""Most bytes of inputs."""
MAX_WHOLE = 128 * 1024 * 1024
"""Most bytes of all parts together."""
MAX_MESSAGES = 1 << 17
"""Most messages of a report's file; a report of all frames has fewer."""
MAX_DESCRIPTIONS = 8
"""Most descriptions that are read; a report has two."""
MAX_DAMAGE = 32
"""Most places of damage that are listed."""
MAX_PATHS = 16 * 1024 * 1024
"""Most characters of the paths of all scalars of a state, each with its enclosing names."""
MAX_FILE = 64 * 1024 * 1024
"""Most bytes of a report's file."""


class Key(NamedTuple):
    """The key of a part: its topic, and the number of its first frame or state.

    State n is the one before frame n: state 0 is the one after `init`, and state n + 1 the one
    after frame n. Hashes, states and trees count states; inputs and the trace count frames.
    """

    topic: str
    number: int


MAX_CHANGES = 64
"""Most changes of the state outside of frames, and most restores, that are told."""
MAX_CHANGED = 64
"""Most scalars of a change that are told."""


@dataclass(frozen=True, slots=True)
class StateChange:
    """The state before frame `number` is not the one that the frame before left.

    `by` is "restore" or "hand". `scalars` are the first that differ, each with path and with its
    bits before and after, `differing` is how many do; 0 where what it was is not known.
    """

    number: int
    by: str
    differing: int
    scalars: tuple[tuple[str, str, str], ...]

    def to_json(self) -> list[Any]:
        """As `contents_from_json` reads it."""
        return [self.number, self.by, self.differing, [list(each) for each in self.scalars]]


@dataclass(frozen=True, slots=True)
class Contents:
    """A report's declared content. A value out of its range raises ReportError.

    `side` is how the simulation was run, in the user's words. `frames` whole frames were run and,
    if `trap` is set, one more that trapped; those of `asked` are held in detail. `leaves` counts
    those of a state's Merkle tree. `program` and `trace` are sizes in bytes, 0 for none; the trace
    is of frame `traced`, and the traced run left a state of hash `traced_hash`. Nothing is known of
    frames before `first`. A session that was running has `changes` of its state outside of frames,
    and `restores`, each from before one frame to before another.
    """

    side: str
    frames: int
    asked: range
    states: tuple[int, ...]
    leaves: int
    program: int
    init: str = ""
    step: str = ""
    trace: int = 0
    traced: int = 0
    traced_hash: int = 0
    trap: TrapFact | None = None
    first: int = 0
    changes: tuple[StateChange, ...] = ()
    restores: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        for name, most in (*_BOUNDS, ("first", self.frames)):
            value = getattr(self, name)
            if type(value) is not int or not 0 <= value <= most:
                raise _wrong(f"{ascii(value)[:60]} as {name}, not an int from 0 to {most}")
        asked = self.asked
        if asked.step != 1 or not self.first <= asked.start <= asked.stop <= self.begun:
            raise _wrong(f"frames {asked.start} to {asked.stop} of {self.frames}")
        if len(asked) > MAX_ASKED:
            raise _wrong(f"{len(asked)} frames in detail, more than {MAX_ASKED}")
        if list(self.states) != sorted({n for n in self.states if self.first <= n <= self.frames}):
            raise _wrong("states that are not in order, or not of the run")
        if self.trace and self.traced not in asked:
            raise _wrong(f"a trace of frame {self.traced}, which is not in detail")
        for name in ("side", "init", "step"):
            if not _is_text(getattr(self, name)):
                raise _wrong(f"{ascii(getattr(self, name))[:60]} as {name}")

    @property
    def begun(self) -> int:
        """Frames whose inputs were read: the whole ones, and the one that trapped."""
        return self.frames + (self.trap is not None)

    def to_json(self) -> dict[str, Any]:
        """Every fact by its name, as `contents_from_json` reads them."""
        facts: dict[str, Any] = {name: getattr(self, name) for name in _PLAIN}
        facts["asked"] = [self.asked.start, self.asked.stop]
        facts["states"] = list(self.states)
        if self.first:
            facts["first"] = self.first
        if self.changes:
            facts["changes"] = [change.to_json() for change in self.changes]
        if self.restores:
            facts["restores"] = [list(pair) for pair in self.restores]
        if self.trap is not None:
            facts["trap"] = [self.trap.kind, self.trap.message, self.trap.place]
        return facts


_BOUNDS = (
    ("frames", MAX_FRAMES),
    ("leaves", 1 << 16),
    ("program", MAX_PROGRAM),
    ("trace", MAX_TRACE),
    ("traced", MAX_FRAMES),
    ("traced_hash", (1 << 64) - 1),
)
_PLAIN = ("side", "init", "step", *(name for name, _ in _BOUNDS))


def contents_from_json(given: Any) -> Contents:
    """The contents that `to_json` wrote. Raises ReportError if they are malformed."""
    if not isinstance(given, Mapping):
        raise _wrong("no JSON object")
    facts = cast("Mapping[str, Any]", given)
    values: dict[str, Any] = {name: facts.get(name) for name in _PLAIN}
    ends = _numbers(facts.get("asked"), "asked", 2)
    if len(ends) != 2:
        raise _wrong("no two frames as asked")
    values["asked"] = range(*ends)
    values["states"] = tuple(_numbers(facts.get("states"), "states", MAX_ASKED + 1))
    values["first"] = facts.get("first", 0)
    values["changes"] = _changes(facts.get("changes", []))
    values["restores"] = _restores(facts.get("restores", []))
    trap = facts.get("trap")
    if trap is not None:
        texts = cast("list[Any]", trap) if isinstance(trap, list) else []
        if len(texts) != 3 or not all(_is_text(t) for t in texts):
            raise _wrong("no trap as trap")
        values["trap"] = TrapFact(*texts)
    return Contents(**values)


def _changes(given: Any) -> tuple[StateChange, ...]:
    rows = cast("list[Any]", given) if isinstance(given, list) else [None]
    if len(rows) > MAX_CHANGES:
        raise _wrong(f"more than {MAX_CHANGES} changes")
    return tuple(map(_change, rows))


def _change(given: Any) -> StateChange:
    row = cast("list[Any]", given) if isinstance(given, list) else []
    if len(row) == 4 and row[1] in ("restore", "hand") and isinstance(row[3], list):
        scalars = cast("list[Any]", row[3])
        number, differing = _numbers([row[0], row[2]], "changes", 2)
        if len(scalars) <= MAX_CHANGED and all(_is_scalar(each) for each in scalars):
            return StateChange(number, row[1], differing, tuple(tuple(each) for each in scalars))
    raise _wrong("no change as changes")


def _is_scalar(given: Any) -> bool:
    row = cast("list[Any]", given) if isinstance(given, list) else []
    return len(row) == 3 and all(_is_text(each) for each in row)


def _restores(given: Any) -> tuple[tuple[int, int], ...]:
    rows = cast("list[Any]", given) if isinstance(given, list) else [None]
    if len(rows) > MAX_CHANGES:
        raise _wrong(f"more than {MAX_CHANGES} restores")
    found = [_numbers(row, "restores", 2) for row in rows]
    if not all(len(pair) == 2 for pair in found):
        raise _wrong("no two frames as restores")
    return tuple((pair[0], pair[1]) for pair in found)


def line_of(text: str) -> str:
    """A text made one printable line, cut to the longest that contents hold."""
    return (text if text.isprintable() else ascii(text)[1:-1])[:_LONGEST]


_LONGEST = 1000


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value == line_of(value)


def _numbers(given: Any, name: str, most: int) -> list[int]:
    found = cast("list[Any]", given) if isinstance(given, list) else []
    if len(found) > most or not all(type(n) is int and 0 <= n <= MAX_FRAMES for n in found):
        raise _wrong(f"no frames as {name}")
    return found


def _wrong(what: str) -> ReportError:
    return ReportError(f"the report's description of its contents has {what}")


def types_of(header: ReplayHeader) -> tuple[StructType, StructType]:
    """The types of state and input in a header's schema. Raises ReportError if they do not have the
    header's sizes."""
    found: list[StructType] = []
    for name, size in (("state", header.state_size), ("input", header.input_size)):
        try:
            t = from_json(header.schema.get(name), max(1, size))
        except ReplayError as error:
            raise ReportError(f"the report's {name}: {error.message}") from None
        if not isinstance(t, StructType) or canonical_size(t) != size:
            raise ReportError(f"the report's schema of its {name} does not fit its size")
        if _path_lengths(t, 0) > MAX_PATHS:
            raise ReportError(
                f"the names in the report's schema of its {name} have more than {MAX_PATHS:,} "
                "characters in all"
            )
        found.append(t)
    return found[0], found[1]


def _path_lengths(t: MemoryType, around: int) -> int:
    """Characters of the paths of all scalars of a type, each with `around` before it."""
    match t:
        case StructType():
            return sum(_path_lengths(field, around + 1 + len(name)) for name, field in t.fields)
        case FixedArrayType():
            return _path_lengths(t.element, around + 2)
        case VectorType():
            return len(t.components) * (around + 2)
        case _:
            return around


def input_block(header: ReplayHeader) -> int:
    """The number of frames of inputs in a part."""
    return max(1, INPUT_BLOCK // max(1, header.frame_size))


def plan(header: ReplayHeader, contents: Contents) -> dict[Key, int]:
    """Every part of a report and its size in bytes, in the order of the file.

    Raises ReportError if that exceeds a bound.
    """
    c = contents
    parts = {
        **_blocks(HASHES, range(c.first, c.frames + 1), BLOCK_VALUES, 8),
        **_blocks(INPUT_HASHES, range(c.first, c.begun), BLOCK_VALUES, 8),
        **_blocks(INPUTS, c.asked, input_block(header), header.frame_size),
        **{Key(STATES, n): header.state_size for n in c.states},
        **{Key(TREES, n + 1): 8 * c.leaves for n in c.asked if c.leaves and n < c.frames},
    }
    if c.program:
        parts[Key(PROGRAM, 0)] = c.program
    if c.trace:
        parts[Key(TRACE, c.traced)] = c.trace
    for topic, most in _MOST.items():
        size = sum(size for key, size in parts.items() if key.topic == topic)
        if size > most:
            raise _wrong(f"{size} bytes in {topic}, more than {most}")
    if sum(parts.values()) > MAX_WHOLE:
        raise _wrong(f"{sum(parts.values())} bytes, more than {MAX_WHOLE}")
    return parts


def most_asked(header: ReplayHeader, leaves: int) -> int:
    """Most frames of a simulation that a report can hold in detail."""
    frame = max(1, header.frame_size)
    return min(MAX_ASKED, MAX_INPUTS // frame, MAX_TREES // (8 * max(1, leaves)))


_MOST = {INPUTS: MAX_INPUTS, STATES: MAX_STATES, TREES: MAX_TREES}


def _blocks(topic: str, numbers: range, count: int, size: int) -> dict[Key, int]:
    """Parts of at most `count` numbers of `size` bytes each."""
    if not size:
        return {}
    return {
        Key(topic, first): size * (min(first + count, numbers.stop) - first)
        for first in range(numbers.start, numbers.stop, count)
    }
