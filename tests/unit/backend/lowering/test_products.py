"""Sums and errors of products: fused where the row has the instruction, in parts elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from tests.support.programs.compiled_kernels import HOST_TARGETS, Compiled

from samebits.backend.llvm.compile import assembly_text
from samebits.backend.targets.audit import audit
from samebits.backend.targets.table import TARGETS, Target
from samebits.bits import float_to_bits
from samebits.ir.builder import Builder
from samebits.ir.grammar import Function, Module
from samebits.ir.interp.semantics import SEMANTICS
from samebits.types import FLOAT32, FLOAT64, ScalarType

COUNT = {"muladd": 3, "product_error": 2}


def function(opcode: str, t: ScalarType) -> Function:
    names = "abc"[: COUNT[opcode]]
    b = Builder(opcode, dict.fromkeys(names, t), [t])
    return b.ret(b.op(opcode, *map(b.get, names)))


def numbers(t: ScalarType, count: int, seed: int) -> list[float]:
    rng = np.random.default_rng(seed)
    values = rng.uniform(1.0, 2.0, count) * 2.0 ** rng.integers(-20, 20, count)
    return (values * rng.choice([-1.0, 1.0], count)).astype(t.dtype).astype(float).tolist()


@pytest.mark.parametrize("t", [FLOAT32, FLOAT64], ids=str)
@pytest.mark.parametrize("opcode", COUNT)
@pytest.mark.parametrize("target", TARGETS.values(), ids=lambda t: t.name)
def test_the_row_says_whether_it_is_fused(target: Target, opcode: str, t: ScalarType) -> None:
    text = assembly_text(Module({opcode: function(opcode, t)}), [opcode], target)
    assert [f.rule for f in audit(text, target)] == ["fused"] * target.has_fma
    assert audit(text, target, allow_fma=True) == []


@pytest.mark.parametrize("t", [FLOAT32, FLOAT64], ids=str)
@pytest.mark.parametrize("target", HOST_TARGETS, ids=lambda t: t.name)
def test_a_sum_is_rounded_once_or_twice_as_the_row_says(target: Target, t: ScalarType) -> None:
    compiled = Compiled([function("muladd", t)], ["muladd"], target, 3)
    due = SEMANTICS["fma" if target.has_fma else "muladd"]
    differ = 0
    a, b, c = (numbers(t, 2000, seed) for seed in (1, 2, 3))
    for values in zip(a, b, c, strict=True):
        wanted = float_to_bits(due(t, *values), t.bits)  # type: ignore[call-arg]
        words = [float_to_bits(v, t.bits) for v in values]
        assert compiled.words("muladd", words, 1) == (0, [wanted]), values
        differ += SEMANTICS["fma"](t, *values) != SEMANTICS["muladd"](t, *values)  # type: ignore[call-arg]
    assert differ > 100


@pytest.mark.parametrize("t", [FLOAT32, FLOAT64], ids=str)
@pytest.mark.parametrize("target", HOST_TARGETS, ids=lambda t: t.name)
def test_the_error_of_a_product_is_exact_fused_or_not(target: Target, t: ScalarType) -> None:
    compiled = Compiled([function("product_error", t)], ["product_error"], target, 3)
    for a, b in zip(numbers(t, 2000, 1), numbers(t, 2000, 2), strict=True):
        wanted = SEMANTICS["product_error"](t, a, b)  # type: ignore[call-arg]
        words = [float_to_bits(v, t.bits) for v in (a, b)]
        status, (found,) = compiled.words("product_error", words, 1)
        assert (status, found) == (0, float_to_bits(wanted, t.bits)), (a, b)
