"""Handles end their waits: with an error, with the process, and with the memory let go."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import weakref
from typing import Any

import pytest
from tests.support.kernels.jobs import Move, arrays
from tests.support.limits import HANG_SECONDS

import samebits as sb
from samebits.errors import JobError


def test_waiting_for_oneself_is_a_cyclic_dependency() -> None:
    class Length:
        handle: Any = None

        def __init__(self) -> None:
            self.has_handle = threading.Event()  # a worker may start the job at once

        def __len__(self) -> int:
            self.has_handle.wait()
            self.handle.complete()
            return 3

    v, p = arrays("v", "p")
    for workers in (1, 2):
        sb.set_workers(workers)
        length = Length()
        first = Move(velocities=v, positions=p).schedule(length)
        second = Move(velocities=v, positions=p).schedule(4, depends_on=first)
        length.handle = second
        length.has_handle.set()
        with pytest.raises(JobError, match="a cyclic dependency"):
            second.complete()
        with pytest.raises(JobError, match="a cyclic dependency"):
            first.complete()
    sb.set_workers(None)


def test_an_error_in_a_length_comes_out_of_complete() -> None:
    class Broken:
        def __len__(self) -> int:
            raise ZeroDivisionError("broken")

    v, p = arrays("v", "p")
    handle = Move(velocities=v, positions=p).schedule(Broken())
    with pytest.raises(ZeroDivisionError, match="broken"):
        handle.complete()
    Move(velocities=v, positions=p).schedule(8).complete()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_handles_stay_with_their_process() -> None:
    script = """
import os, warnings
import numpy as np
warnings.simplefilter("ignore")
import samebits as sb
from tests.support.kernels.jobs import Move
sb.set_workers(3)
v, p = np.ones((5000, 3), np.float32), np.zeros((5000, 3), np.float32)
job = Move(velocities=v, positions=p)
handle = job.schedule(5000, batch=10)
child = os.fork()
if not child:
    try:
        for call in (handle.complete, lambda: handle.is_completed,
                     lambda: job.schedule(5000, depends_on=handle)):
            try:
                call()
            except sb.JobError as error:
                assert "was scheduled by another process" in str(error), error
            else:
                os._exit(2)
        before = p.copy()
        job.schedule(5000, batch=10).complete()
        os._exit(0 if np.all(p == before + 1) else 1)
    except BaseException as error:
        print(error, flush=True)
        os._exit(3)
assert os.waitpid(child, 0)[1] == 0
handle.complete()
assert np.all(p == 1)
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=HANG_SECONDS)


def test_the_process_ends_though_jobs_are_scheduled() -> None:
    script = """
import numpy as np
import samebits as sb
from tests.support.kernels.jobs import Move
sb.set_workers(4)
v, p = np.ones((500000, 3), np.float32), np.zeros((500000, 3), np.float32)
handle = Move(velocities=v, positions=p).schedule(500000, batch=1)
for _ in range(10):
    handle = Move(velocities=v, positions=p).schedule(500000, batch=1, depends_on=handle)
print("end")
"""
    run = subprocess.run(
        [sys.executable, "-c", script],
        check=True,
        timeout=HANG_SECONDS,
        capture_output=True,
        text=True,
    )
    assert (run.stdout, run.stderr) == ("end\n", "")


def test_completed_jobs_hold_no_memory() -> None:
    v, p = arrays("v", "p")
    handle = Move(velocities=v, positions=p).schedule(8)
    held = weakref.ref(p)
    del p
    gc.collect()
    assert held() is not None
    handle.complete()
    gc.collect()
    assert held() is None
