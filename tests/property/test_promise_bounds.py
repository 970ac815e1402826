"""No input reaches memory beyond an array: what is tested before a loop is right for all numbers.

Arrays lie between cells of their own here, so that what is written beside one is seen.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.levels import LOWEST_AND_BEST
from tests.support.limits import HANG_SECONDS

import samebits as sb
from samebits import int8, int16, int32, int64, uint8, uint16, uint32, uint64
from samebits.errors import Trap
from samebits.export.build import build, choose_targets, host_row
from samebits.export.inputs_file import export_inputs
from samebits.lang.dispatch import types_for
from samebits.runtime.emulation.calls import runners
from samebits.runtime.same_bits import executions
from samebits.sim.load import load_simulation
from samebits.sim.sources import ReplaySource
from samebits.verify.executions import all_rows, choose_rows
from samebits.verify.verification import Verification

EMULATED = [r.target.name for r in runners() if r.target.name == "aarch64" and r.reason is None]
TARGETS = [*LOWEST_AND_BEST, *EMULATED]
LENGTH, BESIDE = 4, 30
NEAR = (-2, -1, 0, 1, 2)
UNSIGNED = sorted(
    {(2**k + d) % 2**64 for k in (0, 8, 16, 31, 32, 47, 48, 49, 62, 63, 64) for d in NEAR}
)
SIGNED = sorted(
    {
        max(min(s * 2**k + d, 2**63 - 1), -(2**63))
        for k in (0, 7, 8, 15, 31, 32, 47, 48, 49, 62, 63)
        for d in NEAR
        for s in (1, -1)
    }
)


@sb.kernel
def by_uint8(a: sb.Array[int32], n: int, h: uint64) -> None:
    for i in range(n):
        a[i + int(uint8(h))] = 7


@sb.kernel
def by_uint16(a: sb.Array[int32], n: int, h: uint64) -> None:
    for i in range(n):
        a[i + int(uint16(h))] = 7


@sb.kernel
def by_uint32(a: sb.Array[int32], n: int, h: uint64) -> None:
    for i in range(n):
        a[i + int(uint32(h))] = 7


@sb.kernel
def by_int8(a: sb.Array[int32], n: int, h: uint64) -> None:
    for i in range(n):
        a[i + int(int8(h))] = 7


@sb.kernel
def by_int32(a: sb.Array[int32], n: int, h: uint64) -> None:
    for i in range(n):
        a[i + int(int32(h))] = 7


@sb.kernel
def by_int64(a: sb.Array[int32], n: int, h: uint64) -> None:
    for i in range(n):
        a[i + int(int64(h))] = 7


@sb.kernel
def by_sum(a: sb.Array[int32], n: int, h: uint64) -> None:
    for i in range(n):
        a[uint64(i) + h] = 7


@sb.kernel
def read(a: sb.Array[int32], n: int, h: uint64) -> int32:
    total = int32(0)
    for i in range(n):
        total += a[i + int(uint8(h))]
    return total


@sb.kernel
def times(a: sb.Array[int32], n: int, h: uint64) -> None:
    for i in range(n):
        a[i * int(uint16(h))] = 7


@sb.kernel
def stepping(a: sb.Array[int32], n: int, h: uint64) -> None:
    for i in range(int(uint8(h)), n, 3):
        a[i] = 7


@sb.kernel
def held(a: sb.Array[int32], n: int, h: uint64) -> None:
    k = h * uint64(2) + uint64(1)
    for i in range(n):
        a[i + int(uint8(k))] = 7


@sb.kernel
def in_parallel(a: sb.Array[int32], n: int, h: uint64) -> None:
    for _ in sb.prange(1):
        for i in range(n):
            assert a[i + int(uint8(h))] >= 0


@sb.kernel
def in_rows(a: sb.Array[int32], n: int, h: uint64) -> None:
    for y in range(2):
        for i in range(n):
            a[i + y + int(uint8(h))] += 7


@sb.kernel
def signed(a: sb.Array[int32], n: int, h: int64) -> None:
    for i in range(n):
        a[i + int(int8(h))] = 7


@sb.kernel
def signed_as_unsigned(a: sb.Array[int32], n: int, h: int64) -> None:
    for i in range(n):
        a[i + int(uint8(uint64(h)))] = 7


@sb.kernel
def narrow_signed(a: sb.Array[int32], n: int, h: int16) -> None:
    for i in range(n):
        a[i + int(uint8(h)) - int(int8(h))] = 7


UNSIGNED_KERNELS = [
    by_uint8, by_uint16, by_uint32, by_int8, by_int32, by_int64, by_sum, read, times, stepping,
    held, in_parallel, in_rows,
]  # fmt: skip


def between() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """An array, and all the memory that it lies in the middle of."""
    memory = np.arange(LENGTH + 2 * BESIDE, dtype=np.int32)
    return memory[BESIDE : BESIDE + LENGTH], memory


def outcome(run: Callable[..., Any], *numbers: Any) -> tuple[Any, bytes]:
    array, memory = between()
    try:
        ending = run(array, *numbers)
    except Trap as trap:
        ending = (trap.kind, trap.span)
    return ending, memory.tobytes()


def hold(kernel: Any, calls: list[tuple[Any, ...]]) -> int:
    """Every call ends alike in every execution; how many traps there were."""
    types = types_for(kernel, kernel.signature.bind((between()[0], *calls[0]), {}))
    runs: Iterator[tuple[str, Callable[..., Any]]] = executions(kernel, types, TARGETS)
    _, managed = next(runs)
    expected = [outcome(managed, *numbers) for numbers in calls]
    rows = 0
    for name, run in runs:
        rows += 1
        for numbers, wanted in zip(calls, expected, strict=True):
            assert outcome(run, *numbers) == wanted, (kernel.__name__, name, numbers)
    assert rows >= 3  # evaluate, and two levels of some target
    return sum(isinstance(ending, tuple) for ending, _ in expected)


TURNS = (1, 3, 20)


@pytest.mark.parametrize("kernel", UNSIGNED_KERNELS, ids=lambda k: k.__name__)
def test_an_unsigned_number_of_any_size_leads_nowhere_else(kernel: Any) -> None:
    assert hold(kernel, [(n, uint64(h)) for n in TURNS for h in UNSIGNED])


@pytest.mark.parametrize("kernel", [signed, signed_as_unsigned], ids=lambda k: k.__name__)
def test_a_signed_number_of_any_size_leads_nowhere_else(kernel: Any) -> None:
    assert hold(kernel, [(n, int64(h)) for n in TURNS for h in SIGNED])


def test_a_narrow_signed_number_leads_nowhere_else() -> None:
    numbers = (0, 1, 127, 128, 129, 255, 256, 32767)
    assert hold(narrow_signed, [(n, int16(s * h)) for n in TURNS for h in numbers for s in (1, -1)])


@sb.job
class Fill(sb.ParallelFor):
    values: sb.Array[int32]
    out: sb.Array[int32]
    turns: int32
    h: uint64

    def execute(self, index: int32):
        for i in range(int(self.turns)):
            self.out[index] += self.values[i + int(uint8(self.h))]


@pytest.mark.parametrize("h", [0, 2**63, 2**63 + 1, 2**64 - 1])
def test_a_job_traps_where_its_loop_leaves_the_array(h: int) -> None:
    array, _ = between()
    with pytest.raises(Trap, match="is out of range"):
        Fill(
            values=array, out=np.zeros(2, np.int32), turns=int32(20), h=uint64(h)
        ).schedule(2).complete()  # fmt: skip


SIMULATION = """\
import samebits as sb
from samebits import int32, uint8, uint64


@sb.struct
class State:
    before: sb.FixedArray[int32, 64]
    cells: sb.FixedArray[int32, 4]
    after: sb.FixedArray[int32, 64]


@sb.struct
class Input:
    turns: int32
    h: uint64


@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.cells[0] = 1


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    given = inputs[0]
    h = given.h
    for i in range(int(given.turns)):
        state.cells[i + int(uint8(h))] = 7


GAME = sb.Simulation(
    name="hostile",
    version="1",
    state=State,
    input=Input,
    players=1,
    init=init,
    step=step,
    tick_rate=30,
)
"""


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path]:
    """A simulation, and a replay whose fourth input is of a number that no int64 has."""
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "game.py").write_text(SIMULATION)
    game = load_simulation(str(folder / "game.py"))
    inputs = np.zeros((4, 1), game.input_type.dtype)
    inputs["turns"] = 3
    inputs["turns"][3], inputs["h"][3] = 40, 2**63
    path = folder / "hostile.mcap"
    with game.record(path, seed=1) as recording, pytest.raises(Trap, match="is out of range"):
        recording.run(inputs)
    return game, path


def test_a_replay_with_such_a_number_traps_alike_in_every_execution(
    hostile: tuple[Any, Path],
) -> None:
    game, replay = hostile
    rows = choose_rows(all_rows())
    rows = [row for row in rows if not row.emulated or row.group in ("wasm32", "aarch64")]
    done = Verification(game, ReplaySource(game, str(replay)), [r for r in rows if not r.reason])
    done.run(lambda what, frames: None)
    assert done.same
    assert len(done.rows) >= 4
    for row in done.rows:
        assert row.trap is not None, row.name
        assert (row.frames, row.trap.kind) == (3, "index"), row.name


@pytest.mark.skipif(
    __import__("importlib.util").util.find_spec("ziglang") is None,
    reason="the ziglang package is not installed: pip install samebits[targets]",
)
def test_an_exported_verifier_traps_on_it_too(hostile: tuple[Any, Path], tmp_path: Path) -> None:
    game, replay = hostile
    build(game, choose_targets(()), tmp_path)
    (program,) = (tmp_path / host_row()).glob("*-verify")
    export_inputs(replay, tmp_path / "hostile.inputs")
    done = subprocess.run(
        [program, tmp_path / "hostile.inputs"], capture_output=True, text=True, timeout=HANG_SECONDS
    )
    assert done.returncode == 1
    assert "trap in frame 3: index" in done.stderr
