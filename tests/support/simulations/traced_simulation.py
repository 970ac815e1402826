"""A simulation that has what traces must distinguish.

It has memory of a call, sums in loops, branches, calls of the user's and of the library's
functions, random numbers, inputs and traps.
"""

from __future__ import annotations

import samebits as sb
from samebits import float32, int32, math, random, uint32, uint64

N = 24


@sb.struct
class Mote:
    pos: float32
    vel: float32
    near: int32


@sb.struct
class State:
    dice: random.Random
    motes: sb.FixedArray[Mote, N]
    total: float32
    peak: float32
    faint: float32
    hits: int32
    frame: uint32


@sb.struct
class Input:
    push: float32
    at: int32


@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.dice = random.seeded(seed, 1)
    for i in range(N):
        state.motes[i].pos = float32(i) * 0.37
        state.motes[i].vel = math.sin(float32(i))
    state.faint = 1e-30


@sb.kernel
def drift(mote: Mote, push: float32) -> float32:
    mote.vel = mote.vel * 0.98 + push * 0.1
    mote.pos += mote.vel * 0.016
    if mote.pos > 6.0 or mote.pos < -6.0:
        mote.vel = -mote.vel
        return math.abs(mote.pos)
    return mote.pos * mote.pos


@sb.kernel
def sort_in(state: State) -> None:
    """How many motes are in each eighth, and where it begins."""
    begin = sb.zeros(9, int32)
    for i in range(N):
        eighth = math.clamp(int32(state.motes[i].pos), 0, 7)
        begin[eighth + 1] += 1
    for i in range(8):
        begin[i + 1] += begin[i]
    for i in range(N):
        state.motes[i].near = begin[math.clamp(int32(state.motes[i].pos), 0, 7)]


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    push = inputs[0].push
    total = float32(0)
    for i in range(N):
        total += drift(state.motes[i], push) * 0.5
    state.total = total
    sort_in(state)
    wave = math.sin(total)
    peak = float32(0)
    k = 0
    while k < N and peak < 5.0:
        peak = math.max(peak, state.motes[k].pos + wave)
        k += 1
    state.peak = peak
    state.faint = state.faint * 1e-4 * 0.5
    if state.dice.next_uint32() & 1 == 1:
        state.hits += 1
    state.motes[inputs[0].at].near = -1
    assert state.hits < 1000, "too many hits"
    state.frame += 1


def push(frame: int, player: int, seed: int) -> dict[str, object]:
    return {"push": (frame * 7 % 13) / 4 - 1.25, "at": frame % N}


TRACED = sb.Simulation(
    name="traced", version="1", state=State, input=Input, players=1, init=init, step=step,
    tick_rate=60, scripts={"push": push},
)  # fmt: skip
