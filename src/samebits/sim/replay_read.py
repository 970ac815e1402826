"""Reading a replay that nobody vouches for: every whole frame before the damage, then one message.

Owns what makes frames whole: they follow one another from 0, each inside a chunk whose checksum
holds. Memory stays within one chunk, or one state while keyframes are read.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from mcap.opcode import Opcode
from numpy.typing import NDArray

from samebits.errors import ReplayError
from samebits.sim.replay_frames import FrameAssembler, Keyframe
from samebits.sim.replay_header import (
    METADATA_NAME,
    PROFILE,
    ReplayBlock,
    ReplayHeader,
    header_from_text,
)
from samebits.sim.replay_records import (
    MAGIC,
    Damage,
    Fields,
    Source,
    check_data_end,
    check_summary,
    chunk_records,
)

_AGAIN = "record it again, or copy it again from where it was recorded"


class ReplayReader:
    """Reads one replay, from a path or from a seekable binary stream, front to back.

    Raises ReplayError where the file cannot even give a header. After that nothing in the file
    raises: `blocks` and `keyframes` end at the damage and leave its description in `damage`.
    A stream serves one iteration at a time; with a path, iterations are independent.
    """

    def __init__(self, target: str | os.PathLike[str] | BinaryIO) -> None:
        self._path = Path(target) if isinstance(target, str | os.PathLike) else None
        self._stream = None if isinstance(target, str | os.PathLike) else target
        self._start = 0 if self._stream is None else _position(self._stream)
        self.damage: str | None = None
        """After an iteration to its end: None for a sound file, else one line: what is wrong, at
        which byte, how many whole frames precede it."""
        file = self._open()
        try:
            self.header = _read_header(Source(file), self._name)
        finally:
            self._release(file)

    def blocks(self) -> Iterator[ReplayBlock]:
        """Every whole frame in order, in blocks of at most `BLOCK_FRAMES`."""
        for item in self._scan(keep_states=False):
            if isinstance(item, ReplayBlock):
                yield item

    def keyframes(self) -> Iterator[Keyframe]:
        """Frame and canonical state before its step, for each whole keyframe, in order.

        Reads the file again from its start.
        """
        for item in self._scan(keep_states=True):
            if not isinstance(item, ReplayBlock):
                yield item

    @property
    def _name(self) -> str:
        return "the stream" if self._path is None else str(self._path)

    def _scan(self, keep_states: bool) -> Iterator[ReplayBlock | Keyframe]:
        self.damage = None
        frames = FrameAssembler(self.header, keep_states)
        file = None
        try:
            file = self._open()
            source = Source(file)
            if _read_header(source, self._name) != self.header:
                raise Damage(0, "the file has changed since it was opened")
            while (record := source.record("data")).opcode != Opcode.DATA_END:
                if record.opcode == Opcode.CHUNK:
                    yield from frames.chunk(record.offset, chunk_records(source, record))
                elif record.opcode in (Opcode.MESSAGE, Opcode.FOOTER, Opcode.HEADER):
                    raise Damage(record.offset, f"{record.a_name} where only chunks belong")
                else:
                    source.skip(record)
            frames.end(record.offset)
            check_data_end(source, record)
            check_summary(source)
            if not frames.next_frame:
                self.damage = f"no frames: the data ends at byte {record.offset} without one"
        except Damage as damage:
            self.damage = _describe(damage.offset, damage.what, frames.next_frame)
        except ReplayError as error:
            self.damage = _describe(0, error.message, frames.next_frame)
        finally:
            if file is not None:
                self._release(file)

    def _open(self) -> BinaryIO:
        if self._stream is not None:
            self._stream.seek(self._start)
            return self._stream
        assert self._path is not None
        try:
            # A pipe or a terminal would wait for ever instead of ending.
            if not stat.S_ISREG(os.stat(self._path).st_mode):
                raise ReplayError(f"{self._path} is not a file", fix="give the path of a replay")
            return open(self._path, "rb")
        except OSError as error:
            raise ReplayError(
                f"cannot read {self._path}: {error.strerror or error}",
                fix="give the path of a replay that this user may read",
            ) from None

    def _release(self, file: BinaryIO) -> None:
        if file is not self._stream:
            file.close()


@dataclass(frozen=True, eq=False)
class Replay:
    """A whole replay in memory. `hashes` is None unless every frame has one."""

    header: ReplayHeader
    frames: int
    inputs: bytes
    hashes: NDArray[np.uint64] | None
    keyframes: tuple[Keyframe, ...]
    damage: str | None


def read_replay(target: str | os.PathLike[str] | BinaryIO) -> Replay:
    """All of a short replay at once; ReplayError where it has no header. Look at `damage`."""
    reader = ReplayReader(target)
    blocks = list(reader.blocks())
    hashes = [block.hashes for block in blocks if block.hashes is not None]
    return Replay(
        header=reader.header,
        frames=sum(block.frames for block in blocks),
        inputs=b"".join(block.inputs for block in blocks),
        hashes=np.concatenate(hashes) if hashes and len(hashes) == len(blocks) else None,
        keyframes=tuple(reader.keyframes()),
        damage=reader.damage,
    )


def frame_count(target: str | os.PathLike[str] | BinaryIO) -> int:
    """How many whole frames a replay gives, in one checked pass that keeps nothing."""
    return sum(block.frames for block in ReplayReader(target).blocks())


def _position(stream: BinaryIO) -> int:
    try:
        return stream.tell()
    except OSError:
        raise ReplayError(
            "the stream has no position to come back to",
            fix="read it whole first: io.BytesIO(stream.read())",
        ) from None


def _read_header(source: Source, name: str) -> ReplayHeader:
    """Read up to and including the replay's metadata. ReplayError is all that it raises."""
    try:
        magic = source.read_up_to(len(MAGIC))
        if not magic:
            raise ReplayError(f"{name} is empty", fix=_AGAIN)
        if not MAGIC.startswith(magic):
            raise ReplayError(
                f"{name} is not an MCAP file: it starts with {magic.hex(' ')}",
                fix="give a replay that samebits wrote",
            )
        record = source.record("header")
        if record.opcode != Opcode.HEADER:
            raise Damage(record.offset, f"{record.a_name} where the header record belongs")
        profile = Fields(source.body(record), record.offset, record.name).text()
        if profile != PROFILE:
            raise ReplayError(
                f"{name} is an MCAP file of profile {profile[:40]!a}, not {PROFILE!r}",
                fix="give a replay that samebits wrote",
            )
        while (record := source.record("header")).opcode not in _DATA:
            if record.opcode == Opcode.METADATA:
                parts = Fields(source.body(record), record.offset, record.name)
                if parts.text() == METADATA_NAME:
                    return _from_metadata(parts.text_map(), name)
            else:
                source.skip(record)
        raise Damage(record.offset, f"{record.a_name} before the replay's metadata")
    except Damage as damage:
        raise ReplayError(
            f"{name} has no readable header: at byte {damage.offset}, {damage.what}", fix=_AGAIN
        ) from None


def _from_metadata(text: dict[str, str], name: str) -> ReplayHeader:
    try:
        return header_from_text(text)
    except ReplayError as error:
        raise ReplayError(f"{name}: {error.message}", fix=error.fix or _AGAIN) from None


_DATA = (Opcode.HEADER, Opcode.CHUNK, Opcode.MESSAGE, Opcode.DATA_END, Opcode.FOOTER)


def _describe(offset: int, what: str, frames: int) -> str:
    if frames == 1:
        return f"damaged at byte {offset}: {what}; 1 whole frame precedes it"
    return f"damaged at byte {offset}: {what}; {frames} whole frames precede it"
