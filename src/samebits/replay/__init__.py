"""Replays: what a player of the simulation did, frame by frame, in one MCAP file.

The names that the rest of samebits uses; `replay_header`, `replay_write` and `replay_read` own
what is behind them.
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
