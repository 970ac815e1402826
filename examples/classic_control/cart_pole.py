"""Cart and pole, by Barto, Sutton and Anderson (1983), as Gymnasium's CartPole-v1 has it.

The arithmetic is Gymnasium's, operation by operation, in float64.
"""

from typing import Literal

import samebits as sb
from samebits import float2, float32, float64, int8, math, random, uint64

GRAVITY = 9.8
MASS_POLE = 0.1
MASS = 0.1 + 1.0
LENGTH = 0.5  # half the pole's
POLE_MOMENT = 0.1 * 0.5
FORCE = 10.0
TAU = 0.02  # seconds a frame
FAR = 2.4
TILT = 12 * 2 * 3.141592653589793 / 360
EPISODE_FRAMES = 500


@sb.struct
class State:
    x: float64
    x_dot: float64
    theta: float64
    theta_dot: float64


@sb.struct
class Input:
    right: int8
    """1 pushes to the right, 0 to the left."""


@sb.struct
class Seen:
    x: float32
    x_dot: float32
    theta: float32
    theta_dot: float32


@sb.kernel
def init(state: State, seed: uint64) -> None:
    """Each number anywhere from -0.05 to 0.05."""
    drawn = random.seeded(seed, 0)
    state.x = 0.1 * drawn.next_float64() - 0.05
    state.x_dot = 0.1 * drawn.next_float64() - 0.05
    state.theta = 0.1 * drawn.next_float64() - 0.05
    state.theta_dot = 0.1 * drawn.next_float64() - 0.05


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    force = FORCE if inputs[0].right == 1 else -FORCE
    cosine = math.cos(state.theta)
    sine = math.sin(state.theta)
    along = (force + POLE_MOMENT * (state.theta_dot * state.theta_dot) * sine) / MASS
    bend = (GRAVITY * sine - cosine * along) / (
        LENGTH * (4.0 / 3.0 - MASS_POLE * (cosine * cosine) / MASS)
    )
    pushed = along - POLE_MOMENT * bend * cosine / MASS
    state.x = state.x + TAU * state.x_dot
    state.x_dot = state.x_dot + TAU * pushed
    state.theta = state.theta + TAU * state.theta_dot
    state.theta_dot = state.theta_dot + TAU * bend


@sb.kernel
def observe(state: State, out: Seen) -> None:
    out.x = float32(state.x)
    out.x_dot = float32(state.x_dot)
    out.theta = float32(state.theta)
    out.theta_dot = float32(state.theta_dot)


@sb.kernel
def reward(before: State, after: State) -> float32:
    return float32(1)


@sb.kernel
def done(state: State) -> tuple[bool, bool]:
    fell = state.x < -FAR or state.x > FAR or state.theta < -TILT or state.theta > TILT
    return fell, False


@sb.kernel
def picture(state: State, marks: sb.List[sb.scene.Mark, Literal[4]]) -> None:
    """The track, the cart, and the pole in its whole length."""
    hub = float2(float32(state.x), 0.1)
    tip = hub + 2 * LENGTH * float2(math.sin(float32(state.theta)), math.cos(float32(state.theta)))
    marks.append(sb.scene.line(float2(-FAR, 0.0), float2(FAR, 0.0), 0.02, 0x4C566A))
    low, high = hub - float2(0.25, 0.25), hub + float2(0.25, 0.05)
    right, left = float2(high.x, low.y), float2(low.x, high.y)
    marks.append(sb.scene.quad(low, right, high, left, 0x88C0D0))
    marks.append(sb.scene.line(hub, tip, 0.1, 0xEBCB8B))
    marks.append(sb.scene.disc(hub, 0.06, 0xBF616A))


CARTPOLE = sb.Simulation(
    name="cartpole",
    version="1",
    state=State,
    input=Input,
    players=1,
    init=init,
    step=step,
    tick_rate=50,
    observe=observe,
    reward=reward,
    done=done,
    actions={"right": (0, 1)},
    episode_frames=EPISODE_FRAMES,
    scene=sb.scene.Scene(picture, bounds=((-2.6, -0.6), (2.6, 1.6))),
)
