"""A replay's inputs as the flat little-endian file that a standalone verifier reads.

`templates/verify.c` documents the format.
"""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass

from samebits.errors import ReplayError
from samebits.output import Output, holds_foreign_file, os_reason, remedy
from samebits.replay.reader import ReplayReader, no_frames

MAGIC = b"sbinput1"
HEAD = struct.Struct("<8s16sQQIIQQ")
"""Mark, digest, seed, frames, players, input size, whether there are hashes, 0."""


@dataclass(frozen=True)
class Exported:
    """The result of an export: whole frames, whether each has a hash, the damage that ended it."""

    simulation: str
    frames: int
    hashed: bool
    damage: str | None


def export_inputs(
    replay: str | os.PathLike[str], out: str | os.PathLike[str], limit: int | None = None
) -> Exported:
    """Write the first `limit` frames, or all whole ones. A file at `out` is replaced only by a
    complete one. Raises ReplayError if the replay has no header or no frames, if it changes while
    it is read, or if `out` cannot be written.
    """
    if os.path.exists(out) and os.path.exists(replay) and os.path.samefile(out, replay):
        raise ReplayError(f"{out} is the replay", fix="give the file of inputs another name")
    if holds_foreign_file(out, MAGIC):
        raise ReplayError(
            f"{out} exists already and is not a file of inputs", fix="give another name"
        )
    with ReplayReader(replay) as reader:
        return _export(reader, replay, out, limit)


def _export(
    reader: ReplayReader,
    replay: str | os.PathLike[str],
    out: str | os.PathLike[str],
    limit: int | None,
) -> Exported:
    header = reader.header
    digest = bytes.fromhex(header.digest)
    if len(digest) != 16:
        raise ReplayError(
            f"{replay}: a digest of {len(digest)} bytes, verifiers need one of 16",
            fix="record it again",
        )
    have_hashes = [block.hashes is not None for block in reader.blocks()]
    damage = reader.damage
    if not have_hashes:
        raise no_frames(os.fspath(replay), damage)
    hashed = all(have_hashes)
    frame_size = header.players * header.input_size
    frames = 0
    try:
        with Output(out) as output:
            file = output.file
            file.write(bytes(HEAD.size))
            for block in reader.blocks():
                for k in range(block.frames):
                    if frames == limit:
                        break
                    file.write(block.inputs[k * frame_size : (k + 1) * frame_size])
                    if hashed and block.hashes is not None:
                        file.write(struct.pack("<Q", int(block.hashes[k])))
                    frames += 1
            file.seek(0)
            file.write(
                HEAD.pack(
                    MAGIC, digest, header.seed, frames,
                    header.players, header.input_size, int(hashed), 0,
                )
            )  # fmt: skip
            if reader.damage != damage:
                raise ReplayError(
                    f"{replay} changed while it was read",
                    fix="export it while nothing writes to it, or export a copy",
                )
    except OSError as error:
        raise ReplayError(
            f"cannot write {out}: {os_reason(error)}",
            fix=remedy(error),
        ) from None
    return Exported(header.simulation, frames, hashed, damage)
