"""Random operations on a container, run by a kernel in every execution and by a model in Python."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

import samebits as sb

Model = Callable[[Any, int, int, int], float]
"""Does operation `code` with two numbers on the model: what it gives; ModelTrap where it traps."""


class ModelTrap(Exception):
    """What the model has instead of a trap."""


def need(condition: bool) -> None:
    if not condition:
        raise ModelTrap


def operations(rng: Random, codes: int, count: int, values: int) -> np.ndarray[Any, Any]:
    rows = [
        (rng.randrange(codes), rng.randrange(-2, values), rng.randrange(-2, values))
        for _ in range(count)
    ]
    return np.array(rows, np.int64).reshape(-1, 3)


def check(
    kernel: Any,
    container: Any,
    model: Any,
    step: Model,
    ops: np.ndarray[Any, Any],
    contents: Callable[[Any], Any],
) -> bool:
    """Whether it ran to the end: the kernel in every execution, which agree, and the model. Where
    one traps, so does the other, after the same operations."""
    expected = np.zeros(len(ops))
    done = 0
    try:
        for row in ops:
            expected[done] = step(model, *map(int, row))
            done += 1
    except ModelTrap:
        pass
    whole = done == len(ops)
    out = np.zeros(len(ops))
    try:
        sb.assert_same_bits(kernel, container.copy(), ops, out.copy())
        trapped = False
    except sb.Trap:
        trapped = True
    assert trapped != whole, (ops[done], model)
    kernel(container, ops[:done], out)
    assert out[:done].tolist() == expected[:done].tolist()
    assert contents(container) == contents(model)
    # Filled anew in order, it has the same bytes.
    assert type(container)(contents(model)).memory.tobytes() == container.memory.tobytes()
    return whole
