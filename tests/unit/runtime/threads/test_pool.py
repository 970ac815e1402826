"""The pool runs every batch once, on any number of threads; no thread is lost or left waiting."""

from __future__ import annotations

import _thread
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest
from tests.support.kernels.ranges import MARK, STUMBLE, slots_of, task_of
from tests.support.limits import HANG_SECONDS

from samebits.runtime.threads.pool import Pool
from samebits.runtime.threads.tasks import DONE, Task


@pytest.fixture(params=[1, 2, 3, 7])
def pool(request: pytest.FixtureRequest) -> Iterator[Pool]:
    made = Pool(request.param)
    yield made
    made.resize(1)


@pytest.mark.parametrize(("n", "batch"), [(0, 1), (1, 1), (5, 9), (1000, 1), (1000, 7), (4096, 64)])
def test_every_index_is_run_once(pool: Pool, n: int, batch: int) -> None:
    out = np.zeros(n + 1, np.int64)
    task, block = task_of(MARK, slots_of(out), n, batch)
    pool.submit(task, [])
    pool.wait(task)
    i = np.arange(n, dtype=np.int64)
    assert np.array_equal(out[:n], i * i + 1)
    assert out[n] == 0
    assert block.status == 0


def test_the_lowest_trap_is_kept_and_all_below_it_is_run(pool: Pool) -> None:
    for attempt in range(100):
        bad = np.zeros(3000, np.int64)
        bad[[1100, 1101, 1700, 2999]] = 1
        task, block = task_of(STUMBLE, slots_of(bad), 3000, 1 + attempt % 17)
        pool.submit(task, [])
        pool.wait(task)
        assert block.status
        trap = STUMBLE.trap(block.status)
        assert (trap.kind, trap.detail) == ("assert", "bad")
        assert np.all(bad[:1100] == 7)
        assert bad[1100] == 1


def test_tasks_run_after_those_that_they_wait_for(pool: Pool) -> None:
    out = np.zeros(500, np.int64)
    tasks: list[Task] = []
    for k in range(40):
        task, _ = task_of(MARK, slots_of(out), 500, 500 if k % 3 else 16)
        pool.submit(task, tasks[-1:])
        tasks.append(task)
    pool.wait(tasks[-1])
    assert all(task.state == DONE for task in tasks)
    i = np.arange(500, dtype=np.int64)
    assert np.array_equal(out, 40 * (i * i + 1))


def test_ten_thousand_empty_tasks_end_in_a_chain(pool: Pool) -> None:
    out = np.zeros(1, np.int64)
    first, _ = task_of(MARK, slots_of(out), 1, 1)
    pool.submit(first, [])
    last = first
    for _ in range(10_000):
        task, _ = task_of(MARK, slots_of(out), 0, 1)
        pool.submit(task, [last])
        last = task
    pool.wait(last)
    assert out[0] == 1


def test_a_task_after_a_trapped_one_is_not_run(pool: Pool) -> None:
    bad, out = np.ones(8, np.int64), np.zeros(8, np.int64)
    first, _ = task_of(STUMBLE, slots_of(bad), 8, 1)
    second, _ = task_of(MARK, slots_of(out), 8, 1)
    third, _ = task_of(MARK, slots_of(out), 8, 8)
    pool.submit(first, [])
    pool.submit(second, [first])
    pool.submit(third, [second])
    pool.wait(third)
    assert third.failed
    assert second.failed
    assert not out.any()


def test_a_task_may_wait_for_the_same_one_twice(pool: Pool) -> None:
    out = np.zeros(64, np.int64)
    last: list[Task] = []
    for k in range(20):
        task, _ = task_of(MARK, slots_of(out), 64, 64 if k % 2 else 4)
        pool.submit(task, last * 3)
        last = [task]
    pool.wait(last[0])
    i = np.arange(64, dtype=np.int64)
    assert np.array_equal(out, 20 * (i * i + 1))


def test_an_error_while_preparing_ends_the_task(pool: Pool) -> None:
    out = np.zeros(8, np.int64)
    task, _ = task_of(MARK, slots_of(out), 8, 1)

    def prepare() -> bool:
        task.error = ValueError("no length")
        return False

    task.prepare = prepare
    pool.submit(task, [])
    pool.wait(task)
    assert isinstance(task.error, ValueError)
    assert not out.any()


def test_polling_alone_gets_a_task_done(pool: Pool) -> None:
    out = np.zeros(8, np.int64)
    task, _ = task_of(MARK, slots_of(out), 8, 8)
    pool.submit(task, [])
    while not pool.poll(task):
        time.sleep(0.001)
    assert out.all()


def test_nobody_is_woken_for_one_batch() -> None:
    pool = Pool(4)
    before = _thread._count()
    for _ in range(100):
        out = np.zeros(8, np.int64)
        task, _ = task_of(MARK, slots_of(out), 8, 8)
        pool.submit(task, [])
        pool.wait(task)
    assert _thread._count() <= before  # an earlier test's may end meanwhile


def test_many_threads_wait_at_once(pool: Pool) -> None:
    outs = [np.zeros(2000, np.int64) for _ in range(6)]
    failures: list[BaseException] = []

    def work(out: np.ndarray) -> None:
        try:
            for _ in range(30):
                task, _ = task_of(MARK, slots_of(out), 2000, 16)
                pool.submit(task, [])
                pool.wait(task)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(out,)) for out in outs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(HANG_SECONDS)
        assert not thread.is_alive()
    assert not failures
    i = np.arange(2000, dtype=np.int64)
    assert all(np.array_equal(out, 30 * (i * i + 1)) for out in outs)


def test_the_number_of_workers_may_change_while_tasks_run() -> None:
    pool = Pool(2)
    out = np.zeros(4000, np.int64)
    last: list[Task] = []
    for k in range(200):
        task, _ = task_of(MARK, slots_of(out), 4000, 32)
        pool.submit(task, last)
        last = [task]
        pool.resize(1 + k % 5)
    pool.wait(last[0])
    i = np.arange(4000, dtype=np.int64)
    assert np.array_equal(out, 200 * (i * i + 1))
    pool.resize(1)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_child_of_fork_has_a_pool_of_its_own() -> None:
    script = """
import os, sys, warnings
import numpy as np
warnings.simplefilter("ignore")
from tests.support.kernels.ranges import MARK, slots_of, task_of
from samebits.runtime.threads.pool import pool, set_workers
set_workers(3)
def go():
    out = np.zeros(5000, np.int64)
    task, _ = task_of(MARK, slots_of(out), 5000, 10)
    pool().submit(task, [])
    pool().wait(task)
    return bool(out.all())
assert go()
child = os.fork()
if not child:
    os._exit(0 if go() and go() else 1)
assert os.waitpid(child, 0)[1] == 0
assert go()
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=HANG_SECONDS)


def test_the_process_ends_while_tasks_run() -> None:
    script = """
import numpy as np
from tests.support.kernels.ranges import BURN, slots_of, task_of
from samebits.runtime.threads.pool import pool, set_workers
set_workers(4)
out = np.zeros(100000, np.int64)
tasks = []
for _ in range(3):
    task, block = task_of(BURN, slots_of(out), 100000, 1)
    pool().submit(task, [])
    tasks.append(task)
print("end")
"""
    run = subprocess.run(
        [sys.executable, "-c", script],
        check=True,
        timeout=HANG_SECONDS,
        capture_output=True,
        text=True,
    )
    assert run.stdout == "end\n"
    assert run.stderr == ""


def test_the_process_ends_while_tasks_begin_and_end() -> None:
    script = """
import os, sys
import numpy as np
from tests.support.kernels.ranges import MARK, slots_of, task_of
from samebits.runtime.threads import pool as threads
threads._EXIT_SECONDS, threads.stop = 0.0, lambda: None
child = 0
for _ in range(40):
    child = os.fork()
    if not child:
        break
    status = os.waitpid(child, 0)[1]
    assert status == 0, status
if not child:
    threads.set_workers(4)
    out = np.zeros(1_000_000, np.int64)
    for _ in range(1000):
        task, _ = task_of(MARK, slots_of(out), len(out), len(out) // 10)
        threads.pool().submit(task, [])
"""
    run = subprocess.run(
        [sys.executable, "-c", script],
        check=True,
        timeout=HANG_SECONDS,
        capture_output=True,
        text=True,
    )
    assert run.stderr == ""
