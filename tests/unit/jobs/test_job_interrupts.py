"""Wherever a signal handler raises, jobs go on: nothing hangs, memory is free, bits are right."""

from __future__ import annotations

import _thread
import gc
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import FrameType
from typing import Any

import numpy as np
import pytest
from tests.support.interrupting import NUMBER, Alarm, Interrupt, at_each, handler
from tests.support.kernels.jobs import GUARDED, A, Add, B, Find, Inc, N, check, total

import samebits as sb
from samebits import float32, int32
from samebits.runtime.threads import pool as pools
from samebits.runtime.threads import tasks


@sb.job(debug=True)
class Watched(sb.ParallelFor):
    a: sb.Array[float32]

    def execute(self, index: int32):
        self.a[index] += float32(1)


@pytest.fixture(params=[1, 3])
def workers(request: pytest.FixtureRequest) -> Iterator[int]:
    sb.set_workers(request.param)
    yield request.param
    sb.set_workers(None)


@pytest.fixture(autouse=True)
def _lost_handles_are_expected() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        yield


def one_job() -> None:
    Inc(a=A).schedule(N).complete()


def batches() -> None:
    Inc(a=A).schedule(N, batch=1).complete()


def chain() -> None:
    first = Inc(a=A).schedule(N, 2)
    second = Add(a=A, b=B).schedule(N, 2, depends_on=first)
    Inc(a=B).schedule(N, depends_on=[first, second]).complete()


def combined() -> None:
    sb.combine(Inc(a=A).schedule(N, 2), Inc(a=B).schedule(N)).complete()


def halves() -> None:
    one, two = Inc(a=A[:3]).schedule(3), Inc(a=A[3:]).schedule(3)
    Add(a=A, b=B).schedule(N, depends_on=(one, two)).complete()


def asked() -> None:
    handle = Inc(a=A).schedule(N, 1)
    if not handle.is_completed:
        handle.complete()
    handle.complete()


def watched() -> None:
    Watched(a=A).schedule(2).complete()


def later() -> None:
    n = np.array([N], np.int32)
    Inc(a=A).schedule(n, batch=2).complete()


def appended() -> None:
    found = sb.Appender(int32, capacity=N)
    handle = Find(a=A, found=found).schedule(N, batch=2)
    Inc(a=A).schedule(found, depends_on=handle).complete()


def lost() -> None:
    Inc(a=A).schedule(N, batch=2)
    gc.collect(0)


def released() -> None:
    handle = Add(a=A, b=B).schedule(N, depends_on=Inc(a=A).schedule(N, 2))
    handle.release()
    total(A)


def refused() -> None:
    handle = Inc(a=A).schedule(N)
    for call in (lambda: Inc(a=A).schedule(N), lambda: total(A), lambda: GUARDED[0].sum()):
        try:
            call()
        except sb.SamebitsError:
            pass
        else:
            raise AssertionError
    handle.complete()


SCENARIOS: list[Callable[[], None]] = [
    one_job, batches, chain, combined, halves, asked, watched, later, appended, lost, released,
    refused,
]  # fmt: skip


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_an_interrupt_at_any_bytecode_leaves_jobs_whole(
    scenario: Callable[[], None], workers: int
) -> None:
    assert at_each(scenario, check, stride=29 if scenario is watched else 1) > 10


@pytest.mark.parametrize("scenario", [chain, appended, released])
def test_two_interrupts_leave_jobs_whole(scenario: Callable[[], None], workers: int) -> None:
    assert at_each(scenario, check, stride=3, again=17 + 20 * workers) > 10


def test_other_exceptions_of_handlers_leave_jobs_whole(workers: int) -> None:
    assert at_each(chain, check, Alarm) > 10


def test_an_interrupted_complete_may_be_called_again_and_its_memory_used(workers: int) -> None:
    handles: list[sb.JobHandle] = []

    def begin() -> sb.JobHandle:
        A.fill(0)
        first = Inc(a=A).schedule(N, batch=2)
        return Add(a=A, b=B).schedule(N, depends_on=first)

    def complete() -> None:
        handles[0].complete()

    def again() -> None:
        handles[0].complete()
        assert np.all(A == 1)
        handles[0] = begin()

    def use() -> None:
        assert handles[0].record.released or handles[0].is_settled or total_is_refused()
        handles[0].release()
        assert total(A) == N
        again()

    def total_is_refused() -> bool:  # left before it began to complete anything
        with pytest.raises(sb.ArgumentError):
            total(A)
        return True

    for after in (again, use):
        handles[:] = [begin()]
        assert at_each(complete, after) > 10
        handles[0].complete()
        check()


def test_signals_at_random_leave_jobs_whole(workers: int) -> None:
    stop = threading.Event()

    def disturb() -> None:
        while not stop.wait(0.002):
            _thread.interrupt_main(NUMBER)

    left = 0
    thread = threading.Thread(target=disturb)
    with handler(Interrupt) as signals:
        signals.armed = 0  # but where what is raised is caught: the thread is always stopped
        thread.start()
        while signals.raised < 100:
            try:
                try:
                    signals.armed = 2  # the other while the first is on its way
                    for scenario in (chain, appended, halves):
                        scenario()
                    signals.armed = 0
                except Interrupt:
                    left += 1
                signals.armed = 0
            except Interrupt:
                signals.armed = 0
        stop.set()
        thread.join()
    check()
    assert left


@pytest.mark.parametrize("line", range(1, 8))
def test_a_task_that_was_about_to_end_is_found_and_ended(line: int) -> None:
    """As after two interrupts in a row, of which the first was not noted."""
    pool, lines = pools.Pool(1), [0]
    words = tasks.ControlBlock(8, 8)
    words.words[tasks.NEXT] = 1
    task = tasks.Task(lambda *args: 0, None, words.words, words.address)
    task.state = tasks.READY
    pool._running |= {task}  # pyright: ignore[reportPrivateUsage]

    def tracer(frame: FrameType, event: str, argument: object) -> Any:
        lines[0] += event == "line"
        if lines[0] == line:
            raise Interrupt
        return tracer

    before = sys.gettrace()
    sys.settrace(lambda frame, *rest: tracer if frame.f_code.co_name == "_finish" else None)
    try:
        with suppress(Interrupt):
            pool._finish(task)  # pyright: ignore[reportPrivateUsage]
    finally:
        sys.settrace(before)
    pool._repair()  # pyright: ignore[reportPrivateUsage]
    assert task.state == tasks.DONE
    assert task not in pool._running  # pyright: ignore[reportPrivateUsage]
