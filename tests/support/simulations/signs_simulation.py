"""A simulation in which a NaN's sign can be seen and subnormal numbers are flushed by rule."""

from __future__ import annotations

import samebits as sb
from samebits import float32, int32, math, uint32, uint64


@sb.struct
class State:
    given: float32
    bits: uint32
    whole: int32
    sign: float32
    small: float32


@sb.struct
class Input:
    value: float32


@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.given = float32(seed)
    state.small = float32(1e-38)


@sb.kernel(denormals="flush")
def shrink(x: float32) -> float32:
    return x * 0.75 + x * 0.125


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    x = inputs[0].value / state.given
    y = x * 2.0 - x * 2.0
    state.bits = math.bitcast(uint32, y + x)
    state.whole = int32(x * 3.0e9)
    state.sign = math.copysign(float32(2), y)
    state.small = shrink(state.small) + 1e-38


SIGNS = sb.Simulation(
    name="signs", version="1", state=State, input=Input, players=1, init=init, step=step,
    scripts={"zeros": lambda frame, player, seed: {"value": (frame % 3) / 2}},
)  # fmt: skip
