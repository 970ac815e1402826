"""Names in annotations compute nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

    SEED = random.random()


def use(rng: random.Random, seen: set[str]) -> set[str]:
    return seen
