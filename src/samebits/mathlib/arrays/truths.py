"""The kernels of `any` and `all` of arrays."""

# pyright: reportArgumentType=false, reportIndexIssue=false
# What annotates an array is no array to the checker.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.memory.arrays import ReadOnly


@kernel
def any(x: ReadOnly[bool]) -> bool:
    """Whether some element is true; of none it is not."""
    for i in range(len(x)):  # noqa: SIM110
        if x[i]:
            return True
    return False


@kernel
def all(x: ReadOnly[bool]) -> bool:
    """Whether every element is true; of none it is."""
    for i in range(len(x)):  # noqa: SIM110
        if not x[i]:
            return False
    return True
