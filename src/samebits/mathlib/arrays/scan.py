"""Running sums in a shape that depends on the length alone: blocks of 2,048 elements."""

# pyright: reportReturnType=false, reportOperatorIssue=false, reportArgumentType=false
# pyright: reportAssignmentType=false, reportIndexIssue=false, reportCallIssue=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportInvalidTypeVarUse=false, reportUnknownMemberType=false
# Elements of a type variable and arithmetic on them are beyond what the checker knows.

from __future__ import annotations

from typing import TypeVar

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import min
from samebits.lang.memory.arrays import Array, ReadOnly

T = TypeVar("T")

BLOCK = 2048


@kernel
def cumsum(x: ReadOnly[T], result: Array[T]) -> None:
    """result[i] = before + (x[first] + … + x[i]), left to right from the first of i's block.

    `before` is the last result of the block before, and is not there in the first block.
    """
    n = len(x)
    assert len(result) == n, "cumsum() into an array of another length"
    if n == 0:
        return
    local = x[0]
    result[0] = local
    for i in range(1, min(n, BLOCK)):
        local += x[i]
        result[i] = local
    start = BLOCK
    while start < n:
        before = result[start - 1]
        local = x[start]
        result[start] = before + local
        for i in range(start + 1, min(n, start + BLOCK)):
            local += x[i]
            result[i] = before + local
        start += BLOCK
