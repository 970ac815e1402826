"""Kernels and jobs that would run for days, and a signal in the middle of one."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Generator
from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import float64, int64

ENDLESS = 1 << 50
needs_signals = pytest.mark.skipif(
    not hasattr(signal, "pthread_kill"), reason="the system has no such signals"
)


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
def one_iteration_is_long(begun: sb.Array[int64], out: sb.Array[int64], which: int, n: int):
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


def long_job(begun: np.ndarray[Any, Any], n: int = ENDLESS) -> Long:
    return Long(begun=begun, out=numbers(len(begun)), n=n)
