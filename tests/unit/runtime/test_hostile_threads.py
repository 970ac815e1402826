"""Threads and forks: kernels are compiled and called from anywhere, at once, with one answer."""

from __future__ import annotations

import faulthandler
import gc
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.limits import HANG_SECONDS

import samebits as sb
from samebits import float32
from samebits.runtime import cache
from samebits.runtime.calls import packing
from samebits.runtime.fp_state import pin as fpenv


@pytest.fixture(autouse=True)
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache._Setting, "chosen", None)
    return


def times(n: float) -> Any:
    """A new kernel, not yet compiled."""

    @sb.kernel
    def scaled(x: float32) -> float32:
        return x * n

    return scaled


def together(work: list[Callable[[], None]]) -> None:
    """Run all at once, in threads of their own; their exceptions come back."""
    failures: list[BaseException] = []
    start = threading.Barrier(len(work))

    def run(one: Callable[[], None]) -> None:
        start.wait()
        try:
            one()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(one,)) for one in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(HANG_SECONDS)
    assert failures == []


def test_the_first_call_may_come_from_eight_threads_at_once() -> None:
    kernel = times(7)
    found: list[float] = []
    together([lambda: found.append(float(kernel(2.0)))] * 8)
    assert found == [14.0] * 8


def test_managed_and_compiled_first_calls_do_not_disturb_each_other() -> None:
    kernel = times(7)
    found: list[float] = []
    work: list[Callable[[], None]] = [
        lambda: found.append(float(kernel.managed(2.0))),
        lambda: found.append(float(kernel(2.0))),
    ]
    together(work * 4)
    assert found == [14.0] * 8


def test_calls_go_on_while_others_compile_and_unload() -> None:
    kernel = times(7)
    done = threading.Event()

    def calls() -> None:
        while not done.is_set():
            assert float(kernel(3.0)) == 21.0

    def compiles() -> None:
        for n in range(8):
            assert float(times(n)(1.0)) == n

    def all_compiles() -> None:
        try:
            compiles()
        finally:
            done.set()

    together([calls, calls, compiles, all_compiles])


FIRST_CALLS = """
import threading
import samebits as sb
sb.set_cache_dir(None)
@sb.kernel
def k(x: sb.float32) -> sb.float32:
    return x * 7
start, found = threading.Barrier(8), []
def go():
    start.wait()
    found.append(float(k(2.0)))
threads = [threading.Thread(target=go) for _ in range(8)]
for t in threads: t.start()
for t in threads: t.join()
assert found == [14.0] * 8
"""


def test_the_first_calls_of_a_process_may_come_from_eight_threads(tmp_path: Path) -> None:
    (tmp_path / "first.py").write_text(FIRST_CALLS)
    for _ in range(2):
        subprocess.run(
            [sys.executable, str(tmp_path / "first.py")], check=True, timeout=HANG_SECONDS
        )


def test_code_of_the_runtime_stays_loaded_while_a_function_of_it_is_held() -> None:
    # Two threads may make these at once; the cache then forgets one pair.
    made = packing.routine.__wrapped__()
    made_too = fpenv._functions.__wrapped__()
    get = made_too["get"]
    held = [weakref.ref(vars(get)["loaded"])]
    functions: list[Any] = [get]
    if made is not None:
        held.append(weakref.ref(made[1]))
        functions.append(made[0])
    del made, made_too, get
    gc.collect()
    assert all(ref() is not None for ref in held)
    assert functions[0]() == fpenv.read()


def in_child(work: Callable[[], bool]) -> int:
    """The exit status of a forked child: 0 where `work` is true there."""
    child = os.fork()
    if child == 0:
        signal.alarm(int(HANG_SECONDS))
        faulthandler.dump_traceback_later(HANG_SECONDS / 2, exit=True)
        try:
            os._exit(0 if work() else 1)
        except BaseException:
            os._exit(2)
    return os.waitpid(child, 0)[1]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
class TestForks:
    def test_a_child_calls_what_its_parent_compiled(self) -> None:
        kernel = times(7)
        assert float(kernel(2.0)) == 14.0
        assert in_child(lambda: float(kernel(3.0)) == 21.0) == 0

    def test_a_child_compiles(self) -> None:
        assert float(times(7)(2.0)) == 14.0
        assert in_child(lambda: float(times(5)(2.0)) == 10.0) == 0

    def test_a_child_compiles_although_a_thread_compiled_when_it_was_forked(self) -> None:
        done = threading.Event()

        def compiles() -> None:
            n = 0
            while not done.is_set():
                n += 1
                assert float(times(n)(1.0)) == n

        thread = threading.Thread(target=compiles)
        thread.start()
        try:
            found: list[int] = []
            for _ in range(6):
                found.append(in_child(lambda: float(times(5)(2.0)) == 10.0))
                time.sleep(0.013)
        finally:
            done.set()
            thread.join()
        assert found == [0] * 6
