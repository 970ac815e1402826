"""Up to eight runners who push each other about: small, chaotic, and every input matters."""

from __future__ import annotations

from functools import cache

import samebits as sb
from samebits import float2, float32, int8, math, uint32, uint64
from samebits.sim.simulation import Simulation

MOST = 8


@sb.struct
class Runner:
    pos: float2
    vel: float2
    hits: uint32


@sb.struct
class State:
    random: uint32
    frame: uint32
    runners: sb.FixedArray[Runner, MOST]


@sb.struct
class Input:
    x: int8
    y: int8
    jump: bool
    reach: float32


@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.random = uint32(seed * 2654435761 + 12345) | 1
    for i in range(MOST):
        state.random = state.random * 1664525 + 1013904223
        x = float32(state.random >> 8) * 5.9604644775390625e-08
        state.random = state.random * 1664525 + 1013904223
        y = float32(state.random >> 8) * 5.9604644775390625e-08
        state.runners[i].pos = float2(x, y) * 8.0


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    for p in range(len(inputs)):
        runner = state.runners[p]
        given = inputs[p]
        way = float2(float32(given.x), float32(given.y)) / 128.0
        runner.vel = runner.vel * 0.95 + way * 0.05
        if given.jump:
            state.random = state.random * 1664525 + 1013904223
            runner.vel = runner.vel * (1.0 + float32(state.random >> 20) * 1e-4)
        runner.hits += uint32(math.clamp(given.reach, 0.0, 1000.0))
    for i in range(MOST):
        a = state.runners[i]
        for j in range(i + 1, MOST):
            b = state.runners[j]
            between = b.pos - a.pos
            square = math.dot(between, between)
            if square < 1.0 and square > 0.0:
                push = between * ((1.0 - math.sqrt(square)) / math.sqrt(square))
                a.vel -= push * 0.1
                b.vel += push * 0.1
                a.hits += 1
        a.pos = math.clamp(a.pos + a.vel, float2(0.0, 0.0), float2(8.0, 8.0))
    state.frame += 1


@cache
def crowd(players: int, tick_rate: int = 60) -> Simulation:
    """The simulation for so many players."""
    return sb.Simulation(
        name="crowd", version="1", state=State, input=Input, players=players, init=init,
        step=step, tick_rate=tick_rate,
    )  # fmt: skip
