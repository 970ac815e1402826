"""Optimised IR does what the original does: values, memory, and traps with their spans."""

from __future__ import annotations

from copy import deepcopy
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.programs.outcomes import Endless, outcome
from tests.support.programs.random_kernels import BOX, Programs, argument

from samebits.ir.text import print_module
from samebits.ir.verify import verify
from samebits.passes.pipeline import optimise

STEPS = 3000


def arguments(random: Random) -> list[Any]:
    def filled(*shape: int) -> np.ndarray[Any, Any]:
        values = [random.choice((0, 1, 2, 3, -1, 7, 2**31 - 1, -(2**31))) for _ in range(99)]
        return np.resize(np.array(values, np.int32), shape)

    box = np.zeros((), BOX.dtype)
    box["cells"] = filled(8)
    length = random.randrange(0, 9)
    return [
        filled(length),
        filled(length if random.random() < 0.5 else random.randrange(0, 9)),
        filled(random.randrange(0, 6), random.randrange(0, 6)),
        box,
        length if random.random() < 0.4 else argument(random),
        argument(random),
        random.choice((0, 1, 2, 5, -1, 2**31 - 1, -(2**31))),
        random.choice((0, 1, 3, 255)),
    ]


def check(random: Random, inputs: int = 4) -> int:
    """One program on several inputs; how many could be compared."""
    original = Programs(random).module()
    verify(original)
    before = deepcopy(original)
    optimised = optimise(original, ["f"])
    verify(optimised)
    assert original == before
    compared = 0
    for _ in range(inputs):
        args = arguments(random)
        try:
            expected = outcome(original, "f", args, STEPS)
        except Endless:
            continue
        compared += 1
        assert outcome(optimised, "f", args, 4 * STEPS) == expected, print_module(optimised)
    return compared


@settings(max_examples=150, deadline=None)
@given(st.randoms(use_true_random=False))
def test_optimised_kernels_give_the_same_values_memory_and_traps(random: Random) -> None:
    check(random)


@pytest.mark.parametrize("seed", range(60))
def test_seeded_kernels_give_the_same_values_memory_and_traps(seed: int) -> None:
    check(Random(seed))
