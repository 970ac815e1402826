"""Python's `min max round any all` in kernels: with the language's rules, in every execution."""

from __future__ import annotations

import pytest
from tests.support.executions import refusal_of, same

import samebits as sb
from samebits import float3, float32, float64, int3, int32


@pytest.mark.parametrize("x", [float("nan"), -0.0, 0.0, 1.5, float("inf")])
@pytest.mark.parametrize("y", [float("nan"), -0.0, 0.0, -2.5])
def test_min_and_max_have_the_languages_rules(x: float, y: float) -> None:
    @sb.kernel
    def builtin(x: float64, y: float64) -> tuple[float64, float64, float64, float64]:
        return min(x, y), max(x, y), min(x, y, -1.0), max(0.0, x, y, 1)

    @sb.kernel
    def own(x: float64, y: float64) -> tuple[float64, float64, float64, float64]:
        low, high = sb.min(x, y), sb.max(sb.max(0.0, x), y)
        return low, sb.max(x, y), sb.min(low, -1.0), sb.max(high, 1)

    assert str(same(builtin, x, y)) == str(same(own, x, y))


def test_they_take_every_kind_of_number() -> None:
    @sb.kernel
    def mixed(n: int, i: int32, v: float3) -> tuple[int, int32, float3, float3]:
        return max(n, 3, 9), min(i, 2), min(v, float3(0, 5, 0)), round(v * 1.5)

    found = same(mixed, 4, -1, (1, 2, -3))
    assert (found[0], found[1], tuple(found[2])) == (9, -1, (0, 2, -3))
    assert tuple(found[3]) == (2, 3, -4)


def test_round_any_and_all() -> None:
    @sb.kernel
    def nearest(x: float32) -> tuple[float32, int]:
        return round(x), int(round(x))  # noqa: RUF046  (a float)

    @sb.kernel
    def inside(p: float3) -> tuple[bool, bool]:
        return any(p > 1), all(p > 1)

    assert [same(nearest, x)[1] for x in (0.5, 1.5, -2.5, 2.6)] == [0, 2, -2, 3]
    assert same(inside, (0, 2, 0)) == (True, False)


def test_round_of_an_integer_is_itself() -> None:
    @sb.kernel
    def kept(i: int32, n: int) -> tuple[int32, int]:
        return round(i), round(n) + 3  # noqa: RUF057  (what is tested)

    assert same(kept, 2**31 - 1, 2**62) == (2**31 - 1, 2**62 + 3)


def test_a_name_of_ones_own_is_not_the_builtin() -> None:
    @sb.kernel
    def max(a: float32, b: float32) -> float32:
        return a + b

    @sb.kernel
    def calls(a: float32) -> float32:
        return max(a, 2.0)

    assert same(calls, 1.0) == 3


@sb.kernel
def any_of_numbers(speed: int3) -> bool:
    return any(speed)


@sb.kernel
def any_fixed(speed: int3) -> bool:
    return any(speed != 0)


@sb.kernel
def rounded_to(price: float64) -> float64:
    return round(price, 2)


@sb.kernel
def rounded(price: float64) -> float64:
    return round(price * 100.0) / 100.0


@sb.kernel
def greatest(a: int32, b: int32, c: int32) -> int32:
    return sb.max(a, b, c)  # type: ignore[call-arg]


@sb.kernel
def greatest_fixed(a: int32, b: int32, c: int32) -> int32:
    return sb.max(sb.max(a, b), c)


@sb.kernel
def truth(flag: bool) -> bool:
    return any(flag)


@pytest.mark.parametrize(
    ("wrong", "fix", "right", "given"),
    [
        (any_of_numbers, "any(speed != 0)", any_fixed, ((1, 0, 0),)),
        (rounded_to, "round(price * 100.0) / 100.0", rounded, (1.5,)),
        (greatest, "sb.max(sb.max(a, b), c)", greatest_fixed, (1, 2, 3)),
        (truth, "flag", None, (True,)),
    ],
)
def test_fixes_name_what_is_written_and_compile(wrong, fix, right, given) -> None:  # type: ignore
    assert refusal_of(wrong, *given).fix == f"write `{fix}`"
    if right is not None:
        assert f"return {fix}" in "".join(right.lines)
        same(right, *given)
