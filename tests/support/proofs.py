"""Proofs of margins run again: with margins that are changed, and promises that are too much."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import gmpy2
import pytest
from tools.prove import promises
from tools.prove.promises import Promise
from tools.prove.rounding.cells import linked
from tools.prove.rounding.machine import Machine
from tools.prove.rounding.numbers import Number

import samebits as sb
from samebits import float64
from samebits.ir.grammar import Function, Module, Op, walk
from samebits.lang.kernel import Kernel


@sb.kernel
def part_of_sum(a: float64, b: float64) -> float64:
    s = a + b
    return b - (s - a)


def run(kernel: Kernel, *args: Number) -> tuple[Number, Machine]:
    module, name = linked(kernel)
    machine = Machine(module)
    (found,) = machine.call(name, [*args])
    return found, machine


def changing(margin: float, by: float) -> Callable[[Kernel], tuple[Module, str]]:
    def changed(kernel: Kernel) -> tuple[Module, str]:
        module, symbol = linked(kernel)
        return (shrunk(module, margin, by) if by != 1 else module), symbol

    return changed


def margins(smaller: float) -> pytest.MarkDecorator:
    """A margin as it is, and one that was made smaller by hand, which no proof may show.

    That the first holds of a few cells is a proof of its own kind: `make prove-rounding` shows it
    of all cells too.
    """
    whole = pytest.param(1.0, True, marks=pytest.mark.proof)
    return pytest.mark.parametrize(("by", "holds"), [whole, (smaller, False)])


def promise(
    monkeypatch: pytest.MonkeyPatch, function: str, ulp: float, of: str = "float64"
) -> None:
    """Let a function of a type promise this bound."""
    rows = promises.PROMISES[function]
    one = Promise(ulp, ulp, rows[of].where)
    monkeypatch.setitem(promises.PROMISES, function, {**rows, of: one})


def without_gaps(ends: set[tuple[float, float]], first: float, last: float) -> None:
    """Every float from `first` to `last` is in one of these cells."""
    at = first
    for low, high in sorted(ends):
        if high < at:
            continue
        assert low <= at, f"nothing from {at} to {low}"
        at = math.nextafter(high, math.inf)
        if at > last:
            return
    raise AssertionError(f"nothing from {at}")


def off_by(found: float, truth: Any) -> float:
    e = max(gmpy2.frexp(abs(truth))[0] - 24, -149)
    return float(abs(gmpy2.mpfr(found) - truth) / gmpy2.exp2(e))


def shrunk(module: Module, margin: float, by: float) -> Module:
    """The same with a smaller margin; the functions, which others use too, stay as they are."""
    changed = 0
    functions: dict[str, Function] = {}
    for name, function in module.functions.items():
        body = [*function.body]
        for i, op in enumerate(body):
            if isinstance(op, Op) and op.opcode == "const" and op.attr == margin:
                body[i] = dataclasses.replace(op, attr=margin * by)
                changed += 1
        functions[name] = dataclasses.replace(function, body=body)
    assert changed
    assert all(op.attr != margin for f in functions.values() for op in walk(f.body)
               if isinstance(op, Op))  # fmt: skip
    return Module(functions, module.tables)
