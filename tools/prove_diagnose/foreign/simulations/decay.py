"""Tanks that drain into one another, and echoes that fade to nothing: small numbers, constants."""

from typing import Literal

import samebits as sb
from samebits import float32, int8, uint64

TANKS = 10


@sb.struct
class Tank:
    level: float32
    echo: float32
    flow: float32


@sb.struct
class State:
    tanks: sb.FixedArray[Tank, Literal[10]]
    spilt: float32


@sb.struct
class Input:
    pour: int8


@sb.kernel
def drain(a: Tank, b: Tank) -> None:
    """Some of a's level goes to b."""
    a.flow = a.flow * 0.7 + (a.level - b.level) * 0.1
    moved = a.flow / 3.0
    a.level -= moved
    b.level += moved * 0.99


@sb.kernel
def fade(tank: Tank) -> None:
    """An echo of the level, damped until it is too small for a number."""
    tank.echo = tank.echo * 0.55
    if tank.level > 1.1:
        tank.echo += tank.level * 1e-30


@sb.kernel
def init(state: State, seed: uint64) -> None:
    for i in range(TANKS):
        state.tanks[i].level = 1.0 + 0.1 * float32(i) + float32(int(seed % 17)) * 0.001
        state.tanks[i].echo = 1.0


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    state.tanks[0].level += float32(inputs[0].pour) / 255.0
    for i in range(TANKS - 1):
        drain(state.tanks[i], state.tanks[i + 1])
    for i in range(TANKS):
        fade(state.tanks[i])
    if state.tanks[TANKS - 1].level > 1.5:
        state.spilt += (state.tanks[TANKS - 1].level - 1.5) * 0.3
        state.tanks[TANKS - 1].level = 1.5


def pour(frame: int, player: int, seed: int) -> dict[str, int]:
    return {"pour": (0, 3, 0, 1)[(frame // 25 + seed) % 4]}


DECAY = sb.Simulation(
    name="decay", version="1", state=State, input=Input, players=1, init=init, step=step,
    tick_rate=60, scripts={"pour": pour},
)  # fmt: skip
