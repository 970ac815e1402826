"""Replays of a season, ten seconds each: `python season.py FOLDER FIRST STOP`."""

import sys
from pathlib import Path

from curling import CURLING, duel

FRAMES = 480


def main(folder: Path, first: int, stop: int) -> None:
    """A replay for each seed from `first` up to `stop`."""
    folder.mkdir(exist_ok=True)
    for seed in range(first, stop):
        with CURLING.record(folder / f"{seed:04}.mcap", seed) as recording:
            for frame in range(FRAMES):
                recording.step([duel(frame, player, seed) for player in range(2)])


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
