"""A car too weak for its hill, by Moore (1990), as Gymnasium's MountainCar-v0 has it.

The arithmetic is Gymnasium's, operation by operation, in float64.
"""

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
)
