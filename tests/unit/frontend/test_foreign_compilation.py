"""Constants are folded by the pinned rules, whatever the compiling thread's own are."""

from __future__ import annotations

import platform

import pytest

import samebits as sb
from samebits import double2, float32, float64
from samebits.runtime.fp_state import pin as fpenv

ROUND_UP, FLUSH = 0x4000, 0x8040


@pytest.mark.skipif(
    platform.machine().lower() not in ("x86_64", "amd64"), reason="the words are MXCSR's"
)
@pytest.mark.parametrize("word", [ROUND_UP, ROUND_UP | FLUSH])
def test_the_compiling_threads_rounding_changes_no_constant(word: int) -> None:
    @sb.kernel
    def constants() -> tuple[float64, float32, float, float64]:
        length = sb.length(double2(-0.9183906668345463, 0.1))
        return length + length, float32(0.1), 0.1 + 0.7, float64(1e-310) * 0.5

    before = fpenv.read()
    fpenv.write(before | word)
    try:
        found = [constants(), constants.managed()]
    finally:
        fpenv.write(before)

    sb.assert_same_bits(constants)
    assert found == [constants()] * 2
    assert found[0][1:] == (float32(0.1), 0.1 + 0.7, 5e-311)
