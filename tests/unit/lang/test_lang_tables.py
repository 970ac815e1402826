"""A table holds what each number is when its class converts it, however it is made."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits.errors import ArgumentError, SamebitsError

PAYLOAD = struct.unpack("<d", struct.pack("<Q", 0xFFF0_0000_0000_0001))[0]


VALUES: dict[str, tuple[Any, Any]] = {
    "floats": ([0.5, -0.0, 5e-324, float("inf")], sb.float64),
    "a NaN": ([1.0, PAYLOAD], sb.float64),
    "whole numbers as floats": ([1, 2.5, True], sb.float64),
    "wide whole numbers": ([2**53 + 1, 2**80], sb.float64),
    "float32": ([0.1, 1e40, 1e-46, PAYLOAD], sb.float32),
    "int8": ([-128, 127, 0], sb.int8),
    "uint64": ([0, 2**64 - 1], sb.uint64),
    "floats as int32": ([1.9, -1e30, PAYLOAD], sb.int32),
    "an array": (np.array([1.5, PAYLOAD], np.float32), sb.float64),
    "scalars": ([sb.float32(0.1), sb.int8(-3)], sb.float64),
    "truths": ([True, False], sb.uint8),
}


@pytest.mark.parametrize(("values", "scalar"), VALUES.values(), ids=VALUES)
def test_each_number_is_converted_by_its_class(values: Any, scalar: Any) -> None:
    dtype = scalar.__sb_type__.dtype
    wanted = np.array([scalar(value) for value in values], dtype)
    assert sb.table(values, scalar).data.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("values", [[128], [-129], [0, 2**70]])
def test_a_number_out_of_range_is_what_its_class_makes_of_it(values: list[int]) -> None:
    try:
        wanted = [sb.int8(value) for value in values]
    except SamebitsError as error:
        with pytest.raises(type(error)):
            sb.table(values, sb.int8)
    else:
        assert list(sb.table(values, sb.int8)) == wanted


def test_an_empty_table_is_refused() -> None:
    with pytest.raises(ArgumentError, match="at least one value"):
        sb.table([], sb.float64)
    with pytest.raises(ArgumentError, match="at least one value"):
        sb.table([], sb.int8)
