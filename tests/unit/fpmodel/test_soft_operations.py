"""Every soft operation gives the exact evaluator's number, under every format and setting."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from tests.support.kernels.soft_loops import LOOPS, results
from tests.support.kernels.soft_operands import operands, wide

from samebits.fpmodel.evaluate import Arithmetic, Evaluator
from samebits.fpmodel.soft import FLUSHES, ROUNDINGS
from samebits.fpmodel.softfloat import (
    FLOAT16,
    FLOAT32,
    FLOAT64,
    X87_24,
    X87_53,
    X87_64,
    Flush,
    Format,
    Number,
    Rounding,
)
from samebits.fpmodel.tree import Node, Operand

FORMATS = (FLOAT16, FLOAT32, FLOAT64, X87_24, X87_53, X87_64)
SETTINGS: list[tuple[Rounding, Flush, bool]] = list(product(ROUNDINGS, FLUSHES, (False, True)))
CASES = 100
"""For each operation, format and setting."""


@pytest.mark.parametrize("form", FORMATS, ids=lambda f: f.name)
@pytest.mark.parametrize("name", LOOPS)
def test_an_operation_gives_the_number_of_the_exact_evaluator(name: str, form: Format) -> None:
    source = Random(f"{name} in {form.name}")
    arithmetics = [Arithmetic(form, form, *setting) for setting in SETTINGS for _ in range(CASES)]
    cases = [operands(source, name, form) for _ in arithmetics]
    got = results(name, [[wide(x) for x in case] for case in cases], arithmetics)
    names = "abc"[: len(cases[0])]
    tree = Node(name, tuple(Operand(n) for n in names))
    for arithmetic, case, found in zip(arithmetics, cases, got, strict=True):
        values = dict(zip(names, case, strict=True))
        assert found == wide(Evaluator(arithmetic, values).value(tree)), (arithmetic, values)


ONES = Number(False, (1 << 64) - 1)


@pytest.mark.parametrize("last", [0, 1])
@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_the_bit_that_a_carry_of_an_fma_shifts_out_is_kept(last: int, rounding: Rounding) -> None:
    """(2^64 − 1)² has nothing but its last bit below 2^65."""
    values = {"a": ONES, "b": ONES, "c": Number(False, (1 << 63) + last, 64)}
    arithmetic = Arithmetic(X87_64, X87_64, rounding)
    got = results("fma", [[wide(x) for x in values.values()]], [arithmetic])
    tree = Node("fma", (Operand("a"), Operand("b"), Operand("c")))
    assert got == [wide(Evaluator(arithmetic, values).value(tree))]
