"""Arguments of narrower types than their parameters: taken without loss, between kernels and from
Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64


@sb.kernel
def of_float64(x: float64) -> float64:
    return x + 0.1


@sb.kernel
def of_float(x: float) -> float64:
    return x + float64(0.1)


@sb.kernel
def of_int64(n: int64) -> int64:
    return n * 3


@sb.kernel
def of_uint32(n: uint32) -> uint32:
    return n * 3


@sb.kernel
def of_int(n: int) -> int:
    return n + 1


@sb.kernel
def floats(x: float32, y: float64) -> float64:
    return of_float64(x) + of_float(x) + of_float(y)


@sb.kernel
def integers(a: int8, b: int16, c: int32, d: uint8, e: uint16, f: uint32) -> int64:
    n = of_int(a) + of_int(b) + of_int(c) + of_int(d) + of_int(e) + of_int(f)
    wide = of_int64(a) + of_int64(b) + of_int64(c) + of_int64(d) + of_int64(e) + of_int64(f)
    return n + wide + of_int64(of_uint32(e)) + of_int64(of_uint32(d))


@sb.kernel
def large(n: uint64) -> int:
    return of_int(n)


def test_narrower_numbers_are_taken_in_every_execution() -> None:
    sb.assert_same_bits(floats, 0.1, 0.3)
    sb.assert_same_bits(integers, -128, -32768, -(2**31), 255, 65535, 2**32 - 1)
    assert floats(0.1, 0.3) == 2 * (float64(float32(0.1)) + 0.1) + (0.3 + 0.1)


def test_a_uint64_that_int64_does_not_have_traps() -> None:
    assert large(2**63 - 2) == large.managed(2**63 - 2) == 2**63 - 1
    spans: set[object] = set()
    for run in (large, large.managed, lambda n: sb.evaluate(large, n)):
        with pytest.raises(sb.Trap) as found:
            run(2**63)
        assert found.value.kind == "overflow"
        spans.add(found.value.span)
    assert len(spans) == 1


@pytest.mark.parametrize("managed", [False, True])
def test_python_gives_narrower_numbers(managed: bool) -> None:
    def run(kernel: Any, value: Any) -> Any:
        return kernel.managed(value) if managed else kernel(value)

    third = np.float32(1 / 3)
    assert run(of_float64, third) == np.float64(third) + 0.1
    assert run(of_float, third) == run(of_float, float32(third)) == np.float64(third) + 0.1
    assert run(of_int64, np.int8(-5)) == -15
    assert run(of_int64, uint32(7)) == 21
    assert run(of_uint32, np.uint16(7)) == 21
    assert run(of_int, np.uint64(7)) == 8
    for kernel, value in (
        (of_uint32, np.int8(5)), (of_int64, np.uint64(5)), (of_int64, np.float32(5)),
        (of_float64, np.int32(5)), (of_float, np.float64(5) > 1),
    ):  # fmt: skip
        with pytest.raises(sb.ArgumentError, match="expected"):
            run(kernel, value)


def test_what_may_lose_something_is_refused() -> None:
    @sb.kernel
    def sign_lost(n: int32) -> uint32:
        return of_uint32(n)

    @sb.kernel
    def upper_half_lost(n: uint64) -> int64:
        return of_int64(n)

    for kernel in (sign_lost, upper_half_lost):
        with pytest.raises(sb.CompileError, match=r"write u?int(32|64)"):
            kernel(1)
        with pytest.raises(sb.ArgumentError):
            kernel.managed(1)
