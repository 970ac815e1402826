"""Soft estimates are those of the exact evaluator for every kind of float, near ties too."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from tests.support.levels import LOWEST

import samebits as sb
from samebits import float32, float64
from samebits.fpmodel.evaluate import Arithmetic, Evaluator
from samebits.fpmodel.soft import KERNELS
from samebits.fpmodel.softfloat import (
    FLOAT32,
    FLOAT64,
    Format,
    Number,
    divided,
    from_bits,
    rounded,
    to_bits,
)
from samebits.fpmodel.tree import Node, Operand
from samebits.lang.kernel import Kernel

NAMES = ("frecpe", "frsqrte", "rcp12", "rsqrt12")
ONE = Number(False, 1)


from_float32, from_float64 = KERNELS["from_float32"], KERNELS["from_float64"]
to_float32, to_float64 = KERNELS["to_float32"], KERNELS["to_float64"]


def of_float(function: Kernel, form: str) -> Kernel:
    """The estimate for a float, as a float."""
    if form == "float32":

        @sb.kernel
        def estimate32(x: float32) -> float32:
            m, e, k = from_float32(x)
            m, e, k = function(m, e, k)
            return to_float32(m, e, k, 0, 0)

        return estimate32

    @sb.kernel
    def estimate64(x: float64) -> float64:
        m, e, k = from_float64(x)
        m, e, k = function(m, e, k)
        return to_float64(m, e, k, 0, 0)

    return estimate64


def over_floats(function: Kernel, form: str) -> Kernel:
    if form == "float32":

        @sb.kernel
        def loop32(x: sb.ReadOnly[float32], out: sb.Array[float32]) -> None:
            for i in range(len(x)):
                out[i] = function(x[i])

        return loop32

    @sb.kernel
    def loop64(x: sb.ReadOnly[float64], out: sb.Array[float64]) -> None:
        for i in range(len(x)):
            out[i] = function(x[i])

    return loop64


def patterns(form: Format, name: str) -> list[int]:
    """Any, subnormal ones, every leading nine bits, and the neighbours of what makes a tie."""
    source = Random(f"{name} of {form.name}")
    fraction = form.precision - 1
    found = [source.getrandbits(form.bits) for _ in range(2000)]
    found += [source.getrandbits(source.randrange(1, fraction + 1)) for _ in range(500)]
    edges = (0, 1, 3, 1 << fraction, (1 << form.bits - form.precision) - 1 << fraction)
    found += [x | sign for x in edges for sign in (0, 1 << (form.bits - 1))]
    for exponent in (0, 1, -1, 2 - form.limit, 1 - form.limit, -form.limit, form.limit - 1):
        for top in range(256):
            lower = source.choice((0, (1 << (fraction - 8)) - 1))
            x = Number(False, (256 | top) << (fraction - 8) | lower, exponent - fraction)
            found.append(to_bits(rounded(x, form), form))
    for _ in range(1500):
        middle = Number(False, source.randrange(1 << 12, 1 << 13) | 1, source.randrange(-40, 40))
        square = Number(False, middle.mantissa**2, middle.exponent * 2)
        near = to_bits(rounded(divided(ONE, square if "sqrt" in name else middle), form), form)
        found += [near - 1, near, near + 1]
    return found


@pytest.mark.parametrize("form", [FLOAT32, FLOAT64], ids=lambda f: f.name)
@pytest.mark.parametrize("name", NAMES)
def test_an_estimate_is_that_of_the_exact_evaluator(name: str, form: Format) -> None:
    given = patterns(form, name)
    words: Any = {32: np.uint32, 64: np.uint64}[form.bits]
    x = np.array(given, words).view(form.name)
    out = np.zeros_like(x)
    over_floats(of_float(KERNELS[name], form.name), form.name)(x, out)
    tree, arithmetic = Node("estimate", (Operand("a"),), name), Arithmetic(form, form)
    for bits, found in zip(given, out.view(words).tolist(), strict=True):
        wanted = Evaluator(arithmetic, {"a": from_bits(bits, form)}).bits(tree)
        assert f"{found:x}" == f"{wanted:x}", hex(bits)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", ["float32", "float64"])
def test_an_estimate_has_the_same_bits_in_every_execution(name: str, form: str) -> None:
    for x in (0.75, -3e-39, 3e38, -0.0, float("nan")):
        sb.assert_same_bits(of_float(KERNELS[name], form), x, targets=[LOWEST])
