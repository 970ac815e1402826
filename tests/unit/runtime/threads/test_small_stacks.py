"""Code is made for whatever thread asks, however little is left of its stack, as if it made it."""

from __future__ import annotations

import _thread
import gc
import subprocess
import sys
import threading
import warnings
import weakref
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.support.interrupting import at_each
from tests.support.limits import HANG_SECONDS, LEAST_STACK

import samebits as sb
from samebits import float32
from samebits.backend.llvm import engine
from samebits.compiling import LOCK, lock
from samebits.lang.stacks import with_room
from samebits.runtime import cache
from samebits.runtime.threads import own_stack
from samebits.runtime.threads.caller import caller

CHAINS = "import samebits as sb\nfrom samebits import float64\n" + "".join(
    f"@sb.kernel\ndef k{i}(x: float64) -> float64:\n    return {f'k{i - 1}(x)' if i else 'x'}\n"
    for i in range(400)
)

STACKS = """
import sys, threading
import numpy as np
import samebits as sb
from samebits import float64, int64
from samebits.runtime.threads import own_stack
import chains

@sb.kernel
def root(x: float64) -> float64:
    return sb.math.sqrt(x)

@sb.job
class Doubled(sb.ParallelFor):
    a: sb.Array[float64]
    def execute(self, i: int64):
        self.a[i] = self.a[i] * 2.0

def job():
    a = np.ones(2)
    Doubled(a=a).schedule(2).complete()
    return a.sum()

def deeper():
    return [getattr(chains, f"k{i}")(3.0) for i in range(49, 400, 50)][-1]

def sunk():
    return max(map(lambda _: sunk(), (0,))) if own_stack.has_room() else root(16.0)

sys.setrecursionlimit(1_000_000)
found = [own_stack.has_room()]
for size, call in (
    (LEAST, lambda: chains.k0(1.0)), (LEAST * 2, lambda: chains.k69(2.0)), (LEAST * 2, job),
    (256, deeper), (1280, sunk),
):
    threading.stack_size(size << 10)
    thread = threading.Thread(target=lambda: found.append(call()))
    thread.start()
    thread.join()
    assert threading.stack_size() == size << 10
print(*map(float, found))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="sizes are Linux's")
@pytest.mark.parametrize(("main", "room"), [("8192", "1.0"), ("512", "0.0")])
def test_code_is_made_whatever_stack_a_thread_has_left(
    tmp_path: Path, main: str, room: str
) -> None:
    (tmp_path / "chains.py").write_text(CHAINS)
    (tmp_path / "stacks.py").write_text(STACKS.replace("LEAST", str(LEAST_STACK >> 10)))
    limited = ["sh", "-c", f'ulimit -S -s {main} && exec "$@"', "sh"]
    done = subprocess.run(
        [*limited, sys.executable, str(tmp_path / "stacks.py")],
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        check=False,
    )
    assert (done.stdout, done.returncode) == (f"{room} 1.0 2.0 4.0 3.0 4.0\n", 0), done.stderr


@pytest.fixture
def uncached() -> Iterator[None]:
    """What is found in the cache warns of nothing."""
    before = cache.current_cache()
    cache.set_cache_dir(None)
    yield
    cache._Setting.chosen = before


@pytest.fixture
def no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """No thread has enough of its stack left."""
    monkeypatch.setattr(own_stack, "ROOM", 1 << 62)


_told: ContextVar[str] = ContextVar("told")


@pytest.mark.usefixtures("no_room")
def test_what_another_thread_does_is_done_in_the_context_of_the_one_that_waits() -> None:
    def asked() -> tuple[int, str, bool, bool]:
        inner = with_room(threading.get_ident) == threading.get_ident()
        return threading.get_ident(), _told.get(), lock().locked(), inner

    token = _told.set("here")
    ident, told, locked, inner = with_room(asked)
    assert (told, locked, inner) == ("here", False, True)
    assert ident != threading.get_ident()
    with lock():  # which the other has as well, and may take again
        ident, _, locked, inner = with_room(lambda: _with_lock(asked))
    _told.reset(token)
    assert (locked, inner) == (True, True)
    assert ident != threading.get_ident()
    assert not LOCK.locked()


def test_a_thread_that_ends_late_holds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    class Held:
        pass

    late = threading.Event()

    class Gate(own_stack._Gate):
        def __init__(self) -> None:
            super().__init__()
            opened = self.open
            self.open = lambda: (opened(), late.wait(HANG_SECONDS))

    monkeypatch.setattr(own_stack, "_Gate", Gate)
    held, result = Held(), Held()
    alive = [weakref.ref(held), weakref.ref(result)]
    try:
        assert own_stack.in_new_thread(partial(lambda made, _: made, result, held)) is result
        del held, result
        assert [found() for found in alive] == [None, None]
    finally:
        late.set()


def _with_lock(call: Callable[[], Any]) -> Any:
    with lock():
        return call()


def test_an_interrupt_at_any_bytecode_frees_nothing_of_llvms_twice() -> None:
    text = "define i32 @f(i32 %a) {\n  %b = add i32 %a, 1\n  ret i32 %b\n}\n"
    target = engine.host_target()

    def made() -> None:
        engine.load(engine.compile_text(text, target, 0), ["f"]).close()

    assert at_each(made, gc.collect) > 10


def test_code_is_made_where_no_signals_handler_runs(uncached: None) -> None:
    @sb.kernel
    def half(x: float32) -> float32:
        return x / float32(2)

    idents: set[int] = set()
    binding = engine._binding()
    known = binding.parse_assembly

    def parse(*args: Any) -> Any:
        idents.add(threading.get_ident())
        return known(*args)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(binding, "parse_assembly", parse)
        assert half(3.0) == 1.5
    assert idents
    assert threading.main_thread().ident not in idents


@pytest.mark.usefixtures("no_room")
def test_errors_and_warnings_are_those_of_the_thread_that_waits(uncached: None) -> None:
    @sb.kernel(mode=sb.FAST)
    def same(x: float32) -> bool:
        return x == float32(1.5)

    @sb.kernel
    def wrong(x: float32) -> float32:
        return x + unknown  # noqa: F821  # pyright: ignore

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):  # nothing is kept of what did not come to its end
            with pytest.raises(sb.SamebitsWarning, match="tests floats for equality"):
                same(1.5)
    with pytest.warns(sb.SamebitsWarning) as told:
        assert same(1.5)
    assert told[0].filename == __file__
    with pytest.raises(sb.CompileError, match="unknown") as caught:
        wrong(1.5)
    assert caught.value.span is not None
    assert caught.value.span.file == __file__


@pytest.mark.usefixtures("no_room")
@pytest.mark.filterwarnings("default::RuntimeWarning")
def test_a_cache_that_takes_nothing_is_said_at_the_line_that_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @sb.kernel
    def third(x: float32) -> float32:
        return x / float32(3)

    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setattr(cache, "current_cache", lambda: cache.ObjectCache(tmp_path / "file"))
    with pytest.warns(RuntimeWarning, match="compiled kernels are not kept") as told:
        third(1.0)
    assert told[0].filename == __file__


@pytest.mark.usefixtures("no_room")
def test_an_interrupt_at_any_bytecode_leaves_no_thread_and_no_lock() -> None:
    count, size = _thread._count(), threading.stack_size()

    def check() -> None:
        assert not LOCK.locked()
        assert not own_stack.LOCK.locked()
        assert (threading.stack_size(), caller.frame) == (size, None)

    ran: list[int] = []
    ended: list[int] = []

    def asked() -> None:
        ran.append(1)
        ended.append(1)

    def call() -> None:
        with_room(asked)

    def whole() -> None:
        check()
        assert len(ran) == len(ended)

    assert at_each(call, whole) > 5
    while _thread._count() > count:
        pass


def test_where_no_thread_can_be_had_this_one_does_it(
    no_room: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: Any) -> int:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(own_stack._thread, "start_new_thread", refused)
    assert with_room(threading.get_ident) == threading.get_ident()
