"""A car too weak for its hill, by Moore (1990), as Gymnasium's MountainCar-v0 has it.

The arithmetic is Gymnasium's, operation by operation, in float64.
"""

from typing import Literal

import samebits as sb
from samebits import float2, float32, float64, int8, math, random, uint64

LEFT, RIGHT = -1.2, 0.6
TOP_SPEED = 0.07
GOAL = 0.5
FORCE = 0.001
GRAVITY = 0.0025
EPISODE_FRAMES = 200


@sb.struct
class State:
    position: float64
    velocity: float64


@sb.struct
class Input:
    push: int8
    """0 to the left, 1 not at all, 2 to the right."""


@sb.struct
class Seen:
    position: float32
    velocity: float32


@sb.kernel
def init(state: State, seed: uint64) -> None:
    """At rest, anywhere from -0.6 to -0.4."""
    drawn = random.seeded(seed, 0)
    state.position = -0.6 + 0.2 * drawn.next_float64()


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    push = float64(inputs[0].push) - 1.0
    velocity = state.velocity + (push * FORCE + math.cos(3.0 * state.position) * -GRAVITY)
    velocity = sb.min(sb.max(velocity, -TOP_SPEED), TOP_SPEED)
    position = sb.min(sb.max(state.position + velocity, LEFT), RIGHT)
    if position == LEFT and velocity < 0.0:
        velocity = 0.0
    state.position = position
    state.velocity = velocity


@sb.kernel
def observe(state: State, out: Seen) -> None:
    out.position = float32(state.position)
    out.velocity = float32(state.velocity)


@sb.kernel
def reward(before: State, after: State) -> float32:
    return float32(-1)


@sb.kernel
def done(state: State) -> tuple[bool, bool]:
    return state.position >= GOAL and state.velocity >= 0.0, False


@sb.kernel
def ground(x: float32) -> float2:
    """The valley's place at x."""
    return float2(x, 0.45 * math.sin(3 * x))


@sb.kernel
def picture(state: State, marks: sb.List[sb.scene.Mark, Literal[96]]) -> None:
    """The valley, the flag on its far side, and the car on the ground."""
    part = float32((RIGHT - LEFT) / 80)
    for k in range(80):
        here = float32(LEFT) + float32(k) * part
        marks.append(sb.scene.line(ground(here), ground(here + part), 0.012, 0x4C566A))
    foot = ground(float32(GOAL))
    top = foot + float2(0.0, 0.2)
    marks.append(sb.scene.line(foot, top, 0.012, 0xD8DEE9))
    tip, low = top + float2(0.08, -0.03), top + float2(0.0, -0.06)
    marks.append(sb.scene.triangle(top, tip, low, 0xEBCB8B))
    x = float32(state.position)
    along = sb.normalize(float2(1.0, 3 * 0.45 * math.cos(3 * x)))
    up = float2(-along.y, along.x)
    at = ground(x) + 0.03 * up
    roof = at + 0.07 * up
    a, b, c, d = at - 0.08 * along, at + 0.08 * along, roof + 0.06 * along, roof - 0.06 * along
    marks.append(sb.scene.quad(a, b, c, d, 0x88C0D0))
    marks.append(sb.scene.disc(at - 0.05 * along, 0.03, 0xBF616A))
    marks.append(sb.scene.disc(at + 0.05 * along, 0.03, 0xBF616A))


MOUNTAIN_CAR = sb.Simulation(
    name="mountain-car",
    version="0",
    state=State,
    input=Input,
    players=1,
    init=init,
    step=step,
    tick_rate=30,
    observe=observe,
    reward=reward,
    done=done,
    actions={"push": (0, 2)},
    episode_frames=EPISODE_FRAMES,
    scene=sb.scene.Scene(picture, bounds=((LEFT - 0.1, -0.6), (RIGHT + 0.1, 0.75))),
)
