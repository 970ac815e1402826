"""No soft kernel can trap, and each has its bits on processors without 64-bit instructions too."""

# pyright: reportReturnType=false

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.support.levels import LOWEST
from tests.support.machines.other_machines import Machine, WasmMachine, missing

import samebits as sb
from samebits import float32, float64, int32, uint32, uint64
from samebits.backend.targets.table import TARGETS
from samebits.fpmodel.soft import KERNELS
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.grammar import Op, can_trap, walk
from samebits.lang.kernel import Kernel
from samebits.passes.pipeline import optimise

from_float32, from_float64 = KERNELS["from_float32"], KERNELS["from_float64"]
to_float32, to_float64 = KERNELS["to_float32"], KERNELS["to_float64"]
add, sub, mul, div = KERNELS["add"], KERNELS["sub"], KERNELS["mul"], KERNELS["div"]
sqrt, fma, short_root = KERNELS["sqrt"], KERNELS["fma"], KERNELS["rsqrt12"]
flushed_input = KERNELS["flushed_input"]


@pytest.mark.parametrize("name", KERNELS)
def test_no_soft_kernel_can_trap(name: str) -> None:
    types = KERNELS[name].fixed_types
    assert types is not None
    unit = compile_kernel(KERNELS[name], types)
    module = optimise(link(unit), [unit.function.name])
    for function in module.functions.values():
        for op in walk(function.body):
            assert not (isinstance(op, Op) and can_trap(op)), f"{op.opcode} at {op.span}"


@sb.kernel
def number(state: uint64) -> tuple[uint64, int32, int32]:
    """Anything from subnormal float64 to what float64 has no room for."""
    m, e, k = from_float64(sb.bitcast(float64, state))
    if state & 7 == 0:
        m, e, k = from_float32(sb.bitcast(float32, uint32(state >> 11)))
    return m | (state >> 60), e, k


@sb.kernel
def hash_of_results(seed: uint64, precision: int32, rounding: int32, flush: int32) -> uint64:
    """A hash of what the operations give, each from results of those before."""
    least = int32(-1022)
    most = int32(1023)
    state = seed
    for i in range(30):
        state = state * 6364136223846793005 + 1442695040888963407
        a, ae, ak = number(state ^ (state >> 29))
        state = state * 6364136223846793005 + 1442695040888963407
        b, be, bk = number(state ^ (state >> 29))
        if i & 1 == 0:
            be = ae + (be & 63) - 31
        a, ae, ak = flushed_input(a, ae, ak, least, flush & 1)
        b, be, bk = flushed_input(b, be, bk, least, flush & 1)
        c, ce, ck = mul(a, ae, ak, b, be, bk, precision, least, most, rounding, flush)
        a, ae, ak = div(a, ae, ak, b, be, bk, precision, least, most, rounding, flush)
        b, be, bk = sub(c, ce, ck, b, be, bk, precision, least, most, rounding, flush)
        a, ae, ak = fma(a, ae, ak, b, be, bk, c, ce, ck, precision, least, most, rounding, flush)
        a, ae, ak = add(a, ae, ak, c, ce, ck, precision, least, most, rounding, flush)
        b, be, bk = sqrt(b, be, bk, precision, least, most, rounding, flush)
        state = state ^ a ^ uint64(ae) ^ (uint64(ak) << 40)
        state = state ^ uint64(sb.bitcast(uint32, to_float32(a, ae, ak, rounding, flush)))
        b, be, bk = from_float64(to_float64(b, be, bk, rounding, flush))
        b, be, bk = short_root(b, be, bk)
        state = state ^ sb.bitcast(uint64, to_float64(b, be, bk, 0, 0))
    return state


SETTINGS = ((0, 0), (2, 1), (3, 2))
QUESTIONS = [(seed, bits, *way) for seed in range(2) for bits in (24, 53, 64) for way in SETTINGS]


def linked(kernel: Kernel) -> tuple[Any, str]:
    types = kernel.fixed_types
    assert types is not None
    unit = compile_kernel(kernel, types)
    return link(unit), unit.function.name


@pytest.mark.parametrize("name", ["wasm32", "armv7", "s390x"])
def test_other_machines_give_the_same_bits(name: str, tmp_path: Path) -> None:
    target = TARGETS[name]
    reason = missing(target)
    if reason:
        pytest.skip(reason)
    module, entry = linked(hash_of_results)
    kind: Any = WasmMachine if target.runner == "wasmtime" else Machine
    machine = kind(tmp_path, target, optimise(module, [entry]), [entry], 3)
    answers = machine.run([(0, [*question, 0]) for question in QUESTIONS])
    wanted = [int(hash_of_results(*question)) for question in QUESTIONS]
    assert [answer[-1] for answer in answers] == wanted


def test_every_execution_gives_the_same_bits() -> None:
    for question in QUESTIONS[:3]:
        sb.assert_same_bits(hash_of_results, *question, targets=[LOWEST])
