"""likely, unlikely, assume and `bounds_check=False`: what they promise, and that no bit changes."""

# pyright: reportReturnType=false, reportArgumentType=false, reportIndexIssue=false

from __future__ import annotations

import re

import numpy as np
import pytest

import samebits as sb
from samebits import float32, int32
from samebits.backend.llvm import engine
from samebits.backend.llvm.compile import llvm_text
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.grammar import Module, Op, walk
from samebits.lang.kernel import Kernel
from samebits.passes.pipeline import optimise
from samebits.runtime.evaluate import evaluate_call


def compiled_text(kernel: Kernel, opt: int | None = None) -> str:
    types = kernel.fixed_types
    assert types is not None
    unit = compile_kernel(kernel, types)
    entries = [unit.function.name]
    return llvm_text(optimise(link(unit), entries), entries, engine.host_target(), opt)


def operations(module: Module) -> list[Op]:
    return [s for f in module.functions.values() for s in walk(f.body) if isinstance(s, Op)]


@sb.kernel
def hinted(x: int32, y: int32) -> int32:
    total = int32(0)
    if sb.likely(x > 0):
        total += y // 3
    if sb.unlikely(y > 100):
        total -= x // 7
    else:
        total += 1
    while sb.likely(total < 50):
        total += 9
    return total + sb.select(sb.unlikely(x == y), x // 5, total)


def test_a_hint_changes_no_bit() -> None:
    for x, y in [(1, 2), (0, 200), (-5, 7), (3, 3), (90, 101)]:
        sb.assert_same_bits(hinted, x, y)


def test_a_hint_becomes_the_weights_of_its_branch() -> None:
    text = compiled_text(hinted)
    kinds = re.findall(r"(br i1|select i1).*!prof !([23])", text)
    assert kinds == [("br i1", "2"), ("br i1", "3"), ("br i1", "2"), ("select i1", "3")]
    assert '!2 = !{!"branch_weights", i32 2000, i32 1}' in text
    assert '!3 = !{!"branch_weights", i32 1, i32 2000}' in text


@pytest.mark.parametrize("name", ["likely", "unlikely", "assume"])
def test_only_a_bool_is_a_condition(name: str) -> None:
    function = getattr(sb, name)

    @sb.kernel
    def wrong(x: int32) -> int32:
        function(x)
        return x

    with pytest.raises(sb.CompileError, match=rf"{name}\(\) takes a bool, but this is int32"):
        wrong(1)
    with pytest.raises(sb.ArgumentError, match=f"{name} takes a bool, got int32"):
        wrong.managed(1)


@sb.kernel
def picked(a: sb.ReadOnly[float32], n: int) -> float32:
    sb.assume(n >= 0 and n <= len(a))
    total = float32(0.0)
    for i in range(n):
        total += a[i]
    return total


@sb.kernel(bounds_check=False)
def picked_unchecked(a: sb.ReadOnly[float32], n: int) -> float32:
    sb.assume(n >= 0 and n <= len(a))
    total = float32(0.0)
    for i in range(n):
        total += a[i]
    return total


A = np.arange(9, dtype=np.float32)


def test_an_assumption_that_does_not_hold_traps_alike_everywhere() -> None:
    sb.assert_same_bits(picked, A, 9)
    with pytest.raises(sb.Trap, match="assumption does not hold") as caught:
        sb.assert_same_bits(picked, A, 10)
    assert caught.value.kind == "assume"
    assert caught.value.span is not None
    with pytest.raises(sb.Trap):
        picked(A, -1)


def test_an_assumption_takes_the_checks_away_that_it_answers() -> None:
    types = picked.fixed_types
    assert types is not None
    unit = compile_kernel(picked, types)
    made = operations(optimise(link(unit), [unit.function.name]))
    assert [op.opcode for op in made if op.opcode in ("index", "assume")] == ["assume"]


def test_without_bounds_check_an_assumption_is_llvms() -> None:
    sb.assert_same_bits(picked_unchecked, A, 9)
    text = compiled_text(picked_unchecked)
    assert "call void @llvm.assume(i1" in text
    assert "\ntrap" not in text


@sb.kernel(bounds_check=False)
def gathered(a: sb.Array[float32], at: sb.ReadOnly[int32]) -> None:
    for i in range(len(at)):
        a[i] = a[at[i]] * float32(2.0)


def test_without_bounds_check_only_compiled_code_goes_without() -> None:
    sb.assert_same_bits(gathered, A.copy(), np.array([8, 0, 3], np.int32))
    assert "\ntrap" not in compiled_text(gathered)
    wrong = np.array([9], np.int32)
    for run in (gathered.managed, lambda *args: evaluate_call(gathered, args)):
        with pytest.raises(sb.Trap) as caught:
            run(A.copy(), wrong)
        assert caught.value.kind == "index"


@sb.kernel
def checked_inside(a: sb.ReadOnly[float32], i: int) -> float32:
    return a[i]


@sb.kernel(bounds_check=False)
def calls_checked(a: sb.ReadOnly[float32], i: int) -> float32:
    return checked_inside(a, i)


def test_a_called_kernel_keeps_its_checks() -> None:
    with pytest.raises(sb.Trap):
        calls_checked(A, 9)
