"""A program that prints what it did on a system without POSIX's threads and signals."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

import samebits as sb
from samebits import int64
from samebits.backend.emit import emission, thread_team
from samebits.runtime.objects import image
from samebits.runtime.threads import pool, preempt
from samebits.runtime.threads.time_limit import TimeOver, within
from tests.support.shared_ranges import ranges_shared


@sb.kernel
def count(out: sb.Array[int64]):
    for i in sb.prange(len(out), batch=1):
        out[i] += int64(1)


@sb.kernel
def burn(times: int64) -> int64:
    x = int64(1)
    for i in range(times):
        x = x * int64(3) + int64(i)
    return x


@sb.job
class Add(sb.ParallelFor):
    out: sb.Array[int64]

    def execute(self, index: sb.int32):
        self.out[index] += int64(2)


def as_there() -> None:
    """From now on this process has of the system what Windows has."""
    sb.set_cache_dir(None)  # objects in it are for this one
    plain = ctypes.CDLL.__init__

    def opened(self: Any, name: str | None, *more: Any, **options: Any) -> None:
        if name is None and options.get("handle") is None:
            raise TypeError("there is no library of the whole process")
        plain(self, name, *more, **options)

    ctypes.CDLL.__init__ = opened  # type: ignore[method-assign]
    preempt.has_records = lambda: False
    preempt._layout = lambda: None
    image._protect = lambda: None
    for module in (thread_team, emission):
        module.can_guard = lambda target: False  # type: ignore[attr-defined]


def main() -> None:
    as_there()
    out = np.zeros(64, np.int64)
    pool.set_workers(3)
    for _ in range(3):
        count(out)
    assert np.all(out == 3)
    assert ranges_shared() == 3
    Add(out=out).schedule(64, batch=4).complete()
    assert np.all(out == 5)
    assert int(burn(5)) == 301
    print("bits")

    def goes_on() -> None:
        while True:
            pass

    try:
        within(0.01, goes_on)
    except TimeOver:
        print("over")
    assert within(3600.0, lambda: int(burn(2_000_000))) == int(burn(2_000_000))
    assert preempt._State.preemption is None
    assert not preempt.is_inside()
    assert isinstance(preempt.raised(), preempt.Stopped)
    print("whole")
