"""A car too weak for its hill, by Moore (1990), as Gymnasium's MountainCar-v0 has it.

The arithmetic is Gymnasium's, operation by operation, in float64.
"""

from collections.abc import Iterator

import numpy as np

import samebits as sb
from samebits import float32, float64, int8, math, random, uint64

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


def picture(state: State) -> Iterator[sb.scene.Shape]:
    """The valley, the flag on its far side, and the car on the ground."""
    ground = np.linspace(LEFT, RIGHT, 81)
    heights = 0.45 * np.sin(3 * ground)
    yield sb.scene.Line(np.stack([ground, heights], 1), 0.012, "#4c566a")
    top = 0.45 * np.sin(3 * GOAL)
    yield sb.scene.Line([(GOAL, top), (GOAL, top + 0.2)], 0.012, "#d8dee9")
    flag = [(GOAL, top + 0.2), (GOAL + 0.08, top + 0.17), (GOAL, top + 0.14)]
    yield sb.scene.Polygon(flag, "#ebcb8b")
    x = float(state.position)
    slope = 3 * 0.45 * np.cos(3 * x)
    along = np.array([1.0, slope]) / np.hypot(1.0, slope)
    up = np.array([-along[1], along[0]])
    foot = np.array([x, 0.45 * np.sin(3 * x)]) + 0.03 * up
    yield sb.scene.Polygon(
        [foot - 0.08 * along, foot + 0.08 * along, foot + 0.06 * along + 0.07 * up,
         foot - 0.06 * along + 0.07 * up], "#88c0d0",
    )  # fmt: skip
    yield sb.scene.Discs([foot - 0.05 * along, foot + 0.05 * along], 0.03, "#bf616a")


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
