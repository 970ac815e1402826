"""Eight boats in a wind that turns, steered by sticks of float32, as the simulation `BOATS`."""

from typing import Literal, TypeAlias

import samebits as sb
from samebits import float2, float32, int32, math, random, uint32, uint64

PLAYERS = 8
Eight: TypeAlias = Literal[8]
SIZE = 100.0


@sb.struct
class Boat:
    """`speed` is set anew each frame; `wet` counts down the frames until the deck is dry."""

    pos: float2
    vel: float2
    heading: float32
    speed: float32
    wet: int32
    laps: int32


@sb.struct
class State:
    boats: sb.FixedArray[Boat, Eight]
    wind: float2
    dice: random.Random
    tick: uint32


@sb.struct
class Input:
    stick: float2
    sail: float32
    horn: bool


@sb.kernel
def sailed(boat: Boat, stick: float2, sail: float32, wind: float2) -> None:
    boat.heading += math.clamp(stick.x, -1.0, 1.0) * 0.05
    ahead = float2(math.cos(boat.heading), math.sin(boat.heading))
    push = math.max(math.dot(wind, ahead), -0.25) * math.clamp(sail, 0.0, 1.0)
    boat.vel = boat.vel * 0.98 + ahead * (push * 0.1)
    boat.pos += boat.vel
    boat.speed = math.length(boat.vel)
    if boat.pos.x > SIZE or boat.pos.x < 0.0:
        boat.vel.x = -boat.vel.x
        boat.pos.x = math.clamp(boat.pos.x, 0.0, SIZE)
        boat.laps += 1
    boat.pos.y = math.clamp(boat.pos.y, 0.0, SIZE)


@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.dice = random.seeded(seed, 0)
    state.wind = float2(1.0, 0.5)
    for i in range(PLAYERS):
        boat = state.boats[i]
        boat.pos = float2(state.dice.next_between(10.0, 90.0), state.dice.next_between(10.0, 90.0))
        boat.heading = float32(i)


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    for i in range(PLAYERS):
        boat = state.boats[i]
        sailed(boat, inputs[i].stick, inputs[i].sail, state.wind)
        if inputs[i].horn:
            boat.wet = 12
        elif boat.wet > 0:
            boat.wet -= 1
    if state.tick % 30 == 0:
        state.wind += float2(state.dice.next_between(-0.2, 0.2), state.dice.next_between(-0.2, 0.2))
    state.tick += 1


def regatta(frame: int, player: int, seed: int) -> dict[str, object]:
    """Everyone tacks, at times of their own."""
    beat = (frame + 17 * player + seed % 29) % 90
    turn = (beat - 45) / 45
    return {
        "stick": float2(turn, ((frame * 7 + player) % 11) / 11),
        "sail": 0.5 + 0.5 * ((frame + player) % 3 == 0),
        "horn": beat == 3,
    }


def drifting(frame: int, player: int, seed: int) -> dict[str, object]:
    """A course is set once in a while, and held."""
    course = (frame // 20 * 13 + player * 5 + seed) % 17
    return {"stick": float2(course / 17, 0.0), "sail": 1.0, "horn": False}


BOATS = sb.Simulation(
    name="boats", version="1", state=State, input=Input, players=PLAYERS, init=init, step=step,
    tick_rate=30, scripts={"regatta": regatta, "drifting": drifting},
)  # fmt: skip
