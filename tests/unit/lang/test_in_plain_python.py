"""What kernels return is used in plain Python: its operators, its json, its integers."""

from __future__ import annotations

import itertools
import json
import operator
from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import float32, float64, int32, int64, math, uint8
from samebits.errors import ArgumentError
from samebits.lang.values.thread_state import managed_run

VALUES: dict[Any, list[Any]] = {
    float32: [1.5, -7.25, 1e30],
    float64: [1.5, -7.25, 1e300],
    int32: [7, -7, 2],
    int64: [7, -7, 2],
    uint8: [7, 200, 2],
}
CASES = [(cls(v), cls) for cls, values in VALUES.items() for v in values]


@pytest.mark.parametrize("function", [operator.mod, operator.floordiv, divmod])
def test_remainders_of_floats_are_numpys(function: Any) -> None:
    compared = 0
    for (x, _), other in itertools.product(CASES, [0.75, -3.5, float64(0.75), float32(2.5)]):
        for a, b in ((x, other), (other, x)):
            if isinstance(a, int | np.integer) and isinstance(b, int | np.integer):
                continue
            own = [v.dtype.type(v) if isinstance(v, np.generic) else v for v in (a, b)]
            if {type(v) for v in own} <= {np.float64, float, np.int64, np.int32, np.uint8}:
                own = [float(v) for v in own]  # NumPy 2's own promotion of a mixed pair
            wanted, found = np.atleast_1d(function(*own)), np.atleast_1d(function(a, b))
            assert wanted.tolist() == found.tolist(), (a, b)
            compared += 1
    assert compared > 50


def test_the_type_of_a_remainder_is_that_of_the_language() -> None:
    assert type(float32(7.5) % 2) is float32
    assert type(7 % float32(2.5)) is float32
    assert type(int32(7) % 2.5) is float64
    assert [type(v) for v in divmod(float64(7.5), 2)] == [float64, float64]
    assert divmod(int32(-7), 2) == (-4, 1)


def test_powers_of_floats_are_the_librarys() -> None:
    x, y = float32(1.1), float32(2.5)
    pairs = [
        (x**y, math.pow(x, y)),
        (x**2, math.pow(x, float32(2))),
        (2**x, math.pow(float32(2), x)),
        (x**0.1, math.pow(x, float32(0.1))),
        (x ** float64(0.1), math.pow(float64(x), float64(0.1))),
        (float64(3) ** int32(2), float64(9)),
    ]
    for power, wanted in pairs:
        assert (type(power), float(power)) == (type(wanted), float(wanted))


def test_powers_of_integers_wrap_in_their_type() -> None:
    assert (int32(3) ** 4, type(int32(3) ** 4)) == (81, int32)
    assert int32(3) ** int32(21) == (3**21 + 2**31) % 2**32 - 2**31
    with pytest.raises(ValueError, match="negative"):
        int32(2) ** -1
    with pytest.raises(ArgumentError, match="no common type"):
        float32(2) ** True


def test_in_managed_runs_powers_are_refused_as_they_are_in_kernels() -> None:
    float32(2) ** 2
    with pytest.raises(ArgumentError), managed_run():
        float32(2) ** 2


@sb.kernel
def counted(n: int) -> tuple[int, float, bool]:
    return n * 3, n / 4.0, n > 2


@pytest.mark.parametrize("run", [counted, counted.managed])
def test_a_weak_int_leaves_a_kernel_as_pythons_own(run: Any) -> None:
    n, x, flag = run(4)
    assert [type(v) for v in (n, x, flag)] == [int, float, bool]
    assert (n**70, n / 8, 2**n) == (12**70, 1.5, 4096)
    assert json.dumps([n, x, flag]) == "[12, 1.0, true]"


@sb.struct
class Ball:
    at: sb.float3
    turn: sb.FixedArray[float32, 2]
    hits: int32
    alive: bool


@sb.kernel
def thrown(v: sb.float3) -> tuple[Ball, sb.float3, float32, sb.uint64]:
    ball = Ball(at=v * 2, hits=3)
    ball.turn[1] = 0.5
    return ball, v, v.x, sb.uint64(1) << 63


def test_whatever_a_kernel_returns_is_plain_python_by_one_call() -> None:
    plain = sb.to_python(thrown((1, 2, 0.5)))
    assert plain == (
        {"at": [2.0, 4.0, 1.0], "turn": [0.0, 0.5], "hits": 3, "alive": False},
        [1.0, 2.0, 0.5],
        1.0,
        1 << 63,
    )
    assert json.loads(json.dumps(plain))[1] == [1.0, 2.0, 0.5]
    assert sb.to_python([float32(0.1)]) == [float(np.float32(0.1))]
    assert sb.to_python({"a": np.arange(3, dtype=np.int16)}) == {"a": [0, 1, 2]}
    assert sb.to_python(sb.fix32("1.5")) == 1.5
    assert json.dumps(thrown((1, 2, 3)), default=sb.to_python).startswith('[{"at": [2.0')
    with pytest.raises(ArgumentError, match="no value of a kernel"):
        sb.to_python(object())
