"""A job leaves the bits of its managed run, whatever the workers, the batches and the order."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.support.limits import HANG_SECONDS

import samebits as sb
from samebits import float2, float3, float32, int32, int64, math
from samebits.errors import ArgumentError, JobError, Trap

WORKERS = (1, 2, 3, 7)
BATCHES = (1, 2, 7, 64, 1000, 5000)


@pytest.fixture(autouse=True)
def _default_workers() -> Iterator[None]:
    yield
    sb.set_workers(None)


@sb.struct
class Gains:
    drag: float32
    bounds: float2


@sb.job(mode=sb.STRICT, precision=sb.HIGH)
class PhysicsStep(sb.ParallelFor):
    velocities: sb.ReadOnly[float3]
    positions: sb.Array[float3]
    delta_time: float32

    def execute(self, index: int32):
        self.positions[index] += self.velocities[index] * self.delta_time


@sb.job
class Heat(sb.ParallelFor):
    grid: sb.ReadOnly[float32, 2]
    out: sb.WriteOnly[float32, 2]
    gains: Gains
    rate: float32 = 0.1

    def execute(self, index: int32):
        rows, columns = len(self.grid), self.grid.shape[1]
        for j in range(columns):
            if j == 0 or j == columns - 1 or index == 0 or int(index) == rows - 1:
                self.out[index, j] = self.gains.bounds.x
            else:
                left = self.grid[index, j - 1] + self.grid[index, j + 1]
                up = self.grid[index - 1, j] + self.grid[index + 1, j]
                self.out[index, j] = math.sin(left + up) * self.rate - self.gains.drag


@sb.job
class FirstAbove(sb.ParallelFor):
    values: sb.ReadOnly[float32, 2]
    found: sb.Array[int32]

    def execute(self, index: int64):
        for j in range(self.values.shape[1]):
            if self.values[index, j] > float32(0.9):
                self.found[index] = int32(j)
                return
        self.found[index] = int32(-1)


@sb.job
class BlockSum(sb.ParallelForBatch):
    values: sb.ReadOnly[float32]
    sums: sb.Array[float32]

    def execute(self, start: int32, count: int32):
        if count < int32(2):
            return
        total = float32(0)
        for i in range(start, start + count):
            total += self.values[i]
        self.sums[start] = total


@sb.job
class Smooth(sb.For):
    values: sb.Array[float32]

    def execute(self, index: int):
        if index == 0:
            return
        self.values[index] = self.values[index - 1] * float32(0.5) + self.values[index]


@sb.job
class Total(sb.Job):
    values: sb.ReadOnly[float32]
    result: sb.Array[float32]

    def execute(self):
        self.result[0] = math.sum(self.values)


@sb.job
class Scatter(sb.ParallelFor):
    out: sb.unsafe_parallel[sb.Array[int32]]

    def execute(self, index: int32):
        self.out[(int(index) * 11) % len(self.out)] = index  # no two at one, of 301


@sb.job
class Stumble(sb.ParallelFor):
    marks: sb.Array[int32]
    bad: sb.ReadOnly[int32]

    def execute(self, index: int32):
        assert self.bad[index] != int32(1), "one"
        assert self.bad[index] != int32(2), "two"
        self.marks[index] = int32(7)


RANDOM = np.random.default_rng(5)


def jobs(n: int) -> list[tuple[Any, int | None]]:
    """One of each kind, with memory of its own, and its number of indices."""
    grid = RANDOM.random((n, 9), np.float32)
    return [
        (PhysicsStep(velocities=RANDOM.random((n, 3), np.float32),
                     positions=RANDOM.random((n, 3), np.float32), delta_time=1 / 60), n),
        (Heat(grid=grid, out=np.zeros_like(grid), gains=Gains(drag=float32(0.5))), n),
        (FirstAbove(values=grid, found=np.zeros(n, np.int32)), n),
        (BlockSum(values=RANDOM.random(n, np.float32), sums=np.zeros(n, np.float32)), n),
        (Smooth(values=RANDOM.random(n, np.float32)), n),
        (Total(values=RANDOM.random(n, np.float32), result=np.zeros(1, np.float32)), None),
        (Scatter(out=np.zeros(n, np.int32)), n),
    ]  # fmt: skip


def copied(job: Any) -> Any:
    values = {name: getattr(job, name) for name in type(job).__annotations__}
    return type(job)(**{k: v.copy() if hasattr(v, "copy") else v for k, v in values.items()})


def memory(job: Any) -> bytes:
    arrays = [getattr(job, name) for name in type(job).__annotations__]
    return b"".join(a.tobytes() for a in arrays if isinstance(a, np.ndarray))


@cache
def managed_runs(batch: int) -> list[tuple[Any, int | None, bytes]]:
    """Jobs, their lengths, and the memory that each leaves in its managed run."""
    found: list[tuple[Any, int | None, bytes]] = []
    for job, n in jobs(301):
        reference = copied(job)
        reference.managed_run(*(() if n is None else (n,)), **size_of(job, batch))
        found.append((job, n, memory(reference)))
    return found


def size_of(job: Any, batch: int) -> dict[str, int]:
    return {"batch": batch} if isinstance(job, sb.ParallelFor | sb.ParallelForBatch) else {}


@pytest.mark.parametrize("workers", WORKERS)
@pytest.mark.parametrize("batch", BATCHES)
def test_workers_and_batches_change_no_bit(workers: int, batch: int) -> None:
    sb.set_workers(workers)
    for job, n, expected in managed_runs(batch):
        size = size_of(job, batch)
        scheduled, here = copied(job), copied(job)
        scheduled.schedule(**({} if n is None else {"n": n}), **size).complete()
        here.run(*(() if n is None else (n,)), **size)
        assert memory(scheduled) == expected, type(job)
        assert memory(here) == expected, type(job)


@pytest.mark.parametrize("workers", WORKERS)
def test_a_chain_of_jobs_runs_in_order(workers: int) -> None:
    sb.set_workers(workers)
    p = RANDOM.random((500, 3), np.float32)
    v = RANDOM.random((500, 3), np.float32)
    step = PhysicsStep(velocities=v, positions=p, delta_time=0.5)
    expected = p.copy()
    handle = None
    for _ in range(60):
        handle = step.schedule(500, batch=16, depends_on=handle)
        expected = expected + v * np.float32(0.5)
    assert handle is not None
    handle.complete()
    assert handle.is_completed
    assert p.tobytes() == expected.tobytes()


@pytest.mark.parametrize("workers", WORKERS)
def test_the_lowest_index_traps_every_time(workers: int) -> None:
    sb.set_workers(workers)
    for turn in range(100):
        bad, marks = np.zeros(600, np.int32), np.zeros(600, np.int32)
        bad[[301, 303, 590]] = 2
        bad[[302, 599]] = 1
        handle = Stumble(marks=marks, bad=bad).schedule(600, batch=1 + turn % 9)
        for _ in range(2):  # and again
            with pytest.raises(Trap, match="assertion failed: two"):
                handle.complete()
        assert np.all(marks[:301] == 7)
        assert marks[301] == 0


@sb.job
class Numbered(sb.ParallelFor):
    out: sb.Array[int32]

    def execute(self, index: int32) -> None:
        self.out[index] = index


def test_behind_a_trap_no_batch_is_begun() -> None:
    """Trying each of these would take hours."""
    out = np.zeros(4, np.int32)
    with pytest.raises(Trap, match="index"):
        Numbered(out=out).schedule(2**31 - 1, batch=2).complete()
    assert out.tolist() == [0, 1, 2, 3]


def test_a_job_after_a_trapped_one_is_not_run_and_raises_its_trap() -> None:
    for workers in WORKERS:
        sb.set_workers(workers)
        marks, after = np.zeros(8, np.int32), np.zeros(8, np.int32)
        first = Stumble(marks=marks, bad=np.ones(8, np.int32)).schedule(8, batch=1)
        good = Stumble(marks=np.zeros(8, np.int32), bad=np.zeros(8, np.int32)).schedule(8)
        both = sb.combine(good, first)
        second = Scatter(out=after).schedule(8, depends_on=[good, both])
        with pytest.raises(Trap, match="assertion failed: one"):
            second.complete()
        assert not after.any()
        good.complete()
        with pytest.raises(Trap, match="assertion failed: one"):
            both.complete()
        third = Scatter(out=after).schedule(8, depends_on=first)
        with pytest.raises(Trap, match="assertion failed: one"):
            third.complete()
        assert not after.any()


def test_the_length_may_be_asked_for_when_the_job_starts() -> None:
    @sb.job
    class Count(sb.Job):
        values: sb.ReadOnly[float32]
        n: sb.Array[int32]

        def execute(self):
            count = int32(0)
            for i in range(len(self.values)):
                if self.values[i] > float32(0.5):
                    count += int32(1)
            self.n[0] = count

    values, n = RANDOM.random(1000, np.float32), np.zeros(1, np.int32)
    for workers in WORKERS:
        sb.set_workers(workers)
        out = np.full(1000, -1, np.int32)
        counted = Count(values=values, n=n).schedule()
        Scatter(out=out).schedule(n, batch=8, depends_on=counted).complete()
        assert np.count_nonzero(out != -1) == np.count_nonzero(values > 0.5) == n[0]
        events: list[int] = []
        handle = Scatter(out=out).schedule(events)
        handle.complete()


def test_a_length_that_is_wrong_when_the_job_starts_is_raised_by_complete() -> None:
    n = np.array([-5], np.int32)
    handle = Scatter(out=np.zeros(4, np.int32)).schedule(n)
    with pytest.raises(ArgumentError, match=r"from 0 to 2,147,483,647; got np.int32\(-5\)"):
        handle.complete()


def test_fields_are_taken_when_the_job_is_scheduled() -> None:
    p, v = np.zeros((4, 3), np.float32), np.ones((4, 3), np.float32)
    step = PhysicsStep(velocities=v, positions=p, delta_time=1.0)
    first = step.schedule(4)
    step.delta_time = 10.0
    step.schedule(4, depends_on=first).complete()
    assert np.all(p == 11)


def test_jobs_are_scheduled_from_many_threads() -> None:
    failures: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(50):
                p, v = np.zeros((300, 3), np.float32), np.ones((300, 3), np.float32)
                step = PhysicsStep(velocities=v, positions=p, delta_time=1.0)
                first = step.schedule(300, batch=20)
                step.schedule(300, batch=20, depends_on=first).complete()
                assert np.all(p == 2)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(HANG_SECONDS)
        assert not thread.is_alive()
    assert not failures


def test_a_foreign_floating_point_environment_changes_no_bit() -> None:
    from samebits.runtime.fp_state import pin as fpenv

    reference, subject = np.full((9, 3), 1e-39, np.float32), np.full((9, 3), 1e-39, np.float32)
    v = np.full((9, 3), 1e-39, np.float32)
    PhysicsStep(velocities=v, positions=reference, delta_time=0.3).run(9)
    before = fpenv.read()
    fpenv.write(0x1F80 | 0x8040 | 0x6000)  # flush both ways, round towards zero
    try:
        PhysicsStep(velocities=v, positions=subject, delta_time=0.3).schedule(9, 2).complete()
        left = fpenv.read()
    finally:
        fpenv.write(before)
    assert subject.tobytes() == reference.tobytes()
    assert left & ~0x3F == 0x1F80 | 0x8040 | 0x6000


def test_a_job_that_was_never_completed_holds_its_memory() -> None:
    p, v = np.zeros((4, 3), np.float32), np.ones((4, 3), np.float32)
    handle = PhysicsStep(velocities=v, positions=p, delta_time=1.0).schedule(4)
    while not handle.is_completed:
        pass
    with pytest.raises(JobError):
        PhysicsStep(velocities=v, positions=p, delta_time=1.0).schedule(4)
    handle.complete()
    PhysicsStep(velocities=v, positions=p, delta_time=1.0).schedule(4).complete()
    assert np.all(p == 2)
