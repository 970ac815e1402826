"""A pendulum whose length is a parameter, and one whose `init` traps."""

import samebits as sb
from samebits import float32, float64, int16, math, random, uint64


@sb.struct
class State:
    angle: float64
    speed: float64
    length: float64
    turns: int16


@sb.struct
class Input:
    push: float32


@sb.kernel
def init(state: State, seed: uint64) -> None:
    drawn = random.seeded(seed, 0)
    state.angle = drawn.next_float64()
    state.speed = drawn.next_float64() - 0.5
    state.length = 1.0


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    state.speed -= (9.81 / state.length * math.sin(state.angle) - float64(inputs[0].push)) * 0.01
    state.angle += state.speed * 0.01


@sb.kernel
def broken(state: State, seed: uint64) -> None:
    assert seed == uint64(0), "no such swing"


SWINGS = sb.Simulation(
    name="swings", version="1", state=State, input=Input, players=1, init=init, step=step,
    tick_rate=100,
)  # fmt: skip
BROKEN = sb.Simulation(
    name="broken", version="1", state=State, input=Input, players=1, init=broken, step=step,
    tick_rate=100,
)  # fmt: skip
