"""One player on a line, for learners: episodes of few frames, and a trap far out."""

from __future__ import annotations

import samebits as sb
from samebits import float32, int8, int32, uint64


@sb.struct
class State:
    place: float32
    frame: int32
    start: uint64


@sb.struct
class Input:
    move: int8


@sb.struct
class Seen:
    place: float32
    frame: float32
    start: float32


@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.place = float32(seed % 5) - 2.0
    state.start = seed


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    assert state.place < 50.0, "too far"
    state.place += float32(inputs[0].move)
    state.frame += 1


@sb.kernel
def observe(state: State, out: Seen) -> None:
    out.place = state.place
    out.frame = float32(state.frame)
    out.start = float32(state.start >> 40)


@sb.kernel
def reward(before: State, after: State) -> float32:
    return after.place * before.place + 1.0


@sb.kernel
def done(state: State) -> tuple[bool, bool]:
    return state.place > 3.0, state.place < -3.0


WALK = sb.Simulation(
    name="short walk", version="1", state=State, input=Input, players=1, init=init, step=step,
    observe=observe, reward=reward, done=done, actions={"move": (-1, 3)}, episode_frames=8,
)  # fmt: skip
