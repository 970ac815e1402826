"""Guesses what a state became between two frames, where only the hash after the second is known.

Each guess is made, the frame is run from it, and the hash shows whether it is right. Owns what is
guessed, and in which order: the state of another frame; a field, or an array from some element on,
that is zero or as another frame has it; one scalar that is a little another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samebits.diagnosis.builds.built_side import BuiltSide
from samebits.hazards.edit.counted_loops import has_loops_of_conditions, with_counted_loops
from samebits.sides.run import SideRun, open_run
from samebits.sim.inputs import Inputs
from samebits.sim.state.columns import columns
from samebits.types import BOOL, ScalarType, StructType

FRAMES_OFF = 16
"""How many frames before or behind a state may be that was restored in place of another."""
MOST_GUESSES = 12_000
MOST_TAILS = 16
_STEPS = (1, 2, 3, 4, 5, 8, 10)
"""Which whole numbers, or floats next to one another, a scalar may be off by."""

_FAR = 1 << 12
"""Times its own size, or 1, that a scalar may be off by where loops may go on for as long."""

_Bytes = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Guess:
    """The state `after` in place of the one before a frame. `of` is the frame before which the
    right run has it, None where no frame has; `alone` whether no other guess fits as well, and no
    other result of one operation would do the same."""

    after: bytes
    of: int | None = None
    alone: bool = True


def guessed(
    run: SideRun, t: StructType, frame: int, wanted: int, past: Sequence[bytes], rows: Inputs
) -> Guess | None:
    """The state from which the step of `frame` gives the hash `wanted`, None where none does.

    `past` are the states before the frames up to this one, the frame's own last; `rows` are the
    inputs from the frame on. The run is left anywhere.
    """
    near = dict(_of_other_frames(run, frame, past, rows))
    for of, state in near.items():
        if _gives(run, frame, state, rows[:1], wanted):
            return Guess(state, of)
    if run.side.is_slow or run.side.is_emulated:
        return None
    found: dict[bytes, bool] = {}
    near_alone = has_loops_of_conditions(run.side.plain.kernels)
    made = _made(t, past[-1], [*near.values()], near_alone)
    with ExitStack() as stack:
        trial = run
        if near_alone:  # a number that is far off may come of one that is near
            side = run.side
            counted = BuiltSide(side.text, side.simulation, side.spec, rewrite=with_counted_loops)
            trial = stack.enter_context(closing(open_run(counted)))
        for number, (after, is_near) in enumerate(made):
            if number == MOST_GUESSES or len(found) > 1:
                break
            if after not in found and _gives(trial, frame, after, rows[:1], wanted):
                found[after] = is_near
    if not found:
        return None
    first, is_near = next(iter(found.items()))
    return Guess(first, alone=len(found) == 1 and not is_near)


def _gives(run: SideRun, frame: int, state: bytes, row: Inputs, wanted: int) -> bool:
    run.restore_canonical(frame, state)
    done = run.advance(row)
    return done.trap is None and int(done.hashes[0]) == wanted


def _of_other_frames(
    run: SideRun, frame: int, past: Sequence[bytes], rows: Inputs
) -> Iterator[tuple[int, bytes]]:
    """The states before other frames, the nearest first."""
    ahead = past[-1]
    for off in range(1, FRAMES_OFF + 1):
        if off < len(past):
            yield frame - off, past[-1 - off]
        if off <= len(rows):
            run.restore_canonical(frame + off - 1, ahead)
            if run.advance(rows[off - 1 : off]).trap is not None:
                rows = rows[:0]
                continue
            ahead = run.save()
            yield frame + off, ahead


def _made(
    t: StructType, before: bytes, near: Sequence[bytes], near_alone: bool
) -> Iterator[tuple[bytes, bool]]:
    """States that differ from one in a field or a scalar, and whether by little; with `near_alone`
    scalars are near what they were."""
    here = np.frombuffer(before, np.uint8)
    others = [np.zeros_like(here), *(np.frombuffer(state, np.uint8) for state in near)]
    for part in _parts(t):
        for other in others:
            if (other[part] != here[part]).any():
                made = here.copy()
                made[part] = other[part]
                yield made.tobytes(), False
    for column in columns(t):
        for at in column.offsets(np.arange(column.count)).tolist():
            part = slice(at, at + column.type.size)
            for value in _near(column.type, int.from_bytes(before[part], "little")):
                new = value.to_bytes(column.type.size, "little")
                if near_alone and not _is_near(column.type, before[part], new):
                    continue
                yield before[:at] + new + before[part.stop :], True


def _parts(t: StructType) -> Iterator[NDArray[np.intp]]:
    """Where the bytes of fields are: whole ones, columns, and columns from some element on."""
    every: dict[str, list[NDArray[np.intp]]] = {}
    for column in columns(t):
        at = column.offsets(np.arange(column.count))[:, None] + np.arange(column.type.size)
        every.setdefault(column.title.split(".")[0].split("[")[0], []).append(at)
    for parts in every.values():
        if len(parts) > 1:
            yield np.concatenate([at.ravel() for at in parts])
        for at in parts:
            yield at.ravel()
    for parts in every.values():
        for at in parts:
            step = max(1, -(-len(at) // MOST_TAILS))
            for first in sorted({len(at) // 2, *range(1, len(at), step)} - {0}):
                yield at[first:].ravel()


def _is_near(t: ScalarType, before: bytes, after: bytes) -> bool:
    """Whether a scalar is off by so little that loops over it end soon."""
    dtype = t.dtype.newbyteorder("<")
    one, other = (np.frombuffer(each, dtype)[0].item() for each in (before, after))
    return abs(other - one) <= _FAR * max(1, abs(one))  # of NaN it is not


def _near(t: ScalarType, pattern: int) -> Iterator[int]:
    """Patterns of other values of a scalar: one bit is another, or it is off by little."""
    if t is BOOL:
        yield pattern ^ 1
        return
    top = 1 << 8 * t.size
    made = [(pattern + step) % top for step in _STEPS] + [(pattern - step) % top for step in _STEPS]
    yield from dict.fromkeys([*made, *(pattern ^ 1 << bit for bit in range(8 * t.size))])
