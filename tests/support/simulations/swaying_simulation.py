"""Loops over lanes that call functions whose rare arguments have loops of their own."""

from __future__ import annotations

import samebits as sb
from samebits import float32, float64, math, uint64

N = 67


@sb.struct
class State:
    x: sb.FixedArray[float32, N]
    y: sb.FixedArray[float64, N]


@sb.struct
class Input:
    push: float32


@sb.kernel
def init(state: State, seed: uint64) -> None:
    for i in range(N):
        state.x[i] = float32(i) * 0.37 + float32(seed)
        state.y[i] = float64(i) * 0.21 - 3.0


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    push = inputs[0].push
    for i in range(N):
        state.x[i] = math.sin(state.x[i] * 3.0) + math.exp(-math.abs(state.x[i])) * push
    for i in range(N):
        state.y[i] = math.cos(state.y[i]) * 2.0 + math.log(state.y[i] * state.y[i] + 0.5)


def push(frame: int, player: int, seed: int) -> dict[str, object]:
    return {"push": (frame * 7 % 13) / 4 - 1.25}


SWAYING = sb.Simulation(
    name="swaying", version="1", state=State, input=Input, players=1, init=init, step=step,
    tick_rate=60, scripts={"push": push},
)  # fmt: skip
