"""Springs that come to rest: without flushing, their state would be full of subnormal numbers."""

from __future__ import annotations

import samebits as sb
from samebits import float32, math, uint64

sb.defaults(denormals="flush")


@sb.struct
class State:
    place: sb.FixedArray[float32, 8]
    speed: sb.FixedArray[float32, 8]


@sb.struct
class Input:
    push: float32


@sb.kernel
def init(state: State, seed: uint64) -> None:
    for i in range(8):
        state.place[i] = float32(1e-36) * (float32(i) - 3.5) * float32(seed)


@sb.kernel
def damped(v: float32) -> float32:
    return v * float32(0.6) + math.sin(v) * float32(0.1)


@sb.kernel(optimize_for="size")
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    for i in range(8):
        state.speed[i] = damped(state.speed[i]) - state.place[i] * float32(0.25)
        if sb.unlikely(sb.abs(state.speed[i]) > 1):
            state.speed[i] = 0
        state.place[i] += state.speed[i]
    state.place[0] += inputs[0].push * float32(1e-37)


def nudge(frame: int, player: int, seed: int) -> dict[str, object]:
    return {"push": float32(frame % 7 - 3 if frame < 20 else 0)}


FADING = sb.Simulation(
    name="fading",
    version="1",
    state=State,
    input=Input,
    players=1,
    init=init,
    step=step,
    scripts={"nudge": nudge},
)
