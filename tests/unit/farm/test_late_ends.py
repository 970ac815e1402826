"""A limit costs the replay that exceeds it, whoever ends the process, and no other one."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.folders import SIMULATIONS

import samebits.farm.pool as pool_module
from samebits.farm.entries import content_of
from samebits.farm.limits import PREPARE_SECONDS, Limits
from samebits.farm.pool import Pool
from samebits.farm.rows import CRASHED, HUNG, Key, Task
from samebits.farm.watch import Watch
from samebits.replay import ReplayWriter
from samebits.sim.load import load_simulation

DUEL = str(SIMULATIONS / "duel_simulation.py")


class LateWatch(Watch):
    """Ends what it watches when it is told to stop, as one whose time is over in that moment."""

    times = 1

    def _look(self) -> None:
        self._over.wait()
        if LateWatch.times:
            LateWatch.times -= 1
            self.late = True
            self._end()


@pytest.mark.parametrize("times", [1, 2])
def test_a_process_that_was_ended_behind_its_answer_is_not_asked_again(
    monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    monkeypatch.setattr(LateWatch, "times", times)
    monkeypatch.setattr(pool_module, "Watch", LateWatch)
    pool = Pool(Limits())
    try:
        found = [pool.about(DUEL) for _ in range(3)]
    finally:
        pool.close()
    assert len(set(found)) == 1
    assert LateWatch.times == 0


_BEGAN = """print('{"began": "native"}', flush=True)\n"""
_DIES = "import os, signal\nos.kill(os.getpid(), signal.{0})"


@pytest.mark.parametrize(
    ("program", "result", "told", "how"),
    [
        (_BEGAN + _DIES.format("SIGPROF"), HUNG, "over 3 s", "native"),
        (_BEGAN + _DIES.format("SIGALRM"), HUNG, "over 3 s", "native"),
        (_DIES.format("SIGPROF"), HUNG, "not loaded and compiled after 23 s", ""),
        (_BEGAN + _DIES.format("SIGKILL"), CRASHED, "the process that ran it ended: signal 9",
         "native"),
    ],
    ids=["computed", "waited", "compiled", "crashed"],
)  # fmt: skip
def test_a_process_that_the_system_ended_over_its_limit_hung(
    monkeypatch: pytest.MonkeyPatch, program: str, result: str, told: str, how: str
) -> None:
    """The parent may be too slow to be the one that ends it."""
    popen = subprocess.Popen

    def started(command: list[str], **given: Any) -> subprocess.Popen[str]:
        return popen([sys.executable, "-c", f"input()\n{program}"], **given)

    monkeypatch.setattr(pool_module.subprocess, "Popen", started)
    task = Task(Key("r", "p", "x86-64-v1-O3", "f", 0), "a.mcap", "game.py", "game", "1")
    found = Pool(Limits(seconds=3.0)).run(task)
    assert (found.result, found.told, found.how) == (result, told, how)


_HANGS = """
import samebits as sb
from samebits import int32, uint64

@sb.struct
class State:
    count: int32

@sb.struct
class Input:
    hang: bool

@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.count = 0

@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    state.count += 1
    k = 0
    while k >= 0 and inputs[0].hang and state.count > 4:
        k = (k + 1) % 1000

hangs = sb.Simulation(name="hangs", version="1", state=State, input=Input, players=1, init=init,
    step=step, tick_rate=60)
"""


@pytest.mark.parametrize("target", ["x86-64-v1-O3", "evaluate", "managed"])
def test_a_loop_without_an_end_is_ended_in_time_in_any_execution(
    tmp_path: Path, target: str
) -> None:
    """Its frames 0 to 3 are well; loading and compiling are not of its time."""
    path = tmp_path / "hangs.py"
    path.write_text(_HANGS)
    simulation = load_simulation(str(path))
    inputs = np.zeros((8, 1), simulation.input.dtype)
    inputs["hang"] = True
    replay = str(tmp_path / "a.mcap")
    with ReplayWriter(replay, simulation.header(1)) as writer:
        writer.add_block(simulation.inputs.to_bytes(inputs), None, frames=8)
    pool = Pool(Limits(seconds=0.2))
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    try:
        key = Key(content_of(replay), simulation.digest, target, "f", 0)
        found = pool.run(Task(key, replay, str(path), "hangs", "1"))
    finally:
        pool.close()
    how = "native" if target.startswith("x86") else "python"
    assert (found.result, found.told, found.how) == (HUNG, "over 0.2 s", how)
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    assert used < PREPARE_SECONDS / 2
