"""What a kernel takes from outside: defaults, generics, closures, constants, tables, modules."""

from __future__ import annotations

import enum
import types
import typing
from functools import partial
from typing import Any

import numpy as np
import pytest
from tests.support.executions import refusal_of, same, trap_of

import samebits as sb
from samebits import Array, ReadOnly, float3, float32, float64, int8, int32, int64, uint32

T = typing.TypeVar("T")
N = typing.TypeVar("N", int32, int64)


class Team(enum.IntEnum):
    RED = 7


RED = Team.RED
SEVEN, NOTHING = np.int32(7), np.int32(0)
LARGE = np.float32(3e38)
YES = np.bool_(True)
AXIS = float3(0, 1, 0)
HUGE = 10**5000
PRIMES = sb.table([2, 3, 5, 7], uint32)
settings = types.ModuleType("settings")
settings.gain = 2.5  # type: ignore[attr-defined]
settings.inner = types.ModuleType("settings.inner")  # type: ignore[attr-defined]
settings.inner.steps = 3  # type: ignore[attr-defined]


@sb.kernel
def scaled(x: float32, k: float32 = 0.1, n: int = 2, flip: bool = False) -> float32:
    y = x * k * n
    return -y if flip else y


@sb.kernel
def calls_scaled(x: float32) -> tuple[float32, float32, float32]:
    return scaled(x), scaled(x, n=3), scaled(flip=True, x=x, k=2)


def test_defaults_and_names_of_arguments_reach_the_parameters() -> None:
    x, k = np.float32(3), np.float32(0.1)
    wanted = (x * k * np.float32(2), x * k * np.float32(3), -(x * np.float32(2) * np.float32(2)))
    assert same(calls_scaled, 3.0) == wanted
    assert same(scaled, 3.0, n=3) == wanted[1]
    assert same(scaled, flip=True, x=3.0, k=2.0) == wanted[2]


@sb.kernel
def enums(x: float32, n: int, team: int = Team.RED) -> tuple[float32, int]:
    return x + RED, (n + RED) * team


def test_an_int_enum_member_is_a_python_int() -> None:
    assert same(enums, 0.5, 3) == (7.5, 70)
    assert trap_of(enums, 0.5, (1 << 63) - 8)[0] == "overflow"


@sb.kernel
def numpy_constants(n: int32) -> tuple[int32, int32, float32, bool]:
    return SEVEN << n, SEVEN + 1, LARGE * LARGE - LARGE * LARGE, YES and n > SEVEN


@sb.kernel
def numpy_zero() -> int32:
    return SEVEN // NOTHING


def test_a_numpy_constant_follows_the_languages_rules() -> None:
    a, b, c, d = same(numpy_constants, 40)
    assert (a, b, d) == (0, 8, True)
    assert np.isnan(c)
    assert trap_of(numpy_zero) == ("zero", "SEVEN // NOTHING")


@sb.kernel
def vector_constant(v: float3) -> float32:
    return sb.dot(v, AXIS) + AXIS.y


def test_a_vector_constant_is_a_value() -> None:
    assert same(vector_constant, (1, 2, 3)) == 3


@sb.kernel
def folded(x: float64) -> tuple[float64, bool, bool]:
    return x * (1 << 70) / (1 << 69), 9007199254740993 < 9007199254740992.0, 1 < 2 <= 2.0


@sb.kernel
def infinite(x: float32) -> float32:
    return x * HUGE


@sb.kernel
def too_long(x: int32) -> int32:
    return x * HUGE


@sb.kernel
def no_float(x: float) -> float:
    return x * HUGE


def test_literals_are_folded_as_cpython_folds_them() -> None:
    assert same(folded, 1.5) == (3.0, 9007199254740993 < 9007199254740992.0, True)
    assert same(infinite, 1.0) == np.inf
    assert refusal_of(too_long, 1).message == "an int of 16,610 bits does not fit int32"
    assert "too large for a float" in refusal_of(no_float, 1.0).message


@sb.kernel
def largest(values: ReadOnly[T], floor: T) -> T:
    best = floor
    for i in range(len(values)):
        best = sb.max(best, values[i])
    return best + T(1)


@sb.kernel
def double(x: T) -> T:
    return x + x


@sb.kernel
def constrained(x: N) -> N:
    return x * N(3)


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, np.float32, np.float64])
def test_a_generic_kernel_takes_the_type_of_its_scalars(dtype: Any) -> None:
    result = same(largest, np.array([1, 7, 3], dtype), dtype(2))
    assert (result, result.dtype) == (8, np.dtype(dtype))


def test_a_generic_kernel_takes_vectors_and_keeps_constraints() -> None:
    v = same(largest, np.array([[1, 5, 3], [2, 4, 9]], np.float32), float3(3, 3, 3))
    assert tuple(v) == (4, 6, 10)
    assert tuple(same(double, float3(1, 2, 3))) == (2, 4, 6)
    assert same(constrained, int32(5)) == 15
    assert "N can't be float32" in refusal_of(constrained, float32(5)).message


class Color(enum.Enum):
    RED = 7


class Rules:
    LIVES = 3
    PULL = float32(0.1)
    AXIS = float3(0, 2, 0)
    POWERS = sb.table([1, 2, 4], uint32)

    class Limits:
        SPEED = np.float64(9.5)

    @staticmethod
    @sb.kernel
    def doubled(x: float32) -> float32:
        return x + x

    def host(self) -> int:
        return 1


class MoreRules(Rules):
    LIVES = 5


@sb.kernel
def of_classes(team: int32, x: float32, i: int) -> tuple[float32, bool, uint32, float64, int]:
    y = Rules.doubled(x) * Rules.PULL + Rules.AXIS.y
    lives = MoreRules.LIVES - Rules.LIVES
    return y, team == Team.RED, MoreRules.POWERS[i], x + Rules.Limits.SPEED, lives * Team.RED


def test_constants_of_classes_are_constants() -> None:
    wanted = (float32(0.3) * float32(0.1) + 2, True, 4, float64(float32(0.15)) + 9.5, 14)
    assert same(of_classes, 7, 0.15, 2) == wanted


def test_a_class_is_frozen_at_the_first_run() -> None:
    class Own:
        LIMIT = 2

    @sb.kernel
    def limited(x: float32) -> float32:
        return x * Own.LIMIT

    assert limited.managed(2.0) == 4
    Own.LIMIT = 3
    assert same(limited, 2.0) == 4


def test_what_is_no_constant_of_a_class_is_refused_with_what_to_write() -> None:
    @sb.kernel
    def member(x: int32) -> bool:
        return x == Color.RED

    @sb.kernel
    def value(x: int32) -> bool:
        return x == Team.RED.value

    @sb.kernel
    def missing(x: int32) -> bool:
        return x == Rules.DEATHS  # type: ignore[attr-defined]

    @sb.kernel
    def called(x: int32) -> bool:
        return x == Rules.host(x)  # type: ignore[arg-type]

    assert refusal_of(member, 7).fix == "derive Color from IntEnum, whose members are numbers"
    fix = "an IntEnum's member is a number: write `Team.RED`"
    assert refusal_of(value, 7).fix == fix
    assert refusal_of(missing, 7).fix == "define 'DEATHS' there, or correct the name"
    assert "'Rules.host' is not a kernel" in str(refusal_of(called, 7))


def make_adder(amount: Any) -> Any:
    @sb.kernel
    def add(x: float32) -> float32:
        return x + amount

    return add


def test_each_closure_keeps_its_own_values() -> None:
    one, half = make_adder(1), make_adder(0.5)
    assert (same(one, 1.0), same(half, 1.0)) == (2, 1.5)

    @sb.kernel
    def both(x: float32) -> float32:
        return one(x) * half(x)

    assert same(both, 1.0) == 3


def test_a_constant_is_frozen_at_the_first_run() -> None:
    @sb.kernel
    def gained(x: float32) -> float32:
        return x * settings.gain + settings.inner.steps

    assert gained.managed(2.0) == 8
    settings.gain = 100.0  # type: ignore[attr-defined]
    settings.inner.steps = 9  # type: ignore[attr-defined]
    assert same(gained, 2.0) == 8

    amount = 5

    @sb.kernel
    def captured(x: float32) -> float32:
        return x + amount

    assert captured(1.0) == 6
    amount = 50
    assert same(captured, 1.0) == 6


@sb.kernel
def total(values: ReadOnly[uint32]) -> uint32:
    result = uint32(0)
    for i in range(values.shape[0]):
        result += values[i]
    return result


@sb.kernel
def table_uses(i: int32) -> tuple[uint32, uint32, int, int]:
    primes = PRIMES
    return PRIMES[i] * primes[0], total(PRIMES), len(PRIMES), PRIMES.shape[0]


def test_a_table_is_indexed_measured_and_passed() -> None:
    assert same(table_uses, 3) == (14, 17, 4, 4)
    assert trap_of(table_uses, 4) == ("index", "PRIMES[i]")


@sb.kernel
def fill(out: Array[T], value: T) -> None:
    for i in range(len(out)):
        out[i] = value


@sb.kernel
def filled(x: float32) -> float32:
    local = sb.zeros((2, 3), float32)
    flat = sb.zeros(3, float32)
    fill(flat, x)
    local[1, 2] = flat[2]
    return local[1, 2] + local[0, 0] + len(flat)


def test_a_local_array_is_passed_to_a_generic_kernel() -> None:
    assert same(filled, 1.5) == 4.5


@sb.kernel
def lengths(v: float3) -> float32:
    return float32(len(v) * (1 << 62))


def test_the_length_of_a_vector_is_a_weak_int() -> None:
    assert trap_of(lengths, (1, 2, 3)) == ("overflow", "len(v) * (1 << 62)")


@sb.kernel
def wrong_default(x: int8 = 300) -> int8:
    return x


@sb.kernel
def uses_wrong_default() -> int8:
    return wrong_default()


def test_a_default_that_does_not_fit_is_refused() -> None:
    assert "300 does not fit int8" in refusal_of(uses_wrong_default).message


TOO_SMALL = "x is too small"


class Texts:
    LARGE = "x is too large"


@sb.kernel
def asserts_by_name(x: int) -> int:
    assert x > 5, TOO_SMALL
    assert x < 9, Texts.LARGE
    return x


@pytest.mark.parametrize(("x", "said"), [(1, TOO_SMALL), (9, Texts.LARGE)])
def test_an_assertions_text_may_be_a_constant(x: int, said: str) -> None:
    for run in (asserts_by_name, asserts_by_name.managed, partial(sb.evaluate, asserts_by_name)):
        with pytest.raises(sb.Trap, match=f"assertion failed: {said}"):
            run(x)
    assert asserts_by_name(6) == 6


@sb.kernel
def asserts_a_number(x: int) -> int:
    assert x > 5, x
    return x


def test_an_assertions_text_is_known_when_it_is_compiled() -> None:
    error = refusal_of(asserts_a_number, 1)
    assert error.message == "the message of an assert is a text that is known when it is compiled"
