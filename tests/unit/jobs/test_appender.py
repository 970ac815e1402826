"""What indices append to lies in the order of the indices, whatever the workers did."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import float2, float32, int32, random, uint64
from samebits.errors import ArgumentError, CompileError, JobError, Trap


@sb.struct
class Hit:
    index: int32
    at: float2


@sb.job
class Find(sb.ParallelFor):
    values: sb.ReadOnly[float32]
    hits: sb.Appender[int32]

    def execute(self, index: int32):
        if self.values[index] < float32(0.3):
            return
        self.hits.append(index)


@sb.job
class Pairs(sb.ParallelFor):
    values: sb.ReadOnly[float32]
    near: sb.Appender[float2, 3]
    count: sb.Appender[float32]

    def execute(self, index: int32):
        found = 0
        for j in range(len(self.values)):
            difference = self.values[j] - self.values[index]
            if difference > float32(0) and difference < float32(0.004) and found < 3:
                self.near.append(float2(self.values[index], self.values[j]))
                found += 1
        self.count.append(float32(found))


@sb.job
class Collect(sb.For):
    values: sb.ReadOnly[float32]
    hits: sb.Appender[Hit]

    def execute(self, index: int32):
        if self.values[index] > float32(0.5):
            self.hits.append(Hit(index=index, at=float2(self.values[index])))


@sb.job
class Twice(sb.ParallelFor):
    hits: sb.ReadOnly[int32]
    out: sb.Array[int32]

    def execute(self, index: int32):
        self.out[index] = self.hits[index] * int32(2)


@sb.job
class Greedy(sb.ParallelFor):
    hits: sb.Appender[int32, 2]

    def execute(self, index: int32):
        for _ in range(int(index) - 5):
            self.hits.append(index)


@pytest.fixture(params=[1, 2, 3, 7], autouse=True)
def _workers(request: pytest.FixtureRequest) -> Iterator[None]:
    sb.set_workers(request.param)
    yield
    sb.set_workers(None)


VALUES = np.random.default_rng(3).random(700, np.float32)


def test_appended_elements_lie_in_the_order_of_the_indices() -> None:
    for batch in (1, 13, 64, 1000):
        hits = sb.Appender(int32, capacity=2000)
        find = Find(values=VALUES, hits=hits)
        find.schedule(700, batch=batch).complete()
        expected = np.flatnonzero(~(np.float32(0.3) > VALUES))
        assert np.array_equal(hits.array, expected)
        find.run(700, batch=batch)
        assert np.array_equal(hits.array, np.tile(expected, 2))
        hits.clear()
        find.managed_run(700)
        assert np.array_equal(hits.array, expected)
        assert len(hits) == len(expected)


def test_several_elements_and_appenders_are_as_in_the_managed_run() -> None:
    def run(how: str, **more: int) -> tuple[bytes, bytes]:
        near, count = sb.Appender(float2, capacity=3000), sb.Appender(float32, capacity=700)
        job: Any = Pairs(values=VALUES[:200], near=near, count=count)
        made = getattr(job, how)(200, **more)
        if made is not None:
            made.complete()
        assert len(near) == int(count.array.sum()) > 0
        return near.array.tobytes(), count.array.tobytes()

    reference = run("managed_run")
    for batch in (1, 7, 64):
        assert run("schedule", batch=batch) == reference
    assert run("run") == reference


def test_structs_are_appended_too() -> None:
    hits = sb.Appender(Hit, capacity=700)
    Collect(values=VALUES, hits=hits).schedule(700).complete()
    expected = np.flatnonzero(np.float32(0.5) < VALUES)
    assert np.array_equal(hits.array["index"], expected)
    assert np.array_equal(hits.array["at"][:, 0], VALUES[expected])


def test_a_later_job_runs_over_what_was_appended() -> None:
    hits, out = sb.Appender(int32, capacity=1400), np.zeros(1400, np.int32)
    found = Find(values=VALUES, hits=hits).schedule(700, batch=10)
    with pytest.raises(JobError, match="writes the same memory as `hits`"):
        Twice(hits=hits.memory, out=out).schedule(hits)
    again = Find(values=VALUES, hits=hits).schedule(hits, batch=10, depends_on=found)
    Twice(hits=hits.memory, out=out).schedule(hits, batch=10, depends_on=again).complete()
    expected = np.flatnonzero(~(np.float32(0.3) > VALUES))
    more = np.flatnonzero(~(VALUES[: len(expected)] < np.float32(0.3)))
    assert np.array_equal(out[: len(hits)], 2 * np.concatenate([expected, more]))


def test_a_full_appender_and_a_greedy_index_say_so() -> None:
    hits = sb.Appender(int32, capacity=3)
    for _ in range(2):
        handle = Find(values=VALUES, hits=hits).schedule(700)
        with pytest.raises(ArgumentError, match="the appender is full"):
            handle.complete()
        assert len(hits) == 0
    greedy = Greedy(hits=sb.Appender(int32, capacity=1000))
    for call in (greedy.managed_run, greedy.run, lambda n: greedy.schedule(n, 1).complete()):
        with pytest.raises(Trap, match="an index appends at most 2 values to `hits`"):
            call(20)
        assert len(greedy.hits) == 0


def test_what_does_not_fit_is_refused_in_words() -> None:
    for wrong in (np.zeros(4, np.int32), sb.Appender(float32, capacity=4), None):
        with pytest.raises(ArgumentError, match="expected an Appender of int32"):
            Find(values=VALUES, hits=wrong)
    for wrong in (-1, 1.5, True, "many"):
        with pytest.raises(ArgumentError, match="the capacity of an Appender"):
            sb.Appender(int32, capacity=wrong)  # type: ignore[arg-type]
    with pytest.raises(CompileError, match="an index appends 1 to 65,536 elements, not 0"):
        sb.Appender[int32, 0]
    with pytest.raises(CompileError, match="Job has no index to append in the order of"):

        @sb.job
        class Bad(sb.Job):
            hits: sb.Appender[int32]

            def execute(self):
                self.hits.append(int32(1))

    @sb.job
    class Reads(sb.ParallelFor):
        hits: sb.Appender[int32]

        def execute(self, index: int32):
            self.hits[index] = index

    with pytest.raises(CompileError, match="an appender, which can only be appended to"):
        Reads(hits=sb.Appender(int32, capacity=4)).run(1)


def test_each_index_has_a_random_stream_of_its_own() -> None:
    @sb.job
    class Sample(sb.ParallelFor):
        seed: uint64
        out: sb.WriteOnly[float32, 2]

        def execute(self, index: int32):
            source = random.seeded(self.seed, uint64(index))
            for j in range(self.out.shape[1]):
                self.out[index, j] = source.next_float32()

    reference, out = np.zeros((50, 5), np.float32), np.zeros((50, 5), np.float32)
    Sample(seed=7, out=reference).managed_run(50)
    for batch in (1, 7, 64):
        out[:] = 0
        Sample(seed=7, out=out).schedule(50, batch=batch).complete()
        assert out.tobytes() == reference.tobytes()
    assert len(np.unique(reference)) == 250


def test_an_appender_is_not_read_while_a_scheduled_job_appends() -> None:
    values = np.ones(50, np.float32)
    hits = sb.Appender(int32, capacity=100)
    handle = Find(values=values, hits=hits).schedule(50)
    for use in (lambda: len(hits), lambda: hits.array, hits.clear):
        with pytest.raises(ArgumentError, match="the scheduled job Find"):
            use()
    handle.complete()
    assert len(hits) == len(hits.array) == 50


def test_an_appender_as_a_length_orders_jobs() -> None:
    values, out = np.ones(50, np.float32), np.zeros(50, np.int32)
    hits = sb.Appender(int32, capacity=100)
    handle = Find(values=values, hits=hits).schedule(50)
    with pytest.raises(JobError, match="reads `n`, and the scheduled job Find"):
        Twice(hits=np.arange(50, dtype=np.int32), out=out).schedule(hits)
    with pytest.raises(ArgumentError, match="as its `hits`"):
        Twice(hits=np.arange(50, dtype=np.int32), out=out).run(hits)
    Twice(hits=np.arange(50, dtype=np.int32), out=out).schedule(hits, depends_on=handle).complete()
    assert out[49] == 98
