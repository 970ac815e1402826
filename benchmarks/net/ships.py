"""Four ships that turn, thrust and shoot, with three bytes of input: a small game of usual cost."""

from __future__ import annotations

from typing import Literal

import samebits as sb
from samebits import float2, float32, int8, math, uint8, uint32, uint64

PLAYERS = 4
SHOTS = 32


@sb.struct
class Ship:
    pos: float2
    vel: float2
    angle: float32
    wait: uint32
    hits: uint32


@sb.struct
class Shot:
    pos: float2
    vel: float2
    left: uint32


@sb.struct
class State:
    next: uint32
    ships: sb.FixedArray[Ship, Literal[4]]
    shots: sb.FixedArray[Shot, Literal[32]]


@sb.struct
class Input:
    turn: int8
    thrust: uint8
    fire: bool


@sb.kernel
def init(state: State, seed: uint64) -> None:
    for p in range(PLAYERS):
        state.ships[p].angle = float32(p) * 1.5 + float32(uint32(seed % 64)) * 0.1
        state.ships[p].pos = float2(math.cos(state.ships[p].angle), math.sin(float32(p))) * 10.0


@sb.kernel
def wrapped(pos: float2) -> float2:
    return pos - math.floor(pos / 64.0) * 64.0


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    for p in range(PLAYERS):
        ship = state.ships[p]
        given = inputs[p]
        ship.angle += float32(given.turn) * 0.001
        way = float2(math.cos(ship.angle), math.sin(ship.angle))
        ship.vel = ship.vel * 0.99 + way * (float32(given.thrust) * 0.0001)
        ship.pos = wrapped(ship.pos + ship.vel)
        if ship.wait > 0:
            ship.wait -= 1
        elif given.fire:
            shot = state.shots[state.next]
            shot.pos = ship.pos + way * 2.0
            shot.vel = ship.vel + way * 0.8
            shot.left = 60
            ship.wait = 8
            state.next = (state.next + 1) % SHOTS
    for n in range(SHOTS):
        shot = state.shots[n]
        if shot.left > 0:
            shot.left -= 1
            shot.pos = wrapped(shot.pos + shot.vel)
            for p in range(PLAYERS):
                between = state.ships[p].pos - shot.pos
                if math.dot(between, between) < 1.0:
                    state.ships[p].hits += 1
                    shot.left = 0


ships = sb.Simulation(
    name="ships", version="1", state=State, input=Input, players=PLAYERS, init=init, step=step,
    tick_rate=60,
)  # fmt: skip
