"""Flushing loops have no branch, and give evaluation's bits on other machines."""

# pyright: reportReturnType=false

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.support.machines.other_machines import Machine, WasmMachine, missing

import samebits as sb
from samebits import float32, float64, int32, uint32, uint64
from samebits.backend.llvm.compile import llvm_text
from samebits.backend.targets.table import TARGETS
from samebits.bits import float_to_bits
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.interp.evaluator import evaluate
from samebits.passes.pipeline import optimise
from samebits.passes.semantics.float_modes import lower_float_modes


@sb.kernel(denormals="flush")
def hash_of_curve(seed: uint64, scale: float32) -> uint64:
    """A hash of products that lie on both sides of the least normal number, in a vector loop."""
    x = sb.zeros(100, float32)
    y = sb.zeros(100, float64)
    state = seed
    for i in range(100):
        state = state * 6364136223846793005 + 1442695040888963407
        x[i] = (float32(state >> 58) * float32(0.0625) - float32(2.0)) * scale
        y[i] = float64(int32(state >> 33)) * 1e-316 * 0.125
    for i in range(100):
        x[i] = x[i] * float32(0.5) + scale
        y[i] = y[i] - y[i] * 0.75
    for i in range(100):
        state = state ^ uint64(sb.bitcast(uint32, x[i])) ^ sb.bitcast(uint64, y[i])
        state = state * 1099511628211
    return state


@pytest.mark.parametrize("name", ["wasm32", "wasm32-simd", "aarch64", "s390x", "armv7"])
def test_other_machines_flush_alike(name: str, tmp_path: Path) -> None:
    target = TARGETS[name]
    reason = missing(target)
    if reason:
        pytest.skip(reason)
    types = hash_of_curve.fixed_types
    assert types is not None
    unit = compile_kernel(hash_of_curve, types)
    entries = [unit.function.name]
    module = lower_float_modes(link(unit))
    questions = [
        (seed, scale) for seed in range(4) for scale in (2.0**-126, 2.0**-125, -(2.0**-124))
    ]
    wanted = [evaluate(module, entries[0], pair)[0] for pair in questions]
    kept = [evaluate(link(unit), entries[0], pair)[0] for pair in questions]
    assert wanted != kept
    kind: Any = WasmMachine if target.runner == "wasmtime" else Machine
    machine = kind(tmp_path, target, optimise(module, entries), entries, 3)
    calls = [(0, [seed, float_to_bits(scale, 32), 0]) for seed, scale in questions]
    assert [answer[3] for answer in machine.run(calls)] == wanted
    assert [int(hash_of_curve.managed(seed, scale)) for seed, scale in questions] == wanted


@pytest.mark.parametrize("name", ["aarch64", "x86-64-v4"])
def test_a_flushing_loop_is_vectorised_without_a_branch(name: str) -> None:
    types = hash_of_curve.fixed_types
    assert types is not None
    unit = compile_kernel(hash_of_curve, types)
    entries = [unit.function.name]
    module = optimise(lower_float_modes(link(unit)), entries)
    text = llvm_text(module, entries, TARGETS[name], 3)
    operand = "and <4 x i32> %wide.load, splat (i32 2139095040)"
    assert (operand in text) == (name == "aarch64")
    assert "fadd <4 x float>" in text
