"""One uint64 a number from 0 on, such as a hash a frame, with gaps where a file lost some."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray


class Series:
    """Numbers 0 to `len() - 1`; those that are not known have no value.

    `values` and `known` reach to the last that is known: a length is a mere claim.
    """

    def __init__(self, length: int, blocks: Iterable[tuple[int, NDArray[np.uint64]]]) -> None:
        """`blocks` are the values that are known, each with the number of its first."""
        given = list(blocks)
        reach = min(length, max((first + len(block) for first, block in given), default=0))
        self._length = length
        self.values: NDArray[np.uint64] = np.zeros(reach, np.uint64)
        self.known: NDArray[np.bool_] = np.zeros(reach, np.bool_)
        for first, block in given:
            self.values[first : first + len(block)] = block
            self.known[first : first + len(block)] = True

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, number: int) -> int | None:
        """The value, or None where it is not known."""
        if not 0 <= number < len(self.known) or not self.known[number]:
            return None
        return int(self.values[number])

    def ranges(self) -> list[range]:
        """What is known, as ranges that do not touch."""
        edges = np.flatnonzero(np.diff(np.concatenate([[False], self.known, [False]])))
        pairs = edges.reshape(-1, 2)
        return [range(int(first), int(stop)) for first, stop in pairs]

    def shared(self, other: Series) -> NDArray[np.int64]:
        """The numbers that both know."""
        count = min(len(self.known), len(other.known))
        return np.flatnonzero(self.known[:count] & other.known[:count])

    def first_difference(self, other: Series) -> int | None:
        """The first number that both know and at which they differ; None where there is none."""
        shared = self.shared(other)
        unequal = np.flatnonzero(self.values[shared] != other.values[shared])
        return int(shared[unequal[0]]) if len(unequal) else None
