"""A table holds what each number is when its class converts it; integers only as they are."""

from __future__ import annotations

import re
import struct
from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits.errors import ArgumentError

PAYLOAD = struct.unpack("<d", struct.pack("<Q", 0xFFF0_0000_0000_0001))[0]


VALUES: dict[str, tuple[Any, Any]] = {
    "floats": ([0.5, -0.0, 5e-324, float("inf")], sb.float64),
    "a NaN": ([1.0, PAYLOAD], sb.float64),
    "whole numbers as floats": ([1, 2.5, True], sb.float64),
    "wide whole numbers": ([2**53 + 1, 2**80], sb.float64),
    "float32": ([0.1, 1e40, 1e-46, PAYLOAD], sb.float32),
    "int8": ([-128, 127, 0], sb.int8),
    "uint64": ([0, 2**64 - 1], sb.uint64),
    "whole floats as int32": ([1.0, -3e9 + 2e9, np.float16(7), sb.float32(-0.0)], sb.int32),
    "whole numbers of other types": ([np.int64(7), sb.uint64(3), sb.fix32(5), True], sb.uint8),
    "an array": (np.array([1.5, PAYLOAD], np.float32), sb.float64),
    "scalars": ([sb.float32(0.1), sb.int8(-3)], sb.float64),
    "truths": ([True, False], sb.uint8),
}


@pytest.mark.parametrize(("values", "scalar"), VALUES.values(), ids=VALUES)
def test_each_number_is_converted_by_its_class(values: Any, scalar: Any) -> None:
    dtype = scalar.__sb_type__.dtype
    wanted = np.array([scalar(value) for value in values], dtype)
    assert sb.table(values, scalar).data.tobytes() == wanted.tobytes()


@pytest.mark.parametrize(
    ("value", "scalar", "says"),
    [
        (1.5, sb.int32, "is 1.5, not a whole number of int32"),
        (float("nan"), sb.int32, "is nan, not a whole number of int32"),
        (1e20, sb.int32, "is 1e+20, not a whole number of int32"),
        (2.0**31, sb.int32, "is 2147483648.0, not a whole number of int32"),
        (np.float32(2**31), sb.int32, "is 2147483648.0, not a whole number of int32"),
        (np.float64(-1.0), sb.uint8, "is -1.0, not a whole number of uint8"),
        (2.0**63, sb.int64, "not a whole number of int64"),
        (2.0**64, sb.uint64, "not a whole number of uint64"),
        (float("-inf"), sb.int64, "is -inf, not a whole number of int64"),
        (sb.float32(0.5), sb.int8, "is 0.5, not a whole number of int8"),
        (sb.float16(0.5), sb.int8, "is 0.5, not a whole number of int8"),
        (sb.fix32("2.5"), sb.int8, "is 2.5, not a whole number of int8"),
        (sb.fix32(300), sb.uint8, "not a whole number of uint8"),
        (300, sb.uint8, "is 300, beyond uint8 (0 to 255)"),
        (-1, sb.uint8, "is -1, beyond uint8 (0 to 255)"),
        (2**70, sb.int8, "beyond int8 (-128 to 127)"),
        (np.int64(300), sb.uint8, "is 300, beyond uint8 (0 to 255)"),
        (sb.int32(-1), sb.uint64, "is -1, beyond uint64"),
    ],
)
def test_an_integer_table_refuses_what_it_would_change(value: Any, scalar: Any, says: str) -> None:
    for values in ([0, value], np.array([[0, value]], object), [[0.0, value]]):
        with pytest.raises(ArgumentError, match=f"number 1 .* {re.escape(says)}") as caught:
            sb.table(values, scalar)
        assert caught.value.fix is not None


def test_what_is_converted_before_is_taken() -> None:
    given = [1.9, -1.5, float("nan"), 1e20]
    assert list(sb.table([sb.int32(v) for v in given], sb.int32)) == [1, -1, 0, 2**31 - 1]
    assert list(sb.table([sb.uint8(np.int64(300))], sb.uint8)) == [44]


def test_a_table_of_text_is_refused() -> None:
    for scalar in (sb.int32, sb.float32):
        with pytest.raises(ArgumentError, match="takes one scalar, got str"):
            sb.table(["a"], scalar)


def test_an_empty_table_is_refused() -> None:
    with pytest.raises(ArgumentError, match="at least one value"):
        sb.table([], sb.float64)
    with pytest.raises(ArgumentError, match="at least one value"):
        sb.table([], sb.int8)
