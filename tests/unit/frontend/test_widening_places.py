"""Numbers of narrower types at every place with a declared type: taken without loss."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import (
    double2,
    float32,
    float64,
    int2,
    int8,
    int16,
    int32,
    int64,
    math,
    uint8,
    uint32,
    uint64,
)

Floats = sb.List[float64, 4]
Counts = sb.Map[int64, float64, 4]


@sb.struct
class Wide:
    number: float64
    count: int64
    place: double2
    rows: sb.FixedArray[int16, 4]


@sb.struct
class Ring:
    count: int32
    items: sb.FixedArray[float32, 4]

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, i: int) -> float64:
        return self.items[i]


@sb.kernel
def results(x: float32, n: int32, b: uint8) -> tuple[float64, int64, int, float, int16]:
    return x, n, n, x, b


@sb.kernel
def fields(x: float32, n: int32, b: uint8) -> Wide:
    w = Wide(x, b, place=double2(x, x))
    w.count = n
    w.rows[1] = b
    w.place.y = x
    w.number = x
    return w


@sb.kernel
def elements(x: float32, n: uint32, a: sb.Array[float64], b: sb.Array[int64]) -> None:
    a[0] = x
    b[0] = n
    part = sb.zeros(2, int64)
    part[1] = n
    b[1] = part[1]


@sb.kernel
def components(x: float32, n: int16, b: uint8) -> tuple[double2, int2]:
    v = double2(x, 0.5)
    v.y = x
    k = int2(n, b)
    k.x = b
    return v, k


@sb.kernel
def names(x: float32, n: int32, b: uint8) -> tuple[float64, int64, int, float, int16]:
    a: float64 = x
    c: int64 = n
    d: int = n
    e: float = x
    f: int16 = b
    return a, c, d, e, f


@sb.kernel
def items(r: Ring) -> float64:
    s = 0.0
    for i in range(len(r)):
        s += r[i]
    return s


@sb.kernel
def kept(x: float32, n: int8) -> float64:
    found = Floats()
    found.append(x)
    counts = Counts()
    counts[n] = x
    return found[0] + counts[n]


@sb.kernel
def exponent(x: float64, n: uint8) -> float64:
    return math.ldexp(x, n)


@pytest.mark.parametrize("kernel", [results, fields, components, names])
def test_narrower_numbers_are_taken_in_every_execution(kernel: sb.Kernel) -> None:
    for x in (0.1, -0.0, float("nan"), 1e-40):
        sb.assert_same_bits(kernel, np.float32(x), -7, 255)


def test_elements_items_and_containers_take_them() -> None:
    sb.assert_same_bits(elements, 0.1, 2**32 - 1, np.zeros(1), np.zeros(2, np.int64))
    sb.assert_same_bits(items, Ring(3, [0.1, 0.2, 0.3, 0.4]))
    sb.assert_same_bits(kept, 0.1, -3)
    sb.assert_same_bits(exponent, 0.1, 3)
    assert results(0.1, -7, 255) == (float64(float32(0.1)), -7, -7, float64(float32(0.1)), 255)


@sb.kernel
def large_result(n: uint64) -> int:
    return n


@sb.kernel
def large_pair(n: uint64) -> tuple[int, int]:
    return 1, n


@sb.kernel
def large_name(n: uint64) -> int:
    k: int = n
    return k


@pytest.mark.parametrize("kernel", [large_result, large_pair, large_name])
def test_a_uint64_that_int64_does_not_have_traps(kernel: Any) -> None:
    sb.assert_same_bits(kernel, 2**63 - 1)
    with pytest.raises(sb.Trap, match="does not fit"):
        sb.assert_same_bits(kernel, 2**63)


def test_fields_and_elements_take_them_from_python() -> None:
    w = Wide(np.float32(0.1), int32(7))
    assert w.number == float64(float32(0.1))
    w.count = np.uint32(5)
    w.rows[0] = np.uint8(9)
    assert (w.count, w.rows[0]) == (5, 9)
    for name, value in (("count", np.uint64(5)), ("number", np.int32(5)), ("count", np.bool_(1))):
        with pytest.raises(sb.ArgumentError, match=rf"field '{name}' of Wide is"):
            setattr(w, name, value)


@sb.kernel
def narrowed_result(x: float64) -> float32:
    return x


@sb.kernel
def unsigned_name(x: int32) -> int32:
    n: uint32 = x
    return int32(n)


@sb.kernel
def from_flag(x: bool) -> int64:
    return x


@sb.kernel
def from_int(x: int32) -> float64:
    return x


@sb.kernel
def beside(x: float32, v: double2) -> double2:
    return v * x


@pytest.mark.parametrize(
    ("kernel", "given"),
    [
        (narrowed_result, (0.1,)),
        (from_flag, (True,)),
        (from_int, (1,)),
        (beside, (0.1, double2(1.0, 2.0))),
    ],
)
def test_what_may_lose_something_is_refused(kernel: Any, given: tuple[Any, ...]) -> None:
    with pytest.raises(sb.CompileError):
        kernel(*given)
    with pytest.raises(sb.ArgumentError):
        kernel.managed(*given)


def test_an_annotation_that_may_lose_something_is_refused() -> None:
    with pytest.raises(sb.CompileError, match="is annotated uint32"):
        unsigned_name(1)
