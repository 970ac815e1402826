"""A simulation whose step sorts as many bodies as there are just then, in arrays of its own."""

from __future__ import annotations

import samebits as sb
from samebits import float32, int8, int32, uint32, uint64

MOST = 40


@sb.struct
class Body:
    at: float32
    speed: float32


@sb.struct
class State:
    random: uint32
    count: int32
    bodies: sb.FixedArray[Body, MOST]
    order: sb.FixedArray[int32, MOST]
    total: float32


@sb.struct
class Input:
    more: int8


@sb.kernel
def ranks(bodies: sb.ReadOnly[Body], out: sb.Array[int32]) -> None:
    n = len(out)
    merged = sb.zeros(n, int32)
    for i in range(n):
        out[i] = int32(i)
    width = 1
    while width < n:
        for start in range(0, n, 2 * width):
            i, j = start, sb.min(start + width, n)
            middle, end = j, sb.min(start + 2 * width, n)
            for k in range(start, end):
                first = j >= end
                if i < middle and j < end:
                    first = bodies[out[i]].at <= bodies[out[j]].at
                if first:
                    merged[k] = out[i]
                    i += 1
                else:
                    merged[k] = out[j]
                    j += 1
        for k in range(n):
            out[k] = merged[k]
        width *= 2


@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.random = uint32(seed * 2654435761 + 1)
    state.count = int32(3)
    speeds = sb.zeros(int(seed % 7) + MOST, float32)
    for i in range(MOST):
        speeds[i] += float32(i % 7) - 3
        state.bodies[i] = Body(float32(i * 7 % 13), speeds[i])


@sb.kernel(arena=2048)
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    state.random = state.random * 1664525 + 1013904223
    for given in inputs:
        state.count += int32(given.more)
    n = sb.min(sb.max(state.count, 1), 12 * MOST)
    order = sb.zeros(n, int32)
    alive = sb.min(n, MOST)
    ranks(state.bodies[:alive], order[:alive])
    for k in range(3):
        pushes = sb.zeros((alive, 2), float32)
        for i in range(1, alive):
            pushes[i, k % 2] = state.bodies[order[i]].at - state.bodies[order[i - 1]].at
        for i in range(alive):
            body = state.bodies[order[i]]
            body.speed -= (pushes[i, 0] + pushes[i, 1]) * 0.1
            body.at += body.speed * 0.016 + float32(state.random >> 28) * 0.01
            state.total += body.at
            state.order[i] = order[i]


SCRATCH = sb.Simulation(
    name="scratch", version="1", state=State, input=Input, players=2, init=init, step=step
)
