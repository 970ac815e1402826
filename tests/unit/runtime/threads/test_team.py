"""The team takes part in every range that it is asked for, and leaves none before its end."""

from __future__ import annotations

import _thread
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from itertools import count as count_up

import numpy as np
import pytest
from tests.support.kernels.busy_ranges import count
from tests.support.limits import HANG_SECONDS
from tests.support.shared_ranges import ranges_shared

import samebits as sb
from samebits import int32, int64
from samebits.runtime.threads.pool import set_workers


@sb.job
class Counts(sb.For):
    out: sb.Array[int64, 2]

    def execute(self, index: int32) -> None:
        count(self.out[index])


@sb.job
class Burns(sb.ParallelFor):
    out: sb.Array[int64]
    times: int

    def execute(self, index: int32) -> None:
        x = self.out[index]
        for _ in range(self.times):
            x = x * int64(6364136223846793005) + int64(1442695040888963407)
        self.out[index] = x


@pytest.fixture(autouse=True)
def _own_number_of_workers() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]
    yield
    set_workers(None)


@pytest.mark.parametrize("workers", [2, 3, 7])
def test_no_range_ends_early_whether_its_threads_look_or_sleep(workers: int) -> None:
    set_workers(workers)
    pauses = random.Random(1)
    out = np.zeros(13, np.int64)
    before = ranges_shared()
    for n in range(1, 20_001):
        count(out)
        assert (out == n).all()
        if pauses.random() < 0.02:
            time.sleep(pauses.random() * 0.001)
    assert ranges_shared() == before + 20_000


def test_the_number_of_workers_may_change_while_ranges_run() -> None:
    outs = [np.zeros(64, np.int64) for _ in range(3)]
    over = threading.Event()
    limit = time.monotonic() + HANG_SECONDS
    wrong: list[int] = []

    def work(out: np.ndarray) -> None:
        n = 0
        while not over.is_set():
            count(out)
            n += 1
            if not (out == n).all():
                wrong.append(n)

    threads = [threading.Thread(target=work, args=(out,)) for out in outs]
    for thread in threads:
        thread.start()
    for attempt in count_up():
        set_workers(1 + attempt % 5)
        time.sleep(0.0005)
        # On a busy machine a thread may not have run by then.
        if attempt >= 300 and all(out[0] > 0 for out in outs):
            break
        assert attempt < 300 or time.monotonic() < limit
    over.set()
    for thread in threads:
        thread.join(HANG_SECONDS)
        assert not thread.is_alive()
    assert wrong == []
    assert all(out[0] > 0 for out in outs)


def test_threads_that_are_not_wanted_any_more_end() -> None:
    script = """
import _thread, time
import numpy as np
from tests.support.kernels.busy_ranges import count
from samebits.runtime.threads.pool import set_workers
set_workers(1)
count(np.zeros(50, np.int64))
for _ in range(20):
    set_workers(4)
    count(np.zeros(50, np.int64))
    while not _thread._count():  # a thread counts from its own beginning on
        time.sleep(0.001)
    set_workers(1)
while _thread._count():
    time.sleep(0.01)
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=HANG_SECONDS)


def test_a_process_that_gets_no_threads_runs_its_ranges_in_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refused(*_: object) -> int:
        raise RuntimeError("can't start new thread")

    count(np.zeros(1, np.int64))
    set_workers(3)
    monkeypatch.setattr(_thread, "start_new_thread", refused)
    before = ranges_shared()
    out = np.zeros(50, np.int64)
    count(out)
    assert (out == 1).all()
    assert ranges_shared() == before


def test_a_range_in_a_task_of_the_pool_runs_in_line() -> None:
    set_workers(3)
    out = np.zeros((20, 50), np.int64)
    before = ranges_shared()
    Counts(out=out).schedule(20).complete()
    assert (out == 1).all()
    assert ranges_shared() == before


def test_a_range_beside_a_running_job_is_shared_all_the_same() -> None:
    set_workers(3)
    for _ in range(50):
        burning, out = np.ones(64, np.int64), np.zeros(50, np.int64)
        handle = Burns(out=burning, times=1_000_000).schedule(64, batch=1)
        before = ranges_shared()
        count(out)
        beside = not handle.is_completed
        assert ranges_shared() == before + 1
        assert (out == 1).all()
        handle.complete()
        if beside:  # the job may be over before, where this thread had to wait for a processor
            return
    pytest.fail("no range was seen beside a running job")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_child_of_fork_has_a_team_of_its_own() -> None:
    script = """
import os, warnings
import numpy as np
warnings.simplefilter("ignore")
from tests.support.kernels.busy_ranges import count
from tests.support.shared_ranges import ranges_shared
from samebits.runtime.threads.pool import set_workers
set_workers(3)
def go():
    before, out = ranges_shared(), np.zeros(5000, np.int64)
    for _ in range(50):
        count(out)
    return bool((out == 50).all()) and ranges_shared() == before + 50
assert go()
child = os.fork()
if not child:
    os._exit(0 if go() and go() else 1)
assert os.waitpid(child, 0)[1] == 0
assert go()
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=HANG_SECONDS)


def test_the_process_ends_while_a_range_runs() -> None:
    script = """
import threading, time
import numpy as np
from tests.support.kernels.busy_ranges import burn
from tests.support.shared_ranges import ranges_shared
from samebits.runtime.threads.pool import set_workers
set_workers(4)
before, out = ranges_shared(), np.ones(1_000_000, np.int64)
threading.Thread(target=burn, args=(out, 3_000_000), daemon=True).start()
while ranges_shared() == before:
    time.sleep(0.01)
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        check=True,
        timeout=HANG_SECONDS,
        capture_output=True,
        text=True,
    )
    assert done.stderr == ""
