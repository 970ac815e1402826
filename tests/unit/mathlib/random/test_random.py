"""Generators give their published sequences, and uniform floats are exact, in every execution."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import samebits as sb
from samebits import Array, float32, float64, random, uint2, uint4, uint32

PHILOX = [
    # counter, key, result: Random123's tests/kat_vectors, the lines of philox4x32 with 10 rounds
    ([0] * 4, [0] * 2, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    ([2**32 - 1] * 4, [2**32 - 1] * 2, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
    (
        [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
        [0xA4093822, 0x299F31D0],
        [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
    ),
]
MARSAGLIA = [2463534242, 723471715, 2497366906, 2064144800, 2008045182, 3532304609]


@pytest.mark.parametrize(("counter", "key", "result"), PHILOX)
def test_philox_gives_its_known_answers(
    counter: list[int], key: list[int], result: list[int]
) -> None:
    arguments = uint4(*counter), uint2(*key)
    assert [int(word) for word in random.philox4x32(*arguments)] == result
    sb.assert_same_bits(random.philox4x32, *arguments)


def test_philox_differs_in_half_the_bits_where_the_input_differs_in_one() -> None:
    base = random.philox4x32(uint4(1, 2, 3, 4), uint2(5, 6))
    for bit in range(32):
        other = random.philox4x32(uint4(1 ^ (1 << bit), 2, 3, 4), uint2(5, 6))
        flipped = sum(bin(int(a) ^ int(b)).count("1") for a, b in zip(base, other, strict=True))
        assert 36 < flipped < 92


def test_xorshift_gives_its_known_answers() -> None:
    for state, after in pairwise(MARSAGLIA):
        assert random.xorshift32(state) == after
        sb.assert_same_bits(random.xorshift32, uint32(state))


def test_xorshift_refuses_the_state_that_it_never_leaves() -> None:
    with pytest.raises(sb.Trap, match="a state that is not 0") as found:
        sb.assert_same_bits(random.xorshift32, uint32(0))
    assert found.value.kind == "assert"


@sb.kernel
def steps_to_one_again(start: uint32) -> int:
    state = random.xorshift32(start)
    steps = 1
    while state != start:
        state = random.xorshift32(state)
        steps += 1
        if steps > 1 << 20:
            break
    return steps


def test_xorshift_does_not_come_back_early() -> None:
    assert steps_to_one_again(uint32(1)) == (1 << 20) + 1


@pytest.mark.parametrize("word", [0, 1, 255, 256, 0x8000_0000, 0xFFFF_FF00, 0xFFFF_FFFF])
def test_uniform_float32_is_the_top_24_bits(word: int) -> None:
    assert float(random.uniform_float32(word)) == (word >> 8) / 2**24
    sb.assert_same_bits(random.uniform_float32, uint32(word))


@pytest.mark.parametrize("word", [0, 1, 2047, 2048, 0x8000_0000, 0xFFFF_F800, 0xFFFF_FFFF])
def test_uniform_float64_is_53_bits_of_two_words(word: int) -> None:
    for high in (0, 1, 0xFFFF_FFFF, word):
        wanted = ((high << 21) | (word >> 11)) / 2**53
        assert float(random.uniform_float64(high, word)) == wanted
        sb.assert_same_bits(random.uniform_float64, uint32(high), uint32(word))


def test_uniform_floats_stay_below_one() -> None:
    assert float(random.uniform_float32(0xFFFF_FFFF)) == 1 - 2.0**-24
    assert float(random.uniform_float64(0xFFFF_FFFF, 0xFFFF_FFFF)) == 1 - 2.0**-53


@sb.kernel
def fill(seed: uint2, narrow: Array[float32], wide: Array[float64]) -> None:
    for i in range(len(narrow)):
        words = random.philox4x32(uint4(uint32(i), 0, 0, 0), seed)
        narrow[i] = random.uniform_float32(words.x)
        wide[i] = random.uniform_float64(words.z, words.w)


def test_a_kernel_fills_arrays_with_the_same_numbers_in_every_execution() -> None:
    narrow, wide = np.zeros(64, np.float32), np.zeros(64)
    sb.assert_same_bits(fill, uint2(7, 8), narrow, wide)
    fill(uint2(7, 8), narrow, wide)
    assert len(set(narrow.tolist())) == len(set(wide.tolist())) == 64
    assert 0.35 < wide.mean() < 0.65
