"""A conditional division that is the same in every iteration gives its result to every lane."""

from __future__ import annotations

import numpy as np
import pytest

import samebits as sb
from samebits import Array, float32, int64
from samebits.backend.llvm.compile import llvm_text
from samebits.backend.llvm.engine import host_target
from samebits.errors import SamebitsError
from samebits.frontend.compile import compile_kernel, link
from samebits.lang.kernel import Kernel
from samebits.passes.pipeline import optimise


@sb.struct
class Cell:
    value: sb.FixedArray[float32, 6]


@sb.kernel
def at(i: int64, n: int64) -> int64:
    return (i * 22) % n


@sb.kernel
def marks(cells: Array[Cell], flags: Array[bool], i: int64) -> int64:
    """Whatever lane is the first to need the rest, the store goes where it says."""
    n = int64(len(cells))
    last = i % n
    for j in range(len(flags)):
        flag = flags[j]
        flags[j] = i >= 3
        if not flag:
            cells[(i * 22) % n].value[3] = float32(n)
    return last


@sb.kernel
def marks_while(cells: Array[Cell], flags: Array[bool], i: int64) -> int64:
    """The same in a `while` loop, with the division in a kernel that is called."""
    n = int64(len(cells))
    last = i % n
    j = 0
    while j < len(flags):
        flag = flags[j]
        flags[j] = i >= 3
        j += 1
        if flag:
            continue
        cells[at(i, n)].value[3] = float32(n)
    return last


@pytest.mark.parametrize("kernel", [marks, marks_while])
@pytest.mark.parametrize("first", [0, 1, 5, 15, 39])
def test_the_first_lane_does_not_decide_for_the_others(kernel: Kernel, first: int) -> None:
    flags = np.ones(40, np.bool_)
    flags[first:] = False
    cells = np.zeros(7, Cell.dtype)
    sb.assert_same_bits(kernel, cells, flags, 3)
    kernel(cells, flags, 3)
    assert cells["value"][:, 3].tolist() == [0, 0, 0, 7, 0, 0, 0]


@sb.kernel
def by_seven(x: Array[int64]) -> None:
    for j in range(len(x)):
        x[j] = x[j] // 7


@pytest.mark.parametrize(("kernel", "marked"), [(marks, 1), (marks_while, 1), (by_seven, 0)])
def test_loops_that_divide_by_a_variable_are_not_vectorised(kernel: Kernel, marked: int) -> None:
    types = kernel.fixed_types
    assert types is not None
    try:
        unit = compile_kernel(kernel, types)
    except SamebitsError as error:
        pytest.fail(str(error))
    entry = unit.function.name
    text = llvm_text(optimise(link(unit), [entry]), [entry], host_target())
    assert text.count('!{!"llvm.loop.vectorize.enable", i1 false}}') >= marked
    assert ('"llvm.loop.vectorize.enable"' in text) == bool(marked)
