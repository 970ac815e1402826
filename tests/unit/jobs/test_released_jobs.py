"""Jobs that nobody completes: their handles warn, and their memory is used once they have ended."""

from __future__ import annotations

import gc
import warnings

import numpy as np
import pytest
from tests.support.kernels.jobs import A, Add, B, Find, Inc, N, check, total

import samebits as sb
from samebits import float32, int32
from samebits.errors import JobError
from samebits.runtime import memory_claims as claims


@sb.job
class Fail(sb.ParallelFor):
    a: sb.Array[float32]

    def execute(self, index: int32):
        assert self.a[index] < float32(0), "no"


def test_a_lost_handle_warns_by_name_and_its_memory_can_be_used() -> None:
    A.fill(0)
    with pytest.warns(
        ResourceWarning, match=r"^Inc \(test_released_jobs.py:\d+\) was scheduled, but"
    ):
        Inc(a=A).schedule(N)
    assert total(A) == N
    assert not claims.PENDING
    check()


def test_a_job_scheduled_over_a_lost_one_runs_after_it() -> None:
    A.fill(0)
    job = Inc(a=A)
    with pytest.warns(ResourceWarning):
        job.schedule(N)
    handle = job.schedule(N)
    handle.complete()
    assert np.all(A == 2)
    check()


def test_handles_of_jobs_that_others_depend_on_may_go() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        last = Inc(a=A).schedule(N)
        last = Add(a=A, b=B).schedule(N, depends_on=sb.combine(last))
        gc.collect()
        last.complete()
    last = Inc(a=A).schedule(N)
    last = Add(a=A, b=B).schedule(N, depends_on=sb.combine(last))
    with pytest.warns(ResourceWarning) as warned:
        del last
    assert [str(w.message).split()[0] for w in warned] == ["Add"]
    check()


def test_a_combined_handle_that_is_lost_loses_each_job() -> None:
    both = sb.combine(Inc(a=A).schedule(N), Inc(a=B).schedule(N))
    with pytest.warns(ResourceWarning) as warned:
        del both
    assert len(warned) == 2
    check()


def test_a_released_job_does_not_warn_and_may_be_completed() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        A.fill(0)
        handle = Inc(a=A).schedule(N)
        with pytest.raises(sb.ArgumentError, match=r"call its handle's complete\(\) first"):
            total(A)
        handle.release()
        assert total(A) == N
        handle.complete()
        handle.release()
        Inc(a=A).schedule(N).release()
    check()


def test_releasing_a_job_releases_those_that_it_depends_on() -> None:
    A.fill(0)
    first = Inc(a=A).schedule(N)
    second = Add(a=A, b=B).schedule(N, depends_on=first)
    second.release()
    assert total(A) == N
    first.complete()
    check()


def test_a_lost_job_appends_before_its_memory_is_used() -> None:
    A.fill(1)
    found = sb.Appender(int32, capacity=N)
    with pytest.warns(ResourceWarning):
        Find(a=A, found=found).schedule(N)
    assert len(found) == N
    check()


def test_a_lost_job_that_fails_says_so() -> None:
    A.fill(1)
    with pytest.warns(ResourceWarning):
        Fail(a=A).schedule(N)
    with pytest.warns(RuntimeWarning, match=r"^Fail \(.*failed, and its handle was dropped"):
        total(A)
    check()


def test_a_handle_in_hand_is_no_lost_one() -> None:
    handle = Inc(a=A).schedule(N)
    with pytest.raises(JobError, match="writes the same memory"):
        Inc(a=A).schedule(N)
    handle.complete()
    check()
