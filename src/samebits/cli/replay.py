"""`samebits replay`: replays for use outside Python."""

from __future__ import annotations

import sys

from samebits.cli.exit_status import BAD, SAME
from samebits.cli.named import warn_fewer_frames
from samebits.export.inputs_file import export_inputs


def export(replay: str, out: str, frames: int | None) -> int:
    """Write the inputs file, print what is in it, return the exit status. Of a damaged replay the
    whole frames are written, and the status is that of bad input."""
    done = export_inputs(replay, out, frames)
    count = f"{done.frames:,} frame{'' if done.frames == 1 else 's'}"
    hashes = "with a hash each" if done.hashed else "without hashes"
    print(f"{out}: inputs of {done.simulation}, {count}, {hashes}")
    warn_fewer_frames(replay, done.frames, frames)
    if done.damage:
        sys.stderr.write(f"{replay} is {done.damage}\n")
        return BAD
    return SAME
