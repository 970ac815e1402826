"""Curling for two, in float32: stones that are thrown, swept, and curl as they slow down."""

from typing import Literal

import samebits as sb
from samebits import float2, float32, int8, int32, math, uint64

DT = 1 / 60
FRICTION = 4.0
"""Of its speed, what a stone loses a second on cold ice."""
CURL = 0.02
"""Of its spin, in a turn of its way."""
REACH = 0.3
"""Metres between the centres of stones that touch."""
SPRING = 0.9
COOLING = 0.98
ICE = sb.table([0.0, 0.01, -0.005, 0.02, -0.015, 0.005, 0.0, -0.01], float32)


@sb.struct
class Stone:
    """Metres, metres a second, radians a second."""

    pos: float2
    vel: float2
    spin: float32


@sb.struct
class State:
    """`heat` is what stones leave in the ice, which makes them faster."""

    stones: sb.FixedArray[Stone, Literal[8]]
    thrown: int32
    heat: float32
    score: int32
    hardest: float32


@sb.struct
class Input:
    """One player's: `aim` is sideways, in 1.6 mm/s, `power` adds to a throw's speed."""

    throw: bool
    sweep: bool
    aim: int8
    power: int8


@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.heat = float32(seed % 16) * 0.005


@sb.kernel
def glide(stone: Stone, friction: float32) -> None:
    """One frame on the ice: slower, and turned by its spin."""
    speed = math.sqrt(math.dot(stone.vel, stone.vel))
    if speed < 0.05:
        stone.vel = float2(0.0, 0.0)
        return
    slower = 1.0 - friction * DT
    turn = math.sin(stone.spin * CURL * DT)
    stone.vel = float2(stone.vel.x - turn * stone.vel.y, stone.vel.y + turn * stone.vel.x) * slower
    stone.pos += stone.vel * DT


@sb.kernel
def push_apart(a: Stone, b: Stone) -> float32:
    """Two stones that touch. Returns how fast they met, in metres a second."""
    between = b.pos - a.pos
    square = math.dot(between, between)
    if square >= REACH * REACH or square == 0.0:
        return float32(0)
    normal = between / math.sqrt(square)
    closing = math.dot(a.vel - b.vel, normal)
    if closing <= 0.0:
        return float32(0)
    a.vel -= normal * (closing * SPRING)
    b.vel += normal * (closing * SPRING)
    return closing


@sb.kernel
def warmer(heat: float32, vel: float2) -> float32:
    """How warm the ice is where a stone has passed."""
    return heat + math.dot(vel, vel) * 0.0005


@sb.kernel
def warm(state: State) -> None:
    """All stones warm the ice, which cools again."""
    for n in range(8):
        state.heat = warmer(state.heat, state.stones[n].vel)
    state.heat *= COOLING


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    """One frame: throws, ice, hits."""
    for p in range(2):
        if inputs[p].throw and state.thrown < 8:
            stone = state.stones[state.thrown]
            stone.pos = float2(0.0, 0.0)
            stone.vel = float2(
                float32(inputs[p].aim) * 0.0016, 2.0 + float32(inputs[p].power) * 0.08
            )
            stone.spin = float32(inputs[p].aim) * 0.25 + ICE[state.thrown]
            state.thrown += 1
    for n in range(8):
        swept = float32(0.6) if inputs[n % 2].sweep else float32(1.0)
        glide(state.stones[n], (FRICTION - state.heat) * swept)
    for a in range(8):
        for b in range(a + 1, 8):
            hit = push_apart(state.stones[a], state.stones[b])
            if hit > 0.0:
                state.score += 1
                state.hardest = math.max(state.hardest, hit)
    warm(state)


def duel(frame: int, player: int, seed: int) -> dict[str, int | bool]:
    """Throw once a second, and sweep now and then."""
    beat = frame + 30 * player
    turn = (seed * 2654435761 + (beat // 60) * 40503 + player * 7919) >> 4
    return {
        "throw": beat % 60 == seed % 20,
        "sweep": (beat // 10 + turn) % 3 == 0,
        "aim": turn % 41 - 20,
        "power": turn // 41 % 19,
    }


CURLING = sb.Simulation(
    name="curling",
    version="1.0",
    state=State,
    input=Input,
    players=2,
    init=init,
    step=step,
    tick_rate=60,
    scripts={"duel": duel},
)
