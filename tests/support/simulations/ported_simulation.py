"""A simulation that tests port to C by hand: a ring of springs, and sums over it."""

from __future__ import annotations

import samebits as sb
from samebits import float32, math, uint32, uint64

N = 32


@sb.struct
class State:
    pos: sb.FixedArray[float32, N]
    vel: sb.FixedArray[float32, N]
    weight: sb.FixedArray[float32, N]
    heat: float32
    middle: float32
    frame: uint32


@sb.struct
class Input:
    push: float32


@sb.kernel
def init(state: State, seed: uint64) -> None:
    x = uint32(seed) * 2654435761 + 12345
    for i in range(N):
        x ^= x << 13
        x ^= x >> 17
        x ^= x << 5
        state.pos[i] = float32(x >> 8) * 5.9604644775390625e-08 * 4.0
        state.weight[i] = float32(i % 7) * 0.25 + 0.5


@sb.kernel
def pull(state: State, push: float32) -> None:
    for i in range(N):
        d = state.pos[i] - state.pos[(i + 1) % N]
        force = d / (1.0 + d * d)
        state.vel[i] = state.vel[i] * 0.995 - force * 0.05 + push * 0.01


@sb.kernel
def measure(state: State) -> None:
    heat = float32(0)
    middle = float32(0)
    for i in range(N):
        heat += state.vel[i] * state.vel[i] * state.weight[i]
        middle += state.pos[i] * state.weight[i]
    state.heat = math.sqrt(heat)
    state.middle = middle / 30.5


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    pull(state, inputs[0].push)
    for i in range(N):
        state.pos[i] += state.vel[i] * 0.0625
    measure(state)
    state.frame += 1


def sway(frame: int, player: int, seed: int) -> dict[str, float]:
    """Back and forth."""
    return {"push": (frame % 40 - 20) / 32.0}


RING = sb.Simulation(
    name="ring",
    version="1",
    state=State,
    input=Input,
    players=1,
    init=init,
    step=step,
    scripts={"sway": sway},
)
