"""A simulation that keeps halves: in its state, in arrays, inside structs, and in its inputs."""

from __future__ import annotations

import samebits as sb
from samebits import float3, float32, half, half3, uint8, uint64


@sb.struct
class Spark:
    kind: uint8
    heat: half
    at: sb.FixedArray[half, 3]

    def cooled(self, factor: float32) -> half:
        return half(float32(self.heat) * factor)


@sb.struct
class State:
    height: half
    frame: sb.int32
    sparks: sb.FixedArray[Spark, 5]
    field: sb.FixedArray[half, 4, 6]
    total: sb.float64
    drift: half3


@sb.struct
class Input:
    push: half
    at: uint8


@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.height = 1.5
    for i in range(5):
        state.sparks[i].heat = half(0.1 * sb.float64(i))


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    given = inputs[0]
    push = float32(given.push)
    if not push < 4:  # a NaN too
        push = float32(4)
    state.height = half(float32(state.height) * float32(0.75) + push)
    for i in range(5):
        state.sparks[i].heat = state.sparks[i].cooled(float32(0.9))
        state.sparks[i].at[int32_of(given.at)] = half(push + float32(i) / 3)
        state.total += sb.float64(state.sparks[i].heat)
    for i in range(4):
        for j in range(6):
            state.field[i, j] = half(float32(state.field[i, j]) + push / float32(7 + i * j))
    state.drift = half3(float3(state.drift) * 0.5 + float3(push, 1, -push))
    state.frame += 1


@sb.kernel
def int32_of(at: uint8) -> sb.int32:
    return sb.int32(at % 3)


def pushed(frame: int, player: int, seed: int) -> dict[str, float]:
    return {"push": 0.1 * (frame % 9), "at": frame % 256}


SIMULATION = sb.Simulation(
    name="halves", version="1", state=State, input=Input, players=1, init=init, step=step,
    scripts={"pushed": pushed},
)  # fmt: skip
