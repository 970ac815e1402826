"""The cost of preemptible compiled code, and the latency of a preemption.

    python benchmarks/interrupts.py

The cost is that of the guard around an entry: the same kernel is called with and without it, turn
about, and the least time of each counts. Calls that end soon by what they are given go around the
guard; loops have nothing in them. The watcher's cost is that of
its looks at one long call. The latency is the time from a SIGINT to the KeyboardInterrupt, of calls
that have run for different times by then.
"""

from __future__ import annotations

import ctypes
import os
import random
import signal
import statistics
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import samebits as sb
from samebits import float64, int64
from samebits.backend.emit import emission
from samebits.runtime.compile import compile_native
from samebits.runtime.threads import preempt

CALLS = 30
SEED = 1


@sb.kernel
def scale(x: sb.Array[float64], n: int) -> None:
    for _ in range(n):
        for i in range(len(x)):
            x[i] = x[i] * 0.999 + 0.25


@sb.kernel
def total(x: sb.ReadOnly[float64]) -> float64:
    t = float64(0.0)
    for i in range(len(x)):
        t += x[i]
    return t


@sb.kernel
def waves(x: sb.ReadOnly[float64], y: sb.Array[float64]) -> None:
    for i in range(len(x)):
        y[i] = sb.math.sin(x[i])


@sb.kernel
def mix(out: sb.Array[int64], n: int64) -> None:
    k = int64(0)
    while k < n:
        k += int64(1)
        out[0] = out[0] * int64(6364136223846793005) + k


def without_guard(kernel: Any) -> Any:
    """The kernel compiled again, as for a system without signals."""
    can_guard, emission.can_guard = emission.can_guard, lambda target: False
    try:
        return compile_native(kernel, kernel.fixed_types)
    finally:
        emission.can_guard = can_guard


def compared(run: Callable[[Any], None], kernel: Any, calls: int) -> tuple[float, float]:
    """Seconds a call with the guard, and without."""
    both = [compile_native(kernel, kernel.fixed_types), without_guard(kernel)]
    best = [float("inf")] * 2
    for turn in range(2 * CALLS):
        k = turn % 2
        began = time.perf_counter()
        for _ in range(calls):
            run(both[k])
        best[k] = min(best[k], (time.perf_counter() - began) / calls)
    return best[0], best[1]


def costs() -> None:
    x = np.linspace(0.0, 1.0, 1 << 20)
    y = np.zeros_like(x)
    small, one, out = np.ones(100), np.ones(1), np.zeros(1, np.int64)
    hundred = np.zeros(100)
    rows: list[tuple[str, Callable[[Any], None], Any, int]] = [
        ("1 element", lambda f: f(one), total, 20_000),
        ("100 elements", lambda f: f(small), total, 20_000),
        ("a hundred sines", lambda f: f(small, hundred), waves, 20_000),
        ("an iteration of a while", lambda f: f(out, int64(1)), mix, 20_000),
        ("a million elements, vectors", lambda f: f(x, 1), scale, 10),
        ("a million elements, a sum", lambda f: f(x), total, 10),
        ("a million sines", lambda f: f(x, y), waves, 2),
        ("ten million iterations of a while", lambda f: f(out, int64(10_000_000)), mix, 1),
    ]
    print(f"{'call':32} {'guarded':>12} {'plain':>12}   cost")
    for name, run, kernel, calls in rows:
        guarded, plain = compared(run, kernel, calls)
        print(
            f"{name:32} {guarded * 1e6:9,.2f} µs {plain * 1e6:9,.2f} µs {guarded / plain - 1:+7.2%}"
        )


def watching() -> None:
    """One call of about a second, with the watcher and without, turn about."""
    out, best = np.zeros(1, np.int64), [float("inf")] * 2
    for turn in range(12):
        watcher = preempt._State.preemption.watcher  # pyright: ignore
        if turn % 2:
            watcher.end()
        began = time.process_time()
        mix(out, int64(300_000_000))
        best[turn % 2] = min(best[turn % 2], time.process_time() - began)
        if turn % 2:
            watcher.start()
    print(f"{'one long call, watched':32} {best[0] * 1e3:9,.2f} ms {best[1] * 1e3:9,.2f} ms "
          f"{best[0] / best[1] - 1:+7.2%}")  # fmt: skip


def latencies() -> None:
    chance, found = random.Random(SEED), []
    out = np.zeros(1, np.int64)
    for _ in range(60):
        sent = [0.0]

        def send(wait: float = 0.05 + chance.random() * 0.3, sent: list[float] = sent) -> None:
            time.sleep(wait)
            sent[0] = time.perf_counter()
            os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=send)
        thread.start()
        try:
            mix(out, int64(1 << 60))
        except KeyboardInterrupt:
            found.append(time.perf_counter() - sent[0])
        thread.join()
    low, mid, high = min(found), statistics.median(found), max(found)
    print(f"Ctrl-C to KeyboardInterrupt, {len(found)} times: least {low * 1e3:.1f}, median "
          f"{mid * 1e3:.1f}, most {high * 1e3:.1f} ms")  # fmt: skip


if __name__ == "__main__":
    assert ctypes.sizeof(ctypes.c_void_p) == 8
    sb.set_cache_dir(None)
    costs()
    mix(np.zeros(1, np.int64), int64(1))
    watching()
    latencies()
