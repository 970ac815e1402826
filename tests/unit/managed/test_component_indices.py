"""Components of vectors are assigned at the elements that negative constants count from the end."""

from __future__ import annotations

import numpy as np

import samebits as sb
from samebits import float3


@sb.struct
class Cells:
    flat: sb.FixedArray[float3, 3]
    grid: sb.FixedArray[float3, 2, 2]


@sb.kernel
def from_end(cells: Cells) -> None:
    cells.flat[-1].x = 5
    cells.flat[-3].y += 2
    cells.grid[0, -2].x, cells.grid[-1, -1].y = cells.grid[-1, -1].y + 7, cells.grid[0, -2].x


def test_negative_constants_count_from_the_end() -> None:
    sb.assert_same_bits(from_end, Cells())
    cells = Cells()
    from_end.managed(cells)
    assert cells.flat[2].x == 5
    assert cells.flat[0].y == 2
    assert cells.grid[0, 0].x == 7
    assert np.count_nonzero(cells.memory["grid"]) == 1
