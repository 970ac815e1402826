"""Values that one scalar of an input may have had, where its hash alone is known.

A hash can't be turned back, but what people and machines put into an input instead of the right
value is seldom arbitrary: a flipped bit, a round number, the same number in another unit. Each is
tried against the hash, so that a wrong guess is never told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from samebits.types import BOOL, FixedPointType, ScalarType

MOST_WHOLE = 16
"""The most bits of scalars of which every value is tried."""
SMALL = 1024
"""Whole numbers up to this one, and hundredths of them."""
_TIMES = (-1, 2, 3, 4, 8, 10, 16, 60, 100, 255, 256, 1000, 1024, 65536)
"""Factors between units: signs, doubled steps, percent, frames and seconds, bytes, fixed point."""


def plausible(t: ScalarType, pattern: int) -> Iterator[int]:
    """Bit patterns of type `t` that stand for another `pattern`, without that one, each once, the
    most plausible first."""
    seen = {pattern}
    for found in _found(t, pattern):
        if found not in seen:
            seen.add(found)
            yield found


def _found(t: ScalarType, pattern: int) -> Iterator[int]:
    if t is BOOL:
        yield from (0, 1)
    elif t.bits <= MOST_WHOLE:
        yield from range(1 << t.bits)
    else:
        yield from (pattern ^ 1 << bit for bit in range(t.bits))
        yield from _floats(t, pattern) if t.is_ieee else _integers(t, pattern)


def _integers(t: ScalarType, pattern: int) -> Iterator[int]:
    mask = (1 << t.bits) - 1
    value = t.wrapped(pattern)
    unit = 1 << t.fraction if isinstance(t, FixedPointType) else 1
    powers = [1 << k for k in range(t.bits)] + [10**k * unit for k in range(20)]
    near = (value + sign * k for k in range(1, 17) for sign in (1, -1))
    small = (sign * k * unit for k in range(SMALL + 1) for sign in (1, -1))
    scaled = (found for n in _TIMES for found in (value * n, value // n))
    round_ = (sign * (power + k) for power in powers for k in (0, -1, 1) for sign in (1, -1))
    for each in (scaled, near, small, (t.minimum, t.maximum), round_):
        yield from (found & mask for found in each)


def _floats(t: ScalarType, pattern: int) -> Iterator[int]:
    (value,) = np.array([pattern], f"u{t.size}").view(t.dtype).astype(np.float64).tolist()
    small = [sign * k for k in range(SMALL + 1) for sign in (1.0, -1.0)]
    powers = [2.0**k for k in range(-1022, 1024)]
    tens = [float(f"1e{k}") for k in range(-40, 309)]
    scaled = [found for n in _TIMES for found in (value * n, value / n)]
    yield from _patterns(t, scaled)
    yield from _patterns(t, small)
    yield from _patterns(t, [k / 10 for k in small] + [k / 100 for k in small])
    yield from _patterns(t, [sign * n for n in tens + powers for sign in (1.0, -1.0)])
    greatest = float(np.finfo(t.dtype).max)
    yield from _patterns(t, [greatest, -greatest])


def _patterns(t: ScalarType, values: Iterable[float]) -> list[int]:
    """The patterns of numbers as `t` has them; those beyond it are left out."""
    with np.errstate(all="ignore"):
        array = np.array(list(values), np.float64).astype(t.dtype)
    return array[np.isfinite(array)].view(f"u{t.size}").tolist()
