"""Double pendulums by Runge and Kutta's fourth-order steps: float64 throughout."""

from typing import Literal

import samebits as sb
from samebits import float64, int8, math, uint64

COUNT = 3
DT = 0.005
G = 9.81
ROWS = 4


@sb.struct
class Pendulum:
    q: sb.FixedArray[float64, Literal[4]]
    push: float64


@sb.struct
class State:
    pendulums: sb.FixedArray[Pendulum, Literal[3]]
    energy: float64


@sb.struct
class Input:
    push: int8


@sb.kernel
def slope(q: sb.Array[float64], push: float64, out: sb.Array[float64]) -> None:
    """How the two angles and their speeds change."""
    delta = q[0] - q[1]
    s = math.sin(delta)
    c = math.cos(delta)
    bottom = 2.0 - c * c
    first = -2.0 * G * math.sin(q[0]) - s * (q[3] * q[3] + q[2] * q[2] * c) + G * c * math.sin(q[1])
    second = 2.0 * s * (q[2] * q[2] + G * math.cos(q[0])) + s * c * q[3] * q[3]
    out[0] = q[2]
    out[1] = q[3]
    out[2] = first / bottom + push
    out[3] = second / bottom - 0.01 * q[3]


@sb.kernel
def moved(q: sb.Array[float64], k: sb.Array[float64], h: float64, out: sb.Array[float64]) -> None:
    for i in range(ROWS):
        out[i] = q[i] + h * k[i]


@sb.kernel
def advance(p: Pendulum) -> None:
    k1 = sb.zeros(ROWS, float64)
    k2 = sb.zeros(ROWS, float64)
    k3 = sb.zeros(ROWS, float64)
    k4 = sb.zeros(ROWS, float64)
    at = sb.zeros(ROWS, float64)
    slope(p.q, p.push, k1)
    moved(p.q, k1, DT / 2.0, at)
    slope(at, p.push, k2)
    moved(p.q, k2, DT / 2.0, at)
    slope(at, p.push, k3)
    moved(p.q, k3, DT, at)
    slope(at, p.push, k4)
    for i in range(ROWS):
        p.q[i] += DT / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i])


@sb.kernel
def init(state: State, seed: uint64) -> None:
    for i in range(COUNT):
        state.pendulums[i].q[0] = 1.0 + 0.3 * float64(i)
        state.pendulums[i].q[1] = 0.2 * float64(int(seed % 7)) - 0.5


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    total = float64(0)
    for i in range(COUNT):
        state.pendulums[i].push = float64(inputs[0].push) / 50.0
        advance(state.pendulums[i])
        total += state.pendulums[i].q[2] * state.pendulums[i].q[2]
    state.energy = 0.5 * total


def shove(frame: int, player: int, seed: int) -> dict[str, int]:
    return {"push": (0, 30, 0, -45)[(frame // 50 + seed) % 4]}


INTEGRATOR = sb.Simulation(
    name="integrator", version="1", state=State, input=Input, players=1, init=init, step=step,
    tick_rate=200, scripts={"shove": shove},
)  # fmt: skip
