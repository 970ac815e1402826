"""Loops whose iterations LLVM counts by dividing more than 64 bits link, and have their bits."""

from __future__ import annotations

import ctypes
import random

import numpy as np
import pytest
from tests.fuzz.loading import Workspace
from tests.support.machines.objects import LINKERS_OWN, undefined_symbols

import samebits as sb
from samebits import int64, uint64
from samebits.backend.llvm import engine
from samebits.backend.llvm.compile import compile_module
from samebits.backend.targets.audit import is_allowed_call
from samebits.backend.targets.table import TARGETS, Target
from samebits.frontend.compile import compile_kernel, link
from samebits.passes.pipeline import optimise


@sb.kernel
def by_three(q: uint64, s: uint64) -> uint64:
    total = uint64(0)
    at = q
    while at <= s:
        total = total + at
        at += uint64(3)
    return total


@sb.kernel
def by_many(q: uint64, s: uint64) -> uint64:
    total = uint64(0)
    at = q
    while at <= s:
        total = total + at
        at += uint64(1_000_003)
    return total


@sb.kernel
def backward(p: int64) -> int64:
    total = int64(0)
    while p >= 0:
        p -= int64(7)
        total = total + p
    return total


KERNELS = [by_three, by_many, backward]


@pytest.mark.parametrize("target", TARGETS.values(), ids=lambda t: t.name)
def test_no_library_is_called(target: Target) -> None:
    for kernel in KERNELS:
        unit = compile_kernel(kernel, kernel.fixed_types)
        names = [unit.function.name]
        compiled = compile_module(optimise(link(unit), names), names, target)
        needed = undefined_symbols(compiled.object_bytes) - LINKERS_OWN.get(target.name, set())
        assert not {name for name in needed if not is_allowed_call(name, target)}


def striding_loop(chance: random.Random, name: str) -> str:
    """A kernel that adds up a counter, or what it makes of it, from one number to another."""
    t, summed = (chance.choice(("int32", "uint32", "int64", "uint64")) for _ in range(2))
    step = chance.choice((1, 2, 3, 5, 6, 7, 10, 12, 100, 641, 1_000_003))
    up = chance.random() < 0.8
    sign = chance.choice(("<", "<=", "!=") if up else (">", ">=", "!="))
    term = chance.choice(("{c}", "{c}", "{c} * {c}", "{c} // 3", "({c} >> 1)")).format(c="w")
    joined = chance.choice(("r + {}", "r - {}", "r + {} * 5", "r ^ {}")).format(f"{summed}({term})")
    return f"""
@sb.kernel
def {name}(w: {t}, end: {t}) -> {summed}:
    r = {summed}(0)
    while w {sign} end:
        r = {joined}
        w {"+" if up else "-"}= {t}({step})
    return r
"""


ROWS = ["x86-64-v1", "x86-64-v4", "i686", "aarch64", "armv7", "ppc64le", "mips64el", "wasm32-simd"]


@pytest.mark.parametrize("first", range(0, 40, 20))
def test_no_loop_over_a_counter_calls_a_library(first: int) -> None:
    with Workspace(texts=4) as workspace:
        for seed in range(first, first + 20):
            source = "import samebits as sb\nfrom samebits import int32, int64, uint32, uint64\n"
            source += striding_loop(random.Random(seed), "striding")
            program = workspace.load(source, "striding")
            for target in map(TARGETS.__getitem__, ROWS):
                code = compile_module(program.optimised, [program.symbol], target)
                needed = undefined_symbols(code.object_bytes) - LINKERS_OWN.get(target.name, set())
                assert not {n for n in needed if not is_allowed_call(n, target)}, source


@pytest.mark.parametrize("target", ["x86-64-v1", "aarch64", "wasm32-simd"])
def test_short_sums_are_those_of_the_loop(target: str) -> None:
    for q, s in ((0, 0), (5, 4), (1, 900), (2**64 - 4000, 2**64 - 5)):
        assert sb.assert_same_bits(by_three, q, s, targets=[f"{target}-O3"])
    for p in (-1, 0, 6, 7, 100):
        assert sb.assert_same_bits(backward, p, targets=[f"{target}-O3"])


def test_long_sums_are_those_of_the_formula() -> None:
    step = 1_000_003
    for q, s in ((0, 2**40), (12345, 2**39), (2**64 - 10**12, 2**64 - 10**7)):
        iterations = (s - q) // step + 1
        total = iterations * q + step * (iterations * (iterations - 1) // 2)
        assert int(by_many(q, s)) == total % 2**64


_TEXT = """
define i32 @divided(ptr %at) {
  %b.p = getelementptr i8, ptr %at, i64 16
  %q.p = getelementptr i8, ptr %at, i64 32
  %r.p = getelementptr i8, ptr %at, i64 48
  %a = load i128, ptr %at, align 8
  %b = load i128, ptr %b.p, align 8
  %q = udiv i128 %a, %b
  %r = urem i128 %a, %b
  store i128 %q, ptr %q.p, align 8
  store i128 %r, ptr %r.p, align 8
  %a.65 = trunc i128 %a to i65
  %7 = udiv exact i65 %a.65, 1
  %same = icmp eq i65 %7, %a.65
  %answer = zext i1 %same to i32
  ret i32 %answer
}
"""


def test_quotients_and_rests_of_any_numbers() -> None:
    target = engine.host_target()
    head = f'target triple = "{target.triple}"\n'
    loaded = engine.load(engine.compile_text(head + _TEXT, target, 0), ["divided"])
    divided = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)(loaded.addresses["divided"])
    chance = random.Random(3)
    memory = np.zeros(8, np.uint64)
    for _ in range(4000):
        a, b = (chance.getrandbits(chance.randrange(1, 129)) for _ in range(2))
        a, b = ((1 << 128) - 1 - x if chance.random() < 0.1 else x for x in (a, b or 1))
        memory[:4] = [a % 2**64, a >> 64, b % 2**64, b >> 64]
        assert divided(memory.ctypes.data) == 1
        words = [int(x) for x in memory[4:]]
        assert (words[0] | words[1] << 64, words[2] | words[3] << 64) == divmod(a, b)
    loaded.close()
