"""The least and greatest element of an array and where they stand.

`min` and `max` order −0 below +0 and give NaN where there is one, so that no order of evaluation
shows; lanes only make them vectorise.
"""

# pyright: reportReturnType=false, reportOperatorIssue=false, reportArgumentType=false
# pyright: reportAssignmentType=false, reportIndexIssue=false, reportCallIssue=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportInvalidTypeVarUse=false, reportUnknownMemberType=false
# Elements of a type variable and arithmetic on them are beyond what the checker knows.

from __future__ import annotations

from typing import TypeVar

from samebits.lang import intrinsics as functions
from samebits.lang.decorators import kernel
from samebits.lang.memory.arrays import ReadOnly, zeros

T = TypeVar("T")

LANES = 64
BLOCK = 2048


@kernel
def least(x: ReadOnly[T], start: int, count: int) -> T:
    """The least of x[start : start + count], count 1 or more."""
    lanes = zeros(LANES, T)
    for i in range(LANES):
        lanes[i] = x[start]
    rows = count // LANES
    for row in range(rows):
        for i in range(LANES):
            lanes[i] = functions.min(lanes[i], x[start + (row * LANES + i)])
    found = lanes[0]
    for i in range(1, LANES):
        found = functions.min(found, lanes[i])
    for j in range(rows * LANES, count):
        found = functions.min(found, x[start + j])
    return found


@kernel
def greatest(x: ReadOnly[T], start: int, count: int) -> T:
    """The greatest of x[start : start + count], count 1 or more."""
    lanes = zeros(LANES, T)
    for i in range(LANES):
        lanes[i] = x[start]
    rows = count // LANES
    for row in range(rows):
        for i in range(LANES):
            lanes[i] = functions.max(lanes[i], x[start + (row * LANES + i)])
    found = lanes[0]
    for i in range(1, LANES):
        found = functions.max(found, lanes[i])
    for j in range(rows * LANES, count):
        found = functions.max(found, x[start + j])
    return found


@kernel
def min(x: ReadOnly[T]) -> T:
    """The least element."""
    assert len(x) > 0, "min() of an empty array"
    return least(x, 0, len(x))


@kernel
def max(x: ReadOnly[T]) -> T:
    """The greatest element."""
    assert len(x) > 0, "max() of an empty array"
    return greatest(x, 0, len(x))


@kernel
def argmin(x: ReadOnly[T]) -> int:
    """The first index of an element equal to the least, or of the first NaN."""
    n = len(x)
    assert n > 0, "argmin() of an empty array"
    at = 0
    best = least(x, 0, functions.min(n, BLOCK))
    start = BLOCK
    while start < n and best == best:
        found = least(x, start, functions.min(n - start, BLOCK))
        if found < best or found != found:
            best = found
            at = start
        start += BLOCK
    while not (x[at] == best or (x[at] != x[at] and best != best)):
        at += 1
    return at


@kernel
def argmax(x: ReadOnly[T]) -> int:
    """The first index of an element equal to the greatest, or of the first NaN."""
    n = len(x)
    assert n > 0, "argmax() of an empty array"
    at = 0
    best = greatest(x, 0, functions.min(n, BLOCK))
    start = BLOCK
    while start < n and best == best:
        found = greatest(x, start, functions.min(n - start, BLOCK))
        if found > best or found != found:
            best = found
            at = start
        start += BLOCK
    while not (x[at] == best or (x[at] != x[at] and best != best)):
        at += 1
    return at
