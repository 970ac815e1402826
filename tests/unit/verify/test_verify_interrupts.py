"""`samebits verify` ends with status 130 wherever Ctrl-C comes, and leaves no emulator behind."""

from __future__ import annotations

import gc
import threading
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest
from tests.support.folders import SIMULATIONS
from tests.support.interrupting import Interrupt, bytecodes, handler, interrupted

from samebits.cli import status
from samebits.cli.exit_status import INTERRUPTED, SAME
from samebits.verify.executions import all_rows
from samebits.verify.verification import Verification

SIMULATION = str(SIMULATIONS / "small_simulation.py")
NATIVE = next(r.name for r in all_rows() if r.name.endswith("O3") and not r.emulated and not r.slow)
EMULATED = [
    r.name
    for r in all_rows()
    if r.emulated and r.reason is None and r.name in ("wasm32-O3", "aarch64-O3")
]
ROWS = ",".join([NATIVE, *EMULATED])
POINTS = 20


def children() -> set[int]:
    """Processes that this one started and that are there still, ended ones that nobody has waited
    for among them."""
    found: set[int] = set()
    for path in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):  # the thread has ended meanwhile
            found |= set(map(int, path.read_text().split()))
    return found


needs_proc = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="needs Linux's /proc")
needs_emulators = pytest.mark.skipif(not EMULATED, reason="no emulated target runs here")


@needs_proc
@needs_emulators
def test_an_interrupt_anywhere_ends_verify_with_130_and_no_emulator_is_left(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found: list[int] = []

    def verify() -> None:
        found[:] = []
        found.append(status(["verify", SIMULATION, "--frames", "20", "--targets", ROWS]))

    verify()
    assert found == [SAME]
    before, threads = children(), threading.active_count()
    total = bytecodes(verify)
    ends: list[int] = []
    out_of_it = 0
    with handler(Interrupt):
        for point in range(POINTS):
            at = 1 + total * point // POINTS
            found[:] = []
            # Behind the command's last line Python itself ends the process with that status.
            ends.append(INTERRUPTED if interrupted(verify, at) else found[0])
            assert ends[-1] in (INTERRUPTED, SAME), f"before bytecode {at} of {total}"
            gc.collect()
            assert children() == before, f"before bytecode {at} of {total}"
            assert threading.active_count() == threads, f"before bytecode {at} of {total}"
            out_of_it += not found
    assert ends.count(INTERRUPTED) > POINTS // 2
    assert out_of_it <= 2
    verify()
    assert found == [SAME]
    assert "same" in capsys.readouterr().out


@needs_proc
@needs_emulators
def test_an_interrupt_while_it_ends_leaves_no_emulator(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    close, calls = Verification._close, count(1)
    held: list[Verification] = []  # what it leaves is not left to destructors

    def interrupted_close(verification: Verification) -> None:
        held.append(verification)
        if next(calls) == 1:
            raise KeyboardInterrupt
        close(verification)

    before, threads = children(), threading.active_count()
    monkeypatch.setattr(Verification, "_close", interrupted_close)
    assert status(["verify", SIMULATION, "--frames", "20", "--targets", ROWS]) == INTERRUPTED
    assert children() == before
    assert threading.active_count() == threads
    assert "interrupted" in capsys.readouterr().err
