"""A float or its negative, by an integer's bit: the sign is flipped, without a branch."""

from __future__ import annotations

import re

import numpy as np
import pytest

import samebits as sb
from samebits import Array, ReadOnly, float32, float64, int32, select, uint32
from samebits.backend.llvm.compile import assembly_text, llvm_text
from samebits.backend.targets.table import TARGETS
from samebits.backend.text.sign_flips import sign_flips
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.grammar import Module
from samebits.ir.text import parse_module
from samebits.lang.kernel import Kernel

FLIPPING = ("x86-64-v1", "x86-64-v3", "riscv64", "ppc64le", "s390x")


@sb.kernel
def negative_if(y: ReadOnly[float64], n: ReadOnly[uint32], result: Array[float64]) -> None:
    for i in range(len(y)):
        z = y[i]
        result[i] = select((n[i] & 1) != 0, -z, z)


@sb.kernel
def negative_unless(y: ReadOnly[float32], n: ReadOnly[int32], result: Array[float32]) -> None:
    for i in range(len(y)):
        z = y[i]
        result[i] = select(n[i] > 1, z, -z)


@sb.kernel
def of_one(y: float64, n: uint32) -> float64:
    z = y + 1.0
    return select((n & 1) != 0, -z, z)


@sb.kernel
def by_a_float(y: float64, n: float64) -> float64:
    z = y + 1.0
    return select(n < 0.0, -z, z)


@sb.kernel
def by_two_conditions(y: float64, n: uint32) -> float64:
    z = y + 1.0
    return select((n > 3) and (n & 1) != 0, -z, z)


@sb.kernel
def of_integers(y: int32, n: uint32) -> int32:
    z = y + 1
    return select((n & 1) != 0, -z, z)


READ_TWICE = """samebits ir 1

function "f" @1:0-5
  source "f.py" "f"
  param "y": float64
  param "z": float64
  param "n": uint32
  result float64
  body
    %0 = get "n": uint32 @2:0-1
    %1 = get "y": float64 @2:0-1
    %2 = const 0: uint32 @2:0-1
    %3 = ne %0, %2: bool @2:0-1
    %4 = get "z": float64 @2:0-1
    %7 = neg %4: float64 @2:0-1
    BETWEEN
    %8 = get "z": float64 @2:0-1
    %9 = select %3, %7, %8: float64 @2:0-1
    return %9 @2:0-1
"""


READ_IN_A_LOOP = """samebits ir 1

function "f" @1:0-5
  source "f.py" "f"
  param "y": float64
  param "n": uint32
  slot "i": int
  body
    %0 = get "n": uint32 @2:0-1
    %1 = const 0: uint32 @2:0-1
    %2 = ne %0, %1: bool @2:0-1
    %3 = get "y": float64 @2:0-1
    %4 = neg %3: float64 @2:0-1
    %5 = const 0: int @2:0-1
    %6 = const 9: int @2:0-1
    for#7 "i" = %5, %6, 1 @2:0-1
      %8 = get "y": float64 @2:0-1
      %9 = select %2, %4, %8: float64 @2:0-1
      %10 = set "y" %9 @2:0-1
    return @2:0-1
"""


def linked(kernel: Kernel) -> tuple[Module, list[str]]:
    assert kernel.fixed_types is not None
    unit = compile_kernel(kernel, kernel.fixed_types)
    return link(unit), [unit.function.name]


def flips(kernel: Kernel) -> list[bool]:
    assert kernel.fixed_types is not None
    return [*sign_flips(compile_kernel(kernel, kernel.fixed_types).function).values()]


def test_a_float_and_its_negative_are_found_in_either_order() -> None:
    assert flips(negative_if) == [True]
    assert flips(negative_unless) == [False]
    assert flips(of_one) == [True]


@pytest.mark.parametrize(
    ("between", "found"),
    [
        ("%5 = const 0x1p+0: float64 @2:0-1", [True]),
        ('%5 = set "z" %1 @2:0-1', []),
        ('%5 = set "y" %1 @2:0-1', [True]),
        ('if#5 %3 @2:0-1\n      %6 = set "z" %1 @2:0-1', []),
    ],
)
def test_a_name_that_is_set_between_is_another_float(between: str, found: list[bool]) -> None:
    module = parse_module(READ_TWICE.replace("BETWEEN", between))
    assert [*sign_flips(module.functions["f"]).values()] == found


def test_a_name_that_a_loop_sets_is_another_float_in_it() -> None:
    assert sign_flips(parse_module(READ_IN_A_LOOP).functions["f"]) == {}


@pytest.mark.parametrize("kernel", [by_a_float, by_two_conditions, of_integers])
def test_other_choices_stay_choices(kernel: Kernel) -> None:
    assert flips(kernel) == []


SPECIAL = [0.0, 1.5, 5e-324, 1e-45, 1e-310, 1e308, np.inf, np.nan]


def test_every_float_is_flipped_to_the_same_bits() -> None:
    y = np.array([sign * x for x in SPECIAL for sign in (1, -1) for _ in range(4)])
    n = np.arange(len(y)) % 4
    sb.assert_same_bits(negative_if, y, n.astype(np.uint32), np.zeros(len(y)))
    with np.errstate(over="ignore"):
        y32, n32 = y.astype(np.float32), n.astype(np.int32)
    sb.assert_same_bits(negative_unless, y32, n32, np.zeros(len(y), np.float32))
    for value, bit in ((1.0, 1), (-1.0, 1), (-1.0, 0), (np.nan, 1), (np.inf, 1)):
        sb.assert_same_bits(of_one, value, bit)


@pytest.mark.parametrize("name", FLIPPING)
def test_targets_without_a_choice_of_floats_flip(name: str) -> None:
    module, entries = linked(of_one)
    text = llvm_text(module, entries, TARGETS[name])
    assert " xor i64 " in text
    assert not re.search(r"select i1 \S+, double", text)


@pytest.mark.parametrize("name", ["aarch64", "armv7", "wasm32", "i686"])
def test_other_targets_choose(name: str) -> None:
    module, entries = linked(of_one)
    text = llvm_text(module, entries, TARGETS[name])
    assert " xor i64 " not in text
    assert re.search(r"select i1 \S+, double", text)


def test_machine_code_has_no_branch_on_the_bit() -> None:
    module, entries = linked(of_one)
    text = assembly_text(module, entries, TARGETS["x86-64-v3"])
    body = text[text.index("sb.body.0:") :]
    before = body[: body.index("ucomisd")]
    assert "vaddsd" in before
    assert "xor" in before
    assert not [line for line in before.splitlines() if line.startswith("\tj")]
