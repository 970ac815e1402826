"""FAST: LLVM's flags on the operations of FAST functions alone, and no poison among them."""

from __future__ import annotations

import contextlib
import re
import warnings
from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import Array, ReadOnly, float32, int32
from samebits.backend.emit.module import emit_module
from samebits.backend.llvm.compile import assembly_text
from samebits.backend.targets.audit import audit
from samebits.backend.targets.table import TARGETS
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.grammar import Module
from samebits.lang.kernel import Kernel
from samebits.passes.pipeline import optimise
from samebits.passes.semantics.float_modes import lower_float_modes


@sb.kernel
def strict_sum(x: ReadOnly[float32]) -> float32:
    s = float32(0)
    for i in range(len(x)):
        s += x[i] * x[i]
    return s


@sb.kernel(mode=sb.FAST)
def fast_sum(x: ReadOnly[float32]) -> float32:
    s = float32(0)
    for i in range(len(x)):
        s += x[i] * x[i]
    return s


@sb.kernel(mode=sb.FAST)
def fast_most(x: ReadOnly[float32]) -> float32:
    s = x[0]
    for i in range(1, len(x)):
        s = sb.max(s, x[i])
    return s


@sb.kernel
def strict_step(x: float32, y: float32) -> float32:
    return x * y + x


@sb.kernel(mode=sb.FAST)
def fast_mixed(x: ReadOnly[float32], out: Array[float32]) -> None:
    for i in range(len(x)):
        out[i] = strict_step(x[i], float32(3)) * x[i] + sb.sqrt(x[i])


@sb.kernel
def mixed(x: ReadOnly[float32], out: Array[float32]) -> float32:
    fast_mixed(x, out)
    return strict_sum(x)


def ready(kernel: Kernel) -> tuple[Module, list[str]]:
    assert kernel.fixed_types is not None
    unit = compile_kernel(kernel, kernel.fixed_types)
    entries = [unit.function.name]
    return optimise(lower_float_modes(link(unit)), entries), entries


def assembly(kernel: Kernel, target: str = "x86-64-v4") -> str:
    return assembly_text(*ready(kernel), TARGETS[target])


def test_the_flags_are_on_operations_of_fast_functions_alone() -> None:
    text = emit_module(*ready(mixed), TARGETS["x86-64-v1"]).text
    bodies = dict(re.findall(r'define [^\n]*@"k:[\w.]*\.(\w+)"(.*?)\n}', text, re.DOTALL))
    assert set(bodies) == {"strict_step", "fast_mixed", "mixed", "strict_sum"}
    arithmetic = re.compile(r"= (?:call )?(?:f(?:add|sub|mul|div|neg)|.*@llvm\.sqrt)[^\n]*")
    for name, body in bodies.items():
        for line in arithmetic.findall(body):
            assert ("reassoc nsz arcp contract afn" in line) == (name == "fast_mixed")
    assert len(arithmetic.findall(bodies["fast_mixed"])) >= 3
    assert not re.search(r"\b(nnan|ninf|fast)\b", text)


def test_fast_sums_are_vectorised_and_fused_and_strict_ones_are_not() -> None:
    assert re.search(r"vfmadd\w*ps\t.*zmm", assembly(fast_sum))
    assert not re.search(r"vfmadd|vaddps", assembly(strict_sum))
    assert re.search(r"zmm", assembly(fast_most))


def test_the_audit_allows_fused_operations_in_modules_with_fast_code_alone() -> None:
    target = TARGETS["x86-64-v4"]
    text = assembly(fast_sum)
    assert {finding.rule for finding in audit(text, target)} == {"fused"}
    assert audit(text, target, allow_fast=True) == []
    assert audit(assembly(strict_sum), target) == []
    for bad in ("f:\n\tfldl\t(%rax)\n", "f:\n\tcallq\tsinf\n"):
        assert audit(bad, target, allow_fast=True) != []


@pytest.mark.parametrize("target", ["x86-64-v1", "aarch64", "wasm32-simd", "s390x", "armv7"])
def test_fast_code_calls_nothing_and_keeps_to_the_registers_of_floats(target: str) -> None:
    assert audit(assembly(mixed, target), TARGETS[target], allow_fast=True) == []


def test_a_strict_kernel_called_by_a_fast_one_keeps_its_bits() -> None:
    @sb.kernel(mode=sb.FAST)
    def handed(x: ReadOnly[float32], out: Array[float32]) -> None:
        for i in range(len(x)):
            out[i] = strict_step(x[i], x[i])

    x = np.random.default_rng(3).normal(size=1000).astype(np.float32)
    out = np.zeros_like(x)
    handed(x, out)
    assert out.tobytes() == (x * x + x).tobytes()


@sb.kernel(mode=sb.FAST)
def picked(x: ReadOnly[float32], table: ReadOnly[int32], start: float32) -> int32:
    s = start
    for i in range(len(x)):
        s += x[i] / (x[i] - x[i])
    k = int32(s)
    if s > float32(1):
        k = k & int32(3)
    return table[int(k)]


@pytest.mark.parametrize("value", [0.0, 1.0, float("inf"), float("nan"), -3e38])
def test_whatever_becomes_nan_or_infinite_no_index_leaves_its_array(value: float) -> None:
    table = np.arange(4, dtype=np.int32)
    x = np.full(40, value, np.float32)
    for start in (0.0, float("nan"), float("-inf")):
        with contextlib.suppress(sb.Trap):
            assert 0 <= picked(x, table, start) < 4


def test_same_bits_are_not_asked_of_fast_code() -> None:
    x = np.ones(3, np.float32)
    with pytest.raises(
        sb.ArgumentError, match="assert_same_bits: fast_sum is FAST, which promises no bits"
    ):
        sb.assert_same_bits(fast_sum, x)
    with pytest.raises(sb.ArgumentError, match="fast_mixed is FAST"):
        sb.assert_same_bits(mixed, x, x.copy())


def caught(kernel: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        compile_kernel(kernel, kernel.fixed_types)
    assert all(w.category is sb.SamebitsWarning for w in found)
    return [str(w.message).split("\n", 1)[0] for w in found]


def test_fast_kernels_that_test_for_equality_get_a_warning_with_the_place() -> None:
    @sb.kernel(mode=sb.FAST)
    def tests(x: float32, y: float32) -> int32:
        k = int32(0)
        if x != x:
            k += int32(1)
        if x == y + float32(1):
            k += int32(2)
        if x < y or k == int32(1):
            k += int32(4)
        return k

    assert caught(tests) == [
        "FAST kernel 'tests' tests whether a float is NaN",
        "FAST kernel 'tests' tests floats for equality",
    ]
    assert caught(Kernel(tests.function)) == []

    @sb.kernel(mode=sb.FAST)
    def one(x: float32) -> bool:
        return x == float32(1)

    with pytest.warns(sb.SamebitsWarning, match=r"(?s)return x == .*fix: compare with a tolerance"):
        compile_kernel(one, one.fixed_types or ())
