"""A small simulation in which every program hazard finds something to act on."""

from __future__ import annotations

import samebits as sb
from samebits import float2, float32, int8, int32, math, uint16, uint32, uint64

N = 21


@sb.struct
class Cart:
    pos: float2
    vel: float2
    load: float32


@sb.struct
class Tally:
    best: float32
    at: int32
    total: float32


@sb.struct
class State:
    carts: sb.FixedArray[Cart, N]
    frame: uint32
    energy: float32
    spread: float32
    order: uint32
    shares: sb.FixedArray[float32, N]
    spare: sb.FixedArray[uint16, 3]
    tally: Tally
    calm: bool


@sb.struct
class Input:
    push: float32
    turn: int8
    stop: bool


@sb.kernel
def init(state: State, seed: uint64) -> None:
    for i in range(N):
        cart = state.carts[i]
        drawn = (seed + uint64(i) * 77) * 6364136223846793005 + 1442695040888403407
        cart.pos = float2(float32(drawn >> 40), float32(i)) * float32(3e-6)
        cart.vel = float2(0.25, -0.5)
        cart.load = 1.0 + float32(i) * 0.1
    state.frame = 0
    state.calm = False


@sb.kernel
def roll(cart: Cart, push: float2) -> None:
    cart.vel = cart.vel * float32(0.98) + push
    cart.pos += cart.vel * float32(0.016)


@sb.kernel
def mean(state: State) -> float32:
    total = float32(0)
    for i in range(N):
        total += state.carts[i].pos.x * state.carts[i].load
    return total / float32(N)


@sb.kernel
def weigh(state: State) -> Tally:
    tally = Tally()
    for i in range(N):
        share = math.abs(state.carts[i].pos.x - state.spread)
        if share > tally.best:
            tally.best = share
            tally.at = int32(i)
        tally.total += share
    return tally


@sb.kernel
def steer(state: State, cart: Cart, given: Input) -> None:
    push = float2(given.push, float32(given.turn) * 0.01)
    if given.stop:
        cart.vel *= 0.5
    roll(cart, push)


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    for p in range(2):
        steer(state, state.carts[p], inputs[p])
    for i in sb.prange(N, batch=4):
        share = state.carts[i].load
        share -= state.shares[i] * 0.25
        state.shares[i] = share
    for i in range(2, N):
        roll(state.carts[i], float2(0.001, state.shares[i] * 0.01))
        state.carts[i].vel += state.carts[i - 1].vel * float32(0.03)
        state.order = state.order * 31 + uint32(i)
    state.energy = 0.0
    for i in range(N):
        state.energy += math.dot(state.carts[i].vel, state.carts[i].vel)
    state.spread = mean(state)
    tally = weigh(state)
    if tally.total > 1.0 and not state.calm:
        state.tally = tally
    state.frame += 1


def shove(frame: int, player: int, seed: int) -> dict[str, object]:
    return {"push": frame * 0.01 - player, "turn": (frame + seed) % 20, "stop": frame % 3 == 1}


WORKSHOP = sb.Simulation(
    name="workshop", version="1", state=State, input=Input, players=2, init=init, step=step,
    scripts={"shove": shove},
)  # fmt: skip
