"""Replay farms: corpora of replays run on every target by many workers, and what was found kept."""
