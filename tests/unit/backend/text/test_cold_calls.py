"""A loop around a cold function is vectorised, and the function is called for the lanes alone
that need it."""

# pyright: reportReturnType=false

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.support.kernels.cold_kernels import curves, rounded_up
from tests.support.programs.compiled_kernels import HOST_TARGETS
from tests.support.programs.optimised import optimised

from samebits import Array, ReadOnly, ceil, float32, float64, floor, int32, kernel, round, trunc
from samebits.backend.llvm.compile import assembly_text, llvm_text
from samebits.backend.targets.audit import audit
from samebits.backend.targets.table import TARGETS, Target
from samebits.errors import IRError
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.builder import Builder
from samebits.ir.grammar import Module
from samebits.ir.interp.evaluator import evaluate
from samebits.ir.text import parse_module, print_module
from samebits.ir.verify import verify
from samebits.mathlib.primitives import cold_kernel
from samebits.runtime.compile import compile_native
from samebits.types import FLOAT64, INT, ArrayType


@kernel
def narrow_curves(x: ReadOnly[float32], result: Array[float32]) -> None:
    for i in range(len(result)):
        v = x[i]
        y = (v * v + float32(2.0)) * v - float32(0.5) * (v + float32(1.0)) * (v * v - v)
        if v > float32(3.0):
            y = rounded_up(v, int32(v))
        result[i] = y * float32(0.5) + v


@cold_kernel
def is_beyond(x: float64, most: float64, always: bool) -> bool:
    y = x
    for _ in range(4):
        y = y * 0.75 + 0.5
    return always or y > most


@kernel
def marked(x: ReadOnly[float64], result: Array[float64]) -> None:
    for i in range(len(result)):
        v = x[i]
        y = (v * v + 2.0) * v - 0.5 * (v + 1.0) * (v * v - v)
        beyond = False
        if v > 3.0:
            beyond = is_beyond(v, 4.0, y > 300.0)
        result[i] = y if beyond else -y


@pytest.mark.parametrize("name", [t.name for t in TARGETS.values() if t.vector_bits])
def test_the_loop_calls_the_function_for_lanes_in_a_branch(name: str) -> None:
    text = llvm_text(*optimised(curves), TARGETS[name], 3)
    assert re.search(r"fmul <\d+ x double>", text)
    lanes = set(re.findall(r"call .*@sb\.each\.0\.(\d+)", text))
    assert len(lanes) == 1
    # One loop over lanes is made, and no test remains to be called.
    assert re.findall(r"^define .*@sb\.(\w+)\.0\.(\d+)", text, re.MULTILINE) == [("each", *lanes)]
    assert "@sb.some" not in text
    assert "@sb.variants" not in text


@pytest.mark.parametrize("target", TARGETS.values(), ids=lambda t: t.name)
@pytest.mark.parametrize("opt", [0, 3])
def test_the_code_is_clean_on_every_row(target: Target, opt: int) -> None:
    for one in (curves, narrow_curves, marked):
        assert audit(assembly_text(*optimised(one), target, opt), target) == []


@pytest.mark.parametrize("every", [2, 3, 100, 10**9])
@pytest.mark.parametrize("target", HOST_TARGETS, ids=lambda t: t.name)
def test_every_lane_has_the_bits_of_a_call_alone(target: Target, every: int) -> None:
    for one, t in ((curves, np.float64), (narrow_curves, np.float32), (marked, np.float64)):
        x = np.random.default_rng(every).uniform(-2.9, 2.9, 103).astype(t)
        x[::every] *= 4
        types = one.fixed_types
        assert types is not None
        found, wanted = np.empty_like(x), np.empty_like(x)
        compile_native(one, types, target)(x, found)
        unit = compile_kernel(one, types)
        evaluate(link(unit), unit.function.name, [x, wanted])
        assert found.tobytes() == wanted.tobytes()


def test_a_cold_function_is_marked_in_the_text_and_read_back() -> None:
    module, _ = optimised(curves)
    text = print_module(module)
    assert text.count("\n  rare\n") == 1
    again = parse_module(text)
    assert [f.cold for f in again.functions.values()] == [f.cold for f in module.functions.values()]
    assert print_module(again) == text


def test_a_cold_function_takes_scalars_and_gives_one() -> None:
    b = Builder("f", {"a": ArrayType(FLOAT64, 1)}, [INT])
    function = b.ret(b.length(b.get("a")))
    function.cold = True
    with pytest.raises(IRError, match="it takes scalars and gives one"):
        verify(Module({"f": function}))


def test_one_that_can_trap_is_a_function_as_any_other() -> None:
    b = Builder("f", {"a": INT}, [INT])
    a = b.get("a")
    f = b.ret(b.op("add", a, a))
    f.cold = True
    text = llvm_text(Module({"f": f}), ["f"], TARGETS["x86-64-v3"])
    assert "sb.some" not in text
    assert "ret { i32, i64 }" in text


@cold_kernel
def rounded_everyway(x: float64) -> float64:
    return floor(x) + ceil(x) * trunc(x) - round(x)


@kernel
def rounded_if_large(x: float64) -> float64:
    return rounded_everyway(x) if x > 9.0 else x


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
def test_rounding_in_a_cold_function_needs_no_library(target: Target) -> None:
    assert rounded_if_large.fixed_types is not None
    unit = compile_kernel(rounded_if_large, rounded_if_large.fixed_types)
    text = assembly_text(link(unit), [unit.function.name], target)
    assert not re.search(r"\b(call|bl|jal|callq?|brasl)\b.*\b(floor|ceil|trunc|roundeven)\b", text)
