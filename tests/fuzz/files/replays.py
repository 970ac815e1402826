"""Replays: every whole frame before the damage, and no word that the writer did not write."""

from __future__ import annotations

import io
import re
from pathlib import Path
from random import Random

import numpy as np

from samebits.errors import ReplayError
from samebits.export.inputs_file import HEAD, export_inputs
from samebits.replay import ReplayBlock, ReplayHeader, ReplayReader, ReplayWriter, read_replay
from samebits.sim.recording import Replay
from tests.fuzz.files.engine import Read, Target
from tests.fuzz.files.mcap_form import forged

_DAMAGE = re.compile(
    r"damaged at byte [0-9]+: [^\n]+; ([0-9]+) whole frames? precedes? it"
    r"|no frames: the data ends at byte [0-9]+ without one"
)
_HEADER = ReplayHeader(
    simulation="bounce",
    digest="00112233445566778899aabbccddeeff",
    version="1.2",
    seed=7,
    players=2,
    input_size=6,
    state_size=5,
    tick_rate=60,
    schema={
        "input": {
            "struct": "Input",
            "fields": [["a", "uint8"], ["b", {"array": "bool", "shape": [1]}], ["c", "float32"]],
        }
    },
)

Frames = tuple[ReplayHeader, bytes, tuple[int, ...] | None, tuple[tuple[int, bytes], ...]]
"""Header, inputs, the hash of each frame where all have one, keyframes."""


class Replays(Target):
    name = "replays"
    errors = (ReplayError,)
    words = (
        b"\x89MCAP0\r\n",
        b"samebits",
        b"samebits.replay",
        b"/inputs",
        b"/hashes",
        b"/keyframes",
    )

    def __init__(self, folder: Path) -> None:
        self._path = folder / "replay.mcap"
        self._out = folder / "replay.inputs"

    def seeds(self) -> list[bytes]:
        return [
            _written(range(6), keyframe_every=3),
            _written(range(2), keyframe_every=0),
            _written(range(4), keyframe_every=0, hashed=range(2, 4)),
            _written(range(2), keyframe_every=1, hashed=range(0)),
        ]

    def read(self, data: bytes) -> Read:
        replay = read_replay(io.BytesIO(data))
        told = None if replay.hashes is None else tuple(replay.hashes.tolist())
        assert told is None or len(told) == replay.frames
        assert len(replay.inputs) == replay.frames * replay.header.frame_size
        assert all(len(state) == replay.header.state_size for _, state in replay.keyframes)
        if replay.damage is None:
            assert replay.frames, "a whole replay without frames"
        else:
            damage = _DAMAGE.fullmatch(replay.damage)
            assert damage is not None, replay.damage
            assert int(damage[1] or 0) == replay.frames
        value: Frames = replay.header, replay.inputs, told, replay.keyframes
        return Read(value, replay.damage is None)

    def check(self, data: bytes, read: Read) -> None:
        replay = read_replay(io.BytesIO(data))
        hashes: list[int | None] = []
        blocks: list[ReplayBlock] = []
        with ReplayReader(io.BytesIO(data)) as reader:
            for block in reader.blocks():
                assert block.first_frame == len(hashes), "blocks that do not follow one another"
                assert len(block.inputs) == block.frames * reader.header.frame_size
                assert block.hashes is None or len(block.hashes) == block.frames
                hashes += [None] * block.frames if block.hashes is None else block.hashes.tolist()
                blocks.append(block)
            assert reader.damage == replay.damage, "another reading told something else"
        assert replay.inputs == b"".join(block.inputs for block in blocks)
        assert replay.frames == len(hashes)
        self._from_disk(data, replay.frames, replay.damage)

    def _from_disk(self, data: bytes, frames: int, damage: str | None) -> None:
        """What a user opens, and what is exported."""
        self._path.write_bytes(data)
        try:
            opened = Replay.open(self._path)
        except ReplayError:
            pass  # a schema that does not fit
        else:
            assert (len(opened), opened.damage) == (frames, damage)
            np.ascontiguousarray(opened.inputs)
        try:
            done = export_inputs(self._path, self._out)
        except ReplayError:
            return
        assert (done.frames, done.damage) == (frames, damage)
        head = HEAD.unpack(self._out.read_bytes()[: HEAD.size])
        size = head[4] * head[5] + 8 * head[6]
        assert self._out.stat().st_size == HEAD.size + frames * size

    def forged(self, data: bytes, others: list[bytes], chance: Random) -> bytes:
        return forged(data, others, chance)

    def is_part(self, value: object, of: object) -> bool:
        header, inputs, hashes, keyframes = _frames(value)
        sound, all_inputs, all_hashes, all_keyframes = _frames(of)
        return (
            header == sound
            and all_inputs.startswith(inputs)
            and (None in (hashes, all_hashes) or hashes == (all_hashes or ())[: len(hashes or ())])
            and keyframes == all_keyframes[: len(keyframes)]
        )


def _frames(value: object) -> Frames:
    assert isinstance(value, tuple)
    return value


def _written(frames: range, keyframe_every: int, hashed: range | None = None) -> bytes:
    file = io.BytesIO()
    with ReplayWriter(file, _HEADER) as writer:
        for frame in frames:
            if keyframe_every and frame % keyframe_every == 0:
                writer.keyframe(bytes(frame + i for i in range(_HEADER.state_size)))
            data = bytes((frame * 31 + i * 7) % 256 for i in range(_HEADER.frame_size))
            told = hashed is None or frame in hashed
            writer.add(data, frame * 0x9E3779B97F4A7C15 % 2**64 if told else None)
    return file.getvalue()
