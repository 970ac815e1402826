"""A sum in 8 or 16 bits that becomes wider where it stands is warned of, and nothing else is."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import samebits as sb
from samebits import float32, int8, int16, int32, uint8, uint16, uint32
from samebits.frontend.compile import compile_kernel
from samebits.lang.kernel import Kernel

Bytes = sb.ReadOnly[uint8]
TABLE = sb.table([1, 200, 3], uint8)


def caught(kernel: Any) -> list[tuple[str, str]]:
    """The first line and the fix of each warning."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        compile_kernel(kernel, kernel.fixed_types)
    assert all(w.category is sb.SamebitsWarning and w.filename == __file__ for w in found)
    texts = [str(w.message) for w in found]
    return [(text.split("\n", 1)[0], text.rpartition("fix: ")[2]) for text in texts]


@sb.kernel
def returned(a: Bytes) -> int:
    return a[0] + a[1]


@sb.kernel
def passed(a: Bytes, y: uint8) -> int32:
    return sb.abs(int32(TABLE[1] + y))


@sb.kernel
def added(a: sb.ReadOnly[int8]) -> int32:
    total = int32(0)
    for v in a:
        total += v * v
    return total


@sb.kernel
def compared(a: Bytes, most: int32) -> bool:
    return a[0] + a[1] + a[2] > most


@sb.kernel
def stored(a: sb.ReadOnly[uint16], out: sb.Array[uint32]) -> None:
    for i in sb.prange(len(out)):
        out[i] = a[i] * 100


@sb.kernel
def lost(a: Bytes) -> uint32:
    return uint32(a[1] << 4) | a[0]


@sb.kernel
def difference(a: Bytes) -> float32:
    return float32((a[0] - a[1]) * 2)


@sb.kernel
def average(a: Bytes) -> uint8:
    return (a[0] + a[1]) // 2


@sb.kernel
def bright(a: Bytes, y: uint8) -> bool:
    return TABLE[1] + y > 250


@sb.kernel
def saturated(a: Bytes, y: uint8) -> uint8:
    return min(250, a[0] + y)


@sb.kernel
def below(a: Bytes) -> bool:
    return a[0] - a[1] > 10


@sb.kernel
def apart(x: uint32, y: uint32) -> uint32:
    return abs(x - y)


@pytest.mark.parametrize(
    ("kernel", "told", "fix"),
    [
        (returned, "sum of uint8 wraps at 8 bits before it becomes int", "int(a[0]) + int(a[1])"),
        (passed, "sum of uint8 wraps at 8 bits before it becomes int32",
         "int32(TABLE[1]) + int32(y)"),
        (added, "product of int8 wraps at 8 bits before it becomes int32", "int32(v) * int32(v)"),
        (compared, "sum of uint8 wraps at 8 bits before it becomes int32",
         "int32(a[0]) + int32(a[1]) + int32(a[2])"),
        (stored, "product of uint16 wraps at 16 bits before it becomes uint32",
         "uint32(a[i]) * 100"),
        (lost, "shift of uint8 wraps at 8 bits before it becomes uint32", "uint32(a[1]) << 4"),
        (difference, "product of uint8 wraps at 8 bits before it becomes float32",
         "(int32(a[0]) - int32(a[1])) * 2"),
        (average, "sum of uint8 wraps at 8 bits before it is divided",
         "(int32(a[0]) + int32(a[1]))"),
        (bright, "sum of uint8 wraps at 8 bits before it is compared",
         "int32(TABLE[1]) + int32(y)"),
        (saturated, "sum of uint8 wraps at 8 bits before it is compared", "int32(a[0]) + int32(y)"),
        (below, "difference of uint8 wraps at 8 bits before it is compared",
         "int32(a[0]) - int32(a[1])"),
        (apart, "difference of uint32 wraps at 32 bits before it loses its sign",
         "max(x, y) - min(x, y)` for `abs(x - y)"),
    ],
)  # fmt: skip
def test_a_narrow_sum_that_becomes_wider_is_warned_of(kernel: Any, told: str, fix: str) -> None:
    ((message, advised),) = caught(kernel)
    assert message == f"this {told}"
    assert advised.startswith(f"write `{fix}`, or `")


@sb.kernel
def digit(a: Bytes) -> int:
    return a[0] - 48


@sb.kernel
def meant(a: Bytes) -> int:
    return uint8(a[0] + a[1])


@sb.kernel
def named(a: Bytes) -> int:
    both = a[0] * a[1]
    return both


@sb.kernel
def checked(a: Bytes) -> bool:
    return uint8(a[0] + a[1]) == a[2] and a[0] + 1 > a[1]


@sb.kernel
def index(a: Bytes) -> uint8:
    return a[a[0] + a[1]]


@sb.kernel
def nibbles(a: Bytes) -> int:
    low, high = a[0] & 15, a[1] >> 4
    return int(low * high) + int(uint8(a[0] % 10 + a[1] // 3) + 1)


@sb.kernel
def joined(a: Bytes, b: sb.ReadOnly[int8]) -> int:
    return int(a[0] + b[0]) + int(int16(a[0]) * a[1])


@sb.kernel
def narrow(a: sb.Array[uint8]) -> uint8:
    a[0] += a[1] * a[2]
    return a[0] ^ a[1] + a[2]


@sb.kernel
def unsigned(x: uint32, y: uint32) -> int:
    return int(x - y) + int((x + y) // 2) + abs(int(x) - int(y))


@sb.kernel
def signed(x: int32, y: int32) -> int:
    return abs(x - y)


@pytest.mark.parametrize(
    "kernel", [digit, meant, named, checked, index, nibbles, narrow, unsigned, signed]
)
def test_what_cannot_wrap_or_is_meant_to_is_not(kernel: Any) -> None:
    assert caught(kernel) == []


def test_a_product_of_16_bits_may_wrap_where_a_sum_of_bytes_does_not() -> None:
    ((message, _),) = caught(joined)
    assert message == "this product of int16 wraps at 16 bits before it becomes int"


def test_an_attempt_that_is_made_again_warns_once() -> None:
    @sb.kernel
    def grown(a: Bytes, out: sb.Array[int32]) -> int32:
        total = 0
        for i in sb.prange(len(out)):
            out[i] = a[i] * a[i]
        total = total + int32(1)
        return total

    assert len(caught(grown)) == 1


def test_what_is_compiled_again_is_told_once() -> None:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("default")
        for _ in range(2):
            again = Kernel(returned.function)
            compile_kernel(again, again.fixed_types or ())
    assert len(found) == 1
