"""Replays: the inputs of all players, frame by frame, with hashes and keyframes, in one MCAP file.

The names that the rest of samebits uses; `header`, `writer` and `reader` own them.
"""

from samebits.errors import ReplayError
from samebits.replay.header import ReplayBlock, ReplayHeader
from samebits.replay.reader import ReplayData, ReplayReader, frame_count, read_replay
from samebits.replay.writer import ReplayWriter, partial_path

__all__ = [
    "ReplayBlock",
    "ReplayData",
    "ReplayError",
    "ReplayHeader",
    "ReplayReader",
    "ReplayWriter",
    "frame_count",
    "partial_path",
    "read_replay",
]
