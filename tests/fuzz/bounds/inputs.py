"""Inputs at the edges: small numbers, numbers beside every power of two that a type ends at.

Owns what is drawn, and how often; memory lies elsewhere.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable
from random import Random

from tests.fuzz.bounds.draws import BITS, FLOATS, WEAK, extreme, halved, reach
from tests.fuzz.inputs import Argument, InputSet

Field = tuple[str, str, int]
"""("array", element, dimensions), ("scalar", type, 0), ("struct", element, its elements) or
("structs", element, its elements). A job's bounds are scalars of the types `begin`, `once` and
`end <type of its index>`."""
LENGTHS = (0, 1, 1, 2, 3, 3, 4, 4, 5, 6, 7, 8, 9)
LONG = (16, 17, 20, 31, 33, 40, 64, 127, 129, 130, 256, 260)
HUGE = (1 << 31, (1 << 31) + 1, 1 << 32, (1 << 48) - 1, 1 << 40, (1 << 31) - 1)
"""Lengths of a dimension beside one of 0: no element lies there."""
Edge = Callable[[Random, str], int]
"""Draws a number of a type at an edge."""


def random_inputs(
    rng: Random, fields: list[Field], calls: int, *, long: float
) -> tuple[InputSet, ...]:
    """Input sets for parameters of these kinds. The first is of small numbers; the others have a
    number or more at an edge, the last one where the sign bit of a fixed width begins. `long` of
    them have arrays of more than a dozen elements."""
    edges = [None, *[extreme] * (calls - 2), halved]
    return tuple(_input_set(rng, fields, long, edge) for edge in edges)


def _input_set(rng: Random, fields: list[Field], long: float, edge: Edge | None) -> InputSet:
    scalars = [k for k, field in enumerate(fields) if field[0] == "scalar"]
    count = rng.choice((0, 1, 1, 1, 1, 2)) if edge else 0
    edges = set(rng.sample(scalars, min(count, len(scalars))))
    usual = rng.choice(LONG if rng.random() < long else LENGTHS)
    args: list[Argument] = []
    blobs: list[bytes] = []
    for k, (kind, t, count) in enumerate(fields):
        if kind == "array":
            args.append(_array(rng, t, count, usual, args, blobs))
        elif kind == "scalar":
            name = WEAK if t.split()[0] in ("begin", "once", "end") else t
            value = (
                _bound(rng, t, usual)
                if name != t
                else _number(rng, t, usual, edge if k in edges else None)
            )
            args.append(("scalar", name, value & ((1 << BITS.get(name, 64)) - 1)))
        else:
            many = 1 if kind == "struct" else rng.choice((0, 1, 2, 3, 4))
            blobs.append(_contents(rng, t, count * many, usual))
            shape = () if kind == "struct" else ((many,),)
            args.append(
                (("struct" if kind == "struct" else "array"), "S", len(blobs) - 1, 0, *shape)
            )
    return InputSet(tuple(args), tuple(blobs))


def _bound(rng: Random, t: str, usual: int) -> int:
    """A bound of a job's range, which its caller keeps within what its index may be."""
    if t == "begin":
        return 0
    if t == "once":
        return 1
    most = (1 << 31) - 1 if t == "end int32" else 1 << 48
    return most if rng.random() < 0.05 else max(0, usual + rng.choice((-1, 0, 0, 0, 1)))


def _number(rng: Random, t: str, usual: int, edge: Edge | None = None) -> int:
    low, high = reach(t)
    if edge:
        return edge(rng, t)
    near = rng.choice((0, 1, 1, 2, 3, 4, -1, -2, usual, usual, usual - 1, usual + 1, usual // 2))
    return max(low, min(high, near))


def _array(
    rng: Random, t: str, dimensions: int, usual: int, seen: list[Argument], blobs: list[bytes]
) -> Argument:
    size = BITS[t] // 8
    same = [a for a in seen if a[0] == "array" and a[1] == t and len(a[4]) == 1]
    if same and dimensions == 1 and rng.random() < 0.25:
        _, _, blob, offset, (length,) = rng.choice(same)
        first = rng.choice((0, 0, rng.randint(0, length)))
        last = rng.choice((length, rng.randint(first, length)))
        return ("array", t, blob, offset + first * size, (last - first,))
    shape: tuple[int, ...] = (usual if rng.random() < 0.7 else rng.choice(LENGTHS),)
    if dimensions == 2:
        shape = (
            rng.choice((0, 1, 2, 3, 4, min(usual, 9))),
            rng.choice((0, 1, 2, 3, 4, min(usual, 9))),
        )
        if rng.random() < 0.06:
            shape = rng.choice(((0, rng.choice(HUGE)), (rng.choice(HUGE), 0)))
    count = 1
    for length in shape:
        count *= length
    blobs.append(_contents(rng, t, count, usual))
    return ("array", t, len(blobs) - 1, 0, shape)


def _some(rng: Random, edge: bool) -> Edge | None:
    return extreme if edge and rng.random() < 0.3 else None


def _contents(rng: Random, t: str, count: int, usual: int) -> bytes:
    """Elements that are mostly small, so that they serve as indices."""
    edge = rng.random() < 0.25
    if t in FLOATS:
        values = [float(_number(rng, "int16", usual, _some(rng, edge))) for _ in range(count)]
        return struct.pack(f"={count}{'f' if t == 'float32' else 'd'}", *values)
    values = [_number(rng, t, usual, _some(rng, edge)) for _ in range(count)]
    size, signed = BITS[t] // 8, t[0] != "u"
    return b"".join([v.to_bytes(size, sys.byteorder, signed=signed) for v in values])
