"""Swinging weights in float64, which tests port to C by hand with some floats narrower."""

from __future__ import annotations

import samebits as sb
from samebits import float64, math, uint32, uint64

N = 12


@sb.struct
class State:
    angle: sb.FixedArray[float64, N]
    speed: sb.FixedArray[float64, N]
    length: sb.FixedArray[float64, N]
    energy: float64
    frame: uint32


@sb.struct
class Input:
    push: float64


@sb.kernel
def init(state: State, seed: uint64) -> None:
    x = uint32(seed) * 2654435761 + 12345
    for i in range(N):
        x ^= x << 13
        x ^= x >> 17
        x ^= x << 5
        state.angle[i] = float64(x >> 8) * 5.9604644775390625e-08 * 1.7 - 0.85
        state.length[i] = float64(i) * 0.3 + 0.7


@sb.kernel
def swing(state: State, push: float64) -> None:
    for i in range(N):
        a = state.angle[i]
        fall = a - a * a * a * 0.16666
        pull = fall * 9.81 / state.length[i]
        state.speed[i] = state.speed[i] * 0.997 - pull * 0.01 + push * 0.02


@sb.kernel
def turn(state: State) -> None:
    for i in range(N):
        state.angle[i] += state.speed[i] * 0.01


@sb.kernel
def measure(state: State) -> None:
    total = float64(0)
    for i in range(N):
        v = state.speed[i] * state.length[i]
        total += v * v * 0.35
    state.energy = math.sqrt(total)


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    swing(state, inputs[0].push)
    turn(state)
    measure(state)
    state.frame += 1


def gusts(frame: int, player: int, seed: int) -> dict[str, float]:
    """Back and forth."""
    return {"push": (frame % 30 - 15) / 7.0}


WEIGHTS = sb.Simulation(
    name="weights",
    version="1",
    state=State,
    input=Input,
    players=1,
    init=init,
    step=step,
    scripts={"gusts": gusts},
)
