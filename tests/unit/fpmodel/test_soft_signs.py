"""Negation, magnitude, comparison and the flushing of operands are the exact numbers'."""

from __future__ import annotations

from random import Random

import pytest
from tests.support.kernels.soft_loops import columns
from tests.support.kernels.soft_operands import operands, wide
from tests.support.levels import LOWEST

import samebits as sb
from samebits import int32, uint64
from samebits.fpmodel.soft import KERNELS
from samebits.fpmodel.soft.wide import UNORDERED
from samebits.fpmodel.softfloat import FLOAT32, NAN, Number, compare, infinity, negated, zero

neg, abs_, flushed_input = KERNELS["neg"], KERNELS["abs"], KERNELS["flushed_input"]
soft_compare = KERNELS["compare"]


@sb.kernel
def compare_each(
    a: sb.ReadOnly[uint64], ae: sb.ReadOnly[int32], ak: sb.ReadOnly[int32],
    b: sb.ReadOnly[uint64], be: sb.ReadOnly[int32], bk: sb.ReadOnly[int32],
    out: sb.Array[int32],
) -> None:  # fmt: skip
    for i in range(len(a)):
        out[i] = soft_compare(a[i], ae[i], ak[i], b[i], be[i], bk[i])


def test_numbers_are_ordered_as_the_exact_ones_are() -> None:
    source = Random("pairs to compare")
    pairs = [operands(source, "add", FLOAT32) for _ in range(3000)]
    pairs += [[a, a] for a, _ in pairs] + [[a, negated(a)] for a, _ in pairs]
    out = columns([(0, 0, 0)] * len(pairs))[1]
    sides = [wide(pair[0]) for pair in pairs], [wide(pair[1]) for pair in pairs]
    compare_each(*columns(sides[0]), *columns(sides[1]), out)
    for (a, b), found in zip(pairs, out.tolist(), strict=True):
        unordered = a.is_nan or b.is_nan
        assert found == (UNORDERED if unordered else compare(a, b)), (a, b)


TINY = Number(True, 1, -127)


@pytest.mark.parametrize(
    "x", [zero(), zero(True), infinity(True), NAN, Number(False, 3, -4), TINY], ids=str
)
def test_the_sign_bit_changes_alone_and_a_nan_has_none(x: Number) -> None:
    assert neg(*wide(x)) == (wide(x) if x.is_nan else wide(negated(x)))
    assert abs_(*wide(x)) == wide(x._replace(negative=False))
    sb.assert_same_bits(neg, *wide(x), targets=[LOWEST])
    sb.assert_same_bits(abs_, *wide(x), targets=[LOWEST])


def test_only_a_subnormal_operand_is_flushed_and_only_where_asked() -> None:
    assert flushed_input(*wide(TINY), -126, 1) == wide(zero(True))
    assert flushed_input(*wide(TINY), -126, 0) == wide(TINY)
    assert flushed_input(*wide(TINY), -127, 1) == wide(TINY)
    assert flushed_input(*wide(infinity()), 5, 1) == wide(infinity())
