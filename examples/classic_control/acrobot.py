"""Two links of which only the joint between them is driven, by Sutton (1996), as Gymnasium's
Acrobot-v1 has it.

The arithmetic is Gymnasium's, operation by operation, in float64: Runge and Kutta's fourth order.
"""

from typing import Literal

import samebits as sb
from samebits import double4, float2, float32, float64, int8, math, random, uint64

PI = 3.141592653589793
DT = 0.2
GRAVITY = 9.8
MASS_1 = MASS_2 = 1.0
LENGTH = 1.0
CENTRE_1 = CENTRE_2 = 0.5
MOMENT = 1.0
TOP_1, TOP_2 = 4 * PI, 9 * PI
EPISODE_FRAMES = 500


@sb.struct
class State:
    angle_1: float64
    angle_2: float64
    speed_1: float64
    speed_2: float64


@sb.struct
class Input:
    torque: int8
    """0, 1, 2: -1, 0, 1."""


@sb.struct
class Seen:
    cosine_1: float32
    sine_1: float32
    cosine_2: float32
    sine_2: float32
    speed_1: float32
    speed_2: float32


@sb.kernel
def init(state: State, seed: uint64) -> None:
    """Each number anywhere from -0.1 to 0.1, a float32 as Gymnasium's first one is."""
    drawn = random.seeded(seed, 0)
    state.angle_1 = float64(float32(0.2 * drawn.next_float64() - 0.1))
    state.angle_2 = float64(float32(0.2 * drawn.next_float64() - 0.1))
    state.speed_1 = float64(float32(0.2 * drawn.next_float64() - 0.1))
    state.speed_2 = float64(float32(0.2 * drawn.next_float64() - 0.1))


@sb.kernel
def change(s: double4, torque: float64) -> double4:
    """The derivative of angles and speeds."""
    cosine, sine = math.cos(s.y), math.sin(s.y)
    d1 = (
        MASS_1 * (CENTRE_1 * CENTRE_1)
        + MASS_2 * (LENGTH * LENGTH + CENTRE_2 * CENTRE_2 + 2 * LENGTH * CENTRE_2 * cosine)
        + MOMENT
        + MOMENT
    )
    d2 = MASS_2 * (CENTRE_2 * CENTRE_2 + LENGTH * CENTRE_2 * cosine) + MOMENT
    phi2 = MASS_2 * CENTRE_2 * GRAVITY * math.cos(s.x + s.y - PI / 2.0)
    phi1 = (
        -MASS_2 * LENGTH * CENTRE_2 * (s.w * s.w) * sine
        - 2 * MASS_2 * LENGTH * CENTRE_2 * s.w * s.z * sine
        + (MASS_1 * CENTRE_1 + MASS_2 * LENGTH) * GRAVITY * math.cos(s.x - PI / 2)
        + phi2
    )
    pull = torque + d2 / d1 * phi1 - MASS_2 * LENGTH * CENTRE_2 * (s.z * s.z) * sine - phi2
    turn_2 = pull / (MASS_2 * (CENTRE_2 * CENTRE_2) + MOMENT - d2 * d2 / d1)
    turn_1 = -(d2 * turn_2 + phi1) / d1
    return double4(s.z, s.w, turn_1, turn_2)


@sb.kernel
def wrapped(angle: float64) -> float64:
    """An angle as one from -π to π."""
    while angle > PI:
        angle = angle - 2 * PI
    while angle < -PI:
        angle = angle + 2 * PI
    return angle


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    torque = float64(inputs[0].torque) - 1.0
    s = double4(state.angle_1, state.angle_2, state.speed_1, state.speed_2)
    half = DT / 2.0
    k1 = change(s, torque)
    k2 = change(s + half * k1, torque)
    k3 = change(s + half * k2, torque)
    k4 = change(s + DT * k3, torque)
    s = s + DT / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    state.angle_1 = wrapped(s.x)
    state.angle_2 = wrapped(s.y)
    state.speed_1 = sb.min(sb.max(s.z, -TOP_1), TOP_1)
    state.speed_2 = sb.min(sb.max(s.w, -TOP_2), TOP_2)


@sb.kernel
def is_up(state: State) -> bool:
    """Whether the tip is a link's length above the hinge."""
    return -math.cos(state.angle_1) - math.cos(state.angle_2 + state.angle_1) > 1.0


@sb.kernel
def observe(state: State, out: Seen) -> None:
    out.cosine_1 = float32(math.cos(state.angle_1))
    out.sine_1 = float32(math.sin(state.angle_1))
    out.cosine_2 = float32(math.cos(state.angle_2))
    out.sine_2 = float32(math.sin(state.angle_2))
    out.speed_1 = float32(state.speed_1)
    out.speed_2 = float32(state.speed_2)


@sb.kernel
def reward(before: State, after: State) -> float32:
    return float32(0) if is_up(after) else float32(-1)


@sb.kernel
def done(state: State) -> tuple[bool, bool]:
    return is_up(state), False


@sb.kernel
def picture(state: State, marks: sb.List[sb.scene.Mark, Literal[5]]) -> None:
    """The height to reach, and the two links below the hinge."""
    first, second = float32(state.angle_1), float32(state.angle_1 + state.angle_2)
    hinge = float2(0.0)
    joint = LENGTH * float2(math.sin(first), -math.cos(first))
    tip = joint + LENGTH * float2(math.sin(second), -math.cos(second))
    marks.append(sb.scene.line(float2(-2.2, LENGTH), float2(2.2, LENGTH), 0.02, 0xA3BE8C))
    marks.append(sb.scene.line(hinge, joint, 0.16, 0x88C0D0))
    marks.append(sb.scene.line(joint, tip, 0.16, 0x81A1C1))
    marks.append(sb.scene.disc(hinge, 0.1, 0xEBCB8B))
    marks.append(sb.scene.disc(joint, 0.1, 0xEBCB8B))


ACROBOT = sb.Simulation(
    name="acrobot",
    version="1",
    state=State,
    input=Input,
    players=1,
    init=init,
    step=step,
    tick_rate=15,
    observe=observe,
    reward=reward,
    done=done,
    actions={"torque": (0, 2)},
    episode_frames=EPISODE_FRAMES,
    scene=sb.scene.Scene(picture, bounds=((-2.3, -2.3), (2.3, 2.3)), pixels=500),
)
