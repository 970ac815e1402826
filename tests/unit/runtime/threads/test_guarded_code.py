"""Only what may run long is guarded, its loops as they were; without signals nothing is."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

from tests.support.folders import ROOT
from tests.support.kernels.long_kernels import chaos, count, needs_signals
from tests.support.limits import HANG_SECONDS

import samebits as sb
import samebits.runtime.compile as compiling
from samebits import float64
from samebits.backend.emit.module import emit_module
from samebits.backend.llvm import engine
from samebits.backend.records import GUARD
from samebits.backend.request import Request
from samebits.runtime.objects.library import compiled_here

pytestmark = needs_signals


def test_only_what_may_run_long_is_guarded() -> None:
    @sb.kernel
    def short(x: sb.Array[float64]) -> float64:
        total = float64(0.0)
        for i in range(16):
            total += x[i]
        return total

    objects = {k: _object(k) for k in (short, count, chaos)}
    assert {k: GUARD.encode() in code for k, code in objects.items()} == {
        short: False, count: True, chaos: True
    }  # fmt: skip


def _object(kernel: Any) -> bytes:
    return compiled_here(_request(kernel), None).object_bytes


def _request(kernel: Any) -> Request:
    return compiling._request(kernel, kernel.fixed_types, engine.host_target(), 3)


def test_the_loops_of_guarded_code_have_nothing_in_them() -> None:
    texts = [_texts(chaos, threads) for threads in (False, True)]
    plain, guarded = texts
    functions = [part for part in plain.split("\n\n") if part.startswith("define")]
    loops = [f for f in functions if "@sb_entry_" not in f]
    assert len(loops) >= 2
    assert all(f in guarded for f in loops)
    assert "%guarded.status" in guarded
    assert "setjmp" not in guarded  # the process has one guard, which no object repeats


def _texts(kernel: Any, threads: bool) -> str:
    request = _request(kernel)
    return emit_module(request.optimised, request.entries, request.target, threads=threads).text


def test_what_only_an_entry_calls_is_optimised_once_as_part_of_it() -> None:
    text = _texts(chaos, threads=True)
    body = next(line for line in text.splitlines() if '.chaos"(' in line)
    assert body.startswith("define internal")
    assert body.endswith("alwaysinline {")


WITHOUT = """\
import mmap, os, signal
for module, names in {
    mmap: ("PROT_READ", "PROT_WRITE", "PROT_EXEC", "MAP_PRIVATE", "MAP_ANONYMOUS"),
    os: ("register_at_fork", "sched_getaffinity", "fork"),
    signal: ("SIGURG", "pthread_kill"),
}.items():
    for name in names:
        vars(module).pop(name, None)
from tests.support.without_signals import main
main()
"""


def test_without_such_signals_calls_run_to_their_end_and_all_else_holds() -> None:
    """As on Windows: ranges on several threads, jobs, and limits for Python's own code."""
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", WITHOUT],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        check=False,
    )
    assert (run.stdout, run.stderr) == ("bits\nover\nwhole\n", "")
