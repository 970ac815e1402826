"""Two players on a line, for learners: fields of several types, a view for each, and ends."""

from __future__ import annotations

import samebits as sb
from samebits import float32, int8, int32, uint64


@sb.struct
class State:
    place: sb.FixedArray[float32, 2]
    frame: int32
    lost: bool


@sb.struct
class Input:
    move: int8
    push: float32
    jump: bool


@sb.struct
class Seen:
    own: float32
    other: float32
    frame: float32


@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.place[0] = float32(seed % 16)
    state.place[1] = float32(seed % 7) - 20.0


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    for p in range(2):
        given = inputs[p]
        state.place[p] += float32(given.move) * 0.25 + given.push
        if given.jump:
            state.place[p] += 1.0
    assert state.place[0] < 90.0, "too far"
    state.lost = state.place[0] < state.place[1]
    state.frame += 1


@sb.kernel
def observe(state: State, player: int, out: Seen) -> None:
    out.own = state.place[player]
    out.other = state.place[1 - player]
    out.frame = float32(state.frame)


@sb.kernel
def reward(before: State, after: State, player: int) -> float32:
    return after.place[player] - before.place[player]


@sb.kernel
def done(state: State) -> tuple[bool, bool]:
    return state.lost, False


DUEL = sb.Simulation(
    name="duel", version="2", state=State, input=Input, players=2, init=init, step=step,
    observe=observe, reward=reward, done=done,
    actions={"move": (-2, 2), "push": (-1.0, 1.0)}, episode_frames=30,
)  # fmt: skip
