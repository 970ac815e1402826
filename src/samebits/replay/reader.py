"""The reader of untrusted replays: every whole frame before the damage, then one message.

Owns which frames count as whole: consecutive from 0, each inside a chunk with a valid checksum.
Memory stays within one chunk, or one state while keyframes are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from mcap.opcode import Opcode
from numpy.typing import NDArray

from samebits.errors import ReplayError
from samebits.replay.file import FilePass, FileSnapshot, Target
from samebits.replay.frames import FrameAssembler, Keyframe
from samebits.replay.header import (
    METADATA_NAME,
    PROFILE,
    ReplayBlock,
    ReplayHeader,
    header_from_text,
)
from samebits.replay.mcap_records import (
    ENDS,
    MAGIC,
    Damage,
    Fields,
    RecordSource,
    check_data_end,
    check_summary,
    chunk_records,
)

_CHANGED = "the file has changed since it was opened"
_AGAIN = "record it again, or copy it again from where it was recorded"


class ReplayReader:
    """Reads one replay, from a path or from a seekable binary stream, front to back.

    Raises ReplayError if the file has no readable header. After that nothing in the file raises:
    `blocks`, `keyframes` and `items` end at the damage and leave its description in `damage`. The
    file is opened once, here, and every iteration reads it as it was then; a change is reported as
    damage. It is closed by `close`, by the end of a `with` block, or with the reader.
    """

    def __init__(self, target: Target) -> None:
        self.damage: str | None = None
        """After a complete iteration: None for a sound file, else one line with what is wrong, at
        which byte, and how many whole frames precede it."""
        self._file = FileSnapshot(target)
        try:
            self.header = _read_header(self._source()[1], self._file.name)
        except BaseException:
            self._file.close()
            raise

    @property
    def content(self) -> str:
        """The XXH3 of the file's bytes in hexadecimal; empty until it was read through."""
        return "" if self._file.first is None else self._file.first[1].hex()

    def blocks(self) -> Iterator[ReplayBlock]:
        """Every whole frame in order, in blocks of at most `BLOCK_FRAMES`."""
        for item in self._scan(keep_states=False):
            if isinstance(item, ReplayBlock):
                yield item

    def keyframes(self) -> Iterator[Keyframe]:
        """Frame and canonical state before its step, for each whole keyframe, in order.

        Reads the file again from its start.
        """
        for item in self.items():
            if not isinstance(item, ReplayBlock):
                yield item

    def items(self) -> Iterator[ReplayBlock | Keyframe]:
        """Blocks and keyframes as they come in the file, in one reading of it."""
        return self._scan(keep_states=True)

    def close(self) -> None:
        """Close the file. Closing twice is fine; reading after it is not."""
        self._file.close()

    def __enter__(self) -> ReplayReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _source(self) -> tuple[FilePass, RecordSource]:
        self._file.check_open()
        reading = FilePass(self._file)
        return reading, RecordSource(reading)

    def _scan(self, keep_states: bool) -> Iterator[ReplayBlock | Keyframe]:
        reading, source = self._source()
        self.damage = None
        found: str | None = None
        frames = FrameAssembler(self.header, keep_states)
        try:
            if _read_header(source, self._file.name) != self.header:
                raise Damage(0, _CHANGED)
            while (record := source.record("data")).opcode != Opcode.DATA_END:
                if record.opcode == Opcode.CHUNK:
                    yield from frames.chunk(record.offset, chunk_records(source, record))
                elif record.opcode in (Opcode.MESSAGE, Opcode.FOOTER, Opcode.HEADER):
                    raise Damage(record.offset, f"{record.a_name} where only chunks belong")
                elif record.opcode == Opcode.METADATA:
                    parts = Fields(source.body(record), record.offset, record.name)
                    if parts.text() == METADATA_NAME:
                        raise Damage(record.offset, "a second header of the replay")
                else:
                    source.skip(record)
            frames.end(record.offset)
            check_data_end(source, record)
            check_summary(source)
            if not frames.next_frame:
                found = f"no frames: the data ends at byte {record.offset} without one"
        except Damage as damage:
            what = damage.what
            if what.startswith(ENDS) and self._file.name.endswith(".partial"):
                what += ", as that of a file does that is still being written"
            found = _describe(damage.offset, what, frames.next_frame)
        except ReplayError as error:
            found = _describe(0, error.message, frames.next_frame)
        if not reading.is_like_the_first():
            found = _describe(0, _CHANGED, frames.next_frame)
        self.damage = found


@dataclass(frozen=True, eq=False)
class ReplayData:
    """A whole replay in memory. `hashes` is None unless every frame has one."""

    header: ReplayHeader
    frames: int
    inputs: bytes
    hashes: NDArray[np.uint64] | None
    keyframes: tuple[Keyframe, ...]
    damage: str | None


def read_replay(target: Target) -> ReplayData:
    """All of a short replay, in one reading; ReplayError if it has no header. Check `damage`."""
    blocks: list[ReplayBlock] = []
    keyframes: list[Keyframe] = []
    with ReplayReader(target) as reader:
        for item in reader.items():
            if isinstance(item, ReplayBlock):
                blocks.append(item)
            else:
                keyframes.append(item)
    hashes = [block.hashes for block in blocks if block.hashes is not None]
    return ReplayData(
        header=reader.header,
        frames=sum(block.frames for block in blocks),
        inputs=b"".join(block.inputs for block in blocks),
        hashes=np.concatenate(hashes) if hashes and len(hashes) == len(blocks) else None,
        keyframes=tuple(keyframes),
        damage=reader.damage,
    )


def frame_count(target: Target) -> int:
    """The number of whole frames in a replay, counted in one checked pass that keeps nothing."""
    with ReplayReader(target) as reader:
        return sum(block.frames for block in reader.blocks())


def _read_header(source: RecordSource, name: str) -> ReplayHeader:
    """Read up to and including the replay's metadata. Raises only ReplayError."""
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


def no_frames(name: str, damage: str | None) -> ReplayError:
    """The error of a replay without a frame that can be read; `damage` is the reader's."""
    if damage is not None and damage.startswith("damaged"):
        message = f"{name} is damaged: no frame of it can be read"
    else:
        message = f"{name} is an empty replay: it has no frames"
    return ReplayError(message, note=damage, fix=_AGAIN)


_DATA = (Opcode.HEADER, Opcode.CHUNK, Opcode.MESSAGE, Opcode.DATA_END, Opcode.FOOTER)


def _describe(offset: int, what: str, frames: int) -> str:
    if frames == 1:
        return f"damaged at byte {offset}: {what}; 1 whole frame precedes it"
    return f"damaged at byte {offset}: {what}; {frames} whole frames precede it"
