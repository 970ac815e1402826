"""Kernels whose IR is kept as golden text."""

from __future__ import annotations

import typing

import samebits as sb
from samebits import Array, ReadOnly, float2, float3, float32, int32, math, uint32

T = typing.TypeVar("T")
GRAVITY = 9.81
PRIMES = sb.table([2, 3, 5, 7], uint32)


@sb.struct
class Ship:
    pos: float2
    vel: float2
    hp: int32

    def move(self, dt: float32) -> None:
        self.pos += self.vel * dt


@sb.kernel
def drift(p: float3, v: float3, dt: float32 = 1 / 60) -> float3:
    return p + v * dt


@sb.kernel
def fall(ships: Array[Ship], dt: float32) -> int32:
    alive = int32(0)
    for i in range(len(ships)):
        ship = ships[i]
        if ship.hp <= 0 or ship.pos.y < 0:
            continue
        ship.vel = ship.vel - float2(0, GRAVITY * dt)
        ship.move(dt)
        alive += 1
    return alive


@sb.kernel
def largest(values: ReadOnly[T], floor: T) -> T:
    best = floor
    for i in range(len(values)):
        best = sb.max(best, values[i])
    return best


@sb.kernel
def collatz(n: int) -> int:
    turns = 0
    while True:
        if n == 1:
            return turns
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        turns += 1


@sb.kernel
def hashed(a: ReadOnly[uint32], i: int32) -> tuple[uint32, bool]:
    assert 0 <= i < 4, "a prime for each"
    h = PRIMES[i]
    for k in range(0, len(a), 2):
        h = sb.rotl(h ^ a[k], 13) * 5
    return h, h != 0


@sb.kernel
def launched(angle: float32) -> Ship:
    ship = Ship(vel=float2(math.cos(angle), math.sin(angle)), hp=3)
    ship.move(1)
    return ship
