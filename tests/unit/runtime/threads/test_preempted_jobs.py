"""Jobs that are left in the middle have failed, and end with their process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from tests.support.folders import ROOT
from tests.support.kernels.long_kernels import long_job, needs_signals, numbers, signalled
from tests.support.limits import HANG_SECONDS

from samebits.errors import JobError
from samebits.runtime.threads.pool import set_workers

pytestmark = needs_signals


@pytest.fixture(autouse=True)
def _own_number_of_workers() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]
    yield
    set_workers(None)


def test_a_job_left_in_the_middle_has_failed_and_what_depends_on_it_is_not_run() -> None:
    set_workers(1)
    out, after = numbers(), numbers()
    handle = long_job(out).schedule(8, batch=8)
    following = long_job(after, 1).schedule(8, depends_on=handle)
    with signalled(out), pytest.raises(KeyboardInterrupt):
        handle.complete()
    for one in (handle, following):
        with pytest.raises(JobError, match="interrupted in the middle of a batch"):
            one.complete()
    assert not after.any()
    out[:] = 0
    long_job(out, 1).schedule(8).complete()
    assert out.all()


def test_the_end_of_the_process_ends_jobs_in_the_middle() -> None:
    script = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from samebits.runtime.threads.pool import set_workers
from tests.support.kernels.long_kernels import long_job, numbers
from samebits.runtime.threads import pool; from samebits.runtime.threads import working
set_workers(3)
out = numbers(2)
handle = long_job(out).schedule(2, batch=1)
while not handle.is_completed and not out.all():
    pass
pool._EXIT_SECONDS = 600
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_does_not_tell_the_parents_threads_to_leave() -> None:
    script = f"""
import os, sys, warnings
sys.path.insert(0, {str(ROOT)!r})
warnings.simplefilter("ignore", DeprecationWarning)
from samebits.runtime.threads.pool import set_workers
from tests.support.kernels.long_kernels import long_job, numbers
from samebits.runtime.threads import preempt; from samebits.runtime.threads import working
set_workers(3)
handle = long_job(numbers(2)).schedule(2, batch=1)
while not working._inside:
    pass
child = os.fork()
if child == 0:
    told = []
    preempt.stop = lambda *thread: told.append(thread)
    working.stop()
    os._exit(1 if told or working._inside else 7)
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
os._exit(0 if status == 7 else 1)
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True, text=True, timeout=HANG_SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
