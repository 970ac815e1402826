"""Loops that users write come out with a copy in which nothing can trap."""

from __future__ import annotations

from contextlib import suppress
from random import Random
from typing import Any

import numpy as np
import pytest
from tests.support.programs.loop_kernels import KERNELS, UNTESTED
from tests.support.programs.outcomes import Endless, outcome

from samebits.ir.grammar import For, Function, If, Module, Op, While, can_trap, walk
from samebits.ir.text import print_module
from samebits.ir.verify import verify
from samebits.passes.bounds.versioning import checks
from samebits.passes.pipeline import optimise
from samebits.types import INT, ArrayType, RefType


def optimised(kernel: Function) -> Module:
    module = Module({kernel.name: kernel})
    verify(module)
    result = optimise(module, [kernel.name])
    verify(result)
    return result


def loops(module: Module) -> list[For | While]:
    (function,) = module.functions.values()
    return [s for s in walk(function.body) if isinstance(s, For | While)]


@pytest.mark.parametrize("name", KERNELS)
def test_the_innermost_loop_has_a_copy_without_checks(name: str) -> None:
    kernel = KERNELS[name]()
    module = optimised(kernel)
    free = [
        loop
        for loop in loops(module)
        if not checks(loop.body) and any(isinstance(s, Op) and s.opcode == "store"
                                         for s in loop.body + inside_branches(loop))
    ]  # fmt: skip
    assert free, print_module(module)


def inside_branches(loop: For | While) -> list[Op]:
    return [s for branch in loop.body if isinstance(branch, If) for s in walk(branch.then)
            if isinstance(s, Op)]  # fmt: skip


@pytest.mark.parametrize(("name", "outer"), [("blur", "x"), ("rows_of_lanes", "y")])
def test_one_test_before_all_iterations_answers_for_short_inner_loops(
    name: str, outer: str
) -> None:
    # A test inside would be made in each iteration, and would keep the lanes of a sum in memory.
    module = optimised(KERNELS[name]())
    assert any(loop.slot == outer and not checks([loop])
               for loop in loops(module) if isinstance(loop, For))  # fmt: skip


@pytest.mark.parametrize("name", sorted(UNTESTED))
def test_what_is_plain_from_the_source_needs_no_second_copy(name: str) -> None:
    module = optimised(KERNELS[name]())
    assert len(loops(module)) == 1
    assert not any(isinstance(s, Op) and can_trap(s) for f in module.functions.values()
                   for s in walk(f.body))  # fmt: skip


@pytest.mark.parametrize("name", KERNELS)
def test_the_original_loop_stays_for_when_the_test_fails(name: str) -> None:
    kernel = KERNELS[name]()
    module = optimised(kernel)
    if name not in UNTESTED:
        spans = {s.span for s in walk(kernel.body) if isinstance(s, Op) and s.opcode == "index"}
        assert any(
            isinstance(s, Op) and s.opcode == "index" and s.span in spans
            for s in walk(module.functions[kernel.name].body)
        )


NUMBERS = (*range(-2, 12), 2**31 - 1, -(2**31))
HUGE = (2**63 - 1, -(2**63), 2**62, -(2**62), 2**48, 2**48 + 1, 2**40, 2**30 + 1)


def arguments(kernel: Function, random: Random) -> list[Any]:
    """Arrays of like or unlike lengths, numbers near them, now and then extreme ones."""
    length = random.randrange(0, 10)
    wild = random.choice((0.0, 0.2, 0.9))
    result: list[Any] = []
    for _, t in kernel.params:
        if isinstance(t, ArrayType):
            near = [length if random.random() < 0.7 else random.randrange(12) for _ in range(2)]
            wide = t.ndim == 1 and kernel.name == "flattened"
            shape = tuple(near) if t.ndim == 2 else (length * near[1] + 3,) if wide else (near[0],)
            result.append(np.arange(np.prod(shape), dtype=np.float32).reshape(shape))
        elif isinstance(t, RefType):
            result.append(np.zeros((), t.target.dtype))
        elif t.is_float:
            result.append(1.5)
        else:
            value = length if random.random() < 0.6 else random.choice(NUMBERS)
            result.append(random.choice(HUGE) if t == INT and random.random() < wild else value)
    return result


@pytest.mark.parametrize("name", KERNELS)
def test_both_copies_do_what_the_source_says(name: str) -> None:
    kernel = KERNELS[name]()
    original = Module({kernel.name: kernel})
    fast = optimised(kernel)
    random = Random(name)
    for _ in range(200):
        args = arguments(kernel, random)
        with suppress(Endless):
            expected = outcome(original, kernel.name, args, limit=3000)
            assert outcome(fast, kernel.name, args) == expected
