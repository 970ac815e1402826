"""A simulation whose step goes round as often as its input says: for days, if that is much."""

from __future__ import annotations

import samebits as sb
from samebits import int64, uint64


@sb.struct
class State:
    before: uint64
    turns: uint64
    after: uint64


@sb.struct
class Input:
    turns: int64


@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.turns = seed


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    state.before += uint64(1)
    k = int64(0)
    while k < inputs[0].turns:
        k += int64(1)
        state.turns = state.turns * uint64(6364136223846793005) + uint64(1)
    state.after += uint64(1)


def short(frame: int, player: int, seed: int) -> dict[str, object]:
    return {"turns": 3}


def endless(frame: int, player: int, seed: int) -> dict[str, object]:
    """In frame 12, and in every one after it."""
    return {"turns": 3 if frame < 12 else 1 << 50}


def later(frame: int, player: int, seed: int) -> dict[str, object]:
    """In frame 300, and in every one after it."""
    return {"turns": 3 if frame < 300 else 1 << 50}


ENDLESS = sb.Simulation(
    name="endless",
    version="1",
    state=State,
    input=Input,
    players=1,
    init=init,
    step=step,
    tick_rate=30,
    scripts={"endless": endless, "later": later, "short": short},
)
