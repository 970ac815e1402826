"""The assembler of messages into complete blocks of frames and keyframes.

Owns the layout of the three channels' messages. Knows nothing of files.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from mcap.opcode import Opcode

from samebits.replay.header import (
    BLOCK_FRAMES,
    HASHES,
    INPUTS,
    KEYFRAMES,
    ReplayBlock,
    ReplayHeader,
)
from samebits.replay.mcap_records import Damage, Fields

Keyframe = tuple[int, bytes]

_HEAD = struct.Struct("<QI")
_MESSAGE_FIELDS = 2 + 4 + 8 + 8
"""Bytes of channel, sequence, log time and publish time, in front of a message's data."""


class FrameAssembler:
    """Checks that frames follow one another from 0 and that messages hold what they declare."""

    def __init__(self, header: ReplayHeader, keep_states: bool) -> None:
        self.next_frame = 0
        """How many whole frames were returned so far."""
        self._header = header
        self._keep_states = keep_states
        self._topics: dict[int, str] = {}
        self._keyframe: int | None = None
        self._state = bytearray()
        self._state_length = 0
        self._partial = False

    def chunk(
        self, offset: int, records: Iterator[tuple[int, bytes]]
    ) -> Iterator[ReplayBlock | Keyframe]:
        """The blocks and keyframes in the chunk at `offset`; raises Damage after the whole ones."""
        waiting: ReplayBlock | None = None
        try:
            for opcode, body in records:
                if opcode == Opcode.CHANNEL:
                    self._channel(offset, body)
                elif opcode == Opcode.MESSAGE:
                    topic, data = self._message(offset, body)
                    if topic == HASHES:
                        waiting = _with_hashes(offset, waiting, data)
                    elif topic is not None:
                        if waiting is not None:
                            yield self._whole(waiting)
                            waiting = None
                        if topic == INPUTS:
                            waiting = self._inputs(offset, data)
                        elif state := self._part(offset, data):
                            yield state
        except Damage:
            if waiting is not None:
                yield self._whole(waiting)
            raise
        if waiting is not None:
            yield self._whole(waiting)

    def end(self, offset: int) -> None:
        """Raise Damage at `offset` if a keyframe has begun and not ended."""
        if self._partial:
            raise Damage(
                offset,
                f"the keyframe of frame {self.next_frame} has {self._state_length}"
                f" of {self._header.state_size} bytes",
            )

    def _whole(self, block: ReplayBlock) -> ReplayBlock:
        self.next_frame += block.frames
        return block

    def _channel(self, offset: int, body: bytes) -> None:
        fields = Fields(body, offset, "channel record")
        channel = fields.uint(2)
        fields.uint(2)
        topic = fields.text()
        known = self._topics.get(channel)
        if known is not None and known != topic:
            raise Damage(
                offset, f"channel {channel}, which was {known}, is declared again as another"
            )
        if topic in (INPUTS, HASHES, KEYFRAMES):
            self._topics[channel] = topic

    def _message(self, offset: int, body: bytes) -> tuple[str | None, bytes]:
        """Topic and data; the topic is None for a message of an unknown channel."""
        if len(body) < _MESSAGE_FIELDS:
            raise Damage(offset, f"a message record of {len(body)} bytes")
        topic = self._topics.get(int.from_bytes(body[:2], "little"))
        data = body[_MESSAGE_FIELDS:]
        if topic is not None and len(data) < _HEAD.size:
            raise Damage(offset, f"a message of {len(data)} bytes on {topic}")
        return topic, data

    def _inputs(self, offset: int, data: bytes) -> ReplayBlock:
        self.end(offset)
        first, count = _HEAD.unpack_from(data)
        if first != self.next_frame:
            raise Damage(offset, f"frame {first} where frame {self.next_frame} belongs")
        if not 1 <= count <= BLOCK_FRAMES:
            raise Damage(offset, f"a block of {count} frames, not 1 to {BLOCK_FRAMES}")
        inputs = data[_HEAD.size :]
        if len(inputs) != count * self._header.frame_size:
            raise Damage(
                offset,
                f"{len(inputs)} bytes of input for {count} frames,"
                f" not {count * self._header.frame_size}",
            )
        return ReplayBlock(first, count, inputs, None)

    def _part(self, offset: int, data: bytes) -> Keyframe | None:
        """Add one part of a keyframe; returns the keyframe with its last part."""
        frame, at = _HEAD.unpack_from(data)
        part = data[_HEAD.size :]
        size = self._header.state_size
        if frame != self.next_frame:
            raise Damage(offset, f"a keyframe of frame {frame} where {self.next_frame} belongs")
        if self._keyframe == frame:
            raise Damage(offset, f"a second keyframe of frame {frame}")
        if at != self._state_length or (size and not part) or at + len(part) > size:
            raise Damage(
                offset,
                f"a part of {len(part)} bytes at {at} in a keyframe that has {self._state_length}"
                f" of {size}",
            )
        self._state_length += len(part)
        if self._keep_states:
            self._state += part
        self._partial = self._state_length < size
        if self._partial:
            return None
        state = bytes(self._state)
        self._keyframe = frame
        self._state_length = 0
        self._state.clear()
        return frame, state


def _with_hashes(offset: int, block: ReplayBlock | None, data: bytes) -> ReplayBlock:
    first, count = _HEAD.unpack_from(data)
    if block is None or block.hashes is not None:
        raise Damage(offset, f"hashes from frame {first} on, without inputs before them")
    size = len(data) - _HEAD.size
    if (first, count) != (block.first_frame, block.frames) or size != 8 * count:
        raise Damage(
            offset,
            f"{size} bytes of hashes for {count} frames from {first} on, after the inputs of"
            f" {block.frames} from {block.first_frame} on",
        )
    return replace(block, hashes=np.frombuffer(data, "<u8", count, _HEAD.size).astype(np.uint64))
