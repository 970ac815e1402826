"""Compiled code is left in the middle when a signal's handler raises, and only then.

Nothing here looks at a clock: loops are so long that nothing would end where they were not left.
"""

from __future__ import annotations

import contextlib
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
from tests.support.limits import HANG_SECONDS, LEAST_STACK

import samebits as sb
from samebits import float64, int64
from samebits.backend.emit.module import emit_module
from samebits.backend.llvm import engine
from samebits.backend.records import GUARD
from samebits.errors import JobError, StackError
from samebits.runtime.compile import compile_native
from samebits.runtime.threads.pool import set_workers

pytestmark = pytest.mark.skipif(
    not hasattr(signal, "pthread_kill"), reason="the system has no such signals"
)
ENDLESS = 1 << 50


@sb.kernel
def count(out: sb.Array[int64], n: int64):
    out[0] = int64(1)
    k = int64(0)
    while k < n:
        k += int64(1)
        out[1] = out[1] ^ k * int64(6364136223846793005)


@sb.kernel
def sweep(out: sb.Array[int64], x: sb.Array[float64], n: int):
    out[0] = int64(1)
    for _ in range(n):
        for i in range(len(x)):
            x[i] = x[i] * 0.5 + 1.0


@sb.kernel
def outer(out: sb.Array[int64], n: int64):
    if n > 0:
        count(out, n)


@sb.kernel
def chaos(x: sb.Array[float64], n: int) -> float64:
    total = float64(0.0)
    for _ in range(n):
        for i in range(len(x)):
            x[i] = 3.9 * x[i] * (1.0 - x[i])
            total += x[i]
    return total


@sb.kernel
def shared(begun: sb.Array[int64], out: sb.Array[int64], n: int):
    for i in sb.prange(len(out), batch=1):
        begun[i] = int64(1)
        x = out[i] * int64(2) + int64(1)
        for _ in range(n):
            x = x ^ x * int64(6364136223846793005)
        out[i] = x


@sb.kernel
def one_turn_is_long(begun: sb.Array[int64], out: sb.Array[int64], which: int, n: int):
    for i in sb.prange(len(out), batch=1):
        begun[i] = int64(1)
        if i == which:
            x = out[i]
            for _ in range(n):
                x = x ^ x * int64(6364136223846793005)
            out[i] = x


@sb.job
class Long(sb.ParallelFor):
    begun: sb.Array[int64]
    out: sb.Array[int64]
    n: int

    def execute(self, index: sb.int32) -> None:
        self.begun[index] = int64(1)
        x = self.out[index] * int64(2) + int64(1)
        for _ in range(self.n):
            x = x ^ x * int64(6364136223846793005)
        self.out[index] = x


@pytest.fixture(autouse=True)
def _as_before() -> Generator[None]:  # pyright: ignore[reportUnusedFunction]
    handlers = {s: signal.getsignal(s) for s in (signal.SIGINT, signal.SIGALRM, signal.SIGURG)}
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)
    set_workers(None)


@contextlib.contextmanager
def signalled(out: np.ndarray[Any, Any], number: int = signal.SIGINT) -> Generator[None]:
    """Send this process a signal once the kernel in the block has written `out`."""

    def send() -> None:
        while not out.any():
            pass
        os.kill(os.getpid(), number)

    thread = threading.Thread(target=send)
    thread.start()
    try:
        yield
    finally:
        out[0] = 1
        thread.join()


def numbers(n: int = 8) -> np.ndarray[Any, Any]:
    return np.zeros(n, np.int64)


CALLS: dict[str, Callable[[np.ndarray[Any, Any]], Any]] = {
    "while": lambda out: count(out, int64(ENDLESS)),
    "vectors": lambda out: sweep(out, np.zeros(4096), ENDLESS),
    "called": lambda out: outer(out, int64(ENDLESS)),
    "not optimised": lambda out: _unoptimised(out, int64(ENDLESS)),
    "range on threads": lambda out: shared(out, numbers(), ENDLESS),
    "range whose last turn is another's": lambda out: one_turn_is_long(
        out[:2], numbers(2), 1, ENDLESS
    ),
    "range whose last turn is its own": lambda out: one_turn_is_long(
        out[:2], numbers(2), 0, ENDLESS
    ),
    "job in line": lambda out: long_job(out).run(8),
    "job in one batch": lambda out: long_job(out).schedule(8, batch=8).complete(),
}


def long_job(begun: np.ndarray[Any, Any], n: int = ENDLESS) -> Long:
    return Long(begun=begun, out=numbers(len(begun)), n=n)


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
from tests.unit.runtime.threads.test_preempt import *
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
from tests.unit.runtime.threads.test_preempt import *
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
from tests.unit.runtime.threads.test_preempt import *
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


def test_only_what_may_run_long_is_guarded() -> None:
    @sb.kernel
    def short(x: sb.Array[float64]) -> float64:
        total = float64(0.0)
        for i in range(16):
            total += x[i]
        return total

    objects = {k: _object(k) for k in (short, count, chaos)}
    assert {k: GUARD.encode() in code for k, code in objects.items()} == {
        short: False, count: True, chaos: True
    }  # fmt: skip


def _object(kernel: Any) -> bytes:
    from samebits.runtime.compile import _compile, _linked

    linked = _linked(kernel, kernel.fixed_types)
    return _compile(linked, engine.host_target(), 3, False, None).object_bytes


@sb.kernel
def large(n: int) -> float64:
    local = sb.zeros(32_000, float64)
    for i in range(32_000):
        local[i] = float64(i)
    return local[n]


@sb.kernel
def many_large(out: sb.Array[float64]):
    for i in sb.prange(len(out), batch=1):
        local = sb.zeros(32_000, float64)
        for k in range(32_000):
            local[k] = float64(k)
        out[i] = local[i]


@sb.job
class Large(sb.ParallelFor):
    out: sb.Array[float64]

    def execute(self, index: sb.int32) -> None:
        local = sb.zeros(32_000, float64)
        for k in range(32_000):
            local[k] = float64(k)
        self.out[index] = local[index]


STACKS = """
import sys, threading
sys.path.insert(0, {repository!r})
from tests.unit.runtime.threads.test_preempt import *
found = []
def run():
    try:
        found.append({call})
    except Exception as error:
        found.append(f"{{type(error).__name__}}: {{error.message}}")
threading.stack_size({size})
thread = threading.Thread(target=run)
thread.start()
thread.join()
print(*found)
"""
SMALL = "StackError: this thread's stack has no room for the 256,"


def _on_a_stack(size: int, call: str, before: str = "") -> str:
    script = before + STACKS.format(repository=str(ROOT), call=call, size=size)
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_local_memory_that_a_threads_stack_has_no_room_for_is_an_error() -> None:
    assert _on_a_stack(262_144, "large(7)").startswith(SMALL)
    assert _on_a_stack(1 << 20, "large(7)") == "7.0\n"
    alone = "StackError: this thread's stack has no room for compiled code\n"
    if LEAST_STACK == 32_768:  # else Python itself has no room there
        assert _on_a_stack(LEAST_STACK, "count(np.zeros(1, np.int64), 1)") == alone


def many_values(count: int) -> str:
    """A kernel that has so many matrices at a time, which nothing but the stack can hold."""
    read = "".join(f"    v{n} = a[{n}]\n" for n in range(count))
    used = "".join(f"    r = r + v{n} * a[{n}]\n" for n in reversed(range(count)))
    return (
        "import samebits as sb\n\n@sb.kernel\n"
        "def many(a: sb.Array[sb.double4x4]) -> sb.float64:\n"
        f"{read}    for k in range(len(a)):\n        a[k] = sb.double4x4(0.5)\n"
        f"    r = a[0]\n{used}    return r.c0.x\n"
    )


@pytest.mark.skipif(LEAST_STACK != 32_768, reason="Python itself has no room on such a stack")
def test_values_that_a_threads_stack_has_no_room_for_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "values.py").write_text(many_values(190))
    before = f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\nfrom values import many\n"
    before += "import numpy as np\nmany(np.ones((190, 4, 4)))\n"
    call = "many(np.ones((190, 4, 4)))"
    assert "StackError: this thread's stack has no room for the 2" in _on_a_stack(
        LEAST_STACK, call, before
    )
    assert _on_a_stack(1 << 18, call, before) == "95.5\n"


def test_threads_with_small_stacks_leave_a_ranges_turns_to_those_with_room() -> None:
    call = "(set_workers(3), o := np.zeros(64), many_large(o), (o == np.arange(64)).all())[-1]"
    before = "import threading\nthreading.stack_size(262144)\n"
    direct = before + (
        f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n"
        "from tests.unit.runtime.threads.test_preempt import *\n"
        f"print({call})\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", direct],
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("True\n", 0), done.stderr


def test_a_job_on_threads_with_small_stacks_fails_and_says_so() -> None:
    script = (
        f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n"
        "from tests.unit.runtime.threads.test_preempt import *\n"
        "from samebits.runtime.threads import own_stack\nown_stack.STACK_BYTES = 262144\n"
        "set_workers(2)\n"
        "handle = Large(out=np.zeros(8)).schedule(8, batch=1)\n"
        "while not handle.is_completed: pass\n"
        "try:\n    handle.complete()\nexcept StackError as error:\n    print(error.message)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        check=False,
    )
    assert done.stdout.startswith(SMALL.removeprefix("StackError: ")), done.stderr


@sb.kernel
def three(x: sb.ReadOnly[float64], n: int) -> float64:
    a = sb.zeros(32_768, float64)
    b = sb.zeros(32_768, float64)
    for turn in range(3):
        c = sb.zeros(32_768, float64)
        for i in range(len(x)):
            c[i] += x[i] + float64(turn)
            b[i] += c[i]
            a[i] += b[i]
    return a[n] + b[n]


@sb.kernel
def five() -> float64:
    a = sb.zeros(32_768, float64)
    b = sb.zeros(32_768, float64)
    c = sb.zeros(32_768, float64)
    d = sb.zeros(32_768, float64)
    e = sb.zeros(32_768, float64)
    return a[0] + b[0] + c[0] + d[0] + e[0]


def test_local_memory_is_counted_once() -> None:
    """768 KiB of the 1,024 that a call may have; not twice that."""
    x = np.linspace(0.0, 1.0, 100)
    assert three(x, 7) == three.managed(x, 7)
    with pytest.raises(sb.CompileError, match="does not fit the stack") as caught:
        five()
    assert "it takes 1,310,720 bytes" in str(caught.value)


def test_the_loops_of_guarded_code_have_nothing_in_them() -> None:
    texts = [_texts(chaos, threads) for threads in (False, True)]
    plain, guarded = texts
    functions = [part for part in plain.split("\n\n") if part.startswith("define")]
    loops = [f for f in functions if "@sb_entry_" not in f]
    assert len(loops) >= 2
    assert all(f in guarded for f in loops)
    assert "@sb.guarded" in guarded


def _texts(kernel: Any, threads: bool) -> str:
    from samebits.passes.pipeline import optimise
    from samebits.runtime.compile import _linked

    module, names = _linked(kernel, kernel.fixed_types)
    ready = optimise(module, names)
    return emit_module(ready, names, engine.host_target(), threads=threads).text


def test_a_stack_error_can_be_pickled() -> None:
    import pickle

    error = pickle.loads(pickle.dumps(StackError("256,000")))
    assert str(error) == str(StackError("256,000"))


WITHOUT = """\
import mmap, os, signal
for module, names in {
    mmap: ("PROT_READ", "PROT_WRITE", "PROT_EXEC", "MAP_PRIVATE", "MAP_ANONYMOUS"),
    os: ("register_at_fork", "sched_getaffinity", "fork"),
    signal: ("SIGURG", "pthread_kill"),
}.items():
    for name in names:
        vars(module).pop(name, None)
from tests.support.without_signals import main
main()
"""


def test_without_such_signals_calls_run_to_their_end_and_all_else_holds() -> None:
    """As on Windows: ranges on several threads, jobs, and limits for Python's own code."""
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", WITHOUT],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        check=False,
    )
    assert (run.stdout, run.stderr) == ("bits\nover\nwhole\n", "")
