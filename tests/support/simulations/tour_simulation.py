"""A tour of the library in one state, so that one hash speaks for all.

It has elementary functions, sums, noise, random draws, engines' formulas, halves, matrices,
quaternions and fixed point.
"""

from __future__ import annotations

import samebits as sb
from samebits import (
    bool3x3,
    double3x3,
    fix16,
    fix32,
    fix48_wrap,
    float2,
    float3,
    float3x3,
    float4,
    float32,
    float64,
    int3,
    int3x2,
    int3x3,
    int4,
    int32,
    math,
    noise,
    quaternion,
    random,
    uint2x3,
    uint16,
    uint32,
    uint64,
)

N = 70


@sb.struct
class State:
    dice: random.Random
    x: sb.FixedArray[float32, N]
    y: sb.FixedArray[float64, N]
    running: sb.FixedArray[float32, N]
    halves: sb.FixedArray[uint16, 8]
    order: sb.FixedArray[int32, 16]
    noises: sb.FixedArray[float32, 8]
    facts: sb.FixedArray[float64, 12]
    pose: quaternion
    frame: float3x3
    inertia: double3x3
    cells: uint2x3
    moves: int3x2
    ahead: bool3x3
    small: fix16
    money: fix32
    wide: fix48_wrap


@sb.struct
class Input:
    push: float32


@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.dice = random.seeded(seed, 3)
    for i in range(N):
        state.x[i] = state.dice.next_normal32()
        state.y[i] = state.dice.next_normal64()
    for i in range(16):
        state.order[i] = int32(i)
    state.pose = math.euler_zxy(float3(0.25, 0.5, 0.75))
    state.frame = float3x3.identity
    state.inertia = double3x3.identity * 2.0
    state.small = fix16("0.3")
    state.money = fix32("1.05")


@sb.kernel
def elementary(state: State, push: float32) -> None:
    for i in range(N):
        v = state.x[i]
        w = math.sin(v) * math.exp(-math.abs(v)) + math.tanh(v) * math.atan2(v, push)
        w += math.log1p(v * v) - math.cbrt(v) + math.pow(math.abs(v) + 0.5, push)
        state.x[i] = math.lerp(v, w, 0.25)
    for i in range(N):
        u = state.y[i]
        t = math.cos(u) + math.log(u * u + 1.0) * math.asin(u / (math.abs(u) + 1.0))
        t += math.sinh(u / 8.0) + math.hypot(u, 0.5) + math.fmod(u, 0.37) + math.exp2(u / 16.0)
        state.y[i] = math.remainder(t + math.pow(math.abs(u) + 0.1, 0.3), 6.0)


@sb.kernel
def whole_arrays(state: State) -> None:
    f = state.facts
    f[0] = float64(math.sum(state.x))
    f[1] = math.sum(state.y)
    f[2] = math.dot(state.y, state.y)
    f[3] = math.exact_sum(state.y)
    f[4] = float64(math.norm(state.x))
    f[5] = float64(math.max(state.x)) - float64(math.min(state.x))
    f[6] = float64(math.argmax(state.y) - math.argmin(state.y))
    f[7] = math.mean(state.y)
    math.cumsum(state.x, state.running)


@sb.kernel
def drawn(state: State) -> None:
    random.shuffle(state.dice, state.order)
    f = state.facts
    f[8] = float64(state.dice.next_below(1000)) + state.dice.next_exponential()
    f[9] = float64(state.dice.next_int64(-(1 << 40), 1 << 40))
    d = state.dice.next_direction3()
    seed = state.dice.next_uint32()
    p = float2(d.x, d.y) * 10.0
    n = state.noises
    n[0] = noise.perlin_2d(p, seed)
    n[1] = noise.perlin_3d(d * 10.0, seed)
    n[2] = noise.simplex_2d(p, seed)
    n[3] = noise.simplex_3d(d * 10.0, seed)
    n[4] = noise.cellular_2d(p, seed).x
    n[5] = noise.cellular_3d(d * 10.0, seed).y
    n[6] = math.smoothstep(0.0, 1.0, d.x) + math.distance(d, float3(1.0, 2.0, 3.0))
    n[7] = math.length(math.refract(d, math.reflect(d, float3(0.0, 1.0, 0.0)), 0.75))
    for i in range(8):
        state.halves[i] = math.f32_to_f16(state.x[i])
        state.x[i] += math.f16_to_f32(state.halves[i]) * 0.125


@sb.kernel
def turned(state: State) -> None:
    spin = math.axis_angle(float3(0.6, 0.0, 0.8), 0.01)
    state.pose = math.normalize(math.slerp(state.pose, spin @ state.pose, 0.75))
    state.frame = math.to_matrix(state.pose) @ math.transpose(state.frame)
    state.inertia = math.inverse(state.inertia) + double3x3(state.frame)
    state.facts[10] = math.determinant(state.inertia)
    state.ahead = (state.frame > math.transpose(state.frame)) ^ ~state.ahead
    state.cells = state.cells * 1664525 + uint2x3(1013904223)
    state.moves = sb.select(state.moves < 0, -state.moves, state.moves // 2) - int3x2(
        int3x3(state.frame * 100.0)[0], int3(int32(state.cells.c0.x >> 8))
    )


@sb.kernel
def picked(state: State) -> None:
    p = float4(state.pose)
    few = math.shuffle(p, state.frame[0].xyzx, 1, 6, 3)
    state.facts[10] += float64(math.angle(few, p.xyz) + math.angle(state.pose, quaternion.identity))
    words = math.shuffle(state.cells.c0.xyxy, state.cells.c2.yxyx, 0, 1, 4, 5)
    mask = p > few.x
    end = math.compress(state.order, 2, int4(words & 0xFF), mask)
    state.order[end] = int32(math.hash(p) & 0xFFFF) ^ int32(math.hash(state.facts[10]) >> 20)


@sb.kernel
def counted(state: State) -> None:
    state.small = math.sin(state.small) + fix16("0.25")
    state.money = state.money * fix32("1.0125") / fix32("1.01") + math.log(state.money + 1)
    state.money = state.money - math.floor(state.money / 7) * 7
    state.wide = state.wide * fix48_wrap("3.1") + fix48_wrap("1000000.5")


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    elementary(state, inputs[0].push)
    whole_arrays(state)
    drawn(state)
    turned(state)
    picked(state)
    counted(state)
    state.facts[11] += float64(uint32(state.order[0]))


def push(frame: int, player: int, seed: int) -> dict[str, object]:
    return {"push": (frame * 7 % 13) / 4 - 1.25 + seed}


TOUR = sb.Simulation(
    name="tour", version="1", state=State, input=Input, players=1, init=init, step=step,
    tick_rate=60, scripts={"push": push},
)  # fmt: skip
