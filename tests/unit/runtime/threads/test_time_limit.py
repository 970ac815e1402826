"""A time limit leaves the interpreter as it was, whether it was reached or not."""

from __future__ import annotations

import _thread
import os
import signal
import subprocess
import sys
import time
import warnings
from typing import Any

import pytest
from tests.support.interrupting import at_each
from tests.support.limits import HANG_SECONDS

from samebits.runtime.threads.time_limit import TimeOver, within

LATE = """\
import sys, time
from samebits.runtime.threads.time_limit import TimeOver, within

def ends_by_itself(): return 1
def goes_on():
    while True: pass
def catches():
    try:
        goes_on()
    except BaseException:
        return 2
def sleeps(): time.sleep(0.3)

for call, limit in [{cases}]:
    try:
        within(limit, call)
    except TimeOver:
        pass
sys.settrace(lambda frame, event, value: None)
ends_by_itself()
sys.settrace(None)
print("entered")
"""


@pytest.mark.parametrize(
    "case", ["(ends_by_itself, 9)", "(goes_on, 0.01)", "(catches, 0.01)", "(sleeps, 0.01)"]
)
def test_a_debugger_enters_functions_after_a_limit(case: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", LATE.format(cases=case + ",")],
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        check=False,
    )
    assert (run.stdout, run.stderr) == ("entered\n", "")


def test_a_call_is_over_time_or_gives_its_result() -> None:
    def goes_on() -> None:
        while True:
            pass

    for _ in range(50):  # no time at all: it may be over before the call has begun
        with pytest.raises(TimeOver):
            within(0.0, goes_on)
    assert within(3600.0, lambda: 5) == 5
    assert within(None, lambda: 6) == 6


def test_time_that_is_over_before_the_call_begins_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    start = _thread.start_new_thread

    def slowly(*arguments: Any) -> int:
        start(*arguments)
        while True:
            pass

    monkeypatch.setattr(_thread, "start_new_thread", slowly)
    with pytest.raises(TimeOver):
        within(0.0, lambda: 5)


def test_an_interrupt_at_any_bytecode_leaves_no_limit() -> None:
    before = _thread._count()

    def call() -> None:
        assert within(3600.0, lambda: 5) == 5

    def check() -> None:
        limit = time.monotonic() + HANG_SECONDS
        while _thread._count() > before:
            assert time.monotonic() < limit

    assert at_each(call, check) > 5


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_of_a_fork_waits_for_no_limit() -> None:
    parent = os.getpid()

    def forked() -> int:
        child = os.fork()
        if not child:
            signal.alarm(int(HANG_SECONDS))
        return child

    child = -1
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # this process has other threads
            child = within(3600.0, forked)
    finally:
        if os.getpid() != parent:
            os._exit(7 if child == 0 else 8)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
