"""Wherever a signal's handler raises around a parallel range, it is heard, and ranges go on."""

from __future__ import annotations

import _thread
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from tests.support.interrupting import Alarm, Interrupt, at_each
from tests.support.kernels.busy_ranges import count
from tests.support.limits import HANG_SECONDS
from tests.support.shared_ranges import ranges_shared

from samebits.runtime.threads import pool, team
from samebits.runtime.threads.pool import set_workers

N = 64
OUT = np.zeros(N, np.int64)


@pytest.fixture(params=[1, 3])
def workers(request: pytest.FixtureRequest) -> Iterator[int]:
    """Besides the threads of the team there are those that were there before."""
    count(OUT)
    set_workers(request.param)
    yield request.param
    set_workers(None)


@pytest.fixture
def beside_a_task() -> Iterator[None]:
    """Ranges ask whether they are inside of a task of the pool."""
    pool.running.value += 1
    yield
    pool.running.value -= 1


def no_more_threads_than(number: int) -> None:
    """Threads that were dismissed end a little later, the pool's of other tests among them."""
    limit = time.monotonic() + HANG_SECONDS
    while _thread._count() > number:
        assert time.monotonic() < limit, f"{_thread._count()} threads, not {number}"
        time.sleep(0.0005)


def checked(workers: int, others: int) -> None:
    """A range has the right bits and all threads; without it, none of them is there."""
    set_workers(workers)
    OUT.fill(0)
    before = ranges_shared()
    for _ in range(3):
        count(OUT)
    assert np.all(OUT == 3)
    assert ranges_shared() == before + 3 * (workers > 1)
    made: Any = team._team()
    assert made.words[team.native.HELPERS] == workers - 1
    assert not made._changing.locked()
    set_workers(1)
    no_more_threads_than(others)
    set_workers(workers)


@pytest.mark.parametrize("error", [Interrupt, Alarm])
def test_an_interrupt_at_any_bytecode_comes_out_of_the_range(
    error: type[BaseException], workers: int, beside_a_task: None
) -> None:
    set_workers(1)
    others = _others()

    def first_and_second() -> None:
        count(OUT)
        count(OUT)

    set_workers(workers)
    assert at_each(first_and_second, lambda: checked(workers, others), error, destructors=False) > 8


def test_an_interrupt_while_the_number_of_workers_changes_leaves_no_thread(workers: int) -> None:
    set_workers(1)
    others = _others()

    def change() -> None:
        set_workers(workers + 1)
        count(OUT)
        set_workers(workers)
        count(OUT)

    assert at_each(change, lambda: checked(workers, others), destructors=False) > 20


def test_two_interrupts_come_out_as_one_that_knows_the_other(workers: int) -> None:
    set_workers(1)
    others = _others()
    set_workers(workers)

    def both() -> None:
        count(OUT)

    # A call itself has no bytecode: what has some is the team's, and the trap behind a status.
    for again in (1, 7, 23):
        assert at_each(both, lambda: checked(workers, others), again=again, stride=2) >= 1


def _others() -> int:
    """How many threads there are without the team's, which are dismissed by now."""
    made: Any = team._team()
    limit = time.monotonic() + HANG_SECONDS
    while made._members:
        assert time.monotonic() < limit
        time.sleep(0.0005)
    return _thread._count()


def test_what_is_asked_of_python_keeps_what_it_raises() -> None:
    """Also where Python's own errors come, such as a want of memory."""
    made: Any = team._team()

    def refuse() -> None:
        raise MemoryError("no room for the team")

    set_workers(3)
    try:
        set_workers(2)
        word = made.words[team.native.BEGIN]
        made.words[team.native.BEGIN] = id(refuse)
        try:
            with pytest.raises(MemoryError, match="no room for the team"):
                count(OUT)
        finally:
            made.words[team.native.BEGIN] = word
    finally:
        set_workers(None)
    OUT.fill(0)
    count(OUT)
    assert np.all(OUT == 1)
