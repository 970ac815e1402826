"""A kernel that calls many functions with rare inputs compiles soon, to the bits of each alone."""

# pyright: reportIndexIssue=false, reportArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from tests.support.kernels.cold_kernels import RARE_INPUTS, curves, many
from tests.support.machines.other_machines import EMULATED, Machine, WasmMachine, missing
from tests.support.programs.compiled_kernels import HOST_TARGETS
from tests.support.programs.optimised import optimised

import samebits as sb
from samebits import ReadOnly, bitcast, float64, kernel, math, uint64
from samebits.backend.emit.module import emit_module
from samebits.backend.llvm.compile import assembly_text, llvm_text
from samebits.backend.targets.audit import audit
from samebits.backend.targets.table import TARGETS, Target
from samebits.backend.text.cold_calls import ColdFunction, DeferredVariants
from samebits.lang.kernel import Kernel
from samebits.runtime.compile import compile_native

NAMES = (
    "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh",
    "asinh", "exp", "exp10", "expm1", "log", "log2", "log1p", "cbrt",
)  # fmt: skip
SPEED = TARGETS["x86-64-v3"]


@kernel
def summed(x: ReadOnly[float64]) -> float64:
    total = float64(0)
    for i in range(len(x)):
        v = x[i]
        total += math.sin(v)
        total += math.cos(v)
        total += math.tan(v)
        total += math.asin(v)
        total += math.acos(v)
        total += math.atan(v)
        total += math.sinh(v)
        total += math.cosh(v)
        total += math.tanh(v)
        total += math.asinh(v)
        total += math.exp(v)
        total += math.exp10(v)
        total += math.expm1(v)
        total += math.log(v)
        total += math.log2(v)
        total += math.log1p(v)
        total += math.cbrt(v)
    return total


@kernel
def hash_of_many(seed: uint64) -> uint64:
    x = sb.zeros(8, float64)
    y = sb.zeros(8, uint64)
    state = seed
    for i in range(8):
        state = state * 6364136223846793005 + 1442695040888963407
        x[i] = bitcast(float64, state ^ (state >> 33))
    many(x, y)
    for i in range(8):
        state = (state ^ y[i]) * 1099511628211
    return state


def spared(text: str) -> set[str]:
    """The functions in LLVM text whose code is selected without optimisation."""
    groups = set(re.findall(r"^attributes (#\d+) = .*\boptnone\b", text, re.MULTILINE))
    defined = re.findall(r'^define .*@"?([^"(]+)"?\(.*\) [^\n]*?(#\d+)', text, re.MULTILINE)
    return {name for name, group in defined if group in groups}


@pytest.mark.parametrize("target", HOST_TARGETS, ids=lambda t: t.name)
def test_many_functions_have_the_bits_of_each_alone(target: Target) -> None:
    ordinary = np.random.default_rng(3).uniform(-2, 2, 50)
    x = np.concatenate([ordinary, RARE_INPUTS, ordinary[::-1]])
    found, wanted = np.zeros((2, len(x)), np.uint64)
    assert many.fixed_types is not None
    compile_native(many, many.fixed_types, target)(x, found)
    for name in NAMES:
        alone = getattr(math, name)(x).view(np.uint64)
        wanted = wanted << np.uint64(7) ^ wanted >> np.uint64(57) ^ alone
    assert found.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("target", EMULATED, ids=lambda t: t.name)
def test_any_bit_patterns_have_this_processors_bits_on_others(
    target: Target, tmp_path: Path
) -> None:
    reason = missing(target)
    if reason:
        pytest.skip(reason)
    seeds = [np.uint64(seed) for seed in range(12)]
    wanted = [int(hash_of_many(seed)) for seed in seeds]
    kind = WasmMachine if target.runner == "wasmtime" else Machine
    machine = kind(tmp_path, target, *optimised(hash_of_many), 3)
    answers = machine.run([(0, [int(seed), 0]) for seed in seeds])
    assert [(answer[0], answer[2]) for answer in answers] == [(0, w) for w in wanted]


def test_few_cold_functions_are_optimised_and_many_are_not() -> None:
    few = spared(llvm_text(*optimised(curves), SPEED, 3))
    assert not any(name.startswith("k:") for name in few)
    spares = spared(llvm_text(*optimised(many), SPEED, 3))
    assert any(name.endswith("sin_exact") for name in spares)
    assert not any(name.startswith("sb.body") for name in spares)


def test_code_for_rare_inputs_is_small_where_size_is_the_goal() -> None:
    small = Kernel(many.function, given={"optimize_for": "size"})
    assert not any(name.startswith("k:") for name in spared(llvm_text(*optimised(small), SPEED, 3)))


def test_straight_code_is_looked_through_unless_nearly_all_goes_in_lanes() -> None:
    assert emit_module(*optimised(curves), SPEED).profile.slp
    assert not emit_module(*optimised(many), SPEED).profile.slp


def test_a_width_is_given_only_where_iterations_are_independent() -> None:
    width = '"llvm.loop.vectorize.width", i32 4'
    assert width in emit_module(*optimised(many), SPEED).text
    alone = emit_module(*optimised(summed), SPEED)
    assert not alone.profile.slp
    assert "vectorize.width" not in alone.text


def test_functions_of_the_same_types_share_a_loop_over_lanes() -> None:
    text = llvm_text(*optimised(many), SPEED, 3)
    assert len(re.findall(r"^define .*@sb\.each\.", text, re.MULTILINE)) == 1
    assert len(re.findall(r"call .*@sb\.each\.", text)) == len(NAMES)


@pytest.mark.parametrize(("shares", "loops"), [(True, 2), (False, 3)])
def test_functions_without_addresses_have_loops_of_their_own(shares: bool, loops: int) -> None:
    parameters = (["double"], ["double"], ["double", "i32"])
    functions = [
        ColdFunction(k, f"@f{k}", types, "double", "", 128, shares)
        for k, types in enumerate(parameters)
    ]
    text = DeferredVariants("", tuple(functions)).text(f"sb.some.{k}.2" for k in range(3))
    assert len(re.findall(r"^define .*@sb\.each\.", text, re.MULTILINE)) == loops
    assert ("ptr %function" in text) == shares


def test_what_one_entry_alone_calls_is_inlined_before_it_is_optimised() -> None:
    module, (entry,) = optimised(many)
    pattern = rf'^define [^\n]*@"k:{re.escape(entry)}"[^\n]* alwaysinline {{'
    for entries, inlined in (([entry], True), ([entry, entry], False)):
        text = emit_module(module, entries, SPEED).text
        assert bool(re.search(pattern, text, re.MULTILINE)) == inlined


@pytest.mark.parametrize("opt", [None, 0, 3])
def test_variants_are_declared_until_loops_are_vectors(opt: int | None) -> None:
    text = llvm_text(*optimised(many), SPEED, opt)
    assert ("@sb.variants" in text) == (opt is None)
    assert not re.search(r"^define .*@sb\.some", text, re.MULTILINE)


@pytest.mark.parametrize("target", TARGETS.values(), ids=lambda t: t.name)
def test_the_code_is_clean_on_every_row(target: Target) -> None:
    found = audit(assembly_text(*optimised(many), target), target)
    assert [f for f in found if f.rule != "fused"] == []
