"""Steps that make arrays of run-time sizes: the same on every kind of machine, and in C."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest
from tests.support.runs.exported import host_folder, made, needs_zig
from tests.support.simulations.scratch_simulation import SCRATCH, Input

from samebits.errors import Trap
from samebits.sim.sources import PlayerSource
from samebits.verify.executions import all_rows
from samebits.verify.verification import Verification

ROWS = tuple(
    row for row in all_rows()
    if row.reason is None
    and row.name in ("evaluate", "x86-64-v2-O0", "x86-64-v2-O3", "s390x-O3", "i686-O3", "wasm32-O3")
)  # fmt: skip


def growing(frames: int, more: int) -> np.ndarray:
    inputs = np.zeros((frames, 2), Input.dtype)
    inputs["more"] = more
    return inputs


def test_every_machine_steps_alike() -> None:
    done = Verification(SCRATCH, PlayerSource(SCRATCH, "random", 1, 50), ROWS)
    done.run(lambda what, frames: None)
    assert len(done.rows) == len(ROWS)
    assert done.same


@needs_zig
def test_a_library_in_c_has_an_arena_and_traps_as_here(tmp_path: Path) -> None:
    session = SCRATCH.start(seed=3)
    hashes = session.run(growing(20, 2))
    library = ctypes.CDLL(str(host_folder(made(SCRATCH, tmp_path)) / "libscratch.so"))
    state = np.zeros(1, SCRATCH.state_type.dtype)
    scratch = np.zeros(65536, np.uint8)

    def at(array: np.ndarray) -> ctypes.c_void_p:
        return ctypes.c_void_p(array.ctypes.data)

    def run(inputs: np.ndarray, out: np.ndarray) -> tuple[int, int]:
        done = ctypes.c_size_t(0)
        frames = ctypes.c_size_t(len(inputs))
        code = library.scratch_run(
            at(state), at(inputs), frames, at(out), ctypes.byref(done), at(scratch)
        )
        return int(code), done.value

    assert library.scratch_init(at(state), ctypes.c_uint64(3)) == 0
    found = np.zeros(20, np.uint64)
    assert run(growing(20, 2), found) == (0, 20)
    assert found.tolist() == hashes.tolist()
    with pytest.raises(Trap) as caught:
        session.run(growing(20, 100))
    code, done = run(growing(20, 100), found)
    assert (code > 0, done) == (True, session.frame - 20)
    library.scratch_trap_message.restype = ctypes.c_char_p
    assert library.scratch_trap_message(code).decode() == caught.value.summary
