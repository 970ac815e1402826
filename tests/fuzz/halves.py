"""Which programs keep halves, and which types of them stand in the palette of such a program.

Every choice comes from a generator of its own, so that the other programs are the same with halves
and without.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from random import Random

from samebits.types import FLOAT16, ScalarType, VectorType
from tests.fuzz.literals import HALF_VECTORS

FIRST_SEED = 1000
"""Programs of smaller seeds stand in tests because they once differed: they stay."""
PROGRAMS = 0.25


class Halves:
    """What the program of `seed` has of halves."""

    def __init__(self, seed: int) -> None:
        rng = Random(f"samebits fuzz halves {seed}")
        self.wanted = rng.random() < PROGRAMS and seed >= FIRST_SEED
        vectors = [rng.choice(HALF_VECTORS)] if rng.random() < 0.5 else []
        self.types: list[ScalarType | VectorType] = []
        if self.wanted:
            self.types = [*[FLOAT16] * rng.randint(2, 3), *vectors]


def seeds_with_halves(first: int, count: int) -> Iterator[int]:
    """The first `count` seeds from `first` on whose programs keep halves."""
    return itertools.islice((s for s in itertools.count(first) if Halves(s).wanted), count)
