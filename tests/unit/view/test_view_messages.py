"""A type's messages are what Protobuf's own library reads, with the bits of the memory."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest

from samebits.bits import canonical_size
from samebits.types import (
    COMPOSITES,
    FIXED_POINT,
    FLOAT16,
    STRONG_SCALARS,
    FixedArrayType,
    FixedPointType,
    MemoryType,
    ScalarType,
    StructType,
    VectorType,
)

pytest.importorskip("google.protobuf", reason="pip install 'samebits[view]'")

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from samebits.view.messages import Messages, field_names, packed, varint

SCALARS = (*STRONG_SCALARS, FLOAT16, *FIXED_POINT.values())


def message_class(messages: Messages, name: str) -> Any:
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(messages.described()).file:
        pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(name))


def scalar(t: ScalarType, data: bytes) -> Any:
    """The number in canonical bytes, as a message has it."""
    number = np.frombuffer(data, t.dtype.newbyteorder("<"))[0]
    if isinstance(t, FixedPointType):
        return math.ldexp(float(int(number)), -t.fraction)
    return number.item()


def flattened(t: FixedArrayType) -> tuple[MemoryType, int]:
    """The element of an array of arrays, and how many there are."""
    inner, count = t.element, math.prod(t.shape)
    while isinstance(inner, FixedArrayType):
        inner, count = inner.element, count * math.prod(inner.shape)
    return inner, count


def check(t: MemoryType, data: bytes, found: Any) -> None:
    """That a message, or a number in one, is what the bytes say."""
    match t:
        case ScalarType():
            assert repr(found) == repr(scalar(t, data)), t
        case FixedArrayType():
            inner, count = flattened(t)
            assert len(found) == count
            size = canonical_size(inner)
            for k in range(count):
                check(inner, data[k * size : (k + 1) * size], found[k])
        case _:
            if isinstance(t, StructType):
                parts: list[tuple[str, MemoryType]] = list(t.fields)
            else:
                parts = [(name, t.element) for name in t.components]
            names, at = field_names([name for name, _ in parts]), 0
            for name, (_, inner) in zip(names, parts, strict=True):
                size = canonical_size(inner)
                check(inner, data[at : at + size], getattr(found, name))
                at += size


def compare(t: StructType, rng: random.Random, count: int = 3) -> None:
    """Random states of a type, packed here and read by Protobuf's library."""
    messages = Messages()
    name, layout = messages.add(t)
    made = message_class(messages, name)
    states = np.array([canonical(t, rng) for _ in range(count)], np.uint8)
    rows = packed(layout, states)
    for row, state in zip(rows, states, strict=True):
        check(t, state.tobytes(), made.FromString(row.tobytes()))


def canonical(t: MemoryType, rng: random.Random) -> list[int]:
    """Random bytes of a type: bools are 0 or 1, the rest any."""
    match t:
        case ScalarType():
            return [rng.randrange(2 if t.name == "bool" else 256) for _ in range(t.size)]
        case VectorType():
            return [byte for _ in t.components for byte in canonical(t.element, rng)]
        case FixedArrayType():
            every = range(math.prod(t.shape))
            return [byte for _ in every for byte in canonical(t.element, rng)]
        case StructType():
            return [byte for _, inner in t.fields for byte in canonical(inner, rng)]


def struct(name: str, *types: MemoryType) -> StructType:
    return StructType(name, tuple((f"field_{k}", t) for k, t in enumerate(types)))


def drawn(rng: random.Random, depth: int) -> MemoryType:
    kind = rng.randrange(5 if depth else 2)
    if kind == 0:
        return rng.choice(SCALARS)
    if kind == 1:
        return rng.choice([*COMPOSITES.values()])
    if kind == 2:
        inner = drawn(rng, depth - 1)
        shape = tuple(rng.randrange(1, 4) for _ in range(rng.randrange(1, 4)))
        return FixedArrayType(inner, shape)
    return struct(
        f"S{rng.randrange(3)}", *(drawn(rng, depth - 1) for _ in range(rng.randrange(1, 5)))
    )


def test_every_scalar_and_composite_alone_and_in_arrays() -> None:
    rng = random.Random(1)
    for t in (*SCALARS, *COMPOSITES.values()):
        compare(struct("State", t, FixedArrayType(t, (2, 3))), rng)


@pytest.mark.parametrize("seed", range(40))
def test_drawn_structs(seed: int) -> None:
    rng = random.Random(seed)
    compare(struct("State", *(drawn(rng, 3) for _ in range(rng.randrange(1, 7)))), rng)


def test_structs_of_one_name_and_arrays_of_structs_of_arrays() -> None:
    inner = struct("State", FixedArrayType(STRONG_SCALARS[-1], (3,)), STRONG_SCALARS[0])
    compare(struct("State", FixedArrayType(inner, (200,)), inner), random.Random(2))


def test_names_become_ascii_and_stay_apart() -> None:
    assert field_names(["a_b", "aB", "ab", "höhe", "c0.x"]) == [
        "a_b", "aB_2", "ab_3", "h_xf6he", "c0_x",
    ]  # fmt: skip
    t = StructType("Map[int2, int32, 64]", (("größe", STRONG_SCALARS[1]), ("_", STRONG_SCALARS[2])))
    compare(t, random.Random(3))


def test_varints_are_protobuf_s() -> None:
    assert [varint(n) for n in (0, 127, 128, 300)] == [b"\0", b"\x7f", b"\x80\x01", b"\xac\x02"]


def test_a_struct_of_more_fields_than_short_keys_have() -> None:
    compare(struct("Wide", *[STRONG_SCALARS[5]] * 2100), random.Random(4), 1)
    huge = Messages()
    name, _ = huge.add(struct("Huge", *[STRONG_SCALARS[0]] * 19_001))
    numbers = [f.number for f in message_class(huge, name).DESCRIPTOR.fields]
    assert len(numbers) == 19_001
    assert not any(19_000 <= number < 20_000 for number in numbers)
