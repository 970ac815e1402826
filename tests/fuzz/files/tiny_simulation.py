"""The smallest simulation whose files have everything: floats, arrays, a loop, a branch, a trap."""

from __future__ import annotations

import samebits as sb
from samebits import float2, float32, int32, uint64


@sb.struct
class State:
    pos: sb.FixedArray[float2, 2]
    hits: int32
    alive: bool


@sb.struct
class Input:
    push: float32
    at: int32


@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.hits = int32(seed % 7)
    state.alive = True


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    for i in range(2):
        state.pos[i] += float2(inputs[i].push * 0.7, 0.5)
    if state.pos[0].x > 1.5:
        state.hits += 1
    state.pos[inputs[0].at] *= 0.5


@sb.kernel
def other_step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    for i in range(2):
        state.pos[i] += float2(inputs[i].push * 0.7, 0.25)
    if state.pos[0].x > 1.5:
        state.hits += 1
        state.hits *= 2
    state.pos[inputs[0].at] *= 0.5


def push(frame: int, player: int, seed: int) -> dict[str, object]:
    """A trap in frame 5."""
    return {"push": frame * 0.75 - player, "at": 2 if frame == 5 else frame % 2}


def pull(frame: int, player: int, seed: int) -> dict[str, object]:
    """As `push`, but for frame 2."""
    return push(frame, player, seed) | ({"push": -1.0} if frame == 2 else {})


def _simulation(stepping: sb.Kernel) -> sb.Simulation:
    return sb.Simulation(
        name="tiny",
        version="1",
        state=State,
        input=Input,
        players=2,
        init=init,
        step=stepping,
        tick_rate=30,
        scripts={"push": push, "pull": pull},
    )


TINY = _simulation(step)
OTHER = _simulation(other_step)
"""The same by its name and types, and not by what it does."""
