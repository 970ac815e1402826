"""The inputs of built functions: special values and their pairs, hard cases, random numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from tools.prove import inputs
from tools.prove.functions import FORMATS, FUNCTIONS, Function
from tools.prove_math_library.program import MOST

from samebits.export.math_library.functions import MathFunction
from samebits.types import ScalarType

_KNOWN = {function.name: function for function in FUNCTIONS}
_INTEGERS = np.array([0, 1, -1, 2, -2, 3, -3, 7, -64, 1000, -1100, 2**31 - 1, -(2**31)], np.int32)


def columns_of(
    function: MathFunction, t: ScalarType, count: int, seed: int
) -> Iterator[tuple[Any, ...]]:
    """Blocks of arguments, `count` random rows among them."""
    form = FORMATS[t.name]
    arity, integer = function.function.arity, any(function.function.integers)
    known = _KNOWN.get(function.python) or Function(function.python, function.function, arity=arity)
    special = inputs.special(min(arity, 2), form)
    if integer:
        x = inputs.special(1, form)[0]
        special = np.repeat(x, len(_INTEGERS)), np.tile(_INTEGERS, len(x))
    elif arity == 3:
        x, y = special
        special = x, y, np.roll(x, 7)
    yield from _blocks(special)
    hard = inputs.hard_cases(known, form)
    if hard is not None and arity < 3:
        yield from _blocks(hard)
    rng = np.random.default_rng([seed, *function.name.encode(), t.bits])
    low, high = known.interesting
    for start in range(0, count, MOST):
        n = min(MOST, count - start)
        rows: list[Any] = []
        for k in range(arity):
            if integer and k == arity - 1:
                wide = rng.integers(-(2**31), 2**31, n, dtype=np.int64)
                rows.append(np.where(rng.random(n) < 0.3, wide, wide >> 24).astype(np.int32))
                continue
            value = rng.uniform(low, high, n).astype(form.float_type)
            bits = rng.integers(0, 2**64, n, dtype=np.uint64).astype(form.bits_type)
            rows.append(np.where(rng.random(n) < 0.3, bits.view(form.float_type), value))
        yield tuple(rows)


def _blocks(columns: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    for start in range(0, len(columns[0]), MOST):
        yield tuple(np.ascontiguousarray(c[start : start + MOST]) for c in columns)
