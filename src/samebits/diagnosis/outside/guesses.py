"""Guesses what a state became between two frames, where only the hash after the second is known.

Each guess is made, the frame is run from it, and the hash shows whether it is right. Owns what is
guessed; the most plausible is first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from samebits.sides.run import SideRun
from samebits.sim.inputs import Inputs

FRAMES_OFF = 16
"""How many frames before or behind a state may be that was restored in place of another."""


@dataclass(frozen=True, slots=True)
class Guess:
    """The state `after` in place of the one before a frame; `of` is the frame before which the
    right run has it."""

    after: bytes
    of: int


def guessed(
    run: SideRun, row: Inputs, frame: int, wanted: int, past: Sequence[bytes], rows: Inputs
) -> Guess | None:
    """The state from which the step of `frame` gives the hash `wanted`, None where none does.

    `past` are the states before the frames up to this one, the frame's own last; `rows` are the
    inputs from the frame on. The run is left anywhere.
    """
    for guess in _of_other_frames(run, frame, past, rows):
        run.restore_canonical(frame, guess.after)
        done = run.advance(row)
        if done.trap is None and int(done.hashes[0]) == wanted:
            return guess
    return None


def _of_other_frames(
    run: SideRun, frame: int, past: Sequence[bytes], rows: Inputs
) -> Iterator[Guess]:
    """The states of other frames, the nearest first."""
    ahead = [past[-1]]
    for off in range(1, FRAMES_OFF + 1):
        if off < len(past):
            yield Guess(past[-1 - off], frame - off)
        if len(ahead) == off and off <= len(rows):
            run.restore_canonical(frame + off - 1, ahead[-1])
            if run.advance(rows[off - 1 : off]).trap is None:
                ahead.append(run.save())
                yield Guess(ahead[-1], frame + off)
