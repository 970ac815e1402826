"""A weak number's use is refused only where no later line gives its name a type for it."""

from __future__ import annotations

import numpy as np
from tests.support.executions import refusal_of, same

import samebits as sb
from samebits import fix32, float64, uint8, uint64


@sb.kernel
def grown(v: fix32) -> fix32:
    u = 0.5
    w = u * v
    if u < v:
        u = w - 0.25
    return u


@sb.kernel
def quotient(x: float64) -> float64:
    n = 1
    d = n / 4
    n = n + 0.5
    return x * d * n


@sb.kernel
def never_grown(v: fix32) -> fix32:
    u = 0.5
    return u + v


@sb.kernel
def fnv(data: sb.ReadOnly[uint8]) -> uint64:
    h = 0xCBF29CE484222325
    for c in data:
        h ^= uint64(c)
        h *= 0x100000001B3
    return h


@sb.kernel
def large_float(x: float64) -> float64:
    h = 2**63
    h = h + 0.5
    return h * x


@sb.kernel
def large_alone(x: uint64) -> uint64:
    h = 2**63
    return x ^ h


def test_a_number_beyond_int64_is_fine_where_its_name_is_a_uint64() -> None:
    data = np.frombuffer(b"hello", np.uint8)
    assert same(fnv, data) == 0xA430D84680AABD0B
    assert same(large_float, 0.5) == 2.0**62
    error = refusal_of(large_alone, 5)
    assert "does not fit int64" in error.message
    assert "uint64(2 ** 63)" in (error.fix or "")


def test_a_later_line_gives_a_weak_name_its_type() -> None:
    assert same(grown, fix32("3.5")) == fix32("1.5")
    assert same(grown, fix32("0.25")) == fix32("0.5")
    assert same(quotient, 3.0) == 3.0 * 0.25 * 1.5


def test_a_use_alone_gives_no_type() -> None:
    assert "float is not fix32" in refusal_of(never_grown, fix32("1")).message
