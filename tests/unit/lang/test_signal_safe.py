"""What a thread or the process has comes back from a block, whatever a signal's handler cuts."""

from __future__ import annotations

import contextlib
import gc
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.interrupting import at_each

import samebits as sb
from samebits import float32
from samebits.compiling import LOCK
from samebits.fpmodel import libm as libraries
from samebits.fpmodel import parse as expression
from samebits.lang.signal_safe import block, default_environment
from samebits.lang.values import thread_state as running
from samebits.lint.check import check_source
from samebits.managed.run import call as call_managed
from samebits.runtime import gc_pause
from samebits.runtime.compile import compile_native
from samebits.runtime.fp_state import pin as fpenv
from samebits.runtime.fp_state.registers import REGISTERS
from samebits.sim import load


@sb.kernel(denormals="flush")
def halved(x: float32) -> float32:
    return x / float32(2)


def state() -> tuple[Any, ...]:
    """What blocks change: of the process, and of this thread."""
    collected = (gc.isenabled(), len(gc_pause._running), len(gc_pause._held))
    process = (*collected, _path(), sys.stdout)
    managed = (running.running.managed, running.running.flush, len(running.flushers))
    thread = (*managed, running.python_precision())
    thread = (*thread, fpenv.state().rounding, fpenv.state().word & ~0x3F, np.geterr())
    return process, thread, tuple(warnings.filters)


def _path() -> list[str]:
    """Without what stays behind for good, at the end."""
    assert "/nowhere/at/all" not in sys.path[:-1]
    return [folder for folder in sys.path if folder != "/nowhere/at/all"]


def compiled() -> None:
    with gc_pause.paused():
        assert not gc.isenabled()
        with gc_pause.paused():
            pass
        assert not gc.isenabled()


def pinned() -> None:
    with fpenv.pinned(), fpenv.pinned():
        pass


def flushed() -> None:
    with running.managed_run(), running.flushing(True), running.flushing(False):
        assert running.running.managed
        assert running.flushers


def in_the_default_environment() -> None:
    outer, inner = default_environment(), default_environment()
    assert outer
    assert inner
    with outer, inner:
        assert not fpenv.state().flushes_results


def managed() -> None:
    assert call_managed(halved, (float32(3),), {}) == float32(1.5)


def path() -> None:
    if "/nowhere/at/all" in sys.path:
        sys.path.remove("/nowhere/at/all")
    with load._first_on_the_path("/nowhere/at/all"):
        assert sys.path[0] == "/nowhere/at/all"


def output() -> None:
    with load._output_aside(), load._output_aside():
        assert sys.stdout is sys.stderr


def precision() -> None:
    low = running.precision(sb.LOW)
    with low, running.precision(sb.MEDIUM), low:
        assert running.python_precision() is sb.LOW


@pytest.fixture
def flushes() -> Iterator[None]:
    """This thread has an environment of its own, which blocks are to give back."""
    before = fpenv.read()
    fpenv.write(before | REGISTERS[fpenv.register_name()].flush_results)
    yield
    fpenv.write(before)


@pytest.mark.usefixtures("flushes")
@pytest.mark.parametrize("ends", [pinned, in_the_default_environment])
def test_an_interrupt_at_any_bytecode_leaves_the_threads_environment(
    ends: Callable[[], None],
) -> None:
    before = state()

    def check() -> None:
        assert state() == before

    assert at_each(ends, check) > 5
    assert fpenv.state().flushes_results


def linted() -> None:
    assert check_source("x = '\\d'\n", "odd.py").error is None


def parsed() -> None:
    expression.parse("x * 2.0")


def numpys() -> None:
    assert libraries._of_numpy("sqrt", 64)(-1.0) != 0


@pytest.mark.parametrize(
    "call", [compiled, flushed, managed, path, output, precision, linted, parsed, numpys]
)
def test_an_interrupt_at_any_bytecode_leaves_all_as_it_was(call: Callable[[], None]) -> None:
    call()
    before = state()

    def check() -> None:
        assert state() == before

    assert at_each(call, check, stride=7 if call is managed else 1) > 5


def test_an_interrupted_compilation_leaves_the_collector_on_and_lets_others_compile() -> None:
    types = (sb.types.FLOAT32,)
    before = state()

    def check() -> None:
        assert state() == before
        assert not LOCK.locked()

    assert at_each(lambda: compile_native(halved, types), check, stride=61) > 5


def test_a_block_ends_where_it_began_on_a_stack_of_blocks_too() -> None:
    done: list[str] = []

    def made(name: str) -> Any:
        steps = (lambda: done.append(f"+{name}")), (lambda: done.append(f"-{name}"))
        return block(steps[:1], steps[1:])

    with contextlib.suppress(ZeroDivisionError), contextlib.ExitStack() as stack:
        stack.enter_context(made("a"))
        with made("b"):
            pass
        stack.enter_context(made("c"))
        raise ZeroDivisionError
    assert done == ["+a", "+b", "-b", "+c", "-c", "-a"]


def test_a_module_may_take_the_folder_from_the_path(tmp_path: Path) -> None:
    before = sys.path[:]
    with load._first_on_the_path(str(tmp_path)):
        sys.path.remove(str(tmp_path))
    assert sys.path == before
