"""What DETERMINISTIC makes of kernels: the documented shape of accumulations, which products are
fused, and what stays as it is; the same on every level of this host."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import Array, ReadOnly, float32, float64, int32
from samebits.backend.llvm.compile import assembly_text
from samebits.backend.targets.audit import audit
from samebits.backend.targets.table import TARGETS
from samebits.bits import exact_fma
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.grammar import For, Module, walk
from samebits.ir.text import parse_module, print_module
from samebits.ir.verify import verify
from samebits.lang.kernel import Kernel
from samebits.passes.pipeline import optimise
from samebits.passes.semantics.float_modes import lower_float_modes, rewrites
from samebits.runtime.evaluate import evaluate_call

sb.defaults(mode=sb.DETERMINISTIC)

LENGTHS = (0, 1, 7, 8, 9, 31, 32, 33, 63, 64, 65, 71, 72, 73, 128, 200, 333)
RANDOM = np.random.default_rng(5)


def linked(kernel: Kernel) -> tuple[Module, str]:
    assert kernel.fixed_types is not None
    unit = compile_kernel(kernel, kernel.fixed_types)
    return link(unit), unit.function.name


def lanes_of(kernel: Any) -> list[tuple[str, str]]:
    """The slots that get lanes, in source order, with what joins them."""
    module, name = linked(kernel)
    lowered = lower_float_modes(module)
    verify(lowered)
    text = print_module(lowered)
    assert print_module(parse_module(text)) == text
    loops = [s for s in walk(lowered.functions[name].body) if isinstance(s, For)]
    return [pair for loop in loops if loop.lanes for pair in loop.lanes.slots]


def in_shape(values: Any, start: Any, add: Callable[[Any, Any], Any], neutral: float) -> Any:
    """The documented shape, written out: blocks of 64 or 32, then of 8, then one by one."""
    total, rest = start, values
    for count in (64 if values.dtype == np.float32 else 32, 8):
        whole = len(rest) - len(rest) % count
        if whole:
            lanes = np.full(count, neutral, values.dtype)
            for first in range(0, whole, count):
                lanes = add(lanes, rest[first : first + count])
            while len(lanes) > 1:
                lanes = add(lanes[: len(lanes) // 2], lanes[len(lanes) // 2 :])
            total = add(total, lanes[0])
        rest = rest[whole:]
    for value in rest:
        total = add(total, value)
    return total


@sb.kernel
def sums(x: ReadOnly[float32], y: ReadOnly[float64]) -> tuple[float32, float64]:
    s = float32(0.25)
    for i in range(len(x)):
        s += x[i]
    t = float64(-1.5)
    for i in range(len(y) - 1, -1, -1):
        t = t - y[i]
    return s, t


@sb.kernel
def products(x: ReadOnly[float32], y: ReadOnly[float64]) -> tuple[float32, float64]:
    s = float32(0.25)
    t = float64(-1.5)
    for i in range(len(x)):
        s *= x[i]
    for k in range(0, 3 * len(y), 3):
        t = y[k // 3] * t
    return s, t


@sb.kernel
def extremes(x: ReadOnly[float32], y: ReadOnly[float64]) -> tuple[float32, float64]:
    s = float32(0.25)
    t = float64(-1.5)
    for i in range(len(x)):
        s = sb.max(s, x[i])
    for i in range(len(y)):
        t = sb.min(y[i], t)
    return s, t


@pytest.mark.parametrize("n", LENGTHS)
def test_accumulations_have_the_documented_shape(n: int) -> None:
    x = RANDOM.normal(size=n).astype(np.float32)
    y = RANDOM.normal(size=n)
    start = np.float32(0.25), np.float64(-1.5)
    for kernel, join, neutral, given in (
        (sums, np.add, -0.0, (x, -y[::-1])),
        (products, np.multiply, 1.0, (x, y)),
    ):
        expected = [in_shape(v, s, join, neutral) for v, s in zip(given, start, strict=True)]
        found = evaluate_call(kernel, (x, y))
        assert [f.tobytes() for f in found] == [e.tobytes() for e in expected]
        sb.assert_same_bits(kernel, x, y)


def test_least_and_greatest_are_those_of_any_order() -> None:
    for n in LENGTHS:
        x = RANDOM.normal(size=n).astype(np.float32)
        y = RANDOM.normal(size=n)
        if n > 40:
            x[33], y[n - 1] = np.nan, np.nan
        sb.assert_same_bits(extremes, x, y)
        assert (
            np.array(evaluate_call(extremes, (x, y))).tobytes()
            == np.array(extremes.managed(x, y)).tobytes()
        )


@sb.kernel
def everywhere(
    x: ReadOnly[float32], k: ReadOnly[int32], out: Array[float32], first: int, last: int
) -> tuple[float32, float32, float64, int]:
    """Checks that stay, stores, conditions, `continue`, several accumulators, any bounds."""
    s = float32(0)
    p = float32(1)
    t = float64(0)
    iterations = 0
    for i in range(first, last, 2):
        iterations += 1
        at = k[i]
        out[i] = x[at] * x[at]
        if x[at] < float32(0):
            s -= x[at] + float32(0.5)
            continue
        if x[at] > float32(1):
            p = p * x[at] * float32(0.75)
        t += float64(x[at])
    else:
        t = t * 2.0
    return s, p, t, iterations


@pytest.mark.parametrize("opt", [0, 3])
def test_everything_else_in_such_a_loop_is_as_without_lanes(opt: int) -> None:
    assert lanes_of(everywhere) == [("s", "add"), ("p", "mul"), ("t", "add")]
    x = RANDOM.normal(size=600).astype(np.float32)
    for n in (0, 1, 15, 64, 130, 400, 599):
        k = RANDOM.integers(0, 600, 600).astype(np.int32)
        sb.assert_same_bits(everywhere, x, k, np.zeros(600, np.float32), 0, n)
    out, again = np.zeros(600, np.float32), np.zeros(600, np.float32)
    assert everywhere(x, k, out, 3, 500)[3] == everywhere.managed(x, k, again, 3, 500)[3] == 249
    assert out.tobytes() == again.tobytes()
    k[77] = 600
    for run in (everywhere, everywhere.managed):
        memory = np.zeros(600, np.float32)
        with pytest.raises(sb.Trap):
            run(x, k, memory, 1, 500)
        assert memory[75] != 0
        assert not memory[77:].any()
    with pytest.raises(sb.Trap):
        sb.assert_same_bits(everywhere, x, k, np.zeros(600, np.float32), 1, 500)


def test_loops_over_extreme_ranges_are_counted_exactly() -> None:
    @sb.kernel
    def steps(first: int, last: int) -> float64:
        s = float64(0)
        for i in range(first, last, 2305843009213693952):
            s += float64(i)
        return s

    @sb.kernel
    def down(first: int, last: int) -> float64:
        s = float64(0)
        for i in range(first, last, -288230376151711744):
            s += float64(i)
        return s

    low, high = -(2**63), 2**63 - 1
    for first, last in ((low, high), (high, low), (0, 0), (high - 1, high), (low + 1, low)):
        sb.assert_same_bits(steps, first, last)
        sb.assert_same_bits(down, first, last)


@sb.kernel
def broken(x: ReadOnly[float32]) -> float32:
    s = float32(0)
    for i in range(len(x)):
        s += x[i]
        if x[i] > float32(3):
            break
    return s


@sb.kernel
def returned(x: ReadOnly[float32]) -> float32:
    s = float32(0)
    for i in range(len(x)):
        s += x[i]
        if x[i] > float32(3):
            return float32(1)
    return s


@sb.kernel
def read(x: ReadOnly[float32], out: Array[float32]) -> None:
    s = float32(0)
    for i in range(len(x)):
        s += x[i]
        out[i] = s


@sb.kernel
def condition(x: ReadOnly[float32]) -> float32:
    s = float32(0)
    for i in range(len(x)):
        if s < float32(9):
            s += x[i]
    return s


@sb.kernel
def recurrence(x: ReadOnly[float32]) -> float32:
    s = float32(0)
    for i in range(len(x)):
        s = s * float32(0.5) + x[i]
    return s


@sb.kernel
def reversed_difference(x: ReadOnly[float32]) -> float32:
    s = float32(0)
    for i in range(len(x)):
        s = x[i] - s
    return s


@sb.kernel
def both(x: ReadOnly[float32]) -> float32:
    s = float32(0)
    for i in range(len(x)):
        s += x[i]
        s *= x[i]
    return s


@sb.kernel
def twice(x: ReadOnly[float32]) -> float32:
    s = float32(0)
    for _ in range(len(x)):
        s = s + s
    return s


@sb.kernel
def assigned(x: ReadOnly[float32]) -> float32:
    s = float32(0)
    for i in range(len(x)):
        s = float32(0)
        s += x[i]
    return s


@sb.kernel
def integers(x: ReadOnly[int32]) -> int32:
    s = int32(0)
    for i in range(len(x)):
        s += x[i]
    return s


@sb.kernel
def few(x: ReadOnly[float32]) -> float32:
    s = float32(0)
    for i in range(7):
        s += x[i]
    return s


@sb.kernel
def outer(x: ReadOnly[float32], n: int) -> float32:
    total = float32(0)
    for _ in range(n):
        i = 0
        while i < len(x):
            total += x[i]
            i += 1
    return total


@pytest.mark.parametrize(
    "kernel",
    [broken, returned, read, condition, recurrence, reversed_difference, both, twice, assigned,
     integers, few, outer],
    ids=lambda kernel: kernel.__name__,
)  # fmt: skip
def test_other_loops_stay_in_source_order(kernel: Kernel) -> None:
    assert lanes_of(kernel) == []
    module, _ = linked(kernel)
    assert rewrites(module) == {}
    assert lower_float_modes(module).functions == module.functions


def test_only_lanes_that_fill_are_there_where_the_iterations_are_known() -> None:
    @sb.kernel
    def nine(x: ReadOnly[float32]) -> float32:
        s = float32(0)
        for i in range(1, 20, 2):
            s += x[i]
        return s

    module, name = linked(nine)
    (done,) = rewrites(module)[name]
    assert (done.kind, done.text) == ("lanes", "blocks of 8 lanes: s added")


def test_many_accumulators_have_fewer_lanes() -> None:
    @sb.kernel
    def seven(x: ReadOnly[sb.float3], y: ReadOnly[float32]) -> tuple[sb.float3, sb.float3, float32]:
        a, b = sb.float3(0, 0, 0), sb.float3(1, 1, 1)
        s = float32(0)
        for i in range(len(x)):
            a += x[i]
            b = b - x[i] * y[i]
            sb.expect_vectorized()
            s += y[i]
        return a, b, s

    module, name = linked(seven)
    (done,) = rewrites(module)[name]
    assert done.text.startswith("blocks of 16, then 8 lanes: a.x added, a.y added")
    for n in LENGTHS:
        x, y = RANDOM.normal(size=(n, 3)).astype(np.float32), RANDOM.normal(size=n)
        sb.assert_same_bits(seven, x, y.astype(np.float32))


def test_a_strict_kernel_that_is_called_keeps_its_order() -> None:
    @sb.kernel(mode=sb.STRICT)
    def strict(x: ReadOnly[float32]) -> float32:
        s = float32(0)
        for i in range(len(x)):
            s += x[i]
        return s

    @sb.kernel
    def caller(x: ReadOnly[float32]) -> tuple[float32, float32]:
        s = float32(0)
        for i in range(len(x)):
            s += x[i]
        return s, strict(x)

    assert lanes_of(caller) == [("s", "add")]
    x = np.random.default_rng(3).normal(size=1000).astype(np.float32)
    s, t = caller(x)
    assert t == strict.managed(x) == strict(x)
    assert s != t
    sb.assert_same_bits(caller, x)
    sb.assert_same_bits(strict, x)


def test_rewriting_twice_changes_nothing_more() -> None:
    for kernel in (sums, everywhere, fused):
        once = lower_float_modes(linked(kernel)[0])
        assert print_module(lower_float_modes(once)) == print_module(once)


@sb.kernel(denormals="flush", contract=True)
def flushing(
    x: ReadOnly[float32], k: ReadOnly[int32], y: ReadOnly[float64]
) -> tuple[float32, float32, float64]:
    s = float32(0)
    p = float32(1)
    t = float64(0)
    for i in range(len(k)):
        s += x[k[i]]
        p *= x[k[i]]
    for i in range(len(y)):
        t += y[i] * y[i] * float64(0.5)
    return s, p, t


def test_what_joins_lanes_is_flushed_too() -> None:
    module, _ = linked(flushing)
    assert print_module(lower_float_modes(module)).count("lanes 64, 8 flush") == 1
    flushed = 0
    for n in LENGTHS:
        x = RANDOM.choice([-1.5, 1.0, 1.25, -1.0, 0.75], 400).astype(np.float32)
        x *= np.float32(2.0**-126)
        k = RANDOM.integers(0, 400, n).astype(np.int32)
        y = RANDOM.choice([-1.5, 1.0, 1.25, -1.0], n) * 2.0**-511
        sb.assert_same_bits(flushing, x, k, y)
        result = flushing(x, k, y)
        assert all(v == 0 or abs(v) >= 2.0**-1022 for v in map(float, result))
        flushed += float(result[0]) != float(gradual(x, k, y)[0])
    assert flushed > 5


gradual = Kernel(flushing.function, given={"contract": True})


@sb.kernel(contract=True)
def fused(
    a: float64, b: float64, c: float64, d: float64
) -> tuple[float64, float64, float64, float64, float64, float64, float64]:
    product = a * b
    return (
        a * b + c,
        c + a * b,
        a * b - c,
        c - a * b,
        a * b - c * d,
        product + c,
        (a * b) * c + (a + b) * d,
    )


def test_the_left_product_of_an_expression_is_fused() -> None:
    for _ in range(200):
        a, b, c, d = (float(v) for v in RANDOM.normal(size=4) * [1, 1, 1e-3, 1])
        expected = (
            exact_fma(a, b, c, 64),
            exact_fma(a, b, c, 64),
            exact_fma(a, b, -c, 64),
            exact_fma(-a, b, c, 64),
            exact_fma(a, b, -(c * d), 64),
            a * b + c,
            exact_fma(a * b, c, (a + b) * d, 64),
        )
        assert tuple(map(float, fused(a, b, c, d))) == expected
        sb.assert_same_bits(fused, a, b, c, d)


def test_without_contract_every_product_is_rounded() -> None:
    plain = Kernel(fused.function, given={"mode": sb.DETERMINISTIC})
    assert rewrites(linked(plain)[0]) == {}
    assert plain(1.1, 1.3, -1.43, 2.0) == plain.managed(1.1, 1.3, -1.43, 2.0)


@sb.kernel(contract=True)
def dot(x: ReadOnly[float32], y: ReadOnly[float32]) -> float32:
    s = float32(0)
    for i in range(len(x)):
        s += x[i] * y[i]
    return s


def test_a_contracted_dot_product_has_lanes_of_fma() -> None:
    module, name = linked(dot)
    assert [r.kind for r in rewrites(module)[name]] == ["lanes", "contract"]
    rounded = Kernel(dot.function, given={"mode": sb.DETERMINISTIC})
    random = np.random.default_rng(6)
    differing = 0
    for n in 3 * LENGTHS:
        x, y = random.normal(size=(2, n)).astype(np.float32)
        sb.assert_same_bits(dot, x, y)
        differing += dot(x, y) != rounded(x, y)
    assert differing > 4


@sb.kernel
def positive(x: ReadOnly[float32]) -> float32:
    s = float32(0)
    for i in range(len(x)):
        if x[i] > float32(0):
            s += x[i]
    return s


@pytest.mark.parametrize("kernel", [sums, positive, extremes], ids=lambda k: k.__name__)
def test_lanes_become_four_registers_of_the_widest_vectors(kernel: Kernel) -> None:
    module, name = linked(kernel)
    ready = optimise(lower_float_modes(module), [name])
    text = assembly_text(ready, [name], TARGETS["x86-64-v4"])
    packed = re.findall(r"\tv(?:add|min|max|cmplt|cmp\w+)ps\t.*zmm", text)
    assert len(packed) >= 4
    assert not re.search(r"\tv\w+ps\t.*\(%rsp", text)  # lanes are registers, not memory


@pytest.mark.parametrize("target", sorted(set(TARGETS) - {"x86-64-v2"}))
def test_rewritten_loops_hold_no_forbidden_instruction_on_any_target(target: str) -> None:
    for kernel, fused in ((sums, False), (everywhere, False), (dot, True)):
        module, name = linked(kernel)
        text = assembly_text(optimise(lower_float_modes(module), [name]), [name], TARGETS[target])
        assert audit(text, TARGETS[target], fused) == []
