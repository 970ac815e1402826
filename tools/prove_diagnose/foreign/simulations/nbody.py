"""Ten bodies under their own gravity, which two players push: float32, no library functions."""

from typing import Literal

import samebits as sb
from samebits import float3, float32, int8, math, uint64

COUNT = 10
DT = 0.01
SOFT = 0.05


@sb.struct
class Body:
    pos: float3
    vel: float3
    mass: float32


@sb.struct
class State:
    bodies: sb.FixedArray[Body, Literal[10]]
    energy: float32


@sb.struct
class Input:
    x: int8
    y: int8


@sb.kernel
def pull(a: Body, b: Body) -> float3:
    """The acceleration of a towards b."""
    between = b.pos - a.pos
    square = math.dot(between, between) + SOFT
    return between * (b.mass / (square * math.sqrt(square)))


@sb.kernel
def kick(state: State, i: int) -> None:
    force = float3(0, 0, 0)
    for j in range(COUNT):
        if j != i:
            force += pull(state.bodies[i], state.bodies[j])
    state.bodies[i].vel += force * DT


@sb.kernel
def drift(body: Body) -> None:
    body.pos += body.vel * DT


@sb.kernel
def energy(state: State) -> float32:
    total = float32(0)
    for i in range(COUNT):
        total += 0.5 * state.bodies[i].mass * math.dot(state.bodies[i].vel, state.bodies[i].vel)
    return total


@sb.kernel
def init(state: State, seed: uint64) -> None:
    for i in range(COUNT):
        k = float32(i)
        shift = float32(int(seed % 100)) * 0.01
        state.bodies[i].pos = float3(k * 0.7 - 3.0, (k * 1.3 + shift) % 2.1, (k * 0.37) % 1.0)
        state.bodies[i].vel = float3(0.1 * k - 0.4, 0.3 - 0.05 * k, 0.02 * k)
        state.bodies[i].mass = 0.5 + 0.1 * k


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    for player in range(2):
        state.bodies[player].vel.x += float32(inputs[player].x) / 500.0
        state.bodies[player].vel.y += float32(inputs[player].y) / 500.0
    for i in range(COUNT):
        kick(state, i)
    for i in range(COUNT):
        drift(state.bodies[i])
    state.energy = energy(state)


def circle(frame: int, player: int, seed: int) -> dict[str, int]:
    way = (frame // 7 + player * 3 + seed) % 4
    return {"x": (5, 0, -5, 0)[way], "y": (0, 5, 0, -5)[way]}


NBODY = sb.Simulation(
    name="nbody", version="1", state=State, input=Input, players=2, init=init, step=step,
    tick_rate=100, scripts={"circle": circle},
)  # fmt: skip
