"""A simulation whose step goes round as often as its input says: for days, if it is large."""

from __future__ import annotations

import samebits as sb
from samebits import int64, uint64


@sb.struct
class State:
    a: uint64
    turns: uint64
    b: uint64


@sb.struct
class Input:
    turns: int64


@sb.kernel
def init(state: State, seed: uint64):
    state.a = seed


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]):
    state.a += uint64(1)
    k = int64(0)
    while k < inputs[0].turns:
        k += int64(1)
        state.turns = state.turns * uint64(6364136223846793005) + uint64(1)
    state.b += uint64(1)


def script(frame: int, inputs: sb.Array[Input]) -> None: ...


simulation = sb.Simulation(
    name="endless", version=1, state=State, input=Input, init=init, step=step,
    players=1, tick_rate=60,
)
