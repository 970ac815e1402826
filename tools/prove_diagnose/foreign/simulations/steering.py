"""Boats that steer for buoys: float32, arctangents, roots, clamps."""

from typing import Literal

import samebits as sb
from samebits import float2, float32, int8, int32, math, uint64

BOATS = 8
BUOYS = 5
TURN = 6.2831853
HALF = 3.14159265


@sb.struct
class Boat:
    pos: float2
    heading: float32
    speed: float32
    buoy: int32
    rounded: int32


@sb.struct
class State:
    boats: sb.FixedArray[Boat, Literal[8]]
    buoys: sb.FixedArray[float2, Literal[5]]


@sb.struct
class Input:
    helm: int8
    sail: int8


@sb.kernel
def wrapped(angle: float32) -> float32:
    """The same angle from -pi to pi."""
    if angle > HALF:
        return angle - TURN
    if angle < -HALF:
        return angle + TURN
    return angle


@sb.kernel
def steer(boat: Boat, buoy: float2) -> None:
    """Turn to the buoy, by so much a frame at most."""
    between = buoy - boat.pos
    wanted = math.atan2(between.y, between.x)
    turn = wrapped(wanted - boat.heading)
    boat.heading = wrapped(boat.heading + math.clamp(turn, -0.05, 0.05))
    distance = math.sqrt(between.x * between.x + between.y * between.y)
    boat.speed += (min(distance / 3.0, 2.0) - boat.speed) * 0.1
    if distance < 0.4:
        boat.buoy = (boat.buoy + 1) % BUOYS
        boat.rounded += 1


@sb.kernel
def sail(boat: Boat) -> None:
    way = boat.speed / 60.0
    boat.pos += float2(math.cos(boat.heading), math.sin(boat.heading)) * way


@sb.kernel
def keep_apart(a: Boat, b: Boat) -> None:
    between = b.pos - a.pos
    distance = math.sqrt(between.x * between.x + between.y * between.y)
    if 0.0 < distance < 0.5:
        push = between * ((0.5 - distance) / distance * 0.5)
        a.pos -= push
        b.pos += push


@sb.kernel
def init(state: State, seed: uint64) -> None:
    for i in range(BUOYS):
        turn = float32(i) * 2.5 + float32(int(seed % 9))
        state.buoys[i] = float2(math.cos(turn), math.sin(turn)) * 4.0
    for i in range(BOATS):
        state.boats[i].pos = float2(float32(i) - 4.0, float32(i * i % 5))
        state.boats[i].buoy = int32(i % BUOYS)


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    for player in range(2):
        state.boats[player].heading += float32(inputs[player].helm) * 0.001
        state.boats[player].speed += float32(inputs[player].sail) / 300.0
    for i in range(BOATS):
        steer(state.boats[i], state.buoys[state.boats[i].buoy])
        sail(state.boats[i])
    for i in range(BOATS):
        for j in range(i + 1, BOATS):
            keep_apart(state.boats[i], state.boats[j])


def tack(frame: int, player: int, seed: int) -> dict[str, int]:
    return {
        "helm": (9, -4)[(frame // 40 + player) % 2],
        "sail": (3, 0, -2)[(frame + seed) // 25 % 3],
    }


STEERING = sb.Simulation(
    name="steering", version="1", state=State, input=Input, players=2, init=init, step=step,
    tick_rate=60, scripts={"tack": tack},
)  # fmt: skip
