"""The fuzzer is worth its time: faults injected into an execution are found, and shrunk."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from tests.fuzz.check import assert_agreement, check_programs
from tests.fuzz.execute import levels
from tests.fuzz.generator import QUOTIENTS_FROM, Program, generate
from tests.fuzz.halves import seeds_with_halves
from tests.fuzz.inputs import InputSet
from tests.fuzz.loading import DisagreementError
from tests.fuzz.regression import regression_text
from tests.fuzz.shrink import shrink

from samebits import int8, int16, int32, uint8, uint16, uint32
from samebits.backend.llvm import engine
from samebits.backend.targets.table import Target
from samebits.errors import Span
from samebits.frontend.core.context import Context
from samebits.frontend.operations import halves
from samebits.ir.grammar import Value
from samebits.ir.interp import semantics
from samebits.lang.kernel import Kernel
from samebits.types import FLOAT32

FUSED = """\
import samebits as sb
from samebits import float32

@sb.kernel
def entry(a: float32, b: float32, c: float32) -> float32:
    return a * b + c
"""
# (1 + 3*2**-23)**2 - 1 is 6*2**-23 rounded twice, and 9*2**-46 more rounded once.
FUSED_INPUTS = InputSet(
    args=(
        ("scalar", "float32", 0x3F800003),
        ("scalar", "float32", 0x3F800003),
        ("scalar", "float32", 0xBF800000),
    ),
    blobs=(),
)
PRODUCT_AND_SUM = re.compile(
    r"(%[\w.]+) = fmul float (\S+), (\S+)\s+(%[\w.]+) = fadd float \1, (\S+)"
)
CALL_OF_FMA = r"\4 = call float @llvm.fma.f32(float \2, float \3, float \5)"
NOISY = """\
import samebits as sb
from samebits import float32, int32, uint32

@sb.kernel
def helper(x: float32) -> float32:
    return x * x

@sb.kernel
def entry(a: sb.Array[float32], b: uint32, c: int32) -> tuple[float32, uint32, int32]:
    total = float32(0)
    bits = uint32(0)
    for i in range(len(a)):
        total += helper(a[i])
        if total > 2.0:
            a[i] = total
        else:
            bits += sb.popcount(b >> i)
    while c > 3:
        c -= 1
    return total, bits, c
"""
NOISY_INPUTS = InputSet(
    args=(("array", "float32", 0, 0, (4,)), ("scalar", "uint32", 0xFF), ("scalar", "int32", 9)),
    blobs=(bytes.fromhex("0000003f" * 4),),
)


def test_the_programs_agree_without_a_fault() -> None:
    assert_agreement(FUSED, "entry", [FUSED_INPUTS])
    assert_agreement(NOISY, "entry", [NOISY_INPUTS])


def test_a_fused_multiply_add_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    if not any(level.target.has_fma for level in levels()):
        pytest.skip("this machine has no fused multiply-add to inject")
    honest = engine.compile_text

    def contracting(text: str, target: Target, opt: int = 3, **more: bool) -> bytes:
        if target.has_fma:
            text = PRODUCT_AND_SUM.sub(CALL_OF_FMA, text)
            text += "\ndeclare float @llvm.fma.f32(float, float, float)\n"
        return honest(text, target, opt, **more)

    monkeypatch.setattr(engine, "compile_text", contracting)
    with pytest.raises(DisagreementError, match="result 0"):
        assert_agreement(FUSED, "entry", [FUSED_INPUTS])


def test_a_wrong_operation_of_evaluate_is_found_and_shrunk(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(semantics.SEMANTICS, "popcount", lambda t, a: a.bit_length())
    noisy = NOISY_INPUTS.args[1]
    inputs = InputSet((NOISY_INPUTS.args[0], (*noisy[:2], 0xF1), NOISY_INPUTS.args[2]),
                      NOISY_INPUTS.blobs)  # fmt: skip
    (failure,) = check_programs([Program(0, NOISY, "entry", (inputs,))]).failures
    assert failure.kind == "managed and evaluate"
    small = shrink(failure)
    body = small.program.source.split("def entry")[1].splitlines()[1:]
    assert len(body) <= 4, small.program.source
    assert "popcount" in small.program.source
    assert "helper" not in small.program.source
    assert "while" not in small.program.source
    compile(regression_text(small), "test_regression.py", "exec")


def test_an_int_that_a_quotient_narrows_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def narrowing(cls: Any, honest: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        return lambda a, b: honest(a, cls(b) if isinstance(b, int) else b)

    # Without the fault all of them agree: test_fuzz has the same ones.
    programs = [generate(seed) for seed in range(QUOTIENTS_FROM, QUOTIENTS_FROM + 30)]
    for cls in (int8, uint8, int16, uint16, int32, uint32):
        for name in ("__truediv__", "__rtruediv__"):
            monkeypatch.setattr(cls, name, narrowing(cls, getattr(cls, name)))
    failures = check_programs(programs, native=False).failures
    assert any("overflow" in failure.text for failure in failures)


TWICE = 5101
"""The program of this seed rounds a number just beside the middle of two halves."""


def kinds(first: int, count: int) -> set[str]:
    """What is wrong with the first programs with halves from seed `first` on, nothing compiled."""
    programs = [generate(seed) for seed in seeds_with_halves(first, count)]
    return {failure.kind for failure in check_programs(programs, native=False).failures}


def test_a_half_loaded_with_a_nan_of_its_own_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def kept(_ctx: Context, word: Value, _span: Span) -> Value:
        return word

    assert not kinds(1000, 10)
    monkeypatch.setattr(halves, "canonical", kept)
    assert kinds(1000, 10) == {"managed and evaluate"}


def test_a_half_rounded_twice_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = Context.call

    def by_float32(
        ctx: Context, kernel: Kernel, args: tuple[Value, ...], span: Span
    ) -> tuple[Value, ...]:
        if kernel is halves.f64_to_f16:
            narrow = ctx.builder.value("convert", args, FLOAT32, span)
            return honest(ctx, halves.f32_to_f16, (narrow,), span)
        return honest(ctx, kernel, args, span)

    assert not kinds(TWICE, 1)
    monkeypatch.setattr(Context, "call", by_float32)
    assert kinds(TWICE, 1) == {"managed and evaluate"}
