"""`samebits replay`: replays for use outside Python."""

from __future__ import annotations

import sys
from shlex import join

from samebits.cli.exit_status import BAD, DIFFERS, SAME
from samebits.cli.named import named_simulation, warn_fewer_frames
from samebits.cli.printing import progress_bars
from samebits.errors import ArgumentError
from samebits.export.inputs_file import export_inputs
from samebits.replay.reader import frame_count

_TOOLS = {"google": "protobuf", "foxglove": "foxglove-sdk"}
"""What is missing, by the name that an import asks for."""


def export(replay: str, out: str, frames: int | None) -> int:
    """Write the inputs file, print what is in it, return the exit status. Of a damaged replay the
    whole frames are written, and the status is that of bad input."""
    done = export_inputs(replay, out, frames)
    hashes = "with a hash each" if done.hashed else "without hashes"
    print(f"{out}: inputs of {done.simulation}, {_count(done.frames)}, {hashes}")
    warn_fewer_frames(replay, done.frames, frames)
    return _told(replay, done.damage)


def export_messages(sim: str | None, replay: str, out: str, frames: int | None, scene: bool) -> int:
    """Write the file of Protobuf messages, print what is in it, return the exit status."""
    if sim is None:
        raise ArgumentError(
            "a replay holds inputs, and its states come from running it",
            fix="give its simulation too: --protobuf --sim SIM",
        )
    simulation = named_simulation(sim)
    try:
        from samebits.view.export import export_protobuf
    except ModuleNotFoundError as missing:
        wanted = _TOOLS.get((missing.name or "").partition(".")[0])
        if wanted is None:
            raise
        raise ArgumentError(
            f"--protobuf needs {wanted}", fix="python -m pip install 'samebits[view]'"
        ) from None
    whole = frame_count(replay)
    most = whole if frames is None else min(whole, frames)
    with progress_bars(most) as bars:
        done = export_protobuf(
            simulation, replay, out, frames, scene, lambda count: bars.show("playing", count)
        )
    topics = "states, inputs, hashes" + (" and a scene" if done.has_scene else "")
    print(f"{out}: {topics} of {simulation.name}, {_count(done.frames)}")
    warn_fewer_frames(replay, done.frames, frames)
    if done.trap is not None:
        sys.stderr.write(f"the run stopped in frame {done.frames}:\n{done.trap}\n")
    if done.differs is not None:
        sys.stderr.write(
            f"from frame {done.differs} on the states here are not those recorded: their hashes"
            f" differ; ask `samebits diagnose {join((sim, replay))}` why\n"
        )
        return DIFFERS
    return _told(replay, done.damage)


def _count(frames: int) -> str:
    return f"{frames:,} frame{'' if frames == 1 else 's'}"


def _told(replay: str, damage: str | None) -> int:
    if damage:
        sys.stderr.write(f"{replay} is {damage}\n")
        return BAD
    return SAME
