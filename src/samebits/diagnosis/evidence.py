"""Evidence: what a diagnosis can know of a side, a live run or another machine's report.

Owns the protocol by which the driver asks. What each kind of side can know is its own module's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from samebits.diagnosis.cause.experiment import Experiment
from samebits.diagnosis.cause.nondeterminism import RerunFacts
from samebits.diagnosis.frame.points import Point
from samebits.diagnosis.operation.match_versions import MatchedVersion
from samebits.frame_trace.model import Model
from samebits.frame_trace.observer import FrameInput
from samebits.frame_trace.record import Trace
from samebits.sides.input_stream import joined
from samebits.sim.inputs import Inputs
from samebits.sim.program import Program

FrameAt = Callable[[int], FrameInput | None]
"""One of a side's frames, by its number from the differing one on, where it can be had."""


@dataclass(frozen=True, eq=False)
class Validated:
    """A trace that shows what its side did, and why that is known. `aligned` is the side's source,
    where that is another version; without `is_named` its operations have names of their own."""

    trace: Trace
    validation: str
    aligned: MatchedVersion | None = None
    is_named: bool = True


class Evidence(Protocol):
    """Evidence of one side: the differing frame, and those around it.

    Side a is the one whose program experiments change: it is asked for that, for the point at which
    the frame begins, and for its trace. Side b is what experiments have to reproduce: it is asked
    for the inputs that they run over, for its trace beside side a's operations, for what follows,
    and for what comes of running it again. What a side cannot know is None.
    """

    def inputs_of(self, frame: int) -> Inputs | None:
        """A frame's inputs, of shape (players,), from the differing one on."""
        ...

    def input_hash(self, frame: int) -> int | None:
        """XXH64 of a frame's inputs, all players together."""
        ...

    def state_near(self, frame: int) -> tuple[int, bytes] | None:
        """A canonical state before a frame, the differing one or one from which that is soon
        evaluated, by its number."""
        ...

    @property
    def horizon(self) -> int:
        """Frames that an experiment with its program runs at most."""
        ...

    @cached_property
    def model(self) -> Model | None:
        """The evaluation that gives its bits in the frame."""
        ...

    @property
    def program(self) -> Program | None:
        """The program that experiments change."""
        ...

    def point(self, b: Evidence) -> Point | str:
        """Where the frame begins, which `b` may tell too; or, in words, what of that is unknown."""
        ...

    def trace(self, point: Point) -> Trace | None:
        """The frame's trace over the inputs of a point, its own or the other side's."""
        ...

    def after(self, point: Point) -> bytes | None:
        """The canonical state after the frame over the inputs of a point; None where it traps."""
        ...

    def as_own(self, experiment: Experiment) -> Experiment:
        """An experiment with programs of this side's alone, run as those may be run."""
        ...

    def inputs_tried(self, a: Evidence) -> Inputs | None:
        """The inputs that experiments run over, from the frame on, of shape (frames, players)."""
        ...

    def trace_beside(self, a: Evidence, point: Point) -> Validated | None:
        """The frame's trace under the names of side a's operations, over its own inputs, which
        those of the point are."""
        ...

    def experiment(self, point: Point, inputs: Inputs) -> Experiment:
        """The behaviour to be reproduced, from a point on over such inputs."""
        ...

    def frames(self, trace: Trace) -> FrameAt:
        """Its frames, of which the first is traced so."""
        ...

    def rerun(self) -> RerunFacts:
        """The results of running it again."""
        ...


def leading(rows: Iterable[Inputs | None]) -> Inputs | None:
    """Inputs of frames, each of shape (players,), up to the first that is not known; None where
    that is the first."""
    found: list[Inputs] = []
    for row in rows:
        if row is None:
            break
        found.append(row[np.newaxis])
    return joined(found) if found else None
