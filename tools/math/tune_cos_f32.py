"""Evidence that no last bits of the cosine's coefficients round every hard float32 input right.

Changes C2, C4 and C6 of sin_cos_large_f32.py by a few units in the last place, and counts for each
choice the inputs of tests/unit/mathlib/float32/hard_sin_cos_f32.txt whose cosine comes out wrong.
The least is two, which is why `cos_large` names two inputs.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np

from samebits.mathlib.float32 import sin_cos_f32_table as rows
from samebits.mathlib.float32 import sin_cos_large_f32 as f32

HARD = Path(__file__).parents[2] / "tests" / "unit" / "mathlib" / "float32" / "hard_sin_cos_f32.txt"
CHANGES = {"C2": range(-3, 4), "C4": range(-12, 13), "C6": range(-60, 61, 3)}
"""In units of the last place."""


def reduced(x: Any) -> tuple[Any, Any]:
    """The quadrant of x + π/2, and the rest in quarter turns, as in `quarter_turns`."""
    wide = x.astype(np.float64)
    size = np.abs(wide)
    high, rest, low = (
        np.full_like(wide, value) for value in (rows.HIGH_0, rows.REST_0, rows.LOW_0)
    )
    for i in range(1, 6):
        beyond = size >= getattr(rows, f"FROM_{i}")
        for part, name in ((high, "HIGH"), (rest, "REST"), (low, "LOW")):
            part[beyond] = getattr(rows, f"{name}_{i}")
    p0, p1 = wide * high, wide * rest
    rounded = (p0 + p1) + f32.ROUNDER
    f = ((p0 - (rounded - f32.ROUNDER)) + p1) + wide * low
    return rounded.view(np.uint64) + np.uint64(1), f


def nudged(value: float, steps: int) -> float:
    """`value` moved by `steps` units in the last place."""
    return float((np.float64(value).view(np.int64) + steps).view(np.float64))


def main() -> None:
    """Search, and print each choice that is no worse than all before."""
    rows = [line.split() for line in HARD.read_text().splitlines()]
    cosines = [(int(x, 16), int(y, 16)) for which, x, y in rows if which == "1"]
    x, wanted = (np.array(column, np.uint32) for column in zip(*cosines, strict=True))
    quadrant, f = reduced(x.view(np.float32))
    z = f * f
    s = f * (f32.S1 + z * (f32.S3 + z * (f32.S5 + z * (f32.S7 + z * (
        f32.S9 + z * (f32.S11 + z * f32.S13))))))  # fmt: skip
    tail = f32.C8 + z * (f32.C10 + z * (f32.C12 + z * f32.C14))
    odd = (quadrant & np.uint64(1)) != 0
    sign = np.where((quadrant & np.uint64(2)) != 0, -1.0, 1.0)
    least = len(cosines)
    for steps in itertools.product(*CHANGES.values()):
        c2, c4, c6 = map(nudged, (f32.C2, f32.C4, f32.C6), steps)
        c = 1.0 + z * (c2 + z * (c4 + z * (c6 + z * tail)))
        found = (sign * np.where(odd, c, s)).astype(np.float32).view(np.uint32)
        wrong = np.flatnonzero(found != wanted)
        if len(wrong) < least:
            least = len(wrong)
            named = ", ".join(f"{x[k]:08x}" for k in wrong[:6])
            changes = dict(zip(CHANGES, steps, strict=True))
            print(f"{least} of {len(cosines)} wrong with {changes}: {named}")


if __name__ == "__main__":
    main()
