"""Floats that were tested to fit an integer are converted without a second test."""

from __future__ import annotations

import math

import numpy as np
import pytest

import samebits as sb
from samebits import Array, ReadOnly, float32, float64, int64
from samebits.backend.llvm.compile import llvm_text
from samebits.backend.targets.table import TARGETS
from samebits.errors import IRError
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.builder import Builder
from samebits.ir.grammar import FITS, Module
from samebits.ir.text import parse_module, print_module
from samebits.ir.verify import verify
from samebits.lang.kernel import Kernel
from samebits.passes.pipeline import optimise
from samebits.types import FLOAT32, FLOAT64, INT, INT32, INT64

EDGES = (
    0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.0**62, -(2.0**62), 2.0**63, -(2.0**63),
    math.nextafter(2.0**63, 0), math.nextafter(2.0**63, math.inf),
    math.nextafter(-(2.0**63), 0), math.nextafter(-(2.0**63), -math.inf),
    1e300, -1e300, math.inf, -math.inf, math.nan, 5e-324, 4503599627370497.5,
)  # fmt: skip


@sb.kernel
def whole(x: float64) -> int64:
    return int(x)


@sb.kernel
def whole_of_single(x: float32) -> int64:
    return int(x)


@sb.kernel
def sum_of(x: ReadOnly[float64], out: Array[int64]) -> None:
    for i in range(len(x)):
        out[i] = int(x[i]) + i


@sb.kernel
def chosen(x: ReadOnly[float64], out: Array[int64]) -> None:
    for i in range(len(x)):
        k = int64(0)
        if x[i] > -1e6 and x[i] < 1e6:
            k = int(x[i])
        out[i] = k


@sb.kernel
def onto_place(x: ReadOnly[float64], out: Array[int64]) -> None:
    for i in range(len(x)):
        out[int(x[i])] += 1


@sb.kernel
def saturating(x: float64) -> int64:
    return int64(x)


def text_of(kernel: Kernel) -> str:
    unit = compile_kernel(kernel, kernel.fixed_types)
    entries = [unit.function.name]
    return llvm_text(optimise(link(unit), entries), entries, TARGETS["x86-64-v3"])


@pytest.mark.parametrize("kernel", [whole, whole_of_single, sum_of, chosen, onto_place])
def test_what_was_tested_is_not_tested_again(kernel: Kernel) -> None:
    text = text_of(kernel)
    assert "fptosi" in text
    assert "fptosi.sat" not in text


def test_what_was_not_tested_saturates() -> None:
    assert "fptosi.sat" in text_of(saturating)
    for x in EDGES:
        assert saturating(x) == saturating.managed(x)


def outcome(run: object, *arguments: object) -> object:
    assert callable(run)
    try:
        return run(*arguments)
    except sb.Trap as trap:
        return trap.kind, str(trap)


@pytest.mark.parametrize("kernel", [whole, whole_of_single])
def test_every_edge_gives_the_number_or_traps(kernel: Kernel) -> None:
    trapped = 0
    for x in EDGES:
        given = np.float32(x) if kernel is whole_of_single and abs(x) < 1e38 else x
        if kernel is whole_of_single and abs(x) >= 1e38:
            continue
        found = outcome(kernel, given)
        assert found == outcome(kernel.managed, given), x
        trapped += isinstance(found, tuple)
    assert trapped


@pytest.mark.parametrize("kernel", [sum_of, chosen, onto_place])
def test_arrays_hold_the_same_up_to_a_trap(kernel: Kernel) -> None:
    for k in range(len(EDGES)):
        x = np.array([1.5, 2.5, 3.5, *EDGES[k:], *EDGES[:k]] * 2)
        memories, ends = [], []
        for run in (kernel, kernel.managed):
            out = np.zeros(len(x), np.int64)
            ends.append(outcome(run, x, out))
            memories.append(out.tobytes())
        assert ends[0] == ends[1]
        assert memories[0] == memories[1]


def test_the_attribute_is_of_floats_as_ints_alone() -> None:
    for source, target, attr in (
        (INT64, INT, FITS), (FLOAT64, INT32, FITS), (FLOAT64, FLOAT32, FITS),
        (FLOAT64, INT, "fit"), (FLOAT64, INT, True),
    ):  # fmt: skip
        b = Builder("f", {"x": source})
        b.emit("convert", b.get("x"), types=[target], attr=attr)
        with pytest.raises(IRError, match="its attribute is"):
            verify(Module({"f": b.ret()}))


def test_the_text_of_ir_keeps_the_attribute() -> None:
    b = Builder("f", {"x": FLOAT64})
    b.emit("convert", b.get("x"), types=[INT], attr=FITS)
    text = print_module(Module({"f": b.ret()}))
    assert 'convert "fits"' in text
    assert print_module(parse_module(text)) == text
