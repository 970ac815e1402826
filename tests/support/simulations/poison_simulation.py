"""A simulation some of whose replays end the process that runs them, by their seed."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import samebits as sb
from samebits import float32, uint64
from samebits.sim.execution import NativeExecution

CRASHES, HANGS, GROWS = 101, 102, 103
"""The seeds of replays that do so."""


@sb.struct
class State:
    position: float32
    speed: float32


@sb.struct
class Input:
    push: float32


@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.speed = float32(seed) / float32(8)


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    state.speed = state.speed * float32(0.99) + inputs[0].push
    state.position += state.speed * float32(0.016)


def push(frame: int, player: int, seed: int) -> dict[str, object]:
    return {"push": 0.1 * (frame % 7) + player}


poison = sb.Simulation(
    name="poison", version="1", state=State, input=Input, players=2, init=init, step=step,
    scripts={"push": push},
)  # fmt: skip

_start = NativeExecution.start


def _poisoned(self: NativeExecution, seed: int) -> None:
    if seed == CRASHES:
        os.kill(os.getpid(), signal.SIGKILL)
    if seed == HANGS:
        Path(os.environ["SAMEBITS_TEST_HANGS"]).touch()
        while True:
            signal.pause()
    held: list[bytearray] = []
    while seed == GROWS:
        held.append(bytearray(1 << 26))
    _start(self, seed)


if "SAMEBITS_TEST_HANGS" in os.environ:  # not in the process that records the replays
    NativeExecution.start = _poisoned
