"""Sparks in a whirl: float32, sine, cosine, power and exponential."""

from typing import Literal

import samebits as sb
from samebits import float2, float32, int8, math, uint64

COUNT = 24
DT = 0.02


@sb.struct
class Spark:
    pos: float2
    vel: float2
    age: float32
    heat: float32


@sb.struct
class State:
    sparks: sb.FixedArray[Spark, Literal[24]]
    wind: float32
    time: float32


@sb.struct
class Input:
    blow: int8


@sb.kernel
def whirl(pos: float2, time: float32, wind: float32) -> float2:
    angle = 1.7 * pos.x + 0.9 * time
    bend = 2.3 * pos.y - 0.4 * time
    return float2(math.sin(angle) * math.cos(bend) + wind, math.cos(angle) - math.sin(bend) * 0.5)


@sb.kernel
def cool(spark: Spark) -> None:
    """Heat is lost as it is left, and light as its power."""
    spark.heat = spark.heat * math.exp(float32(-0.8 * DT)) + 0.01 * math.pow(spark.age + 0.1, 1.3)
    if spark.heat > 4.0:
        spark.heat = 1.0


@sb.kernel
def fly(spark: Spark, time: float32, wind: float32) -> None:
    push = whirl(spark.pos, time, wind)
    drag = math.exp(-0.3 * (spark.vel.x * spark.vel.x + spark.vel.y * spark.vel.y))
    spark.vel += (push * drag - spark.vel * 0.1) * DT
    spark.pos += spark.vel * DT
    spark.age += DT
    if spark.age > 2.0:
        spark.age = 0.0
        spark.pos = spark.pos * 0.5


@sb.kernel
def init(state: State, seed: uint64) -> None:
    for i in range(COUNT):
        k = float32(i)
        turn = k * 0.61 + float32(int(seed % 50)) * 0.1
        state.sparks[i].pos = float2(math.cos(turn), math.sin(turn)) * (0.2 + 0.05 * k)
        state.sparks[i].age = k * 0.07
        state.sparks[i].heat = 1.0


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    state.wind = state.wind * 0.95 + float32(inputs[0].blow) * 0.001
    state.time += DT
    for i in range(COUNT):
        fly(state.sparks[i], state.time, state.wind)
        cool(state.sparks[i])


def gusts(frame: int, player: int, seed: int) -> dict[str, int]:
    return {"blow": (0, 20, -30, 5)[(frame // 13 + seed) % 4]}


PARTICLES = sb.Simulation(
    name="particles", version="1", state=State, input=Input, players=1, init=init, step=step,
    tick_rate=50, scripts={"gusts": gusts},
)  # fmt: skip
