"""A check goes where it cannot fail, and stays where it can."""

from __future__ import annotations

import pytest
from tests.support.programs.loop_kernels import BOX, Kernel

from samebits.ir.builder import Builder
from samebits.ir.grammar import Module, Op, Value
from samebits.passes.bounds.versioning import checks
from samebits.passes.pipeline import optimise
from samebits.types import BOOL, INT, INT32, UINT8, RefType

PARAMS = {"box": RefType(BOX), "n": INT, "k": INT32, "u": UINT8, "flag": BOOL}


def checks_left(b: Kernel, at: Value) -> int:
    """The checks left in a kernel that zeroes the cell `at` of 64."""
    b.index(at, b.number(64))
    b.zero(b.element(b.field(b.get("box"), "cells"), at))
    b.ret()
    module = optimise(Module({"f": b.function}), ["f"])
    return checks(module.functions["f"].body)


class Cells(Kernel):
    def zero(self, ref: Value) -> None:
        self.emit("zero", ref)


@pytest.mark.parametrize(
    ("divisor", "left"), [(64, 0), (65, 1), (-64, 1), (None, 2)], ids=["64", "65", "-64", "n"]
)
def test_a_remainder_is_in_range_only_for_a_positive_divisor_that_fits(
    divisor: int | None, left: int
) -> None:
    b = Cells("f", PARAMS)
    by = b.get("n") if divisor is None else b.number(divisor)
    assert checks_left(b, b.op("mod", b.to(INT, b.get("k")), by)) == left


@pytest.mark.parametrize(("then", "orelse", "left"), [(5, 7, 0), (5, 64, 1), (-1, 5, 1)])
def test_a_slot_set_on_both_sides_has_either_value(then: int, orelse: int, left: int) -> None:
    b = Cells("f", PARAMS)
    branch = b.if_(b.get("flag"))
    with b.into(branch.then):
        b.set("t", b.number(then))
    with b.into(branch.orelse):
        b.set("t", b.number(orelse))
    assert checks_left(b, b.get("t")) == left


@pytest.mark.parametrize(("mask", "left"), [(63, 0), (64, 1)])
def test_a_mask_bounds_an_index_of_either_sign(mask: int, left: int) -> None:
    b = Cells("f", PARAMS)
    assert checks_left(b, b.op("and", b.get("n"), b.number(mask))) == left


@pytest.mark.parametrize(("count", "left"), [(2, 0), (1, 1)])
def test_a_shift_bounds_a_byte(count: int, left: int) -> None:
    b = Cells("f", PARAMS)
    assert checks_left(b, b.op("shr", b.to(INT, b.get("u")), b.number(count))) == left


@pytest.mark.parametrize(("side", "left"), [("then", 0), ("orelse", 1)])
def test_a_condition_holds_on_its_own_side_alone(side: str, left: int) -> None:
    b = Cells("f", PARAMS)
    at = b.get("n")
    inside = b.op("and", b.op("ge", at, b.number(0)), b.op("lt", at, b.number(64)))
    branch = b.if_(inside)
    with b.into(getattr(branch, side)):
        b.index(at, b.number(64))
        b.zero(b.element(b.field(b.get("box"), "cells"), at))
    b.ret()
    module = optimise(Module({"f": b.function}), ["f"])
    assert checks(module.functions["f"].body) == left


@pytest.mark.parametrize(("divisor", "left"), [(None, True), (8, False)])
def test_only_where_something_may_trap_are_results_looked_for(
    divisor: int | None, left: bool
) -> None:
    b = Builder("f", {"k": INT32}, [INT32])
    nothing = b.op("sub", b.get("k"), b.get("k"))
    if divisor is not None:
        nothing = b.op("mod", nothing, b.const(INT32, divisor))
    module = optimise(Module({"f": b.ret(nothing)}), ["f"])
    ops = [s.opcode for s in module.functions["f"].body if isinstance(s, Op)]
    assert ("sub" in ops) == left
