"""Any graph of jobs that is accepted leaves what running them one after the other leaves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import float32, int32
from samebits.errors import JobError


@sb.job
class Mix(sb.ParallelFor):
    source: sb.ReadOnly[float32]
    target: sb.Array[float32]
    factor: float32

    def execute(self, index: int32):
        self.target[index] = self.target[index] * self.factor + self.source[index]


@sb.job
class Prefix(sb.For):
    values: sb.Array[float32]

    def execute(self, index: int32):
        if index > int32(0):
            self.values[index] += self.values[index - 1] * float32(0.25)


@sb.job
class Blocks(sb.ParallelForBatch):
    source: sb.ReadOnly[float32]
    target: sb.Array[float32]

    def execute(self, start: int32, count: int32):
        total = float32(0)
        for i in range(start, start + count):
            total = total * float32(0.5) + self.source[i]
            self.target[i] -= total


@pytest.mark.parametrize("workers", [1, 2, 3, 7])
@pytest.mark.parametrize("seed", range(6))
def test_accepted_graphs_give_the_serial_answer(workers: int, seed: int) -> None:
    sb.set_workers(workers)
    choose = np.random.default_rng(seed)
    n = 200
    memory = choose.random((6, n), np.float32)
    reference = memory.copy()
    handles: list[sb.JobHandle] = []
    refused = 0
    for _ in range(80):
        a, b = (int(k) for k in choose.choice(6, 2, replace=False))
        low = int(choose.integers(0, n // 2))
        high = int(choose.integers(low, n + 1))
        kind = int(choose.integers(0, 3))
        batch = int(choose.choice([1, 7, 32, 500]))

        def made(arrays: np.ndarray[Any, Any], kind: int = kind, a: int = a, b: int = b,
                 low: int = low, high: int = high) -> Any:  # fmt: skip
            source, target = arrays[a, low:high], arrays[b, low:high]
            if kind == 0:
                return Mix(source=source, target=target, factor=0.75)
            return Prefix(values=target) if kind == 1 else Blocks(source=source, target=target)

        size = {} if kind == 1 else {"batch": batch}
        made(reference).run(high - low, **size)
        wanted = int(choose.integers(0, 3))
        after = [
            handles[int(k)] for k in choose.integers(0, len(handles), wanted if handles else 0)
        ]
        job = made(memory)
        try:
            handle = job.schedule(high - low, depends_on=after, **size)
        except JobError:
            refused += 1
            handle = job.schedule(high - low, depends_on=handles, **size)
        handles.append(handle)
        if choose.random() < 0.1:
            handles[int(choose.integers(0, len(handles)))].complete()
    for k in choose.permutation(len(handles)):
        handles[int(k)].complete()
    assert refused
    assert memory.tobytes() == reference.tobytes()
    sb.set_workers(None)
