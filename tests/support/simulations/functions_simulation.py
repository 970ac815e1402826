"""A simulation that calls math functions on numbers of every size, integers of 64 bits among them.

What other writers of the kernels get wrong is where fast phases do not suffice and words are wide.
"""

from __future__ import annotations

import samebits as sb
from samebits import float32, float64, math, random, uint32, uint64

N = 32


@sb.struct
class State:
    dice: random.Random
    doubles: sb.FixedArray[float64, 16]
    singles: sb.FixedArray[float32, 8]
    mixed: uint64


@sb.struct
class Input:
    nothing: sb.uint8


@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.dice = random.seeded(seed, 1)


@sb.kernel
def doubles(x: float64, small: float64, y: float64, out: sb.Array[float64]) -> None:
    out[0] = math.exp(small)
    out[1] = math.log(math.abs(x))
    out[2] = math.sin(x)
    out[3] = math.cos(small * 1e3)
    out[4] = math.pow(math.abs(y), small * 0.01)
    out[5] = math.tan(small)
    out[6] = math.atan2(x, y)
    out[7] = math.cbrt(x)
    out[8] = math.tanh(small * 0.001)
    out[9] = math.exp2(small)
    out[10] = math.hypot(y, small)
    out[11] = math.log1p(math.abs(x))
    out[12] = math.asin(small / 800.0)
    out[13] = math.expm1(small)
    out[14] = math.sinh(small)
    out[15] = math.erf(small * 0.01)


@sb.kernel
def singles(x: float32, small: float32, out: sb.Array[float32]) -> None:
    out[0] = math.exp(small)
    out[1] = math.log(math.abs(x))
    out[2] = math.sin(x)
    out[3] = math.cos(small)
    out[4] = math.pow(math.abs(x), float32(0.3))
    out[5] = math.atan(x)
    out[6] = math.tan(small)
    out[7] = math.cbrt(x)


@sb.kernel
def mixed(a: uint64, b: uint64) -> uint64:
    """Constants of 64 bits that are small numbers, shifted, inverted and turned."""
    flip = sb.select(a > b, uint64(0), ~uint64(0))
    wide = uint64(1) << (a & 63)
    return (a ^ flip) * 3 + wide + (~uint64(5) >> (b & 31)) + sb.rotl(b, uint64(7))


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    for _ in range(N):
        a = state.dice.next_uint64()
        b = state.dice.next_uint64()
        small = 1600.0 * (state.dice.next_float64() - 0.5)
        doubles(sb.bitcast(float64, a), small, sb.bitcast(float64, b), state.doubles)
        singles(sb.bitcast(float32, state.dice.next_uint32()), float32(small * 0.12), state.singles)
        total = mixed(a, b)
        for x in state.doubles:
            total = total * 31 + sb.bitcast(uint64, x)
        for y in state.singles:
            total = total * 31 + uint64(sb.bitcast(uint32, y))
        state.mixed = state.mixed * 31 + total


FUNCTIONS = sb.Simulation(
    name="functions", version="1", state=State, input=Input, players=1, init=init, step=step,
    tick_rate=60,
)  # fmt: skip
