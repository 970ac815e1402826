"""The inputs of a run, readable from any frame on and any number of times.

Owns where they are kept: the first ones in memory; later ones are read from the source again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from samebits.sim.inputs import Inputs
from samebits.sim.sources import InputBlock, InputSource

MOST_BYTES = 64 * 1024 * 1024
"""Bytes of inputs that are kept in memory."""


class InputStream:
    """The inputs of one source, whose frames count up from 0."""

    def __init__(self, source: InputSource) -> None:
        self.source = source
        self._reading = source.blocks()
        self._blocks: list[InputBlock] = []
        """The first blocks of the source."""
        self._size = 0

    @property
    def seed(self) -> int:
        return self.source.seed

    @property
    def frames(self) -> int:
        """The number of frames that the source declares."""
        return self.source.frames

    def blocks(self, first: int = 0) -> Iterator[tuple[int, InputBlock]]:
        """Every block that ends after frame `first`, with the number of its own first frame."""
        at = 0
        for block in self._every():
            if at + len(block.inputs) > first:
                yield at, block
            at += len(block.inputs)

    def between(self, first: int, end: int) -> Inputs:
        """The inputs of frames `first` to `end` - 1; fewer if the source ends earlier."""
        parts: list[Inputs] = []
        for at, block in self.blocks(first):
            if at >= end:
                break
            parts.append(block.inputs[max(0, first - at) : end - at])
        return joined(parts) if parts else self._none()

    def _none(self) -> Inputs:
        for _, block in self.blocks():
            return block.inputs[:0]
        raise ValueError("a source without frames has no inputs")

    def _every(self) -> Iterator[InputBlock]:
        done = 0
        while self._size <= MOST_BYTES or done < len(self._blocks):
            if done == len(self._blocks):
                block = next(self._reading, None)
                if block is None:
                    return
                self._blocks.append(block)
                self._size += block.inputs.nbytes
            yield self._blocks[done]
            done += 1
        yield from islice(self.source.blocks(), done, None)


def joined(parts: Sequence[Inputs]) -> Inputs:
    """One or more blocks of inputs as one; np.concatenate would drop the padding of their dtype."""
    rows = np.zeros((sum(map(len, parts)), parts[0].shape[1]), parts[0].dtype)
    done = 0
    for part in parts:
        rows[done : done + len(part)] = part
        done += len(part)
    return rows
