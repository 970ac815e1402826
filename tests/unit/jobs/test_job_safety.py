"""Jobs that would race are refused in words that name both, whatever the time they take."""

from __future__ import annotations

import numpy as np
import pytest
from tests.support.kernels.jobs import Measure, Move, arrays, message

import samebits as sb
from samebits import float3, float32, int32, math
from samebits.errors import ArgumentError


@sb.struct
class Wind:
    push: float3


@sb.job
class Blow(sb.ParallelFor):
    wind: Wind
    velocities: sb.Array[float3]

    def execute(self, index: int32):
        self.velocities[index] += self.wind.push


@sb.job
class Turn(sb.Job):
    wind: Wind

    def execute(self):
        self.wind.push = -self.wind.push


@sb.job
class Count(sb.Job):
    result: sb.Array[int32]

    def execute(self):
        self.result[0] = 8


@sb.kernel
def add(a: sb.ReadOnly[float3], out: sb.Array[float3]):
    for i in range(len(out)):
        out[i] = a[i] + out[i]


@sb.kernel
def gust(wind: Wind) -> float32:
    return wind.push.x


def test_two_writers_that_nothing_orders_are_refused() -> None:
    v, p = arrays("v", "p")
    first = Move(velocities=v, positions=p).schedule(8)
    text = message(lambda: Move(velocities=v, positions=p[2:]).schedule(6))
    assert "writes `positions`, and the scheduled job Move (test_job_safety.py:" in text
    assert "writes the same memory as `positions`" in text
    assert "fix: write schedule(..., depends_on=handle of Move), or complete that first" in text
    Move(velocities=v, positions=p).schedule(8, depends_on=first).complete()
    Move(velocities=v, positions=p).schedule(8).complete()


def test_a_reader_and_a_writer_are_refused_in_both_orders() -> None:
    v, p = arrays("v", "p")
    heights = np.zeros(8, np.float32)
    moving = Move(velocities=v, positions=p).schedule(8)
    measure = Measure(points=p, heights=heights)
    text = message(lambda: measure.schedule(8))
    assert text.startswith("Measure (")
    assert "reads `points`" in text
    measuring = measure.schedule(8, depends_on=moving)
    assert "writes `positions`" in message(lambda: Move(velocities=v, positions=p).schedule(8))
    measuring.complete()
    moving.complete()


def test_jobs_that_only_read_the_same_memory_need_no_order() -> None:
    v, p, q = arrays("v", "p", "q")
    one = Move(velocities=v, positions=p).schedule(8)
    two = Move(velocities=v, positions=q).schedule(8)
    sb.combine(one, two).complete()


def test_halves_of_an_array_do_not_meet() -> None:
    v, p = arrays("v", "p")
    one = Move(velocities=v, positions=p[:4]).schedule(4)
    two = Move(velocities=v, positions=p[4:]).schedule(4)
    sb.combine([one, two]).complete()


def test_order_goes_by_way_of_other_jobs_and_combined_handles() -> None:
    v, p, q = arrays("v", "p", "q")
    one = Move(velocities=v, positions=p).schedule(8)
    two = Move(velocities=v, positions=q).schedule(8)
    both = sb.combine(one, two)
    between = Move(velocities=v, positions=np.zeros((8, 3), np.float32)).schedule(8, 1, both)
    Move(velocities=q, positions=p).schedule(8, depends_on=between).complete()
    Move(velocities=v, positions=q).schedule(8).complete()


def test_structs_are_memory_too() -> None:
    wind, (v,) = Wind(push=float3(1, 2, 3)), arrays("v")
    blowing = Blow(wind=wind, velocities=v).schedule(8)
    assert "writes `wind`" in message(lambda: Turn(wind=wind).schedule())
    assert gust(Wind()) == 0
    Turn(wind=wind).schedule(depends_on=blowing).complete()
    assert wind.push.x == -1


def test_kernels_may_not_touch_what_a_scheduled_job_writes() -> None:
    v, p = arrays("v", "p")
    handle = Move(velocities=v, positions=p).schedule(8)
    text = message(lambda: add(p, np.zeros((8, 3), np.float32)))
    assert text.startswith(
        "add(): parameter 'a' is memory that the scheduled job Move (test_job_safety.py:"
    )
    assert "writes, as its `positions`" in text
    assert "reads, as its `velocities`" in message(lambda: add(p * 0, v))
    add(v, np.zeros((8, 3), np.float32))
    text = message(lambda: Move(velocities=v, positions=p).run(8))
    assert text.startswith("Move(): parameter 'positions'")
    for call in (lambda: math.sin(p[3:5]), lambda: math.cos(v * 0, out=v)):
        assert "is memory that the scheduled job Move" in message(call)
    math.sin(v)
    math.sin(0.5)
    handle.complete()
    add(p, v)
    math.sin(p)


def test_a_job_is_not_scheduled_again_while_it_is() -> None:
    (v,) = arrays("v")
    job = Measure(points=v, heights=np.zeros(8, np.float32))
    handle = job.schedule(8)
    text = message(lambda: job.schedule(8))
    assert "is scheduled again, but Measure (" in text
    job.schedule(8, depends_on=handle).complete()
    job.schedule(8).complete()


def test_what_runs_here_and_now_waits_for_scheduled_jobs_too() -> None:
    v, p = arrays("v", "p")
    count = np.zeros(1, np.int32)
    moving = Move(velocities=v, positions=p).schedule(8)
    counting = Count(result=count).schedule()
    measure = Measure(points=p, heights=np.zeros(8, np.float32))
    other = Move(velocities=v, positions=np.zeros((8, 3), np.float32))
    for run in (
        lambda: measure.run(8),
        lambda: measure.managed_run(8),
        lambda: other.run(count),
        lambda: other.managed_run(count),
    ):
        with pytest.raises(ArgumentError, match="is memory that the scheduled job"):
            run()
    moving.complete()
    counting.complete()
    other.run(count)


def test_reductions_of_arrays_that_they_copy_wait_too() -> None:
    v, p = arrays("v", "p")
    moving = Move(velocities=v, positions=p).schedule(8)
    for x in (p, p[::2], p[:, 1]):
        with pytest.raises(ArgumentError, match="is memory that the scheduled job Move"):
            math.sum(x)
    moving.complete()
    assert math.sum(p[:, 1]) == 0


def test_managed_and_watched_calls_wait_too() -> None:
    v, p = arrays("v", "p")
    wind = Wind(push=float3(1, 2, 3))
    moving = Move(velocities=v, positions=p).schedule(8)
    turning = Turn(wind=wind).schedule()
    for call in (
        lambda: add.managed(p, v),
        lambda: add.managed(v, out=p),
        lambda: add.check_races(v, p),
        lambda: sb.assert_same_bits(add, v, p),
        lambda: gust.managed(wind),
    ):
        with pytest.raises(ArgumentError, match="is memory that the scheduled job"):
            call()
    moving.complete()
    turning.complete()
    add.managed(v, p)
    assert gust.managed(wind) == -1
