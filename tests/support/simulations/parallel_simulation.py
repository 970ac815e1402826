"""A simulation whose step has parallel ranges over arrays of its state."""

from __future__ import annotations

import samebits as sb
from samebits import float2, float32, math, uint32, uint64

FINAL = "9baa00c3060d25f9"
"""After 6 frames of pull, seed 1."""


@sb.struct
class Bird:
    pos: float2
    vel: float2


@sb.struct
class State:
    birds: sb.FixedArray[Bird, 40]
    pulls: sb.FixedArray[float2, 40]
    energy: float32
    frame: uint32


@sb.struct
class Input:
    x: float32
    y: float32


@sb.kernel
def init(state: State, seed: uint64) -> None:
    random = seed
    for i in range(40):
        random = random * 6364136223846793005 + 1442695040888403407
        state.birds[i].pos = float2(float32(random >> 40), float32(i)) * float32(1e-6)


@sb.kernel
def advance(bird: Bird, pull: float2) -> None:
    bird.vel = bird.vel * float32(0.99) + pull
    bird.pos += bird.vel * float32(0.016)


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    target = float2(inputs[0].x, inputs[1].y)
    for i in sb.prange(40, batch=5):
        pull = target - state.birds[i].pos
        for j in range(40):
            apart = state.birds[i].pos - state.birds[j].pos
            pull += apart / (float32(0.5) + math.dot(apart, apart))
        state.pulls[i] = pull * float32(0.01)
    for i in sb.prange(40, batch=7):
        advance(state.birds[i], state.pulls[i])
    energies = sb.zeros(40, float32)
    for i in sb.prange(40, batch=11):
        energies[i] = math.dot(state.birds[i].vel, state.birds[i].vel)
    state.energy = math.sum(energies)
    state.frame += 1


def pull(frame: int, player: int, seed: int) -> dict[str, float]:
    return {"x": frame * 0.125, "y": player + seed - frame * 0.5}


SWARM = sb.Simulation(
    name="swarm",
    version="1",
    state=State,
    input=Input,
    players=2,
    init=init,
    step=step,
    tick_rate=60,
    scripts={"pull": pull},
)
