"""Spinning planes under lamps: dot products over three and four numbers, blends, normals."""

from typing import Literal

import samebits as sb
from samebits import float3, float4, float32, int8, math, uint64

PLANES = 12
LAMPS = 3


@sb.struct
class State:
    normals: sb.FixedArray[float3, Literal[12]]
    planes: sb.FixedArray[float4, Literal[12]]
    lamps: sb.FixedArray[float4, Literal[3]]
    glow: sb.FixedArray[float32, Literal[12]]
    spin: float3
    mean: float32


@sb.struct
class Input:
    x: int8
    y: int8


@sb.kernel
def cross(a: float3, b: float3) -> float3:
    return float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)


@sb.kernel
def unit(v: float3) -> float3:
    return v / math.sqrt(math.dot(v, v))


@sb.kernel
def lit(normal: float3, plane: float4, lamp: float4) -> float32:
    """Light that falls on a plane, by angle and distance."""
    angle = math.dot(normal, float3(lamp.x, lamp.y, lamp.z))
    away = math.dot(plane, lamp)
    return max(angle, 0.0) / (1.0 + away * away)


@sb.kernel
def turn(state: State, i: int) -> None:
    state.normals[i] = unit(state.normals[i] + cross(state.spin, state.normals[i]) * 0.016)
    n = state.normals[i]
    state.planes[i] = state.planes[i] * 0.9 + float4(n.x, n.y, n.z, 0.3) * 0.1


@sb.kernel
def shine(state: State, i: int) -> None:
    total = float32(0)
    for k in range(LAMPS):
        total += lit(state.normals[i], state.planes[i], state.lamps[k])
    state.glow[i] = state.glow[i] * 0.8 + total * 0.2


@sb.kernel
def init(state: State, seed: uint64) -> None:
    for i in range(PLANES):
        k = float32(i)
        state.normals[i] = unit(float3(1.0, 0.3 * k - 1.5, 0.7 - 0.1 * k))
        state.planes[i] = float4(0.1 * k, 0.2, 0.5 - 0.05 * k, 1.0)
    for lamp in range(LAMPS):
        j = float32(lamp)
        shift = float32(int(seed % 31)) * 0.01
        state.lamps[lamp] = float4(j - 1.0, 0.5 * j + shift, 1.0 - 0.3 * j, 0.7)
    state.spin = float3(0.3, 0.2, 0.1)


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    state.spin.x += float32(inputs[0].x) / 1000.0
    state.spin.y += float32(inputs[0].y) / 1000.0
    state.spin *= 0.99
    total = float32(0)
    for i in range(PLANES):
        turn(state, i)
        shine(state, i)
        total += state.glow[i]
    state.mean = total / 12.0


def tilt(frame: int, player: int, seed: int) -> dict[str, int]:
    return {"x": (20, -10, 0)[(frame // 20 + seed) % 3], "y": (5, 15, -20)[frame // 33 % 3]}


LIGHTS = sb.Simulation(
    name="lights", version="1", state=State, input=Input, players=1, init=init, step=step,
    tick_rate=60, scripts={"tilt": tilt},
)  # fmt: skip
