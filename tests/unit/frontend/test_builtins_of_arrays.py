"""Python's `min`, `max`, `any` and `all` of arrays and of items, with the same bits everywhere."""

from __future__ import annotations

import numpy as np
import pytest

import samebits as sb
from samebits import float32, float64, int32, math
from samebits.errors import Trap


@sb.struct
class Board:
    heights: sb.FixedArray[float32, 5]
    alive: sb.FixedArray[bool, 5]
    scores: sb.List[int32, 8]


@sb.kernel
def extremes(board: Board, a: sb.Array[float64, 2], out: sb.Array[float64]) -> None:
    out[0] = min(board.heights)
    out[1] = max(board.heights[1:3])
    out[2] = float64(max(board.scores) - min(board.scores))
    for row in a:
        out[3] += max(row)
    own = sb.zeros(3, int32)
    own[1] = -4
    out[4] = float64(min(own))
    out[5] = float64(sum(board.scores))


@sb.kernel
def truths(board: Board, flags: sb.ReadOnly[bool], out: sb.Array[bool]) -> None:
    out[0] = any(flags)
    out[1] = all(flags)
    out[2] = any(board.alive)
    out[3] = all(board.alive[:1])
    out[4] = sb.any(flags)
    out[5] = math.all(flags)


BOARD = Board(
    heights=[1.5, -0.0, 0.0, 2.5, 1.0], alive=[True, False, False, False, False], scores=[3, -1, 7]
)


def test_the_least_and_greatest_of_items_are_the_librarys() -> None:
    table, out = np.array([[1.0, 3.0], [2.0, 0.5]]), np.zeros(6)
    extremes(BOARD, table, out)
    assert out.tolist() == [-0.0, 0.0, 8.0, 5.0, -4.0, 9.0]
    assert np.signbit(out[:2]).tolist() == [True, False]
    sb.assert_same_bits(extremes, BOARD, table, out)


@pytest.mark.parametrize("flags", [[], [True], [False], [False, True], [True, True]])
def test_any_and_all_of_bools_are_pythons(flags: list[bool]) -> None:
    array, out = np.array(flags, bool), np.zeros(6, bool)
    truths(BOARD, array, out)
    assert out.tolist() == [any(flags), all(flags), True, True, any(flags), all(flags)]
    sb.assert_same_bits(truths, BOARD, array, out)


@sb.kernel
def greatest(scores: sb.List[int32, 8]) -> int32:
    return max(scores)


def test_the_greatest_of_no_items_traps_everywhere() -> None:
    for run in (greatest, greatest.managed):
        with pytest.raises(Trap, match="of an empty array"):
            run([])
    with pytest.raises(Trap, match="of an empty array"):
        sb.assert_same_bits(greatest, sb.List[int32, 8]())
