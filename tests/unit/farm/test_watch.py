"""A watch ends what computes or waits for too long, and nothing else."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event

import psutil
import pytest
from tests.support.limits import HANG_SECONDS

from samebits.farm.watch import Watch, with_children

BUSY = "while True: pass"
WAITING = "import time\ntime.sleep(10000)"
WITH_CHILD = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {BUSY!r}])"
BRIEF = "import time\nwhile time.process_time() < 0.5: pass\nprint('done', flush=True)\ninput()"


@contextmanager
def running(program: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        yield process
    finally:
        for each in reversed(with_children(process.pid)):
            each.kill()
        process.communicate()


@pytest.mark.parametrize("program", [BUSY, WAITING, WITH_CHILD], ids=["busy", "waiting", "child"])
def test_what_computes_or_waits_for_too_long_is_ended(program: str) -> None:
    with running(program) as process:
        ended = Event()
        watch = Watch(lambda: with_children(process.pid), 0.6, ended.set).start()
        assert ended.wait(HANG_SECONDS)
        watch.stop()
        assert watch.late


def test_what_it_has_computed_before_does_not_count_nor_what_it_does_after() -> None:
    with running(BRIEF) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "done\n"
        used = psutil.Process(process.pid).cpu_times()
        assert used.user + used.system >= 0.4
        ended = Event()
        watch = Watch(lambda: with_children(process.pid), 0.4, ended.set).start()
        watch.stop()
        assert not ended.is_set()
        assert not watch.late


def test_a_process_that_is_kept_from_the_processor_is_not_late(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It wants to run, and computes next to nothing, for ten times as long."""
    looks, enough = iter(range(10_000)), Event()

    class Over:
        def wait(self, _seconds: float) -> bool:
            return enough.is_set()

        def set(self) -> None:
            enough.set()

    watch = Watch(list, 1.0, lambda: None)
    monkeypatch.setattr(watch, "_over", Over())

    def seen() -> Iterator[tuple[int, float, bool]]:
        number = next(looks)
        if number == 100:
            enough.set()
        yield 7, number * 0.001, True

    monkeypatch.setattr(watch, "_seen", seen)
    times = iter(range(10_000))
    monkeypatch.setattr("samebits.farm.watch.time.monotonic", lambda: next(times) * 0.2)
    watch.start()
    watch.stop()
    assert not watch.late


def test_what_begins_anew_has_all_of_its_own_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred seconds of the processor go before; then come 0.9 of 1 second, and then more."""
    looks, ended = iter(range(10_000)), Event()
    begun: list[int] = []

    class Over:
        def wait(self, _seconds: float) -> bool:
            return ended.is_set()

        def set(self) -> None:
            ended.set()

    watch = Watch(list, 1000.0, ended.set)
    monkeypatch.setattr(watch, "_over", Over())

    def seen() -> Iterator[tuple[int, float, bool]]:
        number = next(looks)
        if number == 100:
            watch.anew(1.0)
        if number > 100:
            begun.append(number)
        if number == 3000:
            ended.set()
        yield 7, number * 0.1 if number > 100 else number * 1.0, True

    monkeypatch.setattr(watch, "_seen", seen)
    watch.start()
    assert ended.wait(HANG_SECONDS)
    watch.stop()
    assert watch.late
    assert 11 <= len(begun) <= 13
