"""Loops around much of the math library are vectors alone, with the bits of scalar loops."""

# pyright: reportArgumentType=false, reportIndexIssue=false, reportUnknownVariableType=false

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.support.kernels.cold_kernels import RARE_INPUTS, many
from tests.support.programs.compiled_kernels import HOST_TARGETS
from tests.support.programs.optimised import optimised

from samebits import Array, ReadOnly, float64, kernel, math
from samebits.backend.emit.module import emit_module
from samebits.backend.llvm.compile import llvm_text
from samebits.backend.targets.table import TARGETS, Target
from samebits.runtime.compile import compile_native

LENGTHS = (0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 40)


@kernel
def two_results(x: ReadOnly[float64], a: Array[float64], b: Array[float64]) -> None:
    for i in range(len(x)):
        v = x[i]
        y = math.sin(v) + math.cos(v) + math.tan(v) + math.asin(v) + math.acos(v)
        y += math.sinh(v) + math.cosh(v) + math.tanh(v) + math.asinh(v) + math.expm1(v)
        y += math.exp(v) + math.exp10(v) + math.log(v) + math.log1p(v) + math.log2(v)
        a[i] = y
        b[i] = math.atan(v) - math.cbrt(v)


@kernel
def smoothed(x: Array[float64]) -> None:
    for i in range(len(x) - 1):
        v = x[i] * 0.5 + x[i + 1] * 0.25
        y = math.sin(v) + math.cos(v) + math.tan(v) + math.asin(v) + math.acos(v)
        y += math.sinh(v) + math.cosh(v) + math.tanh(v) + math.asinh(v) + math.expm1(v)
        y += math.exp(v) + math.exp10(v) + math.log(v) + math.log1p(v) + math.log2(v)
        x[i] = y + math.atan(v) - math.cbrt(v)


def body(text: str) -> str:
    """What entry 0 runs, of LLVM text after the passes."""
    found = re.search(r"^define [^\n]*@sb\.body\.0\(.*?^}", text, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found.group()


@pytest.mark.parametrize("name", ["x86-64-v3", "x86-64-v4"])
@pytest.mark.parametrize("one", [many, two_results])
def test_no_scalar_copy_of_what_is_inlined_is_left(name: str, one: object) -> None:
    text = body(llvm_text(*optimised(one), TARGETS[name], 3))
    assert re.search(r"fmul <\d x double>", text)
    _, back_edge, after = text.rpartition("label %vector.body")
    assert back_edge
    assert not re.search(r"\b(fmul|sqrt)\b", after)
    assert bool(re.search(r"@llvm\.masked\.store\.", text)) == name.endswith("v4")


def test_other_processors_loops_are_left_to_llvm() -> None:
    for name in ("aarch64", "wasm32-simd"):
        assert "llvm.access.group" not in emit_module(*optimised(many), TARGETS[name]).text


def test_a_loop_that_reads_what_other_iterations_write_is_left_as_it_is() -> None:
    assert "llvm.access.group" not in emit_module(*optimised(smoothed), TARGETS["x86-64-v3"]).text


@pytest.mark.parametrize("shift", [-9, -8, -1, 0, 1, 7, 8, 9])
@pytest.mark.parametrize("target", HOST_TARGETS, ids=lambda t: t.name)
def test_arrays_that_overlap_have_the_bits_of_one_iteration_after_another(
    target: Target, shift: int
) -> None:
    assert many.fixed_types is not None
    run = compile_native(many, many.fixed_types, target)
    for n in LENGTHS:
        found, wanted = (np.full(n + 18, 0x3FE3_3333_3333_3333, np.uint64) for _ in range(2))
        for memory in (found, wanted):
            memory[9 : 9 + n] += np.arange(n, dtype=np.uint64) << np.uint64(40)
            memory[9 : 9 + n].view(np.float64)[-len(RARE_INPUTS) :] = RARE_INPUTS[:n]
        run(found[9 : 9 + n].view(np.float64), found[9 + shift : 9 + shift + n])
        x, out = wanted[9 : 9 + n].view(np.float64), wanted[9 + shift : 9 + shift + n]
        for i in range(n):
            run(x[i : i + 1], out[i : i + 1])
        assert found.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("target", HOST_TARGETS, ids=lambda t: t.name)
@pytest.mark.parametrize("shift", [-1, 0, 1, 5])
def test_results_that_overlap_each_other_are_stored_iteration_by_iteration(
    target: Target, shift: int
) -> None:
    assert two_results.fixed_types is not None
    run = compile_native(two_results, two_results.fixed_types, target)
    for n in LENGTHS:
        x = np.linspace(0.1, 0.9, n)
        found, wanted = np.zeros((2, n + 10))
        run(x, found[5 : 5 + n], found[5 + shift : 5 + shift + n])
        a, b = wanted[5 : 5 + n], wanted[5 + shift : 5 + shift + n]
        for i in range(n):
            run(x[i : i + 1], a[i : i + 1], b[i : i + 1])
        assert found.tobytes() == wanted.tobytes()
