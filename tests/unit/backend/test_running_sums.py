"""Sums of floats that loops carry stay in source order where the rest of their work is in lanes."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

import samebits as sb
from samebits import Array, ReadOnly, float3, float32, float64, math
from samebits.backend.llvm.compile import llvm_text
from samebits.backend.targets.table import TARGETS
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.analysis.running_sums import LEAST_WORK, running_sums, work
from samebits.ir.grammar import For, Function, walk
from samebits.lang.kernel import Kernel
from samebits.passes.pipeline import optimise

EMULATED = ["aarch64-O3", "s390x-O3", "i686-O3", "wasm32-O3", "wasm32-simd-O3", "ppc64le-O3"]


@sb.struct
class Totals:
    count: float64
    rest: float64


@sb.kernel
def of_products(a: ReadOnly[float32], b: ReadOnly[float32]) -> float32:
    total = float32(0)
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@sb.kernel
def of_quotients(a: ReadOnly[float32], b: ReadOnly[float32]) -> float32:
    total = float32(-0.0)
    for i in range(len(a)):
        total += a[i] / (b[i] * b[i] + 1)
    return total


@sb.kernel
def of_roots(a: ReadOnly[float64], b: ReadOnly[float64]) -> float64:
    total = -0.0
    for i in range(len(a)):
        total += math.sqrt(a[i] * a[i] + b[i] * b[i])
    return total


@sb.kernel
def of_some(a: ReadOnly[float64], b: ReadOnly[float64]) -> float64:
    total = 0.0
    for i in range(len(a)):
        if b[i] > 0.0:
            total += a[i] / b[i]
    return total


@sb.kernel
def of_two(a: ReadOnly[float64], b: ReadOnly[float64]) -> tuple[float64, float64]:
    """The second sum needs the first one of its iteration."""
    first, second = 0.0, 0.0
    for i in range(len(a)):
        first += a[i] / (b[i] + 2.0)
        second += math.sqrt(first * first)
    return first, second


@sb.kernel
def of_sines(a: ReadOnly[float32], b: ReadOnly[float32]) -> float32:
    total = float32(1)
    for i in range(len(a)):
        total += math.sin(a[i]) * b[i]
    return total


@sb.kernel
def of_vectors(a: ReadOnly[float32], b: ReadOnly[float32]) -> float3:
    total = float3(0)
    for i in range(len(a)):
        total += float3(a[i], b[i], a[i] * b[i]) / (1 + abs(b[i]))
    return total


@sb.kernel
def in_memory(a: ReadOnly[float64], b: ReadOnly[float64], totals: Totals) -> None:
    for i in range(len(a)):
        totals.count += 1.0
        totals.rest += a[i] / (b[i] * b[i] + 1.0)


@sb.kernel
def from_the_end(a: ReadOnly[float32], out: Array[float32]) -> None:
    total = float32(0)
    for i in range(len(a) - 1, -1, -1):
        total += float32(1) / (a[i] + float32(0.5))
        out[i] = total


KERNELS: list[Kernel] = [
    of_products, of_quotients, of_roots, of_some, of_two, of_sines, of_vectors,
]  # fmt: skip
SPECIAL = (np.nan, np.inf, -np.inf, -0.0, 0.0, 1e-45, 5e-324, 1e30, -1e300)


def _arrays(kernel: Kernel, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    types = kernel.fixed_types
    assert types is not None
    dtype = np.float32 if "float32" in str(types[0]) else np.float64
    found: list[np.ndarray] = []
    for _ in range(2):
        a = random.standard_normal(count) * 10.0 ** random.integers(-6, 7, count)
        if seed % 3 == 0 and count:
            a[random.integers(0, count)] = random.choice(SPECIAL)
        if seed % 3 == 1:
            a[random.random(count) < 0.5] = -0.0
        with np.errstate(over="ignore"):
            found.append(a.astype(dtype))
    return found[0], found[1]


CALLS = [(count, seed) for seed, count in enumerate((*range(20), 31, 32, 33, 64, 65, 127, 1000))]


@pytest.mark.parametrize("kernel", KERNELS)
def test_every_execution_sums_in_source_order(kernel: Kernel) -> None:
    sb.assert_same_bits_each(kernel, [_arrays(kernel, *call) for call in CALLS])


@pytest.mark.parametrize("kernel", [of_quotients, of_some, of_sines])
def test_emulated_targets_sum_in_source_order(kernel: Kernel) -> None:
    calls = [_arrays(kernel, count, seed) for count, seed in CALLS if count < 70]
    sb.assert_same_bits_each(kernel, calls, targets=EMULATED)


def test_sums_in_memory_and_from_the_end() -> None:
    for count, seed in CALLS:
        a, b = _arrays(of_roots, count, seed)
        sb.assert_same_bits(in_memory, a, b, Totals(0.5, -0.0))
        single = a.astype(np.float32)
        sb.assert_same_bits(from_the_end, single, np.zeros_like(single))


def test_the_sum_is_numpys_in_order() -> None:
    a, b = _arrays(of_quotients, 1001, 2)
    quotients = a / (b * b + np.float32(1))
    assert of_quotients(a, b) == np.cumsum(quotients, dtype=np.float32)[-1]
    assert of_quotients(a, b) != np.sum(quotients)  # whose pairs are summed first


def _compiled(kernel: Kernel) -> tuple[Function, Callable[[str], Function], str]:
    types = kernel.fixed_types
    assert types is not None
    unit = compile_kernel(kernel, types)
    module = link(unit)
    ready = optimise(module, [unit.function.name])
    text = llvm_text(ready, [unit.function.name], TARGETS["x86-64-v3"], 3)
    return module.functions[unit.function.name], module.functions.__getitem__, text


def _loop(function: Function) -> For:
    (loop,) = (statement for statement in walk(function.body) if isinstance(statement, For))
    return loop


@pytest.mark.parametrize(
    ("kernel", "sums", "is_much", "divides"),
    [
        (of_products, 1, False, False),
        (of_quotients, 1, True, True),
        (of_roots, 1, True, False),
        (of_two, 2, True, False),
    ],
)
def test_the_rest_is_in_lanes_where_there_is_much_of_it(
    kernel: Kernel, sums: int, is_much: bool, divides: bool
) -> None:
    function, callee, text = _compiled(kernel)
    loop = _loop(function)
    assert running_sums(loop) == sums
    assert (work(loop.body, callee) >= LEAST_WORK * sums) == is_much
    assert bool(re.search(r"fdiv <\d+ x (float|double)>", text)) == divides
    assert bool(re.search(r"sqrt\.v\d+f", text)) == (kernel is of_roots)
    assert is_much or not re.search(r"f(add|mul) <", text)
    assert not re.search(r"fadd (reassoc|fast)", text)


@sb.kernel
def again(a: ReadOnly[float32]) -> float32:
    """No sum is carried: `x` begins anew."""
    last = float32(0)
    for i in range(len(a)):
        x = a[i]
        x += a[i] * 2
        last = x
    return last


@sb.kernel
def own_elements(a: Array[float32]) -> None:
    for i in range(len(a)):
        a[i] += 1.0


@pytest.mark.parametrize("kernel", [again, own_elements])
def test_what_begins_anew_is_no_sum(kernel: Kernel) -> None:
    function, _, _ = _compiled(kernel)
    assert running_sums(_loop(function)) == 0


def test_sums_in_memory_are_sums() -> None:
    function, _, _ = _compiled(in_memory)
    assert running_sums(_loop(function)) == 2
