"""Kernels with parallel ranges, in every form that their bodies take."""

from __future__ import annotations

import samebits as sb
from samebits import float3, float32, int32, int64, math


@sb.struct
class Body:
    pos: float3
    vel: float3
    hits: int32


@sb.struct
class World:
    dt: float32
    bodies: sb.FixedArray[Body, 8]
    heat: sb.FixedArray[float32, 8]


@sb.kernel
def saxpy(a: float32, x: sb.ReadOnly[float32], y: sb.Array[float32]):
    for i in sb.prange(len(y)):
        y[i] = a * x[i] + y[i]


@sb.kernel
def between(start: int64, stop: int64, y: sb.Array[float32]):
    for i in sb.prange(start, stop, batch=3):
        y[i] += float32(i)


@sb.kernel
def scatter(at: sb.ReadOnly[int32], y: sb.Array[float32]):
    for i in sb.prange(len(at), batch=2):
        y[at[i]] += float32(1)


@sb.kernel
def unsafe_scatter(at: sb.ReadOnly[int32], y: sb.Array[float32]):
    for i in sb.prange(len(at), batch=2):
        sb.unsafe_parallel(y)[at[i]] += float32(1)


@sb.kernel
def move(p: sb.Array[float3], v: sb.ReadOnly[float3], dt: float32, wind: float3):
    """Captures of every kind by value, names of an iteration's own, `continue`, an inner loop."""
    gusts = sb.zeros(3, float32)
    for k in range(3):
        gusts[k] = float32(k) * dt
    for i in sb.prange(0, len(p)):
        step = (v[i] + wind) * dt
        if step.x > 2:
            continue
        for k in range(3):
            step = step + float3(gusts[k], 0, 0)
        p[i] += step


@sb.kernel
def rows(a: sb.Array[float32, 2], b: sb.ReadOnly[float32, 2]):
    for i in sb.prange(a.shape[0]):
        for j in range(a.shape[1]):
            a[i, j] = a[i, j] * b[j % b.shape[0], i % b.shape[1]]


@sb.kernel
def nested(a: sb.Array[float32, 2]):
    for i in sb.prange(a.shape[0]):
        for j in sb.prange(a.shape[1]):
            a[i, j] += float32(i * 10 + j)


@sb.kernel
def fill(row: sb.Array[float32], value: float32):
    for j in range(len(row)):
        row[j] = value + float32(j)


@sb.kernel
def row_arguments(a: sb.Array[float32, 2]):
    for i in sb.prange(a.shape[0]):
        fill(a[i], float32(i))


@sb.kernel
def drift(body: Body, dt: float32):
    body.pos += body.vel * dt
    body.hits += 1


@sb.kernel
def fields(world: World, out: sb.Array[float32]):
    """Arrays inside a struct: those that are written at the own index, the rest read."""
    for i in sb.prange(8):
        body = world.bodies[i]
        drift(body, world.dt)
        world.bodies[i].vel *= float32(0.5)
        out[i] = math.sqrt(world.heat[7 - i])


@sb.kernel
def own_local(y: sb.Array[float32]) -> float32:
    """An array of the kernel's own, written by the iterations and added up after them."""
    parts = sb.zeros(16, float32)
    for i in sb.prange(16):
        parts[i] = y[i] * y[i]
    return math.sum(parts)


@sb.kernel
def twice(y: sb.Array[float32]):
    """The names of one parallel range are free for the next, and for a plain one."""
    for i in range(len(y)):
        t = float32(i)
        y[i] += t
    for i in sb.prange(len(y)):
        t = y[i] * y[i]
        y[i] = t
    for i in sb.prange(len(y)):
        t = i + 1
        y[i] -= float32(t)


@sb.kernel
def inverse(y: sb.Array[int32]):
    """Traps at every zero; the lowest index's trap is the answer."""
    for i in sb.prange(len(y), batch=1):
        if i % 2 == 1:
            y[i] = 7 // y[i]
        else:
            y[i] = 5 // y[i]


@sb.kernel
def mirror(x: sb.ReadOnly[float32], y: sb.Array[float32]):
    """Iterations that read what others write, where both arrays are the same memory."""
    for i in sb.prange(len(y)):
        y[i] = x[len(y) - 1 - i] + float32(1)


@sb.kernel
def shown(y: sb.Array[float32]):
    """An index that is the own one, though it does not look so."""
    for i in sb.prange(len(y)):
        j = i
        y[j] = float32(1)
