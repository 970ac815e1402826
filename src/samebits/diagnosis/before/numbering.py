"""The numbering of frames by another program: as here, or one off, such as from 1 on.

Owns that comparison, of the first hashes alone. Knows nothing of what differs later.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace

from samebits.desync.format import Key
from samebits.desync.report import Report
from samebits.diagnosis.frame.examine import begun
from samebits.sides.input_stream import InputStream
from samebits.sides.run import open_run
from samebits.sides.side import Side

TRIED = 8
"""Hashes that are compared, the first ones."""
SHIFTS = (1, -1)
"""How much higher the other numbers may be."""
ENOUGH = 2
"""Hashes that have to agree, one after another, where there are as many."""


def renumbered(report: Report, side: Side, inputs: InputStream) -> tuple[Report, str]:
    """A report with its frames numbered as here, and what is to be told of that.

    Raises what running a side raises."""
    if not report.is_bare:
        return report, ""
    known = report.known
    first = dict(list(known.items())[:TRIED])
    here = _hashes(side, inputs, max(first) + 2)
    if not here or _agreeing(first, here, 0):
        return report, ""
    enough = min(ENOUGH, len(first))
    shift = next((n for n in SHIFTS if _agreeing(first, here, n) >= enough), None)
    if shift is None:
        return report, ""
    frame = min(first)
    told = (
        f"{report.name} numbers frames one {'higher' if shift > 0 else 'lower'} than samebits, or "
        f"that machine is one frame {'behind' if shift > 0 else 'ahead'}: its hash of frame "
        f"{frame:,} is that of {_moment(frame - shift)} here, and the others follow; they are "
        "compared so"
    )
    return _shifted(report, shift), told


def _agreeing(known: Mapping[int, int], here: Mapping[int, int], shift: int) -> int:
    """How many of the hashes agree up to the first that does not, if they are numbered so much
    higher."""
    count = 0
    for frame, hash_ in known.items():
        if here.get(frame - shift) != hash_:
            break
        count += 1
    return count


def _hashes(side: Side, inputs: InputStream, frames: int) -> dict[int, int]:
    """The hashes of a run's first frames, and of what `init` leaves; of those before a trap."""
    with closing(open_run(side)) as run:
        done = begun(run, inputs.seed)
        if done.trap is not None:
            return {}
        hashes = run.advance(inputs.between(0, frames)).hashes
    return dict(enumerate([*done.hashes.tolist(), *hashes.tolist()], -1))


def _shifted(report: Report, shift: int) -> Report:
    contents = report.contents
    frames = contents.frames - shift
    return replace(
        report,
        incomplete=frozenset(frame - shift for frame in report.incomplete),
        dumps=tuple(replace(dump, frame=dump.frame - shift) for dump in report.dumps),
        contents=replace(
            contents, frames=frames, asked=range(frames, frames),
            states=tuple(n - shift for n in contents.states),
        ),
        parts={Key(key.topic, key.number - shift): part for key, part in report.parts.items()},
    )  # fmt: skip


def _moment(frame: int) -> str:
    return "init" if frame < 0 else f"frame {frame:,}"
