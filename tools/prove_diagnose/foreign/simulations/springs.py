"""A net of springs in a plane, whose upper corners players move: float32, divisions and roots."""

from typing import Literal

import samebits as sb
from samebits import float2, float32, int8, math, uint64

SIDE = 6
POINTS = 36
STIFF = 180.0
DAMP = 0.7
REST = 0.3
DT = 1.0 / 120.0


@sb.struct
class State:
    pos: sb.FixedArray[float2, Literal[36]]
    vel: sb.FixedArray[float2, Literal[36]]
    force: sb.FixedArray[float2, Literal[36]]
    stretch: float32


@sb.struct
class Input:
    x: int8
    y: int8


@sb.kernel
def spring(state: State, a: int, b: int, rest: float32) -> None:
    """Pull two points together."""
    between = state.pos[b] - state.pos[a]
    length = math.sqrt(between.x * between.x + between.y * between.y)
    if length < 0.0001:
        return
    along = between / length
    speed = state.vel[b] - state.vel[a]
    pull = STIFF * (length - rest) + DAMP * (speed.x * along.x + speed.y * along.y)
    state.force[a] += along * pull
    state.force[b] -= along * pull
    state.stretch = max(state.stretch, (length - rest) / rest)


@sb.kernel
def net(state: State) -> None:
    for i in range(SIDE):
        for j in range(SIDE):
            p = i * SIDE + j
            if j + 1 < SIDE:
                spring(state, p, p + 1, REST)
            if i + 1 < SIDE:
                spring(state, p, p + SIDE, REST)
            if i + 1 < SIDE and j + 1 < SIDE:
                spring(state, p, p + SIDE + 1, REST * 1.41421356)


@sb.kernel
def move(state: State) -> None:
    for p in range(POINTS):
        state.vel[p] = (state.vel[p] + state.force[p] * DT) * 0.998
        state.pos[p] += state.vel[p] * DT


@sb.kernel
def init(state: State, seed: uint64) -> None:
    for i in range(SIDE):
        for j in range(SIDE):
            lean = float32(int(seed % 13)) * 0.001
            state.pos[i * SIDE + j] = float2(float32(j) * REST + lean, -float32(i) * REST)


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    state.stretch = 0.0
    for p in range(POINTS):
        state.force[p] = float2(0.0, -9.81)
    net(state)
    for player in range(2):
        p = player * (SIDE - 1)
        state.force[p] = float2(0, 0)
        state.vel[p] = float2(float32(inputs[player].x), float32(inputs[player].y)) / 60.0
    move(state)


def swing(frame: int, player: int, seed: int) -> dict[str, int]:
    return {"x": (40, -40)[(frame // 30 + seed) % 2], "y": (10, 0, -10)[(frame // 11 + player) % 3]}


SPRINGS = sb.Simulation(
    name="springs", version="1", state=State, input=Input, players=2, init=init, step=step,
    tick_rate=120, scripts={"swing": swing},
)  # fmt: skip
