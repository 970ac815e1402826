"""Compiling leaves Python's garbage collector as it found it, and is not held up by it."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import samebits as sb
from samebits import wiring
from samebits.runtime import compile as compile_module
from samebits.runtime import gc_pause
from samebits.runtime.compile import compile_native
from samebits.runtime.native import NativeModule


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


def test_it_pauses_while_a_first_call_loads_what_it_needs(
    collecting: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"loaded_at_a_call_{collecting}"
    (tmp_path / f"{name}.py").write_text("import gc\nCOLLECTS = gc.isenabled()\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert not wiring._imported(name).COLLECTS
    collects: list[bool] = []

    def module(*given: Any) -> NativeModule:
        collects.append(gc.isenabled())
        return NativeModule(*given)

    monkeypatch.setattr(compile_module, "NativeModule", module)
    compile_native(doubled, (sb.types.FLOAT32,))  # from the cache
    assert collects == [False]
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


KEEPS = """\
import gc
import samebits
from samebits import wiring
kept = wiring._imported("kept").KEPT
print([any(item is kept for item in gc.get_objects(age)) for age in range(3)])
gc.freeze()
wiring._imported("also_kept")
print(gc.get_freeze_count() > 1000)
"""


def test_what_a_first_call_loads_is_among_the_oldest_at_once(
    tmp_path: Path, collecting: bool
) -> None:
    for name in ("kept", "also_kept"):
        (tmp_path / f"{name}.py").write_text("KEPT = []\n")
    begins = "" if collecting else "import gc; gc.disable()\n"
    (tmp_path / "program.py").write_text(begins + KEEPS)
    command = [sys.executable, str(tmp_path / "program.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["[False, False, True]", "True"]


AGAIN = """\
import gc, sys
import samebits
from samebits import wiring
wiring._imported("kept")
counts = []
gc.get_freeze_count = lambda: counts.append(1) or 0
wiring._imported("kept")
print(len(counts))
"""


def test_what_is_loaded_already_is_not_looked_at_again(tmp_path: Path) -> None:
    (tmp_path / "kept.py").write_text("KEPT = []\n")
    (tmp_path / "program.py").write_text(AGAIN)
    command = [sys.executable, str(tmp_path / "program.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0"]
