"""A body that turns: matrices and quaternions in a state, in an array and in an input."""

from __future__ import annotations

import samebits as sb
from samebits import double3, double3x3, float2x3, float3, float3x3, math, quaternion, uint64


@sb.struct
class Body:
    pose: quaternion
    frame: float3x3
    odd: bool
    wide: float2x3
    inertia: double3x3


@sb.struct
class State:
    bodies: sb.FixedArray[Body, 2]
    whole: float3x3


@sb.struct
class Input:
    turn: quaternion
    shear: float2x3


@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.whole = float3x3.identity
    for i in range(2):
        body = state.bodies[i]
        body.pose = math.euler_zxy(float3(0.25, 0.5, sb.float32(seed)))
        body.frame = math.to_matrix(body.pose)
        body.inertia = double3x3.identity * 2.0


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    spin = math.axis_angle(float3(0.6, 0.0, 0.8), 0.01)
    for i in range(2):
        body = state.bodies[i]
        given = inputs[i]
        target = math.nlerp(body.pose, given.turn, 0.125)
        if math.dot(given.turn, given.turn) > 0.5:
            body.pose = math.slerp(body.pose, target, 0.5)
        body.pose = math.normalize(spin @ body.pose)
        body.frame = math.to_matrix(body.pose)
        body.wide = given.shear @ body.frame + body.wide * 0.5
        body.inertia = math.inverse(body.inertia) @ double3x3(body.frame)
        body.inertia += double3x3(double3(0.5), double3(0.25), double3(1.0, 0.0, 0.0))
        state.whole = state.whole @ body.frame
        body.odd = math.determinant(body.inertia) > 0.0


def swing(frame: int, player: int, seed: int) -> dict[str, object]:
    x, y = (frame % 17) / 16 - 0.5, player / 2 + seed / 8
    return {"turn": quaternion(x, y, 0.5, 0.75), "shear": float2x3(x, y, 1, 0, 1, x)}


SPINNING = sb.Simulation(
    name="spinning",
    version="1",
    state=State,
    input=Input,
    players=2,
    init=init,
    step=step,
    tick_rate=60,
    scripts={"swing": swing},
)
