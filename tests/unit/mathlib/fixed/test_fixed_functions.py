"""Fixed-point functions are within their stated error of MPFR, and alike in every execution."""

import gmpy2
import numpy as np
import pytest

import samebits as sb
from samebits import math
from samebits.runtime.evaluate import evaluate_call

TYPES = [sb.fix16_sat, sb.fix32_sat, sb.fix48_sat]
NAMES = ["sin", "cos", "tan", "atan2", "exp", "log", "pow"]
RELATIVE = {"tan": -28, "exp": -54, "pow": -30}
"""What an error may be beyond half a step, as a power of two of the result."""


def kernel_for(name, F):  # noqa: N803
    function = getattr(math, name)

    @sb.kernel
    def one(a: sb.ReadOnly[F], b: sb.ReadOnly[F], out: sb.Array[F]) -> None:
        for i in range(len(a)):
            out[i] = function(a[i])

    @sb.kernel
    def two(a: sb.ReadOnly[F], b: sb.ReadOnly[F], out: sb.Array[F]) -> None:
        for i in range(len(a)):
            out[i] = function(a[i], b[i])

    return two if name in ("atan2", "pow") else one


def exact(name, x, y):
    match name:
        case "atan2":
            return gmpy2.atan2(x, y)
        case "pow":
            return x**y
        case _:
            return getattr(gmpy2, name)(x)


def numbers(t, count, seed):
    r = np.random.default_rng(seed)
    values = r.integers(-(1 << 63), 1 << 63, count, np.int64) >> r.integers(64 - t.bits, 63, count)
    one = 1 << t.fraction
    special = [0, 1, -1, one, -one, one // 2, 3 * one, t.minimum, t.maximum]
    return np.concatenate([np.array(special, np.int64), values]).astype(t.dtype)


@pytest.mark.parametrize("cls", TYPES, ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_a_function_is_within_its_stated_error(name, cls):
    t = cls.__sb_type__
    a, b = numbers(t, 800, 1), numbers(t, 800, 2)
    if name in ("log", "pow"):
        a = np.maximum(np.abs(a), 1)
    if name in ("exp", "pow"):
        b = (b % (8 << t.fraction)).astype(t.dtype)
    if name == "exp":
        a = (a % (60 << t.fraction) - (38 << t.fraction)).astype(t.dtype)
    out = np.zeros_like(a)
    kernel = kernel_for(name, cls)
    kernel(a, b, out)
    checked = 0
    with gmpy2.context(precision=300):
        for x, y, z in zip(a.tolist(), b.tolist(), out.tolist(), strict=True):
            want = exact(name, gmpy2.mpfr(x) / (1 << t.fraction), gmpy2.mpfr(y) / (1 << t.fraction))
            steps = want * (1 << t.fraction)
            if abs(steps) > t.maximum:
                assert z in (t.minimum, t.maximum)
                continue
            allowed = 0.501 + abs(steps) * gmpy2.mpfr(2) ** RELATIVE.get(name, -999)
            assert abs(steps - z) <= allowed, (x, y)
            checked += 1
    assert checked > 300
    some = slice(0, 16)
    for run in (kernel.managed, lambda *args: evaluate_call(kernel, args)):
        again = np.zeros_like(a[some])
        run(a[some].copy(), b[some].copy(), again)
        assert again.tolist() == out[some].tolist()


@sb.kernel
def together(x: sb.fix32, v: sb.fix32x2) -> tuple[sb.fix32, sb.fix32x2]:
    return math.pow(math.exp(x), 2) + math.log(x) + math.atan2(1, x), math.sin(v) + math.cos(x)


def test_functions_are_the_same_bits_on_every_cpu_level_and_work_by_component():
    sb.assert_same_bits(together, sb.fix32("0.7"), sb.fix32x2(1, 2))
    assert math.sin(sb.fix32x2(1, 2)).y.raw == math.sin(sb.fix32(2)).raw


@pytest.mark.parametrize(("name", "x"), [("log", 0), ("log", -1), ("exp", 22), ("exp", 1000)])
def test_a_function_out_of_range_overflows_as_the_type_says(name, x):
    function = getattr(math, name)

    @sb.kernel
    def trapping(x: sb.fix32) -> sb.fix32:
        return function(x)

    @sb.kernel
    def saturating(x: sb.fix16_sat) -> sb.fix16_sat:
        return function(x)

    for run in (trapping.managed, lambda x: evaluate_call(trapping, (x,)), trapping):
        with pytest.raises(sb.Trap) as caught:
            run(x)
        assert caught.value.kind == "overflow"
        assert caught.value.span.line == trapping.function.__code__.co_firstlineno + 2
    sb.assert_same_bits(saturating, x)
    end = saturating(x).raw
    assert end == (sb.fix16_sat.__sb_type__.minimum if name == "log" else (1 << 31) - 1)


def test_a_function_without_a_fixed_point_version_is_refused():
    @sb.kernel
    def root(x: sb.fix32) -> sb.fix32:
        return math.cbrt(x)

    with pytest.raises(sb.CompileError, match="no version for fix32"):
        root(1)
    with pytest.raises(sb.ArgumentError, match="no version"):
        math.cbrt(sb.fix32(1))
