"""Compiled code is left in the middle when a signal's handler raises, and only then.

Nothing here looks at a clock: loops are so long that nothing would end where they were not left.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.folders import ROOT
from tests.support.kernels.long_kernels import (
    ENDLESS,
    chaos,
    count,
    long_job,
    needs_signals,
    numbers,
    one_iteration_is_long,
    outer,
    shared,
    signalled,
    sweep,
)
from tests.support.limits import HANG_SECONDS

from samebits import float64, int64
from samebits.backend.llvm import engine
from samebits.runtime.compile import compile_native
from samebits.runtime.threads.pool import set_workers

pytestmark = needs_signals


@pytest.fixture(autouse=True)
def _as_before() -> Generator[None]:  # pyright: ignore[reportUnusedFunction]
    handlers = {s: signal.getsignal(s) for s in (signal.SIGINT, signal.SIGALRM, signal.SIGURG)}
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)
    set_workers(None)


CALLS: dict[str, Callable[[np.ndarray[Any, Any]], Any]] = {
    "while": lambda out: count(out, int64(ENDLESS)),
    "vectors": lambda out: sweep(out, np.zeros(4096), ENDLESS),
    "called": lambda out: outer(out, int64(ENDLESS)),
    "not optimised": lambda out: _unoptimised(out, int64(ENDLESS)),
    "range on threads": lambda out: shared(out, numbers(), ENDLESS),
    "range whose last iteration is another's": lambda out: one_iteration_is_long(
        out[:2], numbers(2), 1, ENDLESS
    ),
    "range whose last iteration is its own": lambda out: one_iteration_is_long(
        out[:2], numbers(2), 0, ENDLESS
    ),
    "job in line": lambda out: long_job(out).run(8),
    "job in one batch": lambda out: long_job(out).schedule(8, batch=8).complete(),
}


def _unoptimised(*args: Any) -> Any:
    types = count.fixed_types
    assert types is not None
    return compile_native(count, types, engine.host_target(), 0)(*args)


@pytest.mark.parametrize("what", CALLS)
def test_ctrl_c_leaves_a_loop_that_would_go_on_for_days(what: str) -> None:
    set_workers(2)
    out = numbers()
    with signalled(out), pytest.raises(KeyboardInterrupt):
        CALLS[what](out)
    again, expected = numbers(), numbers()  # and what it ran on still works
    shared(numbers(), again, 1000)
    set_workers(1)
    shared(numbers(), expected, 1000)
    assert again.tobytes() == expected.tobytes()


@pytest.mark.parametrize("body", ["pass", "x[0] += 1.0"])
def test_ctrl_c_ends_a_program_in_an_endless_loop(body: str, tmp_path: Path) -> None:
    script = tmp_path / "endless.py"
    script.write_text(
        textwrap.dedent(f"""\
        import numpy as np, samebits as sb
        from samebits import float64
        @sb.kernel
        def endless(x: sb.Array[float64], go: bool):
            while go:
                {body}
        endless(np.zeros(2), False)
        print("called", flush=True)
        endless(np.zeros(2), True)
        """)
    )
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == "called\n"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=HANG_SECONDS)
    assert process.returncode == -signal.SIGINT, errors
    assert errors.strip().endswith("KeyboardInterrupt")


def test_a_handler_that_returns_lets_the_kernel_go_on_with_the_same_bits() -> None:
    def run() -> tuple[float64, bytes]:
        x = np.linspace(0.1, 0.9, 64)
        return chaos(x, 400_000), x.tobytes()

    expected = run()
    seen: list[str] = []
    over = threading.Event()

    def handler(number: int, frame: Any) -> None:
        chaos(np.full(8, 0.5), 10)  # a kernel, and work for the interpreter
        seen.append("".join(str(k) for k in range(1000)))

    signal.signal(signal.SIGINT, handler)

    def send() -> None:
        """One after another: handlers inside of handlers, on a machine that has other work, would
        come to the end of the stack."""
        sent = 0
        while not over.wait(0.001):
            if len(seen) == sent:
                os.kill(os.getpid(), signal.SIGINT)
                sent += 1

    thread = threading.Thread(target=send)
    thread.start()
    try:
        while len(seen) < 20:
            assert run() == expected
    finally:
        over.set()
        thread.join()


class _Alarm(Exception):
    pass


def test_what_a_handler_raises_comes_out_of_the_call_with_its_place() -> None:
    def alarm(number: int, frame: Any) -> None:
        raise _Alarm(frame.f_code.co_name)

    signal.signal(signal.SIGALRM, alarm)
    out = numbers()
    with signalled(out, signal.SIGALRM), pytest.raises(_Alarm) as caught:
        count(out, int64(ENDLESS))
    functions = [entry.name for entry in caught.traceback]
    assert functions[-1] == "alarm"
    assert sys._getframe().f_code.co_name in functions
    assert sys.exc_info() == (None, None, None)


def test_a_handler_of_the_signal_that_is_used_is_called_as_ever() -> None:
    out = numbers()
    with signalled(out), pytest.raises(KeyboardInterrupt):
        count(out, int64(ENDLESS))  # from here on the signal has been used
    seen: list[int] = []
    signal.signal(signal.SIGURG, lambda number, frame: seen.append(number))
    os.kill(os.getpid(), signal.SIGURG)
    assert signal.SIGURG in seen
    out = numbers()
    with signalled(out), pytest.raises(KeyboardInterrupt):
        count(out, int64(ENDLESS))
    before = len(seen)
    os.kill(os.getpid(), signal.SIGURG)
    assert len(seen) > before


def test_a_kernel_of_another_thread_goes_on_as_a_loop_of_python_would() -> None:
    set_workers(1)
    out, done = numbers(), threading.Event()

    def run() -> None:
        for _ in range(3):
            count(out, int64(20_000_000))
        done.set()

    thread = threading.Thread(target=run)
    thread.start()

    def wait() -> None:
        while not out.any():
            pass
        os.kill(os.getpid(), signal.SIGINT)
        thread.join()

    with pytest.raises(KeyboardInterrupt):
        wait()
    thread.join()
    assert done.is_set()


def test_a_process_forks_without_the_thread_that_watches() -> None:
    script = f"""
import os, signal, sys
threads = []
os.register_at_fork(before=lambda: threads.append(len(os.listdir("/proc/self/task"))))
sys.path.insert(0, {str(ROOT)!r})
import numpy as np
import threading
before = len(os.listdir("/proc/self/task"))
from samebits import int64
from tests.support.kernels.long_kernels import needs_signals
from tests.support.kernels.long_kernels import ENDLESS, count, numbers, signalled
out = numbers()
count(out, int64(10))
while (started := len(os.listdir("/proc/self/task"))) > before + 1:
    pass  # the thread that compiled has given its result and is about to end
for _ in range(2):
    pid = os.fork()
    if not pid:
        out = numbers()
        try:
            with signalled(out):
                count(out, int64(ENDLESS))
        except KeyboardInterrupt:
            os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
out = numbers()
try:
    with signalled(out):
        count(out, int64(ENDLESS))
except KeyboardInterrupt:
    print(started - before, [n - before for n in threads])
"""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                          timeout=HANG_SECONDS, check=False, env=environment)  # fmt: skip
    assert (done.stdout, done.returncode) == ("1 [0, 0]\n", 0), done.stderr
