"""Vectors that no register has room for lie within a cache line of the stack."""

from __future__ import annotations

import re

import pytest
from tests.unit.backend.text.test_fast import assembly

import samebits as sb
from samebits import Array, float64, math
from samebits.backend.targets.table import TARGETS

WIDTHS = {"x86-64-v3": "ymm", "x86-64-v4": "zmm"}
SPILL = r"vmov(\w+)\s+(?:-?\d*\(%rsp\), %{0}\d+|%{0}\d+, -?\d*\(%rsp\))"
"""A move of a vector to the stack or from there, and by what instruction."""


@sb.kernel
def turned(a: Array[float64], b: Array[float64]) -> None:
    for i in range(len(a)):
        x, y = a[i], b[i]
        a[i] = math.sin(x) * math.cos(y) + math.sin(y) * math.cos(x) + math.exp(x)
        b[i] = math.cos(x + y) * math.sin(x - y)


@sb.kernel
def shared(a: Array[float64], b: Array[float64]) -> None:
    for i in sb.prange(len(a)):
        x, y = a[i], b[i]
        a[i] = math.sin(x) * math.cos(y) + math.sin(y) * math.cos(x) + math.exp(x)
        b[i] = math.cos(x + y) * math.sin(x - y)


@sb.kernel
def straight(a: float64, b: float64) -> float64:
    return a * b + a


@pytest.mark.parametrize("target", WIDTHS)
@pytest.mark.parametrize("kernel", [turned, shared])
def test_spilled_vectors_are_aligned(kernel: sb.Kernel[..., None], target: str) -> None:
    text = assembly(kernel, target)
    moves = re.findall(SPILL.format(WIDTHS[target]), text)
    assert moves or target == "x86-64-v4"  # which has registers enough
    assert [move for move in moves if not move.startswith("a") and "dqa" not in move] == []
    assert f"andq\t$-{TARGETS[target].vector_bits // 8}, %rsp" in text


@pytest.mark.parametrize("target", WIDTHS)
def test_a_kernel_without_a_loop_has_the_stack_of_its_caller(target: str) -> None:
    assert "%rsp" not in assembly(straight, target).split("sb.body.0")[1]
