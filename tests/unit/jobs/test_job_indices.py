"""Every index is run once; a job that leaves its own index traps, and an unsafe race is found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.support.kernels.jobs import message

import samebits as sb
from samebits import float32, int32, int64
from samebits.errors import ArgumentError


@pytest.mark.parametrize("workers", [1, 2, 7])
def test_a_race_of_an_unsafe_job_is_found_in_debug(workers: int) -> None:
    @sb.job(debug=True)
    class Scatter(sb.ParallelFor):
        order: sb.ReadOnly[int32]
        out: sb.unsafe_parallel[sb.Array[int32]]

        def execute(self, index: int32):
            self.out[self.order[index]] = index

    sb.set_workers(workers)
    order, out = np.arange(9, dtype=np.int32)[::-1].copy(), np.zeros(9, np.int32)
    job = Scatter(order=order, out=out)
    n = np.array([9], np.int32)
    for length in (9, n):
        out[:] = 0
        job.schedule(length, batch=2).complete()
        assert np.array_equal(out, order)
    order[7] = order[2]
    calls = (job.run, lambda n: job.schedule(n, 1).complete(), job.check_races)
    for call in calls:
        for length in (9, n):
            with pytest.raises(sb.RaceError, match="iterations 2 and 7 of a parallel range race"):
                call(length)
    with pytest.raises(ArgumentError, match="debug is True or False, not 'yes'"):
        sb.job(debug="yes")  # type: ignore[call-overload]
    sb.set_workers(None)


def test_races_and_debuggers_are_two_options_of_a_job() -> None:
    """`debug` looks for races; `debug_info`, which is a kernel's option, is for debuggers."""

    @sb.job(debug_info=True)
    class Square(sb.ParallelFor):
        x: sb.Array[float32]

        def execute(self, index: int32) -> None:
            self.x[index] *= self.x[index]

    x = np.arange(5, dtype=np.float32)
    Square(x=x).run(5)
    assert np.array_equal(x, [0, 1, 4, 9, 16])
    definition: Any = vars(Square)["__sb_job__"]
    assert not definition.debug
    assert definition.kernel.options.debug_info


@pytest.mark.parametrize("n", [0, 1, 63, 64, 65, 128])
def test_batches_of_their_own_cover_every_index_once(n: int) -> None:
    @sb.job
    class Mark(sb.ParallelForBatch):
        out: sb.Array[int64]

        def execute(self, start: int64, count: int64):
            for i in range(start, start + count):
                self.out[i] += int64(1)

    out = np.zeros(n, np.int64)
    Mark(out=out).schedule(n).complete()
    assert np.all(out == 1)


@sb.job
class Smear(sb.ParallelFor):
    values: sb.Array[float32]
    step: int32

    def execute(self, index: int32):
        if index >= int32(40):
            self.values[index] = self.values[index + self.step]


@sb.job
class SmearRows(sb.ParallelFor):
    grid: sb.Array[float32, 2]

    def execute(self, index: int64):
        for j in range(3):
            self.grid[index, j] = float32(1)
        if index == int64(50):
            self.grid[index - int64(1), 2] = float32(2)


@sb.job
class SmearBatches(sb.ParallelForBatch):
    values: sb.Array[float32]

    def execute(self, start: int32, count: int32):
        for i in range(start, start + count):
            self.values[i] += float32(1)
        if start > int32(30):
            self.values[start - int32(1)] = float32(0)


@pytest.mark.parametrize("workers", [1, 2, 3, 7])
@pytest.mark.parametrize("batch", [1, 8, 100])
def test_leaving_the_own_index_traps_with_the_index_and_the_range(workers: int, batch: int) -> None:
    sb.set_workers(workers)
    cases: list[tuple[Any, int, str]] = [
        (Smear(values=np.zeros(101, np.float32), step=1), batch,
         "index 41 of `self.values` is outside this iteration's own elements [40, 41)"),
        (Smear(values=np.zeros(101, np.float32), step=-2), batch,
         "index 38 of `self.values` is outside this iteration's own elements [40, 41)"),
        (SmearRows(grid=np.zeros((101, 3), np.float32)), batch,
         "index 49 of `self.grid` is outside this iteration's own elements [50, 51)"),
        (SmearBatches(values=np.zeros(101, np.float32)), 16,
         "index 31 of `self.values` is outside this iteration's own elements [32, 48)"),
    ]  # fmt: skip
    for job, size, expected in cases:
        for call in (job.managed_run, job.run, lambda n, b, job=job: job.schedule(n, b).complete()):
            text = message(lambda call=call, size=size: call(100, size))
            assert text.startswith(expected), text
    Smear(values=np.zeros(101, np.float32), step=0).schedule(100, batch).complete()
    sb.set_workers(None)
