"""A library that sets FTZ, DAZ or a rounding mode changes no bit, and finds it as it left it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from tests.support import foreign_work, left_threads
from tests.support.folders import ROOT
from tests.support.foreign_libraries import AT_START, Foreign, build
from tests.support.foreign_work import digest
from tests.support.limits import HANG_SECONDS

import samebits as sb
from samebits.runtime.fp_state import pin as fpenv
from samebits.runtime.fp_state import ptrace
from samebits.runtime.fp_state.registers import REGISTERS

STICKY = 0x3F


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Foreign:
    """A library that does nothing at start."""
    return Foreign(build(tmp_path_factory.mktemp("plain"), "plain"))


@pytest.fixture(scope="module")
def expected() -> str:
    assert sb.fpenv.state().pinned
    return digest()


def words(foreign: Foreign) -> list[int]:
    """Flushing, rounding toward zero, both."""
    usual = foreign.get() & ~STICKY
    both = foreign.flush | foreign.toward_zero
    return [usual | foreign.flush, usual | foreign.toward_zero, usual | both]


def in_environment(foreign: Foreign, word: int) -> tuple[str, int]:
    """The digest on a thread whose register holds `word`, and what the register holds after."""
    before = foreign.get()
    foreign.set(word)
    try:
        return digest(), foreign.get()
    finally:
        foreign.set(before)


def test_the_library_changes_the_hosts_own_arithmetic(plain: Foreign) -> None:
    tenth, least = np.float64(10.0), np.float64(5e-324)
    seen: set[tuple[float, float]] = set()
    for word in (plain.get(), *words(plain)):
        before = plain.get()
        plain.set(word)
        try:
            found = float(1 / tenth), float(least * 1.0)
        finally:
            plain.set(before)
        seen.add(found)
    assert len(seen) == 4


def test_on_the_calling_thread_no_bit_changes_and_the_register_stays(
    plain: Foreign, expected: str
) -> None:
    for word in words(plain):
        found, after = in_environment(plain, word)
        assert found == expected
        assert after & ~STICKY == word


def test_on_python_threads_at_once_no_bit_changes_and_each_register_stays(
    plain: Foreign, expected: str
) -> None:
    given = [*words(plain), plain.get() & ~STICKY]
    barrier = threading.Barrier(len(given))

    def run(word: int) -> tuple[str, int]:
        barrier.wait(HANG_SECONDS)
        return in_environment(plain, word)

    with ThreadPoolExecutor(len(given)) as pool:
        rows = list(pool.map(run, given))
    assert [found for found, _ in rows] == [expected] * len(given)
    assert [after & ~STICKY for _, after in rows] == given


def test_on_a_librarys_own_thread_an_entry_gives_the_bits_and_the_register_stays(
    plain: Foreign,
) -> None:
    from tests.support.programs.float_entry import entry

    for opt in (0, 3):
        native = entry(opt)
        for x, y in ((1.0, 3.0), (5e-324, 1.0), (5e-324, 0.5)):
            answers = []
            for word in (plain.get() & ~STICKY, *words(plain)):
                slots = np.zeros(5, np.uint64)
                slots[:2] = np.array([x, y]).view(np.uint64)
                after = np.zeros(1, np.uint64)
                status = plain.run(native.address, slots.ctypes.data, word, after.ctypes.data)
                assert status == 0
                assert int(after[0]) & ~STICKY == word
                answers.append(slots[3:].tolist())
            assert answers == [answers[0]] * len(answers)


@sb.job
class Decay(sb.ParallelFor):
    values: sb.Array[sb.float32]
    rate: sb.float32

    def execute(self, index: sb.int32) -> None:
        self.values[index] = self.values[index] * self.rate * self.rate / 3


@sb.kernel
def decay(values: sb.Array[sb.float32], rate: sb.float32):
    for i in sb.prange(len(values), batch=64):
        values[i] = values[i] * rate * rate / 3


def decayed() -> tuple[bytes, bytes]:
    """By a job and by a parallel range."""
    values = np.arange(1, 20_001, dtype=np.uint32).view(np.float32)
    values[::3] = 0.7
    again = values.copy()
    Decay(values=values, rate=RATE).schedule(len(values), batch=64).complete()
    decay(again, RATE)
    return values.tobytes(), again.tobytes()


RATE = np.float32(0.77)


def test_workers_that_start_in_a_foreign_environment_give_the_same_bits(plain: Foreign) -> None:
    expected, count, before = decayed(), sb.workers(), plain.get()
    assert expected[0] == expected[1]
    try:
        for word in words(plain):
            plain.set(word)
            sb.set_workers(1)
            sb.set_workers(7)  # threads inherit the register of the one that starts them
            for _ in range(20):
                assert decayed() == expected
            assert plain.get() & ~STICKY == word
    finally:
        plain.set(before)
        sb.set_workers(count)


@pytest.mark.skipif(ptrace.unreadable() is not None, reason="other threads cannot be read here")
def test_workers_that_start_in_a_foreign_environment_do_not_keep_it(tmp_path: Path) -> None:
    """In a process of its own, whose threads are all known. Nobody who looks at them blames one."""
    library = build(tmp_path, "plain")
    done = subprocess.run(
        [sys.executable, str(Path(left_threads.__file__)), str(library)],
        capture_output=True, text=True, timeout=HANG_SECONDS,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    own, workers, found = done.stdout.splitlines()
    assert int(own) & 0x8040 == 0x8040
    assert int(workers) >= 6
    assert found == "[]"


@pytest.mark.parametrize("name", AT_START)
def test_a_library_with_fast_math_start_up_loaded_first_changes_no_bit(
    tmp_path: Path, expected: str, name: str
) -> None:
    """Also what is imported, compiled and packed in its environment: no bytecode is there yet."""
    library = build(tmp_path, name, at_start=AT_START[name])
    program = Path(foreign_work.__file__)
    done = subprocess.run(
        [sys.executable, str(program), str(library)],
        capture_output=True, text=True, timeout=HANG_SECONDS,
        env={**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path / "bytecode")},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found, before, after = done.stdout.split()
    assert found == expected
    assert int(before) & ~STICKY == int(after) & ~STICKY
    assert int(before) & ~STICKY != REGISTERS[fpenv.register_name()].default


@pytest.mark.parametrize("name", AT_START)
def test_a_library_with_fast_math_start_up_loaded_later_changes_no_bit(
    tmp_path: Path, plain: Foreign, expected: str, name: str
) -> None:
    path = build(tmp_path, name, at_start=AT_START[name])

    def load_and_run() -> tuple[str, int, int]:
        before = plain.get()
        try:
            Foreign(path)
            left = plain.get()
            return digest(), left, plain.get()
        finally:
            plain.set(before)

    with ThreadPoolExecutor(1) as pool:
        found, left, after = pool.submit(load_and_run).result(300)
    assert found == expected
    assert left & ~STICKY == after & ~STICKY
    assert not fpenv.described(left).pinned


@pytest.mark.skipif(ptrace.unreadable() is not None, reason="other threads cannot be read here")
def test_the_threads_of_a_librarys_pool_are_read(plain: Foreign) -> None:
    before = {row.number for row in sb.fpenv.threads()}
    assert plain.pool(3, words(plain)[0]) == 0
    try:
        rows = [row for row in sb.fpenv.threads() if row.number not in before]
    finally:
        plain.end_pool()
    if any(row.reason for row in rows):
        pytest.skip("this system does not let its threads be read")
    assert not any(row.is_python for row in rows)
    assert [row.state.flushes_results for row in rows if row.state] == [True] * 3
