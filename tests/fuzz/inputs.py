"""Input sets of a generated kernel: arguments as plain data, and the memory that they view.

An argument is `("scalar", type, bits)`, `("vector", type, (bits, …))`, `("array", type, blob,
offset, shape)` or `("struct", type, blob, offset)`; blobs are byte strings, which several
arguments may share or overlap in.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from samebits.bits import leaves
from samebits.types import (
    ArrayType,
    MemoryType,
    ScalarType,
    StructType,
    Type,
    VectorType,
)
from tests.fuzz.literals import pattern, type_name

Argument = tuple[Any, ...]


@dataclass(frozen=True)
class InputSet:
    """One call's arguments and the initial bytes of the memory they refer to."""

    args: tuple[Argument, ...]
    blobs: tuple[bytes, ...]


def random_bytes(
    rng: Random, t: MemoryType, count: int, *, tame: bool, halves: bool = False
) -> bytes:
    """Memory of `count` values of `t`, special values everywhere, padding of zero bytes."""
    data = bytearray(t.size * count)
    places = [(leaf, offset) for _, leaf, offset in leaves(t)]
    for i in range(count):
        for leaf, offset in places:
            start = i * t.size + offset
            bits = pattern(rng, leaf, tame=tame, halves=halves)
            data[start : start + leaf.size] = bits.to_bytes(leaf.size, sys.byteorder)
    return bytes(data)


SHORT = (0, 1, 2, 3, 4, 5, 6, 7, 7, 8, 8, 8, 9, 11, 17)
LONG = (0, 1, 3, 8, 16, 17, 31, 33, 40, 64, 65, 90, 130, 260)


def _array(
    rng: Random,
    t: ArrayType,
    blobs: list[bytes],
    seen: list[Argument],
    usual: int,
    tame: bool,
    halves: bool,
) -> Argument:
    name = type_name(t.element)
    same = [a for a in seen if a[0] == "array" and a[1] == name]
    if same and rng.random() < 0.2:
        return _alias(rng, t, rng.choice(same))
    length = usual if usual >= 0 and rng.random() < 0.8 else rng.choice(SHORT)
    shape = (length,) if t.ndim == 1 else (rng.randint(1, 5), rng.choice((0, 1, 2, 3, 4, 4, 5)))
    if t.ndim == 2 and usual > 32:
        shape = (rng.randint(2, 6), rng.randint(2, 40))
    shape = (*(rng.randint(1, 3) for _ in range(t.ndim - 2)), *shape)
    count = math.prod(shape)
    blobs.append(random_bytes(rng, t.element, count, tame=tame, halves=halves))
    return ("array", name, len(blobs) - 1, 0, shape)


def _alias(rng: Random, t: ArrayType, other: Argument) -> Argument:
    _, name, blob, offset, shape = other
    count = math.prod(shape)
    if t.ndim > 1:
        rows = tuple(rng.randint(1, 3) for _ in range(t.ndim - 1))
        return ("array", name, blob, offset, (*rows, count // math.prod(rows)))
    first = rng.randint(0, count) if rng.random() < 0.5 else 0
    return ("array", name, blob, offset + first * t.element.size, (count - first,))


def random_inputs(
    rng: Random, params: Sequence[Type], *, streams: bool = False, halves: bool = False
) -> InputSet:
    """One argument for each of `params`; arrays of one element type sometimes overlap.

    For `streams` most arrays share one length, which may be past a hundred; for `halves` floats
    often lie where rounding to half decides.
    """
    usual = rng.choice(LONG) if streams else -1
    tame = rng.random() < 0.5
    blobs: list[bytes] = []
    args: list[Argument] = []
    for t in params:
        match t:
            case ScalarType():
                near = t.is_int and streams and rng.random() < 0.6
                if near:
                    bits = max(0, usual + rng.randint(-2, 1))
                else:
                    bits = pattern(rng, t, tame=tame, halves=halves)
                args.append(("scalar", t.name, bits & ((1 << t.bits) - 1)))
            case VectorType():
                items = tuple(
                    pattern(rng, t.element, tame=tame, halves=halves) for _ in range(t.length)
                )
                args.append(("vector", t.name, items))
            case ArrayType():
                args.append(_array(rng, t, blobs, args, usual, tame, halves))
            case StructType():
                blobs.append(random_bytes(rng, t, 1, tame=tame, halves=halves))
                args.append(("struct", t.name, len(blobs) - 1, 0))
            case _:
                raise TypeError(repr(t))
    return InputSet(tuple(args), tuple(blobs))
