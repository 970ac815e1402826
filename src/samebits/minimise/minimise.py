"""A replay made as short as it can be: from sides and a file to a replay that `verify` takes."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass

from samebits.errors import SamebitsError
from samebits.lang.signal_safe import keeps_flags
from samebits.minimise.question import DifferenceQuestion, Question, Shown, TrapQuestion
from samebits.minimise.search import Progress, Search
from samebits.printed import muted
from samebits.sides.input_stream import joined
from samebits.sides.side import Side
from samebits.sides.words import default_words
from samebits.sim.inputs import Inputs
from samebits.sim.session import SimulationTrap
from samebits.sim.simulation import Simulation
from samebits.sim.sources import InputSource

DEFAULT_SECONDS = 60.0


class MinimiseError(SamebitsError):
    """A replay that shows nothing which a shorter one could."""


@dataclass(frozen=True, eq=False)
class Minimised:
    """What was found. `inputs` are those of the shortest replay, `of_frames` and `of_set` count
    what the given one had: frames, and fields of inputs that aren't zero, up to what it shows.
    `runs` were made, of `frames_run` frames."""

    seed: int
    inputs: Inputs
    shown: Shown
    first_shown: Shown
    of_frames: int
    of_set: int
    set: int
    runs: int
    frames_run: int
    seconds: float
    is_minimal: bool
    interrupted: bool


@muted()
@keeps_flags
def minimise(
    source: InputSource,
    a: Side,
    b: Side | None,
    *,
    seconds: float = DEFAULT_SECONDS,
    same: bool = True,
    progress: Progress = lambda what, frames, inputs: None,
    clock: Callable[[], float] = time.monotonic,
) -> Minimised:
    """The shortest replay in which `a` and `b` still differ, in the same field first with `same`;
    without `b`, that still ends `a` by the same trap. After `seconds`, or an interrupt, it is the
    shortest so far.

    Raises MinimiseError if the replay does not show that, and what opening sides raises.
    """
    began = clock()
    inputs = _all_inputs(source)
    question: Question
    if b is None:
        question = TrapQuestion(source.seed, a)
    else:
        question = DifferenceQuestion(source.seed, a, b)
    with closing(question):
        search = Search(question, inputs, clock, began + seconds, progress, same)
        first = search.shown
        if first is None:
            raise _nothing(a, b)
        of_frames, of_set = len(inputs), search.inputs
        interrupted = False
        try:
            search.run()
        except KeyboardInterrupt:
            interrupted = True
    assert search.shown is not None
    return Minimised(
        source.seed, search.best, search.shown, first, of_frames, of_set, search.inputs,
        question.runs, question.frames, clock() - began, search.is_minimal, interrupted,
    )  # fmt: skip


def write(simulation: Simulation, found: Minimised, path: str) -> None:
    """Write the replay, with the hashes of a run of the simulation as it is. Raises ReplayError."""
    with simulation.record(path, seed=found.seed) as recording, suppress(SimulationTrap):
        recording.run(found.inputs)  # the frame of a trap is written, without a hash


def _all_inputs(source: InputSource) -> Inputs:
    blocks = [block.inputs for block in source.blocks()]
    return joined(blocks)


def _nothing(a: Side, b: Side | None) -> MinimiseError:
    one = a.text or default_words()
    if b is None:
        return MinimiseError(
            f"no trap ends the run on {one}",
            fix="name two sides that differ, as in --b mode=FAST",
        )
    return MinimiseError(
        f"{one} and {b.text} do not differ over this replay",
        fix="`samebits diagnose --list-sides` lists other sides",
    )
