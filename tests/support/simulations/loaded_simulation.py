"""A simulation whose `init` and step round otherwise where products are fused; one name in vain."""

from __future__ import annotations

import samebits as sb
from samebits import float32, uint64


@sb.struct
class State:
    x: float32
    y: float32
    z: float32
    w: float32


@sb.struct
class Input:
    push: float32


@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.x = float32(seed % 7)
    for _ in range(5):
        state.x = state.x * 1.7 - 0.9


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    reach = state.x
    for _ in range(8):  # in some of which the fused one is another
        reach = reach * 1.1 + 0.3
    if reach > 100000.0:
        state.x = 0.0
    state.y = state.y * 0.9 + state.x * 0.1
    state.z = state.z * 0.7 + state.y * 0.3
    state.w = state.w * 0.3 + state.z * 0.7
    state.x += inputs[0].push


def sway(frame: int, player: int, seed: int) -> dict[str, float]:
    """Back and forth."""
    return {"push": (frame % 40 - 20) / 32.0}


LOADED = sb.Simulation(
    name="loaded",
    version="1",
    state=State,
    input=Input,
    players=1,
    init=init,
    step=step,
    scripts={"sway": sway},
)
