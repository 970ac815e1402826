"""Weak numbers count as 64 bits alone; narrow integers are refused, as numbers and as arrays."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest
import xxhash

import samebits as sb
from samebits import float32, float64, int32, int64, math, uint32
from samebits.errors import ArgumentError, SamebitsError

OF_INTEGERS = ("ceillog2", "ceilpow2", "floorlog2", "ispow2", "reversebits")


def hashed(form: str, value: Any) -> int:
    return xxhash.xxh32_intdigest(struct.pack(form, value))


@sb.kernel
def hash_of_weak(n: int, x: float) -> tuple[uint32, uint32, uint32, uint32]:
    return math.hash(n), math.hash(x), math.hash(0.1), math.hash(16777217)


@sb.kernel
def hashes_of_weak(out: sb.Array[uint32]) -> None:
    for i in range(len(out)):
        out[i] = math.hash(i + 16777216)


@pytest.mark.parametrize(
    ("n", "x"),
    [(0, 0.1), (-1, -0.0), (16777217, 1e300), (2**63 - 1, float("inf")), (-(2**63), 5e-324)],
)
def test_a_weak_number_is_hashed_as_64_bits_in_every_execution(n: int, x: float) -> None:
    wanted = hashed("<q", n), hashed("<d", x), hashed("<d", 0.1), hashed("<q", 16777217)
    assert math.hash(n) == wanted[0] == math.hash(int64(n))
    assert math.hash(x) == wanted[1] == math.hash(float64(x))
    sb.assert_same_bits(hash_of_weak, n, x)
    assert hash_of_weak(n, x) == wanted == hash_of_weak.managed(n, x)


def test_no_two_of_a_thousand_weak_integers_share_a_hash() -> None:
    out = np.zeros(1000, np.uint32)
    hashes_of_weak(out)
    assert len(set(out.tolist())) == 1000
    sb.assert_same_bits(hashes_of_weak, np.zeros(5, np.uint32))


@sb.kernel
def bits_of_weak(n: int) -> tuple[int64, int64, int32, int32, bool]:
    return (
        math.reversebits(n), math.ceilpow2(n), math.floorlog2(n), math.ceillog2(n), math.ispow2(n)
    )  # fmt: skip


@pytest.mark.parametrize("n", [0, 1, -1, 2**40, 2**40 + 1, 2**62])
def test_bits_of_a_weak_integer_are_those_of_an_int64(n: int) -> None:
    names = ("reversebits", "ceilpow2", "floorlog2", "ceillog2", "ispow2")
    wanted = tuple(getattr(math, name)(int64(n)) for name in names)
    sb.assert_same_bits(bits_of_weak, n)
    assert bits_of_weak(n) == wanted == tuple(getattr(math, name)(n) for name in names)
    assert int(math.popcount(math.reversebits(n))) == math.popcount(n)


def test_the_distance_of_weak_numbers_is_a_float64() -> None:
    for found in (math.distance(1, 2.5), math.distance(1.0, 2.5), math.distance(3, 5)):
        assert type(found) is float64
    assert type(math.distance(1, float32(2.5))) is float32


@sb.kernel
def of_int8(x: sb.int8) -> int64:
    return int64(math.reversebits(x))


@sb.kernel
def of_uint16(x: sb.uint16) -> int64:
    return int64(math.hash(x))


@pytest.mark.parametrize("name", [*OF_INTEGERS, "hash"])
def test_narrow_integers_are_refused_as_numbers_and_as_arrays(name: str) -> None:
    function = getattr(math, name)
    kinds: list[Any] = [sb.int8, np.int8, sb.uint16, np.int16, np.uint8, bool, np.bool_]
    for value in [kind(1) for kind in kinds] + [np.array([kind(1)]) for kind in kinds]:
        with pytest.raises(ArgumentError) as refused:
            function(value)
        fix = refused.value.fix or ""
        assert "int32" in fix
        text = fix.removeprefix("convert it: ").removeprefix("write math.")
        text = text if text.startswith(name) else f"{name}({text})"
        space = {name: function, "x": value, "int32": int32, "uint32": uint32, "np": np}
        assert eval(text, space) is not None


@pytest.mark.parametrize("kernel", [of_int8, of_uint16])
def test_a_kernel_refuses_narrow_integers_too(kernel: Any) -> None:
    for run in (kernel, kernel.managed):
        with pytest.raises(SamebitsError, match="has no form") as refused:
            run(1)
        assert "int32(x)" in (refused.value.fix or "")


def test_a_half_is_hashed_as_the_float32_that_it_is() -> None:
    for half in (np.float16(1.5), sb.half(1.5), np.array(np.float16(1.5))):
        assert math.hash(half) == math.hash(float32(1.5))


@pytest.mark.parametrize("name", OF_INTEGERS)
def test_floats_are_no_integers_and_the_fix_gives_their_bits(name: str) -> None:
    function = getattr(math, name)
    names = {t: getattr(sb, t) for t in ("bitcast", "uint16", "uint32", "uint64", "int64")}
    for value in (1.0, float32(1), float64(1), sb.half(1)):
        with pytest.raises(ArgumentError, match=r"has no form") as refused:
            function(value)
        fix = (refused.value.fix or "").removeprefix("convert it: ")
        assert eval(fix, {name: function, "x": value, "h": value, **names}) is not None
