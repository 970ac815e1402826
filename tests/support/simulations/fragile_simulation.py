"""A simulation whose replays have little in them that matters: one input, in three frames."""

from __future__ import annotations

import samebits as sb
from samebits import float32, int32, uint64


@sb.struct
class Cell:
    heat: float32
    cold: float32


@sb.struct
class State:
    frame: int32
    presses: int32
    cells: sb.FixedArray[Cell, 4]


@sb.struct
class Input:
    push: float32
    fire: bool
    at: int32


@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.presses = 0


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    state.frame += 1
    for p in range(2):
        if inputs[p].fire:
            state.presses += 1
            cell = state.cells[inputs[p].at]
            cell.heat = cell.heat * 1.1 + inputs[p].push * 0.3
    for i in range(4):
        state.cells[i].cold = state.cells[i].cold * 0.93 + state.cells[i].heat * 0.013
    assert state.presses < 3, "pressed three times"


def press(frame: int, player: int, seed: int) -> dict[str, object]:
    """Player 1 fires in three frames, player 0 never; both move all the time."""
    fire = player == 1 and frame in (37, 90, 151)
    return {"push": 0.7 + frame * 0.01, "fire": fire, "at": 2}


FRAGILE = sb.Simulation(
    name="fragile", version="1", state=State, input=Input, players=2, init=init, step=step,
    scripts={"press": press},
)  # fmt: skip
