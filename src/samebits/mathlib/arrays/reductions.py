"""Sums in a shape that depends on length alone: `sum`, `dot`, `mean`, `variance`, `norm`.

The shape is part of the contract (docs/reference/reductions.md): blocks of 32 rows of 64 lanes,
the lanes of a block folded in halves, blocks joined as a binary counter joins them. Lanes are
independent, so that every SIMD width does the same additions.
"""

# pyright: reportReturnType=false, reportOperatorIssue=false, reportArgumentType=false
# pyright: reportAssignmentType=false, reportIndexIssue=false, reportCallIssue=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportInvalidTypeVarUse=false, reportUnknownMemberType=false
# Elements of a type variable and arithmetic on them are beyond what the checker knows.

from __future__ import annotations

from typing import TypeVar

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, sqrt
from samebits.lang.memory.arrays import Array, ReadOnly, zeros
from samebits.lang.values.scalars import float32, float64, int64, uint64

T = TypeVar("T")

LANES = 64
ROWS = 32
BLOCK = LANES * ROWS
HALF, QUARTER, EIGHTH = LANES // 2, LANES // 4, LANES // 8
LEVELS = 56
"""More than the binary digits of any count of blocks."""


@kernel(bounds_check=False)
def block_sum(x: ReadOnly[T], start: int) -> T:
    """The sum of x[start : start + BLOCK]: lane i has elements i, 64 + i, …"""
    lanes = zeros(LANES, T)
    for i in range(LANES):
        lanes[i] = T(-0.0)
    for row in range(ROWS):
        for i in range(LANES):
            lanes[i] += x[start + (row * LANES + i)]
    for i in range(HALF):
        lanes[i] += lanes[HALF + i]
    for i in range(QUARTER):
        lanes[i] += lanes[QUARTER + i]
    for i in range(EIGHTH):
        lanes[i] += lanes[EIGHTH + i]
    for i in range(4):
        lanes[i] += lanes[4 + i]
    return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])


@kernel(bounds_check=False)
def rest_sum(x: ReadOnly[T], start: int, count: int) -> T:
    """The sum of x[start : start + count], as of a block; −0 for count 0."""
    lanes = zeros(LANES, T)
    for i in range(LANES):
        lanes[i] = T(-0.0)
    rows = count // LANES
    for row in range(rows):
        for i in range(LANES):
            lanes[i] += x[start + (row * LANES + i)]
    for i in range(count - rows * LANES):
        lanes[i] += x[start + (rows * LANES + i)]
    half = LANES >> 1
    while half > 0:
        for i in range(half):
            lanes[i] += lanes[half + i]
        half = half >> 1
    return lanes[0]


@kernel(bounds_check=False)
def block_dot(x: ReadOnly[T], y: ReadOnly[T], start: int) -> T:
    """As `block_sum`, of the products x[i]·y[i], each rounded."""
    lanes = zeros(LANES, T)
    for i in range(LANES):
        lanes[i] = T(-0.0)
    for row in range(ROWS):
        for i in range(LANES):
            j = start + (row * LANES + i)
            lanes[i] += x[j] * y[j]
    for i in range(HALF):
        lanes[i] += lanes[HALF + i]
    for i in range(QUARTER):
        lanes[i] += lanes[QUARTER + i]
    for i in range(EIGHTH):
        lanes[i] += lanes[EIGHTH + i]
    for i in range(4):
        lanes[i] += lanes[4 + i]
    return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])


@kernel(bounds_check=False)
def rest_dot(x: ReadOnly[T], y: ReadOnly[T], start: int, count: int) -> T:
    """As `rest_sum`, of the products x[i]·y[i], each rounded."""
    lanes = zeros(LANES, T)
    for i in range(LANES):
        lanes[i] = T(-0.0)
    rows = count // LANES
    for row in range(rows):
        for i in range(LANES):
            j = start + (row * LANES + i)
            lanes[i] += x[j] * y[j]
    for i in range(count - rows * LANES):
        j = start + (rows * LANES + i)
        lanes[i] += x[j] * y[j]
    half = LANES >> 1
    while half > 0:
        for i in range(half):
            lanes[i] += lanes[half + i]
        half = half >> 1
    return lanes[0]


@kernel(bounds_check=False)
def block_squares(x: ReadOnly[T], start: int, scale: float64) -> float64:
    """As `block_sum`, of (x[i]·scale)² in float64."""
    lanes = zeros(LANES, float64)
    for row in range(ROWS):
        for i in range(LANES):
            v = float64(x[start + (row * LANES + i)]) * scale
            lanes[i] += v * v
    for i in range(HALF):
        lanes[i] += lanes[HALF + i]
    for i in range(QUARTER):
        lanes[i] += lanes[QUARTER + i]
    for i in range(EIGHTH):
        lanes[i] += lanes[EIGHTH + i]
    for i in range(4):
        lanes[i] += lanes[4 + i]
    return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])


@kernel(bounds_check=False)
def rest_squares(x: ReadOnly[T], start: int, count: int, scale: float64) -> float64:
    """As `rest_sum`, of (x[i]·scale)² in float64."""
    lanes = zeros(LANES, float64)
    rows = count // LANES
    for row in range(rows):
        for i in range(LANES):
            v = float64(x[start + (row * LANES + i)]) * scale
            lanes[i] += v * v
    for i in range(count - rows * LANES):
        v = float64(x[start + (rows * LANES + i)]) * scale
        lanes[i] += v * v
    half = LANES >> 1
    while half > 0:
        for i in range(half):
            lanes[i] += lanes[half + i]
        half = half >> 1
    return lanes[0]


@kernel(bounds_check=False)
def block_deviations(x: ReadOnly[T], start: int, centre: T) -> T:
    """As `block_sum`, of (x[i] - centre)², each difference and square rounded."""
    lanes = zeros(LANES, T)
    for row in range(ROWS):
        for i in range(LANES):
            d = x[start + (row * LANES + i)] - centre
            lanes[i] += d * d
    for i in range(HALF):
        lanes[i] += lanes[HALF + i]
    for i in range(QUARTER):
        lanes[i] += lanes[QUARTER + i]
    for i in range(EIGHTH):
        lanes[i] += lanes[EIGHTH + i]
    for i in range(4):
        lanes[i] += lanes[4 + i]
    return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])


@kernel(bounds_check=False)
def rest_deviations(x: ReadOnly[T], start: int, count: int, centre: T) -> T:
    """As `rest_sum`, of (x[i] - centre)², each difference and square rounded."""
    lanes = zeros(LANES, T)
    rows = count // LANES
    for row in range(rows):
        for i in range(LANES):
            d = x[start + (row * LANES + i)] - centre
            lanes[i] += d * d
    for i in range(count - rows * LANES):
        d = x[start + (rows * LANES + i)] - centre
        lanes[i] += d * d
    half = LANES >> 1
    while half > 0:
        for i in range(half):
            lanes[i] += lanes[half + i]
        half = half >> 1
    return lanes[0]


@kernel
def carry(levels: Array[T], b: int, total: T) -> None:
    """Add the sum of block `b` as a binary counter carries: levels[k] has that of 2^k blocks."""
    k = 0
    while (b >> k) & 1 != 0:
        total = levels[k] + total
        k += 1
    levels[k] = total


@kernel
def joined(levels: ReadOnly[T], blocks: int, rest: T) -> T:
    """The sum of what `blocks` whole ones left in the levels, and of the rest after them."""
    level = 0
    while blocks >> level != 0:
        if (blocks >> level) & 1 != 0:
            rest = levels[level] + rest
        level += 1
    return rest


@kernel
def sum(x: ReadOnly[T]) -> T:
    """The sum of floats; 0 of none."""
    n = len(x)
    if n == 0:
        return T(0.0)
    levels = zeros(LEVELS, T)
    blocks = n // BLOCK
    for b in range(blocks):
        total = block_sum(x, b * BLOCK)
        carry(levels, b, total)
    rest = rest_sum(x, blocks * BLOCK, n - blocks * BLOCK)
    return joined(levels, blocks, rest)


@kernel
def dot(x: ReadOnly[T], y: ReadOnly[T]) -> T:
    """The sum of x[i]·y[i], floats of one length; 0 of none."""
    n = len(x)
    assert len(y) == n, "dot() of arrays of two lengths"
    if n == 0:
        return T(0.0)
    levels = zeros(LEVELS, T)
    blocks = n // BLOCK
    for b in range(blocks):
        total = block_dot(x, y, b * BLOCK)
        carry(levels, b, total)
    rest = rest_dot(x, y, blocks * BLOCK, n - blocks * BLOCK)
    return joined(levels, blocks, rest)


@kernel
def squares(x: ReadOnly[T], scale: float64) -> float64:
    """The sum of (x[i]·scale)² in float64."""
    n = len(x)
    levels = zeros(LEVELS, float64)
    blocks = n // BLOCK
    for b in range(blocks):
        total = block_squares(x, b * BLOCK, scale)
        carry(levels, b, total)
    rest = rest_squares(x, blocks * BLOCK, n - blocks * BLOCK, scale)
    return joined(levels, blocks, rest)


@kernel
def sum_signed(x: ReadOnly[T]) -> int64:
    """The sum of signed integers modulo 2^64."""
    total = int64(0)
    for i in range(len(x)):
        total += int64(x[i])
    return total


@kernel
def sum_unsigned(x: ReadOnly[T]) -> uint64:
    """The sum of unsigned integers modulo 2^64."""
    total = uint64(0)
    for i in range(len(x)):
        total += uint64(x[i])
    return total


@kernel
def dot_signed(x: ReadOnly[T], y: ReadOnly[T]) -> int64:
    """The sum of products of signed integers modulo 2^64."""
    assert len(y) == len(x), "dot() of arrays of two lengths"
    total = int64(0)
    for i in range(len(x)):
        total += int64(x[i]) * int64(y[i])
    return total


@kernel
def dot_unsigned(x: ReadOnly[T], y: ReadOnly[T]) -> uint64:
    """The sum of products of unsigned integers modulo 2^64."""
    assert len(y) == len(x), "dot() of arrays of two lengths"
    total = uint64(0)
    for i in range(len(x)):
        total += uint64(x[i]) * uint64(y[i])
    return total


@kernel
def mean(x: ReadOnly[T]) -> T:
    """sum(x) / len(x) in the type of the elements; NaN of none."""
    return sum(x) / T(len(x))


@kernel
def mean_signed(x: ReadOnly[T]) -> float64:
    """float64(sum(x)) / len(x); NaN of none."""
    return float64(sum_signed(x)) / float64(len(x))


@kernel
def mean_unsigned(x: ReadOnly[T]) -> float64:
    """float64(sum(x)) / len(x); NaN of none."""
    return float64(sum_unsigned(x)) / float64(len(x))


@kernel
def variance(x: ReadOnly[T]) -> T:
    """The mean of (x[i] - mean(x))² in the type of the elements; NaN of none."""
    n = len(x)
    centre = mean(x)
    levels = zeros(LEVELS, T)
    blocks = n // BLOCK
    for b in range(blocks):
        total = block_deviations(x, b * BLOCK, centre)
        carry(levels, b, total)
    rest = rest_deviations(x, blocks * BLOCK, n - blocks * BLOCK, centre)
    return joined(levels, blocks, rest) / T(n)


@kernel
def norm_f32(x: ReadOnly[float32]) -> float32:
    """√(Σ x[i]²), summed in float64, where no square overflows or vanishes."""
    return float32(sqrt(squares(x, 1.0)))


TOO_LARGE = 2.0**1000
TOO_SMALL = 2.0**-900
SCALE = 2.0**600


@kernel
def norm_f64(x: ReadOnly[float64]) -> float64:
    """√(Σ x[i]²); where the sum leaves [2^-900, 2^1000], again with all scaled by 2^±600."""
    total = squares(x, 1.0)
    if total > TOO_LARGE:
        return sqrt(squares(x, 1.0 / SCALE)) * SCALE
    if total < TOO_SMALL:
        return sqrt(squares(x, SCALE)) / SCALE
    return abs(sqrt(total))
