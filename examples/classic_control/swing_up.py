"""A pendulum to swing up and hold, as Gymnasium's Pendulum-v1 has it.

The arithmetic is Gymnasium's, operation by operation: the torque in float32, the rest in float64.
"""

from typing import Literal

import samebits as sb
from samebits import float2, float32, float64, math, random, uint64

PI = 3.141592653589793
TOP_SPEED = 8.0
MOST_TORQUE = 2.0
DT = 0.05
SWING = 3 * 10.0 / (2 * 1.0)  # 3 g / (2 l)
TURN = 3.0 / (1.0 * 1.0**2)  # 3 / (m l²)
EPISODE_FRAMES = 200


@sb.struct
class State:
    angle: float64
    """Radians from upright, not reduced to a turn."""
    speed: float64
    cost: float64
    """Of the latest frame."""


@sb.struct
class Input:
    torque: float32


@sb.struct
class Seen:
    cosine: float32
    sine: float32
    speed: float32


@sb.kernel
def init(state: State, seed: uint64) -> None:
    """Any angle, and a speed from -1 to 1."""
    drawn = random.seeded(seed, 0)
    state.angle = (2.0 * drawn.next_float64() - 1.0) * PI
    state.speed = 2.0 * drawn.next_float64() - 1.0


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    torque = sb.min(sb.max(inputs[0].torque, float32(-MOST_TORQUE)), float32(MOST_TORQUE))
    angle, speed = state.angle, state.speed
    off = (angle + PI) % (2 * PI) - PI
    effort = float32(0.001) * (torque * torque)
    state.cost = off * off + 0.1 * (speed * speed) + float64(effort)
    speed = speed + (SWING * math.sin(angle) + float64(float32(TURN) * torque)) * DT
    state.speed = sb.min(sb.max(speed, -TOP_SPEED), TOP_SPEED)
    state.angle = angle + state.speed * DT


@sb.kernel
def observe(state: State, out: Seen) -> None:
    out.cosine = float32(math.cos(state.angle))
    out.sine = float32(math.sin(state.angle))
    out.speed = float32(state.speed)


@sb.kernel
def reward(before: State, after: State) -> float32:
    return float32(-after.cost)


@sb.kernel
def picture(state: State, marks: sb.List[sb.scene.Mark, Literal[3]]) -> None:
    """The rod, upright at angle 0."""
    angle = float32(state.angle)
    hub = float2(0.0)
    marks.append(sb.scene.ring(hub, 1.0, 0.01, 0x2E3440))
    marks.append(sb.scene.line(hub, float2(-math.sin(angle), math.cos(angle)), 0.2, 0xBF616A))
    marks.append(sb.scene.disc(hub, 0.05, 0xD8DEE9))


PENDULUM = sb.Simulation(
    name="pendulum",
    version="1",
    state=State,
    input=Input,
    players=1,
    init=init,
    step=step,
    tick_rate=20,
    observe=observe,
    reward=reward,
    actions={"torque": (-2.0, 2.0)},
    episode_frames=EPISODE_FRAMES,
    scene=sb.scene.Scene(picture, bounds=((-1.2, -1.2), (1.2, 1.2)), pixels=500),
)
