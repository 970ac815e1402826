"""A simulation whose state and inputs are halves: what diagnosis shows of them."""

import samebits as sb
from samebits import float3, float32, half, half3, uint64


@sb.struct
class Body:
    height: half
    speed: half
    spin: half3


@sb.struct
class State:
    bodies: sb.FixedArray[Body, 4]
    total: half


@sb.struct
class Push:
    up: half


@sb.kernel
def init(state: State, seed: uint64) -> None:
    for i in range(4):
        state.bodies[i].height = half(float32(i) * 0.37 + 0.1)
        state.bodies[i].speed = half(float32(i) * 0.011 - 0.7)


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Push]) -> None:
    total = float32(0)
    for i in range(4):
        b = state.bodies[i]
        v = float32(b.speed) * 0.99 + float32(inputs[0].up) * 0.5
        b.speed = half(v)
        b.height = half(float32(b.height) * 0.999 + v * 0.016)
        b.spin = half3(float3(b.spin) * 0.97 + float3(0.01, 0.02, 0.03))
        total += float32(b.height) * v
    state.total = half(float32(state.total) * 0.5 + total)


def steady(frame: int, player: int, seed: int) -> dict[str, float]:
    """Pushes that leave every half of the state an ordinary number."""
    return {"up": 0.01 * (frame % 7) - 0.03}


SIMULATION = sb.Simulation(
    name="halves", version="1", state=State, input=Push, init=init, step=step, players=1,
    scripts={"steady": steady},
)  # fmt: skip
