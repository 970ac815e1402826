"""A build's first difference, in frames of which b has no hash, and the flags that make it.

Owns which of a build's narrower flags leave the same there. Knows nothing of other builds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from samebits.diagnosis.builds.compilers.execution import BuiltExecution
from samebits.errors import RunnerError
from samebits.sides.run import open_run
from samebits.sides.side import Side
from samebits.sim.inputs import Inputs

Open = Callable[[Path], BuiltExecution]


@dataclass(frozen=True)
class HiddenFirst:
    """Frames of side a's run over `rows`, of which b has a hash of the last alone."""

    a: Side
    seed: int
    rows: Inputs
    opened: Open
    """A program, ready to start, as b's is."""

    def hazards(self, whole: Path, narrower: Iterator[tuple[Path, Sequence[str]]]) -> Sequence[str]:
        """Those of the first program of `narrower` that leaves what the `whole` one does where it
        first differs; none where that is in the last frame, or no program does. Raises
        RunnerError."""
        with closing(open_run(self.a)) as run:
            run.start(self.seed)
            mine = [run.hash(), *map(int, run.advance(self.rows).hashes)]
        theirs = self._hashes(whole)
        pairs = zip(mine, theirs, strict=False)
        first = next((n for n, (one, other) in enumerate(pairs) if one != other), None)
        if first is None or first == len(self.rows):
            return ()
        for file, found in narrower:
            try:
                if self._hashes(file, first)[first:] == theirs[first : first + 1]:
                    return found
            except RunnerError:
                continue
        return ()

    def _hashes(self, file: Path, last: int | None = None) -> list[int]:
        """The hashes after `init` and after each frame, `last` of these."""
        with closing(self.opened(file)) as built:
            built.start(self.seed)
            hashes = [built.first_hash]
            if last != 0:
                hashes += map(int, built.advance(self.rows[:last]).hashes)
        return hashes
