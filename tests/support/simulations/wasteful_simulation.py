"""A simulation whose frames take nearly as much as those of a report may, and little time."""

from __future__ import annotations

import samebits as sb
from samebits import float32, uint64


@sb.struct
class State:
    pos: sb.FixedArray[float32, 8]
    waste: float32


@sb.struct
class Input:
    push: float32


@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.pos[1] = 0.54333735


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    for i in range(8):
        state.pos[i] = state.pos[i] * 0.999 + inputs[0].push * 0.016
    for i in range(540):
        big = sb.zeros(60_000, float32)
        state.waste += big[i]


def push(frame: int, player: int, seed: int) -> dict[str, object]:
    return {"push": 5.0 + frame}


WASTEFUL = sb.Simulation(
    name="wasteful",
    version="1",
    state=State,
    input=Input,
    players=1,
    init=init,
    step=step,
    tick_rate=30,
    scripts={"push": push},
)
