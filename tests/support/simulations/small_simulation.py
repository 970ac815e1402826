"""A small simulation that has what states have: floats, integers, structs in arrays, and traps."""

from __future__ import annotations

import samebits as sb
from samebits import float2, float32, int8, int16, int32, math, uint8, uint32, uint64


@sb.struct
class Body:
    pos: float2
    vel: float2
    alive: bool
    kind: uint8
    charge: int16


@sb.struct
class State:
    frame: uint32
    random: uint32
    bodies: sb.FixedArray[Body, 5]
    grid: sb.FixedArray[int32, 3, 4]
    energy: sb.float64


@sb.struct
class Input:
    push: float32
    turn: int8
    fire: bool
    at: int32


@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.random = uint32(seed * 2654435761 + 1)
    for i in range(5):
        body = state.bodies[i]
        body.pos = float2(float32(i), 0.5)
        body.alive = i % 2 == 0
        body.kind = uint8(i)


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    state.random = state.random * 1664525 + 1013904223
    for p in range(2):
        given = inputs[p]
        body = state.bodies[p]
        body.vel += float2(given.push, float32(given.turn) * 0.1)
        body.charge += 1
        state.grid[p, 1] += int32(given.turn)
        if given.fire:
            state.bodies[given.at].alive = False
        assert given.at != 99, "nobody is at 99"
    for i in range(5):
        body = state.bodies[i]
        body.pos = body.pos * 0.999 + body.vel * 0.016
        state.energy += sb.float64(math.dot(body.vel, body.vel))
    state.frame += 1


def push(frame: int, player: int, seed: int) -> dict[str, object]:
    return {"push": frame * 0.01 - player, "turn": (frame + seed) % 20, "fire": frame % 7 == 3}


def crash(frame: int, player: int, seed: int) -> dict[str, object]:
    """An index out of range in frame 12."""
    return {"push": 0.5, "fire": frame == 12, "at": 5}


def broken(frame: int, player: int, seed: int) -> dict[str, object]:
    return {"pull": 1}


SMALL = sb.Simulation(
    name="small",
    version="1",
    state=State,
    input=Input,
    players=2,
    init=init,
    step=step,
    tick_rate=30,
    scripts={"push": push, "crash": crash, "broken": broken},
)
