"""Every scalar operation at every type, as hand-built IR, with operands at all edges; in loops that
LLVM vectorises they give evaluation's bits. test_every_target.py has single ones, row by row."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from tests.support.programs.compiled_kernels import (
    CONFIGURATION_NAMES,
    CONFIGURATIONS,
    HOST_TARGETS,
    Compiled,
    as_bits,
)
from tests.support.programs.scalar_operations import (
    LOOPS,
    float_patterns,
    hard_triples,
    loop,
    raw_words,
)

from samebits.bits import bits_to_float
from samebits.ir.builder import Builder
from samebits.ir.grammar import Module
from samebits.ir.interp.evaluator import evaluate
from samebits.ir.interp.semantics import SEMANTICS
from samebits.types import FLOAT32, FLOAT64, ScalarType


@pytest.mark.parametrize("target", HOST_TARGETS, ids=lambda t: t.name)
def test_vectorised_loops_give_the_bits_of_single_operations(target: Any) -> None:
    functions = [loop(*row) for row in LOOPS]
    compiled = Compiled(functions, [f.name for f in functions], target, 3)
    rng = np.random.default_rng(1)
    for (opcode, t, arity), function in zip(LOOPS, functions, strict=True):
        words = np.array(raw_words(t), np.uint64)
        count = len(words)
        pairs = np.stack([np.repeat(words, count), np.tile(words, count)])
        random = rng.integers(0, 1 << 64, (2, 500), np.uint64, endpoint=False)
        stored = np.dtype(f"u{t.size}")
        columns = np.concatenate([pairs, random], axis=1).astype(stored)
        args = [column.view(t.dtype) for column in columns[:arity]]
        out = np.zeros(columns.shape[1], t.dtype)
        assert compiled(function.name, out, *args) == ()
        wanted = np.zeros_like(out)
        evaluate(Module({function.name: function}), function.name, [wanted, *args])
        found, wanted = out.view(stored), wanted.view(stored)
        wrong = np.flatnonzero(found != wanted)
        assert not len(wrong), (opcode, t.name, target.name, [c[wrong[0]] for c in args])


@pytest.mark.parametrize("t", [FLOAT32, FLOAT64], ids=str)
def test_fma_rounds_once_on_every_level_even_without_the_instruction(t: ScalarType) -> None:
    b = Builder("fma", {"a": t, "b": t, "c": t}, [t])
    function = b.ret(b.op("fma", b.get("a"), b.get("b"), b.get("c")))
    compiled = [Compiled([function], ["fma"], target, opt) for target, opt in CONFIGURATIONS]
    triples = [*itertools.product(float_patterns(t.bits)[::3], repeat=3), *hard_triples(t, 3000)]
    for triple in triples:
        values = [bits_to_float(p, t.bits) for p in triple]
        wanted = as_bits(t, SEMANTICS["fma"](t, *values))  # type: ignore[call-arg]
        for one, name in zip(compiled, CONFIGURATION_NAMES, strict=True):
            assert one.words("fma", triple, 1) == (0, [wanted]), (name, values)
