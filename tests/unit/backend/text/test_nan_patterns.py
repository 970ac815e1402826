"""A NaN's bits are canonical wherever they can be seen, and left alone where they can't be."""

from __future__ import annotations

import numpy as np
import pytest

import samebits as sb
from samebits import Array, ReadOnly, bitcast, float32, float64, int32, uint32, uint64
from samebits.backend.llvm import engine
from samebits.backend.llvm.compile import llvm_text
from samebits.frontend.compile import compile_kernel, link
from samebits.lang.kernel import Kernel


@sb.kernel
def exponent(x: ReadOnly[float32], result: Array[uint32]) -> None:
    for i in range(len(x)):
        result[i] = (bitcast(uint32, x[i]) >> 23) & 255


@sb.kernel
def exponent_in_place(x: ReadOnly[float64], result: Array[uint64]) -> None:
    for i in range(len(x)):
        result[i] = 0x7FF0_0000_0000_0000 & bitcast(uint64, x[i])


@sb.kernel
def exponent_in_two_steps(x: ReadOnly[float32], result: Array[int32]) -> None:
    for i in range(len(x)):
        result[i] = ((bitcast(int32, x[i]) >> 13) >> 10) & 15


@sb.kernel
def sign_and_exponent(x: ReadOnly[float32], result: Array[uint32]) -> None:
    for i in range(len(x)):
        result[i] = (bitcast(uint32, x[i]) >> 23) & 511


@sb.kernel
def sign(x: ReadOnly[float32], result: Array[int32]) -> None:
    for i in range(len(x)):
        result[i] = bitcast(int32, x[i]) >> 31


@sb.kernel
def sign_beyond_the_exponent(x: ReadOnly[float32], result: Array[int32]) -> None:
    for i in range(len(x)):
        result[i] = (bitcast(int32, x[i]) >> 24) & 240


@sb.kernel
def top_of_the_fraction(x: ReadOnly[float32], result: Array[uint32]) -> None:
    for i in range(len(x)):
        result[i] = (bitcast(uint32, x[i]) >> 22) & 255


@sb.kernel
def exponent_and_all(x: ReadOnly[float32], result: Array[uint32]) -> None:
    for i in range(len(x)):
        u = bitcast(uint32, x[i])
        result[i] = ((u >> 23) & 255) + u


@sb.kernel
def fraction_and_exponent(x: ReadOnly[float32], result: Array[uint32]) -> None:
    for i in range(len(x)):
        result[i] = 0x7FFF_FFFF & bitcast(uint32, x[i])


@sb.kernel
def returned(x: ReadOnly[float32], result: Array[uint32]) -> None:
    for i in range(len(x)):
        result[i] = pattern(x[i])


@sb.kernel
def pattern(x: float32) -> uint32:
    return bitcast(uint32, x)


@sb.kernel
def by_its_own_exponent(x: ReadOnly[float32], result: Array[uint32]) -> None:
    for i in range(len(x)):
        result[i] = uint32(255) >> ((bitcast(uint32, x[i]) >> (bitcast(uint32, x[i]) & 7)) & 31)


EXPONENT_ALONE = [exponent, exponent_in_place, exponent_in_two_steps]
MORE = [
    sign_and_exponent, sign, sign_beyond_the_exponent, top_of_the_fraction, exponent_and_all,
    fraction_and_exponent,
    returned, by_its_own_exponent,
]  # fmt: skip
by_name = pytest.mark.parametrize("kernel", EXPONENT_ALONE + MORE, ids=lambda k: k.__name__)

NARROW = [0x7FC0_0000, 0xFFC0_0000, 0x7F80_0001, 0xFF80_0001, 0x7FFF_FFFF, 0xFFFF_FFFF,
          0x7F80_0000, 0xFF80_0000, 0, 0x8000_0000, 0x3F80_0000, 0x0000_0001]  # fmt: skip


def floats(kernel: Kernel) -> np.ndarray:
    narrow = np.array(NARROW, np.uint32)
    if kernel is not exponent_in_place:
        return narrow.view(np.float32)
    return np.concatenate(
        [narrow.astype(np.uint64) << np.uint64(32), narrow.astype(np.uint64)]
    ).view(np.float64)


@by_name
def test_executions_see_the_same_bits_of_a_nan(kernel: Kernel) -> None:
    x = floats(kernel)
    result = {"uint32": np.uint32, "int32": np.int32, "uint64": np.uint64}
    t = kernel.fixed_types[1].element  # type: ignore[index, union-attr]
    sb.assert_same_bits(kernel, x, np.zeros(len(x), result[str(t)]))


@pytest.mark.parametrize("kernel", EXPONENT_ALONE, ids=lambda k: k.__name__)
def test_an_exponent_is_read_without_asking_for_nan(kernel: Kernel) -> None:
    unit = compile_kernel(kernel, kernel.fixed_types or ())
    text = llvm_text(link(unit), [unit.function.name], engine.host_target())
    assert "fcmp uno" not in text
