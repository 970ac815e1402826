"""The walk over a run's inputs that both searches for the first differing frame share.

Owns that side a's states are shown to what its replay has recorded. What a frame is compared with
is the searches'.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass, field

from samebits.diagnosis.frame.examine import FirstFrame, FrameBlock, SideFrame, begun
from samebits.diagnosis.frame.recorded import Recorded
from samebits.sides.input_stream import InputStream
from samebits.sides.run import SideRun
from samebits.sim.inputs import Inputs
from samebits.sim.outcome import BlockOutcome

Progress = Callable[[str, int, int], None]
"""What is being done, how much of it is done, and of how much; 0 where that is not known."""


def silent(what: str, done: int, total: int) -> None:
    """Progress callback that does nothing."""


@dataclass(eq=False)
class FrameReport:
    """The result of a search. `compared` is the number of frames, from the first on, compared."""

    compared: int = 0
    found: FirstFrame | None = None
    trap: str | None = None
    """The trap that both runs end with, if they do."""
    notes: list[str] = field(default_factory=list[str])


@dataclass(eq=False)
class FrameSearch(ABC):
    """A search in the run of `a` over `inputs`. `recorded` is what its states are shown to."""

    a: SideRun
    inputs: InputStream
    _: KW_ONLY
    progress: Progress = silent
    recorded: Recorded | None = None
    report: FrameReport = field(default_factory=FrameReport, init=False)
    _placed = True

    def _begin(self) -> BlockOutcome:
        """Start side a."""
        done = begun(self.a, self.inputs.seed, self._placed)
        if self.recorded is not None:
            self.recorded.see(0, done.hashes)
        return done

    def _advance(self, inputs: Inputs) -> FrameBlock:
        """Run side a on over a block of frames."""
        block = FrameBlock.run(self.a, inputs, self._placed)
        if self.recorded is not None:
            self.recorded.see(block.kept.frame + 1, block.found.hashes, block.found.trap)
        return block

    @abstractmethod
    def run(self) -> FrameReport:
        """Search. The sides are left before the frame that is found. Raises RunnerError, and what
        inputs raise."""

    def _found(self, frame: int, a: SideFrame, b: SideFrame, since: int) -> None:
        self.report.found = FirstFrame(frame, a, b, since)
        self.report.compared = max(self.report.compared, frame + 1)


def blocks(stream: InputStream, most: int | None) -> Iterator[tuple[int, Inputs]]:
    """The inputs in blocks of at most so many frames, each with its first frame."""
    for at, block in stream.blocks():
        size = most or max(1, len(block.inputs))
        for first in range(0, len(block.inputs), size):
            yield at + first, block.inputs[first : first + size]
