"""Kernels on arrays and structs, inlined into innermost loops: the same values, memory, traps."""

from __future__ import annotations

from copy import deepcopy
from random import Random
from typing import Any

import numpy as np
import pytest
from tests.support.programs.outcomes import Endless, outcome
from tests.support.programs.random_kernels import PARAMS, Programs
from tests.unit.passes.test_same_behaviour import STEPS, arguments

import samebits as sb
from samebits import float32, float64, int64
from samebits.errors import Trap
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.builder import Builder
from samebits.ir.grammar import Module, Op, walk
from samebits.ir.text import print_module
from samebits.ir.verify import verify
from samebits.passes.inline import inlined
from samebits.passes.pipeline import optimise
from samebits.types import INT, INT32


class Callee(Programs):
    """Writes `g`, which has branches and no loops, and sets some of its parameters."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.b = Builder("g", PARAMS, [INT, INT, INT32], self.slots)
        self.ints = ["n", "m", "t", "q"]

    def counted(self, depth: int) -> None:
        if self.random.random() < 0.7:
            self.branch(depth)
            return
        b = self.b
        early = b.if_(self.condition())
        other, leaves = self.random.sample([early.then, early.orelse], 2)
        with b.into(other):
            self.block(depth + 1)
        with b.into(leaves):
            self.block(depth + 1)
            b.ret(b.get("t"), b.get("q"), b.get("w"))

    def uncounted(self, depth: int) -> None:
        self.b.set(self.random.choice(("n", "m")), self.number())


class Caller(Programs):
    """Writes `f`, which calls `g` wherever it stores."""

    def __init__(self, random: Random) -> None:
        self.callee = Callee(random).module().functions["f"]
        super().__init__(random)
        self.budget += 10

    def statement(self, depth: int) -> None:
        b, r = self.b, self.random
        if r.random() > 0.3:
            super().statement(depth)
            return
        a, c = r.choice(("ab", "ba", "aa", "bb"))
        given = (b.get(a), b.get(c), b.get("g"), b.get("s"), self.number(), self.number(1),
                 self.fixed(), b.get("u"))  # fmt: skip
        results = b.call(self.callee, *given)
        for slot, value in zip(("t", "q", "w"), results, strict=True):
            if r.random() < 0.6:
                b.set(slot, value)

    def module(self) -> Module:
        return Module({"g": self.callee, **super().module().functions})


def calls(module: Module) -> int:
    return sum(isinstance(s, Op) and s.opcode == "call" for s in walk(module.functions["f"].body))


@pytest.mark.parametrize("first", range(0, 120, 10))
def test_inlined_kernels_give_the_same_values_memory_and_traps(first: int) -> None:
    gone = compared = 0
    for seed in range(first, first + 10):
        random = Random(f"inline {seed}")
        original = Caller(random).module()
        verify(original)
        before = deepcopy(original)
        alone = Module({**original.functions}, original.tables)
        alone.functions["f"] = inlined(original.functions["f"], original.functions)
        verify(alone)
        optimised = optimise(original, ["f"])
        verify(optimised)
        assert original == before
        gone += calls(original) - calls(alone)
        for _ in range(4):
            args = arguments(random)
            try:
                expected = outcome(original, "f", args, STEPS)
            except Endless:
                continue
            compared += 1
            for made in (alone, optimised):
                assert outcome(made, "f", args, 4 * STEPS) == expected, print_module(made)
    assert gone
    assert compared > 20


@sb.struct
class Bob(sb.Struct):
    angle: float64
    speed: float64


@sb.kernel
def swing(bob: Bob, pushes: sb.ReadOnly[float64], scale: float64) -> None:
    if scale < 0.0:
        scale = -scale
    bob.speed = bob.speed - bob.angle * scale + pushes[0]
    bob.angle = bob.angle + bob.speed


@sb.kernel
def swing_all(bobs: sb.Array[Bob], pushes: sb.ReadOnly[float64, 2], scale: float64) -> None:
    for i in range(len(bobs)):
        swing(bobs[i], pushes[i], scale)


def bobs(count: int) -> tuple[Any, Any]:
    random = np.random.default_rng(count)
    made = np.zeros(count, Bob.dtype)
    made["angle"] = random.uniform(-9, 9, count)
    return made, random.uniform(-1, 1, (count, 1))


@sb.kernel
def blend(out: sb.Array[float32], x: sb.ReadOnly[float32], i: int, share: float32) -> None:
    if x[i] < float32(0):
        share = -share
    out[i] = x[i] * share + out[i]


@sb.kernel
def blend_all(out: sb.Array[float32], x: sb.ReadOnly[float32], share: float32) -> None:
    for i in range(len(out)):
        sb.expect_vectorized()
        blend(out, x, i, share)


@pytest.mark.parametrize("count", [0, 1, 7, 64, 1001])
def test_a_loop_around_a_kernel_becomes_vectors(count: int) -> None:
    x = np.random.default_rng(count).normal(size=count).astype(np.float32)
    sb.assert_same_bits(blend_all, np.ones(count, np.float32), x, 0.75)
    made, pushes = bobs(count)
    sb.assert_same_bits(swing_all, made, pushes, -0.25)


def test_what_is_inlined_traps_where_it_is_written() -> None:
    made, pushes = bobs(9)
    empty = np.zeros((9, 0))
    with pytest.raises(Trap, match="index 0 is out of range for an array of 0") as caught:
        swing_all(made, empty, 1.0)
    assert caught.value.span.function.endswith("swing")
    for wrong in (empty, pushes[:5].copy()):
        with pytest.raises(Trap):
            sb.assert_same_bits(swing_all, made, wrong, 1.0)


@sb.kernel
def add_first(x: sb.Array[int64], y: sb.ReadOnly[int64]) -> int64:
    x[0] += y[0]
    return x[0]


@sb.kernel
def early(x: sb.Array[int64], y: sb.ReadOnly[int64]) -> int64:
    if y[0] > int64(3):
        return int64(0)
    x[0] += y[0]
    return x[0]


@sb.kernel
def looped(x: sb.Array[int64], y: sb.ReadOnly[int64]) -> int64:
    for i in range(len(x)):
        x[i] += y[0]
    return x[0]


@sb.kernel(mode=sb.FAST)
def loose(x: sb.Array[int64], y: sb.ReadOnly[int64]) -> int64:
    x[0] += y[0]
    return x[0]


@sb.kernel
def all_kinds(x: sb.Array[int64], y: sb.ReadOnly[int64]) -> int64:
    total = int64(0)
    for _ in range(3):
        total += add_first(x, y)
        total += early(x, y)
        total += looped(x, y)
        total += loose(x, y)
    return total + add_first(x, y)


def test_others_are_called() -> None:
    unit = link(compile_kernel(all_kinds, all_kinds.signature.resolve(())))
    function = next(f for f in unit.functions.values() if f.name.endswith("all_kinds"))
    made = inlined(function, unit.functions)
    left = [str(s.attr).rpartition(".")[2] for s in walk(made.body)
            if isinstance(s, Op) and s.opcode == "call"]  # fmt: skip
    assert left == ["looped", "loose", "add_first"]
    x, y = np.array([1, 2], np.int64), np.array([3], np.int64)
    assert all_kinds(x.copy(), y) == all_kinds.managed(x.copy(), y)
