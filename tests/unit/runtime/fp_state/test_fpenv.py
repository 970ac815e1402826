"""A foreign floating-point environment changes nothing, and is put back, on every thread."""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import select
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from tests.support.limits import HANG_SECONDS
from tests.support.programs.float_entry import entry

import samebits as sb
from samebits import importing
from samebits.backend.targets.fp_environments import ENVIRONMENTS
from samebits.runtime import compile as compile_module
from samebits.runtime.compile import compile_native
from samebits.runtime.fp_state import pin as fpenv
from samebits.runtime.fp_state import ptrace
from samebits.runtime.native import NativeEntry

needs_mxcsr = pytest.mark.skipif(
    platform.machine().lower() not in ("x86_64", "amd64"), reason="the words are MXCSR's"
)

FLUSH_UP = 0x1F80 | 0x8000 | 0x0040 | 0x4000
TINY = struct.unpack("<d", struct.pack("<Q", 3))[0]


def write_x87(word: int) -> None:
    """Set the x87 control word of this thread."""
    functions = fpenv._functions()
    functions["restore"](functions["get"]() | word << 32)


def call(native: NativeEntry, x: float, y: float, n: int = 0) -> tuple[int, list[int]]:
    """Status and result words; the control register must be as before, sticky flags included."""
    slots = (ctypes.c_uint64 * 5)()
    struct.pack_into("=ddq", slots, 0, x, y, n)
    before = fpenv.read()
    status = native.function(slots)
    assert fpenv.read() == before
    return status, list(slots[3:])


@needs_mxcsr
@pytest.mark.parametrize("opt", [0, 3])
def test_flushing_and_rounding_up_change_no_bit_and_come_back(opt: int) -> None:
    native = entry(opt)
    cases = [(1.0, 3.0), (TINY, 1.0), (TINY, 2.0), (1e308, 1e-9), (float("inf"), float("inf"))]
    wanted = [call(native, *case) for case in cases]

    def hostile(word: int) -> None:
        before = fpenv.read()
        fpenv.write(word)
        try:
            found = [call(native, *case) for case in cases]
            trapped = call(native, 1.0, 3.0, 9)[0]
            after = fpenv.read()
        finally:
            fpenv.write(before)
        assert found == wanted
        assert trapped == 1
        assert after & ~0x3F == word & ~0x3F

    for bits in (0, 0x20, 0x3F, 0x2000, 0x4000, 0x6000, 0x8000, 0x0040, 0x8040):
        hostile(0x1F80 | bits)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(hostile, [FLUSH_UP, 0x1F80, FLUSH_UP | 0x21, 0x1F80 | 0x2000] * 50))


@needs_mxcsr
def test_unmasked_exceptions_raise_nothing_inside_a_kernel() -> None:
    native = entry(3)
    before = fpenv.read()
    fpenv.write(0)
    try:
        status, found = call(native, 1.0, 0.0)
    finally:
        fpenv.write(before)
    assert (status, found[0]) == (0, 0x7FF0000000000000)


@needs_mxcsr
def test_pinned_holds_inside_and_the_threads_state_returns_after() -> None:
    before = fpenv.read()
    fpenv.write(FLUSH_UP)
    try:
        foreign = fpenv.describe()
        with fpenv.pinned():
            inside, half = fpenv.describe(), TINY * 0.5
        after = fpenv.read()
    finally:
        fpenv.write(before)
    assert foreign.rounding == "up"
    assert foreign.flushes_results
    assert foreign.flushes_operands
    assert not foreign.pinned
    assert inside.pinned
    assert half > 0
    assert after & ~0x3F == FLUSH_UP


@pytest.mark.parametrize("word", ENVIRONMENTS[fpenv.register_name()])
def test_python_computes_otherwise_in_a_foreign_environment(word: str) -> None:
    assert importing.is_default()
    with fpenv.pinned((word,)):
        found = importing.is_default()
    assert not found


@needs_mxcsr
def test_each_field_of_the_control_word_is_described() -> None:
    assert fpenv.describe(0x1F80).pinned
    assert fpenv.describe(0x1FBF).pinned
    assert fpenv.describe(0x1F80).rounding == "nearest"
    assert fpenv.describe(0x1F80 | 0x6000).rounding == "zero"
    assert fpenv.describe(0x1F00).unmasked == ("invalid",)
    assert fpenv.describe(0x1F80).unmasked == ()


@needs_mxcsr
def test_each_exception_that_raises_is_named() -> None:
    for bit, name in enumerate(
        ("invalid", "denormal", "divide", "overflow", "underflow", "inexact")
    ):
        assert fpenv.describe(0x1F80 & ~(1 << 7 + bit)).unmasked == (name,)
        x87 = fpenv.described(0x1F80, 0x037F & ~(1 << bit)).x87
        assert x87 is not None
        assert x87.unmasked == (name,)


@needs_mxcsr
def test_the_x87_control_word_is_described_and_pinned_too() -> None:
    usual = sb.fpenv.state().x87
    assert usual is not None
    assert usual.pinned
    write_x87(0x0C7F)
    try:
        foreign = sb.fpenv.state()
        with sb.fpenv.pinned():
            inside = sb.fpenv.state()
        after = sb.fpenv.state()
    finally:
        write_x87(usual.word)
    assert foreign.x87 is not None
    assert (foreign.x87.rounding, foreign.x87.precision) == ("zero", 24)
    assert not foreign.x87.pinned
    assert foreign.pinned
    assert str(foreign).endswith("x87 rounds toward zero, x87 keeps 24 bits of significand")
    assert inside.x87 == usual
    assert after.x87 == foreign.x87


@needs_mxcsr
def test_pinned_gives_the_state_back_after_an_exception_and_nested() -> None:
    before = fpenv.read()
    fpenv.write(FLUSH_UP)
    try:
        with contextlib.suppress(KeyError), sb.fpenv.pinned(), sb.fpenv.pinned():
            fpenv.write(0x1F80 | 0x6000)
            raise KeyError
        after = fpenv.read()
    finally:
        fpenv.write(before)
    assert after & ~0x3F == FLUSH_UP


def unlike(word: int, done: threading.Event, ready: threading.Event) -> None:
    fpenv.write(word)
    ready.set()
    done.wait(HANG_SECONDS)


@pytest.mark.skipif(ptrace.unreadable() is not None, reason="other threads cannot be read here")
@needs_mxcsr
def test_threads_tells_each_threads_registers_and_leaves_them_running() -> None:
    words = [FLUSH_UP, 0x1F80 | 0x6000, 0x1F80]
    done, ready = threading.Event(), [threading.Event() for _ in words]
    workers = [
        threading.Thread(target=unlike, args=(word, done, event), name=f"worker {k}")
        for k, (word, event) in enumerate(zip(words, ready, strict=True))
    ]
    for worker in workers:
        worker.start()
    try:
        assert all(event.wait(HANG_SECONDS) for event in ready)
        found = sb.fpenv.threads()
    finally:
        done.set()
        for worker in workers:
            worker.join(HANG_SECONDS)
    assert not any(worker.is_alive() for worker in workers)
    assert found[0].number == threading.get_native_id()
    by_name = {row.name: row for row in found}
    rows = [by_name[f"worker {k}"] for k in range(len(words))]
    if any(row.reason for row in rows):
        pytest.skip(f"this system does not let its threads be read: {rows[0].reason}")
    assert all(row.is_python for row in rows)
    assert [row.state.word & ~0x3F for row in rows if row.state] == words


@pytest.mark.skipif(ptrace.unreadable() is not None, reason="other threads cannot be read here")
def test_reading_a_process_loses_none_of_its_signals() -> None:
    program = (
        "import signal, time\n"
        "signal.signal(signal.SIGUSR1, lambda *_: print('got it', flush=True))\n"
        "print('ready', flush=True)\n"
        "while True: time.sleep(0.001)\n"
    )
    done = threading.Event()

    def read_on() -> None:
        while not done.is_set():
            ptrace.read_threads(child.pid)

    reader = threading.Thread(target=read_on)
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        try:
            child.stdout.readline()
            words = ptrace.read_threads(child.pid)[child.pid]
            if isinstance(words, str):
                pytest.skip(f"this system does not let its threads be read: {words}")
            reader.start()
            for _ in range(2000):
                os.kill(child.pid, signal.SIGUSR1)
                assert select.select([child.stdout], [], [], HANG_SECONDS)[0], "the signal is lost"
                assert child.stdout.readline() == b"got it\n"
        finally:
            done.set()
            if reader.ident:
                reader.join(HANG_SECONDS)
            child.kill()


def test_a_thread_that_cannot_be_read_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ptrace, "unreadable", lambda: "it is another system")
    done = threading.Event()
    worker = threading.Thread(target=done.wait, args=(HANG_SECONDS,), name="waiting")
    worker.start()
    try:
        found = sb.fpenv.threads()
    finally:
        done.set()
        worker.join(HANG_SECONDS)
    (row,) = (row for row in found if row.name == "waiting")
    assert (row.state, row.reason) == (None, "it is another system")


@sb.kernel
def doubled(x: sb.float32, v: sb.float2) -> tuple[sb.float32, sb.float2]:
    return x + x, v + v


@needs_mxcsr
def test_arguments_and_results_are_the_same_bits_under_a_flushing_caller() -> None:
    least = np.array([1, 2, 3], np.uint32).view(np.float32)
    pair = sb.float2(least[1:])
    before = fpenv.read()
    fpenv.write(before | 0x8040)
    try:
        x, v = doubled(least[0], pair)
        found = [np.array(value).view(np.uint32).item() for value in (x, v.x, v.y)]
    finally:
        fpenv.write(before)
    assert found == [2, 4, 6]


@sb.kernel
def thirds(x: sb.float32, out: sb.Array[sb.float64]) -> sb.float32:
    for i in range(len(out)):
        out[i] = out[i] / 3.0
    return x / sb.float32(3)


@sb.kernel
def thirds_on_threads(out: sb.Array[sb.float64]):
    for i in sb.prange(len(out), batch=1):
        out[i] = out[i] / 3.0


@sb.job
class Thirds(sb.ParallelFor):
    out: sb.Array[sb.float64]

    def execute(self, index: sb.int32) -> None:
        self.out[index] = self.out[index] / 3.0


def _trap(x: Any) -> None:
    with contextlib.suppress(sb.Trap):
        _index(x, 500)


@sb.kernel
def _index(x: sb.Array[sb.float64], i: int) -> sb.float64:
    x[0] = x[0] / 3.0
    return x[i]


LINE = np.linspace(0.0, 9.0, 50)
STICKY: dict[str, Callable[[Any], Any]] = {
    "kernel": lambda x: thirds(0.1, x),  # 0.1 is rounded to float32 on its way
    "range": thirds_on_threads,
    "job": lambda x: Thirds(out=x).schedule(8).complete(),
    "job in line": lambda x: Thirds(out=x).run(8),
    "function of an array": lambda _: sb.math.sin(LINE),
    "function of a number": lambda _: sb.math.sin(0.5),
    "sum": lambda _: sb.math.sum(LINE),
    "trap": _trap,
}


@needs_mxcsr
@pytest.mark.parametrize("flags", [0, 0x04, 0x3F], ids=["none", "one", "all"])
@pytest.mark.parametrize("what", STICKY)
def test_the_callers_sticky_flags_are_as_they_were(what: str, flags: int) -> None:
    x = np.ones(64)  # of NumPy 2.0, which puts flags down where it makes one
    STICKY[what](x)  # compiled
    word = 0x1F80 | flags
    before = fpenv.read()
    try:
        fpenv.write(word)
        STICKY[what](x)
        assert hex(fpenv.read()) == hex(word)
    finally:
        fpenv.write(before)


@sb.kernel
def _tenth(x: sb.float64) -> sb.float64:
    return x * 0.1 + TENTH


TENTH = 0.1


@needs_mxcsr
@pytest.mark.parametrize("word", [0x1F80, 0x1F84, FLUSH_UP, FLUSH_UP | 0x3F])
def test_a_kernel_is_found_in_the_cache_in_any_environment_and_leaves_it(
    word: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    types = (sb.types.FLOAT64,)
    compile_native(_tenth, types)
    monkeypatch.setattr(compile_module, "_request", None)  # what is not found is not compiled
    before = fpenv.read()
    try:
        fpenv.write(word)
        compile_native(_tenth, types)
        assert hex(fpenv.read()) == hex(word)
    finally:
        fpenv.write(before)
