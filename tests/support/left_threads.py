"""Threads that start in a foreign environment, for jobs and parallel ranges, and what they keep.

A program: it is given a library, and prints this thread's register, the number of other threads,
and those of them that are not pinned.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import samebits as sb
from samebits.runtime.fp_state.threads import threads


@sb.job
class Decay(sb.ParallelFor):
    values: sb.Array[sb.float32]

    def execute(self, index: sb.int32) -> None:
        for _ in range(100):
            self.values[index] = self.values[index] * 0.77 / 3


@sb.kernel
def decay(values: sb.Array[sb.float32]):
    for i in sb.prange(len(values), batch=64):
        for _ in range(100):
            values[i] = values[i] * 0.77 / 3


def main() -> None:
    from tests.support.foreign_libraries import Foreign

    foreign = Foreign(Path(sys.argv[1]))
    values = np.ones(20_000, np.float32)
    foreign.set(foreign.get() | foreign.flush)
    sb.set_workers(7)
    Decay(values=values).schedule(len(values), batch=64).complete()
    decay(values)
    others = threads()[1:]
    print(foreign.get())
    print(len(others))
    print([t.number for t in others if t.state is None or not t.state.pinned])


if __name__ == "__main__":
    main()
