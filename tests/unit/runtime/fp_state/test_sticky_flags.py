"""The sticky floating-point flags are the caller's after every public entry, whichever its call."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.support.sticky_flags import flags_after, in_fork, needs_flags

import samebits as sb
from samebits import float32, float64, int32, uint64

pytestmark = needs_flags


@sb.struct
class Ball:
    x: float64
    v: float32


@sb.struct
class Push:
    force: float32


@sb.struct
class Seen:
    x: float32


@sb.kernel
def init(state: Ball, seed: uint64) -> None:
    state.x = 0.1 * float64(seed)


@sb.kernel
def step(state: Ball, inputs: sb.ReadOnly[Push]) -> None:
    state.x += 0.1 * inputs[0].force
    state.v += inputs[0].force / float32(3)


@sb.kernel
def observe(state: Ball, out: Seen) -> None:
    out.x = float32(state.x)


@sb.kernel
def third(x: float64) -> float64:
    return x / 3.0


@sb.kernel
def thirds(a: sb.Array[float64]) -> None:
    for i in range(len(a)):
        a[i] = a[i] / 3.0


@sb.job
class Thirds(sb.ParallelFor):
    out: sb.Array[float64]

    def execute(self, index: int32) -> None:
        self.out[index] = self.out[index] / 3.0


def simulation() -> sb.Simulation:
    return sb.Simulation(
        name="flags", version="1", state=Ball, input=Push, players=1, init=init, step=step,
        observe=observe,
    )  # fmt: skip


class Given:
    """What entries are given, made before the flags are put down."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.simulation = simulation()
        self.session = self.simulation.start(1)
        self.kept = self.simulation.start(1, keep=20)
        self.rollback = self.simulation.rollback(1)
        self.batch = self.simulation.batch(3, keep=20)
        self.pushes = [Push(force=0.1)]
        self.inputs = np.zeros((20, 1), Push.dtype)
        self.inputs["force"] = 0.3
        self.many = np.zeros((3, 1), Push.dtype)
        self.kept.run(self.inputs)
        self.batch.step(self.many)
        self.array = np.linspace(0.0, 1.0, 50)
        self.replay = folder / "replay.sbr"
        with self.simulation.record(self.replay, seed=3) as recording:
            recording.run(self.inputs)
        self.report = folder / "of_session.desync"
        self.kept.report(self.report)
        self.saved = self.session.save()
        self.worlds = self.batch.save()
        self.place = sb.float2(0.3, 0.7)
        self.number = 0

    def path(self) -> Path:
        self.number += 1
        return self.folder / f"{os.getpid()}-{self.number}"


Entry = Callable[[Given], object]
ENTRIES: dict[str, Entry] = {
    "kernel": lambda g: sb.kernel(third.function),
    "kernel with options": lambda g: sb.kernel(mode=sb.STRICT)(third.function),
    "struct": lambda g: sb.struct(type("Q", (), {"__annotations__": {"x": float64}})),
    "a call": lambda g: third(0.3),
    "a call by name": lambda g: third(x=0.3),
    "a call with an array": lambda g: thirds(g.array),
    "managed": lambda g: third.managed(0.3),
    "check_races": lambda g: third.check_races(0.3),
    "evaluate": lambda g: sb.evaluate(third, 0.3),
    "assert_same_bits": lambda g: sb.assert_same_bits(third, 0.3),
    "assert_same_bits_each": lambda g: sb.assert_same_bits_each(third, [(0.3,), (0.7,)]),
    "inspect": lambda g: sb.inspect(third),
    "math_fingerprint": lambda g: sb.math_fingerprint(),
    "guarded": lambda g: sb.guarded(g.array),
    "set_workers": lambda g: sb.set_workers(2),
    "workers": lambda g: sb.workers(),
    "set_cache_dir": lambda g: sb.set_cache_dir(g.folder / "cache"),
    "job": lambda g: Thirds(out=g.array).schedule(8).complete(),
    "a job's run": lambda g: Thirds(out=g.array).run(8),
    "a job's managed run": lambda g: Thirds(out=g.array).managed_run(8),
    "a job's races": lambda g: Thirds(out=g.array).check_races(8),
    "combine": lambda g: sb.combine(Thirds(out=g.array).schedule(8)).complete(),
    "math of a number": lambda g: sb.math.sin(0.3),
    "math of an array": lambda g: sb.math.exp(g.array),
    "math of two": lambda g: sb.math.pow(0.3, 0.7),
    "a sum": lambda g: sb.math.sum(g.array),
    "noise": lambda g: sb.noise.perlin_2d(g.place, 5),
    "random": lambda g: sb.random.seeded(5, 1),
    "fpenv": lambda g: sb.fpenv.state(),
    "Simulation": lambda g: simulation(),
    "digest": lambda g: simulation().digest,
    "start": lambda g: g.simulation.start(1),
    "start of a new one": lambda g: simulation().start(1),
    "start with keep": lambda g: g.simulation.start(1, keep=10),
    "rollback": lambda g: g.simulation.rollback(1),
    "rollback.play": lambda g: g.rollback.play(0, g.inputs[:4]),
    "rollback.hash": lambda g: g.rollback.hash(),
    "rollback.canonical_state": lambda g: g.rollback.canonical_state(),
    "batch": lambda g: g.simulation.batch(4),
    "batch.step": lambda g: g.batch.step(g.many),
    "batch.run": lambda g: g.batch.run(g.many, 3),
    "batch.observe": lambda g: g.batch.observe(),
    "batch.hashes": lambda g: g.batch.hashes(),
    "batch.reset": lambda g: g.batch.reset(),
    "batch.save": lambda g: g.batch.save(),
    "batch.restore": lambda g: g.batch.restore(g.worlds),
    "batch.world": lambda g: g.batch.world(1).hash(),
    "batch.replay": lambda g: g.batch.replay(1, g.path()),
    "step": lambda g: g.session.step(g.pushes),
    "step by dicts": lambda g: g.session.step([{"force": 0.1}]),
    "step by an array": lambda g: g.session.step(g.inputs[0]),
    "step of other inputs": lambda g: g.session.step(tuple(g.pushes)),
    "run": lambda g: g.session.run(g.inputs),
    "hash": lambda g: g.session.hash(),
    "canonical_state": lambda g: g.session.canonical_state(),
    "save": lambda g: g.session.save(),
    "restore": lambda g: g.session.restore(g.saved),
    "report": lambda g: g.kept.report(g.path()),
    "read_report": lambda g: sb.read_report(g.report),
    "write_report": lambda g: sb.write_report(sb.read_report(g.report), g.path()),
    "record": lambda g: _recorded(g),
    "Replay": lambda g: sb.Replay.open(g.replay),
    "Replay of a simulation": lambda g: sb.Replay.open(g.replay, g.simulation),
}

NO_ENTRIES = {
    "to_python": "a conversion of numbers",
    "defaults": "a note of options",
    "trace": "of kernels", "tracing": "a block that collects",
    "zeros": "an array's memory", "zero": "a struct's memory", "table": "numbers of a kernel",
    "strided": "a view", "prange": "of kernels", "unsafe_parallel": "an annotation",
    "f32": "a number",
    # Run by the tests of diagnosis as commands; each has the decorator of the entries above.
    "diagnose": "minutes", "make_report": "as write_report", "explain": "minutes",
}  # fmt: skip
"""Public functions that compute nothing but numbers as CPython and NumPy do, or take minutes."""


def _recorded(given: Given) -> None:
    with given.simulation.record(given.path(), seed=3) as recording:
        recording.run(given.inputs)
        recording.step(given.pushes)


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Given:
    return Given(tmp_path_factory.mktemp("flags"))


@pytest.mark.parametrize("flags", [0, 0x04], ids=["none", "one"])
@pytest.mark.parametrize("name", ENTRIES)
def test_the_flags_are_the_callers(name: str, flags: int, given: Given) -> None:
    """In a fork, whose first call of it is the process's first of most of them."""
    found = in_fork(lambda: flags_after(lambda: ENTRIES[name](given), flags))
    assert found == hex(flags) * 3


def test_every_public_function_is_among_them() -> None:
    asked = {name.split(".")[0] for name in ENTRIES} | {*NO_ENTRIES}
    for name in sb.__all__:
        value = getattr(sb, name)
        if isinstance(value, type) or not callable(value):
            continue
        if getattr(value, "__module__", "").startswith("samebits.lang.intrinsics"):
            continue  # of numbers, and for kernels
        assert name in asked, name


_IMPORTS = """
import ctypes
import numpy
ctypes.pythonapi.feclearexcept(0x3f)
import samebits
print(ctypes.pythonapi.fetestexcept(0x1f))
from samebits import diagnosis, export, net, sim
import samebits.verify.verification
print(ctypes.pythonapi.fetestexcept(0x1f))
"""


def test_imports_leave_them_too() -> None:
    done = subprocess.run([sys.executable, "-c", _IMPORTS], capture_output=True, text=True)
    assert done.stdout.split() == ["0", "0"], done.stderr
