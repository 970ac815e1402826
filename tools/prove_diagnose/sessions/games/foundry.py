"""Five furnaces in float64, and a till in fixed point, as the simulation `FOUNDRY`."""

from typing import Literal, TypeAlias

import samebits as sb
from samebits import fix32, float64, int32, math, uint8, uint64

PLAYERS = 5
Five: TypeAlias = Literal[5]
CELLS = 24


@sb.struct
class Furnace:
    """`glow` is set anew each frame from the heat."""

    heat: float64
    glow: float64
    ore: int32
    coins: fix32


@sb.struct
class State:
    furnaces: sb.FixedArray[Furnace, Five]
    pipe: sb.FixedArray[float64, Literal[24]]
    next: sb.FixedArray[float64, Literal[24]]
    open: sb.BitSet[Literal[40]]
    total: fix32
    price: fix32
    shift: int32


@sb.struct
class Input:
    """Air for the fire; how much ore; which valve."""

    air: float64
    ore: int32
    valve: uint8


@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.price = fix32("2.75")
    for i in range(PLAYERS):
        state.furnaces[i].heat = 300.0 + float64((seed >> uint64(i)) % 50)
    for k in range(CELLS):
        state.pipe[k] = 20.0


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    for i in range(PLAYERS):
        furnace = state.furnaces[i]
        order = inputs[i]
        if order.valve < 40:
            if int(order.valve) in state.open:
                state.open.discard(int(order.valve))
            else:
                state.open.add(int(order.valve))
        air = math.clamp(order.air, 0.0, 2.0)
        furnace.heat = furnace.heat * 0.995 + air * 4.0
        furnace.glow = math.sqrt(math.max(furnace.heat - 200.0, 0.0))
        furnace.ore = min(furnace.ore + min(max(order.ore, 0), 5), 100)
        if furnace.ore > 40 and furnace.heat > 350.0:
            furnace.ore -= 40
            furnace.coins += state.price
            state.total += state.price
        state.pipe[4 * i] += (furnace.heat - state.pipe[4 * i]) * 0.1
    for k in range(1, CELLS - 1):
        flow = state.pipe[k - 1] - 2.0 * state.pipe[k] + state.pipe[k + 1]
        state.next[k] = state.pipe[k] + 0.2 * flow if k not in state.open else state.pipe[k]
    for k in range(1, CELLS - 1):
        state.pipe[k] = state.next[k]
    state.shift = (state.shift + 1) % 60
    if state.shift == 0:
        state.price = state.price / 2 + fix32("1.4")


def working(frame: int, player: int, seed: int) -> dict[str, float | int]:
    """Blow and shovel in turns; a valve now and then."""
    beat = frame + 23 * player + seed % 37
    return {
        "air": 0.5 + (beat % 16) / 16,
        "ore": (beat * 5) % 4,
        "valve": beat % 40 if beat % 13 == 0 else 255,
    }


def resting(frame: int, player: int, seed: int) -> dict[str, float | int]:
    """Hardly anything."""
    return {"air": 0.25 if (frame + player) % 50 < 10 else 0.0, "ore": 0, "valve": 255}


FOUNDRY = sb.Simulation(
    name="foundry", version="1", state=State, input=Input, players=PLAYERS, init=init, step=step,
    tick_rate=20, scripts={"working": working, "resting": resting},
)  # fmt: skip
