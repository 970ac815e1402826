"""Compiling leaves Python's garbage collector as it found it, and is not held up by it."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Iterator

import pytest

import samebits as sb
from samebits.runtime import gc_pause
from samebits.runtime.compile import compile_native


@sb.kernel
def doubled(x: sb.float32) -> sb.float32:
    return x + x


@sb.kernel
def without_a_return(x: sb.float32) -> sb.float32:
    x = x + x


@pytest.fixture(autouse=True, params=[True, False], ids=["on", "off"])
def collecting(request: pytest.FixtureRequest) -> Iterator[bool]:
    (gc.enable if request.param else gc.disable)()
    yield request.param
    gc.enable()


def test_the_collector_is_as_it_was_after_a_compilation(collecting: bool) -> None:
    compile_native(doubled, (sb.types.FLOAT32,))
    assert gc.isenabled() == collecting
    with pytest.raises(sb.CompileError):
        compile_native(without_a_return, (sb.types.FLOAT32,))
    assert gc.isenabled() == collecting


def test_it_waits_until_the_last_of_several_is_done(collecting: bool) -> None:
    entered, leave = threading.Event(), threading.Event()

    def other() -> None:
        with gc_pause.paused():
            entered.set()
            leave.wait()

    thread = threading.Thread(target=other)
    with gc_pause.paused():
        thread.start()
        entered.wait()
    assert not gc.isenabled()
    leave.set()
    thread.join()
    assert gc.isenabled() == collecting


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_that_was_forked_meanwhile_has_it_as_it_was(collecting: bool) -> None:
    with gc_pause.paused():
        child = os.fork()
        if child == 0:
            os._exit(gc.isenabled())
        _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == collecting
