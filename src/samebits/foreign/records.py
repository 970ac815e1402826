"""The reader of records of other programs' runs: every whole frame up to the first damage.

Owns what of a file is believed: lengths within the file, under checksums that hold. States stay in
the file; one is read, and its hash compared, where it is asked for.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from samebits.bits import canonical_size, xxh64
from samebits.errors import ReportError
from samebits.foreign import format as sbt
from samebits.foreign.body import Body, Malformed
from samebits.foreign.format import Kind
from samebits.foreign.layout import parse_layout
from samebits.types import UINT8, UINT32, FixedArrayType, MemoryType, StructType

_FIX = "give a file that a recorder of samebits wrote: `samebits header` prints them"
_COUNT = "count"
_ITEMS = "items"


@dataclass(frozen=True, slots=True)
class Region:
    """A part of the state: `capacity` is a heap's, 0 for memory in one place."""

    name: str
    capacity: int
    type: MemoryType
    item: int
    """Canonical bytes of the memory, or of one of the heap's items."""


@dataclass(frozen=True, slots=True)
class ControlWord:
    """A word of a floating-point control register: as frame `frame` began (`where` 0), ended (1),
    or under a guard (2), which tells `who` changed it."""

    frame: int
    where: int
    register: str
    word: int
    who: str


@dataclass(slots=True)
class ForeignRun:
    """What a record tells of a run. Frames are as in reports: -1 is the set-up."""

    path: str
    name: str
    version: str
    seed: int
    rate: int
    players: int
    regions: tuple[Region, ...]
    state: StructType
    input: StructType
    facts: dict[str, str] = field(default_factory=dict[str, str])
    words: list[ControlWord] = field(default_factory=list[ControlWord])
    words_left: int = 0
    """Changes of control registers beyond those that are kept."""
    hashes: dict[int, int] = field(default_factory=dict[int, int])
    """Of the state after each frame."""
    inputs: dict[int, bytes] = field(default_factory=dict[int, bytes])
    """Canonical, by frame."""
    places: dict[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])
    """Where the kept states lie in the file, and their bytes there."""
    again: int = 0
    """Frames that were run again."""
    overflowed: int | None = None
    """The first frame after which a heap had more items than its capacity."""
    unfinished: int | None = None
    """The frame that had begun when the record stopped."""
    is_ended: bool = False
    damage: str | None = None

    @property
    def first(self) -> int:
        """The first frame whose hash is known: frames follow one another, in order."""
        return next(iter(self.hashes))

    @property
    def last(self) -> int:
        """The last frame that was run whole."""
        return next(reversed(self.hashes))

    @property
    def input_size(self) -> int:
        return canonical_size(self.input)

    def state_after(self, frame: int) -> bytes | None:
        """The canonical state after a frame; None where it was not kept, or has not its hash."""
        place = self.places.get(frame)
        if place is None:
            return None
        with open(self.path, "rb") as file:
            file.seek(place[0])
            state = expanded(self.regions, file.read(place[1]))
        return state if state is not None and xxh64(state) == self.hashes[frame] else None


def is_record(path: str) -> bool:
    """Whether a file is a record, by its first bytes."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return False
        with open(path, "rb") as file:
            return file.read(len(sbt.MAGIC)) == sbt.MAGIC
    except (OSError, ValueError):
        return False


def read_record(path: str) -> ForeignRun:
    """The run in a file, up to its first damage, which `damage` tells.

    Raises ReportError where there is no such file, it is no record, or has not one whole frame.
    """
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise ReportError(f"{path} is not a file", fix=_FIX)
        with open(path, "rb") as file:
            return _read(path, file)
    except (OSError, ValueError) as error:  # ValueError: the name has a NUL
        raise ReportError(
            f"cannot read {path}: {getattr(error, 'strerror', None) or error}", fix=_FIX
        ) from None


def _read(path: str, file: BinaryIO) -> ForeignRun:
    size = os.fstat(file.fileno()).st_size
    head = file.read(sbt.HEAD)
    if head[:8] != sbt.MAGIC:
        raise ReportError(f"{path} is no record of a program's run", fix=_FIX)
    if (version := int.from_bytes(head[8:12], "little")) != sbt.VERSION:
        raise ReportError(
            f"{path} is a record of format {version}; this samebits reads {sbt.VERSION}",
            fix="install the samebits that the recorder came with",
        )
    if size > sbt.MAX_FILE:
        raise ReportError(f"{path} has more than {sbt.MAX_FILE:,} bytes: it is no record", fix=_FIX)
    records = _records(file, size)
    first = next(records, None)
    if first is None or first.kind != Kind.RUN:
        raise ReportError(
            f"nothing in {path} is usable: its first record is not there, or damaged",
            note="the program may have ended before its first frame",
            fix="record the run again",
        )
    try:
        run = _run(path, first.body)
    except Malformed as error:
        raise ReportError(f"{path} says of its run {error}", fix=_FIX) from None
    for record in records:
        try:
            _READERS[record.kind](run, record)
        except Malformed as error:
            run.damage = f"at byte {record.offset:,}, {error}"
            break
        if record.damage:
            run.damage = record.damage
            break
    _check_last(run)
    if not run.hashes:
        raise ReportError(
            f"{path} has not one whole frame", note=run.damage, fix="record the run again"
        )
    return run


def _check_last(run: ForeignRun) -> None:
    """Drop a last state that the program did not come to write whole."""
    last = next(reversed(run.places), None)
    if last is not None and last == run.last and run.state_after(last) is None:
        del run.hashes[last], run.places[last]
        run.unfinished = last
        run.damage = run.damage or f"the state after frame {last:,} is not whole"


@dataclass(frozen=True, slots=True)
class _Record:
    """A record whose checksum holds. `state` is the place of a frame's state; `damage` is set on an
    empty last one, and says why nothing follows."""

    kind: Kind
    offset: int
    body: bytes
    state: tuple[int, int] = (0, 0)
    data: bytes = b""
    damage: str | None = None


_KINDS = {kind.encode(): kind for kind in Kind}
_DONE = 24
"""Bytes of a frame's record before its state."""


def _records(file: BinaryIO, size: int) -> Iterator[_Record]:
    """The whole records from behind the file's head on."""
    offset = sbt.HEAD
    for _ in range(sbt.MAX_RECORDS):
        head = file.read(sbt.HEAD)
        if not head.strip(b"\0"):
            return  # the end, or room that the program did not come to use
        kind, length = _KINDS.get(head[:4]), int.from_bytes(head[4:8], "little")
        what = None
        if len(head) < sbt.HEAD or (kind is not None and offset + sbt.HEAD + length > size):
            what = "the file ends in a record"
        elif kind is None:
            what = f"there is no record, but {head[:4]!a}"
        elif length > sbt.MAX_BODY[kind]:
            what = f"a record of {length:,} bytes, more than its kind has"
        body = file.read(length) if what is None else b""
        covered = body[:_DONE] if kind == Kind.DONE else body
        if what is None and xxh64(covered, int.from_bytes(head[:8], "little")) != int.from_bytes(
            head[8:], "little"
        ):
            what = "a record's checksum does not hold"
        if what is not None or kind is None:
            yield _Record(Kind.ENDS, offset, b"", damage=f"at byte {offset:,}, {what}")
            return
        start = offset + sbt.HEAD + _DONE
        yield _Record(kind, offset, covered, (start, length - len(covered)), body[_DONE:])
        padded = (length + 7) // 8 * 8
        file.read(padded - length)
        offset += sbt.HEAD + padded
    yield _Record(Kind.ENDS, offset, b"", damage=f"it has more than {sbt.MAX_RECORDS:,} records")


def _run(path: str, data: bytes) -> ForeignRun:
    body = Body(data)
    name, version = body.text(), body.text()
    for what, text in (("a name", name), ("a version", version)):
        if not text or len(text) > 200 or not text.isprintable():
            raise Malformed(f"{text[:40]!a} as {what}")
    seed, rate, players = body.number(8), body.number(4), body.number(4)
    if not 1 <= rate <= 1_000_000 or players > sbt.MAX_PLAYERS:
        raise Malformed(f"a rate of {rate} and {players} players")
    layout = body.raw_text()
    given = _input(layout) if players else _untyped()
    if canonical_size(given) * max(1, players) > sbt.MAX_INPUT:
        raise Malformed("inputs of more than 60 KiB")
    count = body.number(4)
    if not 1 <= count <= sbt.MAX_REGIONS:
        raise Malformed(f"{count} regions")
    regions: dict[str, Region] = {}
    total = 0
    for _ in range(count):
        region = _region(body.number(4), body.text(), body.raw_text())
        if region.name in regions:
            raise Malformed(f"the region {region.name!a:.60} twice")
        total += canonical_size(region.type)
        if total > sbt.MAX_STATE:
            raise Malformed(f"a state of more than {sbt.MAX_STATE:,} bytes")
        regions[region.name] = region
    body.end()
    state = StructType("State", tuple((each.name, each.type) for each in regions.values()))
    return ForeignRun(
        path, name, version, seed, rate, max(1, players), tuple(regions.values()), state, given
    )


def _input(layout: str) -> StructType:
    t = _layout(layout, "input")
    return t if isinstance(t, StructType) else StructType("Input", (("value", t),))


def _untyped() -> StructType:
    data = FixedArrayType(UINT8, (sbt.UNTYPED_INPUT,))
    return StructType("Input", (("bytes", UINT32), ("data", data)))


def _region(capacity: int, name: str, layout: str) -> Region:
    if not name.isidentifier() or not name.isascii() or len(name) > 200:
        raise Malformed(f"a region named {name[:40]!a}")
    t = _layout(layout, name)
    item = canonical_size(t)
    if not capacity:
        return Region(name, 0, t, item)
    if capacity * item > sbt.MAX_STATE:
        raise Malformed(f"{capacity:,} items of {item:,} bytes in {name!a}")
    items = FixedArrayType(t, (capacity,))
    return Region(name, capacity, StructType(name, ((_COUNT, UINT32), (_ITEMS, items))), item)


def _layout(text: str, name: str) -> MemoryType:
    try:
        return parse_layout(text, name)
    except ReportError as error:
        raise Malformed(f"a layout that cannot be: {error.message}") from None


def expanded(regions: tuple[Region, ...], data: bytes) -> bytes | None:
    """A state of canonical bytes, in which heaps have as many items as their capacity; None where
    the bytes are not those of such a state."""
    parts: list[bytes] = []
    at = 0
    for region in regions:
        count = 1
        if region.capacity:
            parts.append(data[at : at + 4])
            count = min(int.from_bytes(parts[-1], "little"), region.capacity)
            at += 4
        parts.append(data[at : at + count * region.item])
        at += count * region.item
        if region.capacity:
            parts.append(bytes((region.capacity - count) * region.item))
    return b"".join(parts) if at == len(data) else None


def _has_lengths(regions: tuple[Region, ...], data: bytes) -> bool:
    """Whether heaps' counts and the bytes of a state go together: nothing is made for a claim."""
    at = 0
    for region in regions:
        count = 1
        if region.capacity:
            count = min(int.from_bytes(data[at : at + 4], "little"), region.capacity)
            at += 4
        at += count * region.item
    return at == len(data)


def _facts(run: ForeignRun, record: _Record) -> None:
    body = Body(record.body)
    while not body.is_whole and len(run.facts) < sbt.MAX_FACTS:
        name, value = body.text(), body.text()
        run.facts[name[:200]] = value[:200]


def _word(run: ForeignRun, record: _Record) -> None:
    body = Body(record.body)
    frame, word, where = body.frame(), body.number(8), body.number(4)
    register, who = body.text(), body.text()
    body.end()
    if where >= len(sbt.WHERE) or not register.isidentifier() or len(register) > 16:
        raise Malformed(f"a control register {register[:20]!a} that was read at {where}")
    if len(run.words) >= sbt.MAX_WORDS:
        run.words_left += 1
        return
    run.words.append(ControlWord(frame, where, register, word, who[:200]))


def _begin(run: ForeignRun, record: _Record) -> None:
    body = Body(record.body)
    frame = body.frame()
    data = body.rest
    size = run.input_size * run.players
    last = run.last if run.hashes else None
    if last is not None and not run.first <= frame <= last + 1:
        raise Malformed(f"frame {frame:,} begins behind frame {last:,}")
    if run.input.fields[0][0] == "bytes" and len(run.input.fields) == 2:
        if len(data) > sbt.UNTYPED_INPUT:
            raise Malformed(f"an input of {len(data):,} bytes")
        data = len(data).to_bytes(4, "little") + data.ljust(sbt.UNTYPED_INPUT, b"\0")
    elif data and len(data) != size:
        raise Malformed(f"inputs of {len(data):,} bytes, where {size:,} are told")
    for later in range(frame, (last if last is not None else frame - 1) + 1):
        run.again += 1
        for known in (run.hashes, run.inputs, run.places):
            known.pop(later, None)
    run.inputs[frame] = data or bytes(size)
    run.unfinished = frame


def _done(run: ForeignRun, record: _Record) -> None:
    body = Body(record.body)
    frame, hash_, flags, held = body.frame(), body.number(8), body.number(4), body.number(4)
    is_before_first = not run.hashes and run.unfinished is None
    if frame != run.unfinished and not is_before_first:
        raise Malformed(f"frame {frame:,} ends, and has not begun")
    if held != record.state[1] or bool(flags & sbt.KEPT) != bool(held):
        raise Malformed(f"a state of {held:,} bytes in {record.state[1]:,}")
    if held:
        if not _has_lengths(run.regions, record.data):
            raise Malformed(f"a state after frame {frame:,} of another length than it tells")
        run.places[frame] = record.state
    run.hashes[frame] = hash_
    run.unfinished = None
    if flags & sbt.OVERFLOWED and run.overflowed is None:
        run.overflowed = frame


def _ends(run: ForeignRun, record: _Record) -> None:
    run.is_ended = record.damage is None


def _second_run(run: ForeignRun, record: _Record) -> None:
    raise Malformed("a second run begins")


_READERS = {
    Kind.RUN: _second_run,
    Kind.FACTS: _facts,
    Kind.WORD: _word,
    Kind.BEGIN: _begin,
    Kind.DONE: _done,
    Kind.ENDS: _ends,
}
