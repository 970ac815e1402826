"""Proof that the solver's semantics are those of `ir.semantics`.

It is on every operand of a few bits and on the extremes of 64.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import z3
from tools.prove_bounds.concrete import UnsoundError
from tools.prove_bounds.formulas import FULL, ON_BITS, WIDE, Semantics, bits_of, ends
from tools.prove_bounds.miniature import Widths, widths
from tools.prove_bounds.operations import BINARY, UNARY

from samebits.errors import Trap
from samebits.ir.interp.semantics import SEMANTICS
from samebits.types import ScalarType


def agreement(bits: int, extremes: int) -> int:
    """Every operation and conversion, at `bits` bits and on `extremes` numbers of 64; how many
    results were compared."""
    count = 0
    for w, pick in ((widths(bits), None), (FULL, extremes)):
        count += _operations(w, pick) + _conversions(w, pick)
    return count


def _numbers(t: ScalarType, pick: int | None) -> list[int]:
    if pick is None:
        return [*range(t.minimum, t.maximum + 1)]
    found = ends(t)
    return sorted({*found[:: max(1, len(found) // pick)], found[0], found[-1]})


def _operations(w: Widths, pick: int | None) -> int:
    count = 0
    for t in (w.weak, w.signed, w.unsigned):
        numbers = _numbers(t, pick)
        for opcode in (*UNARY, *BINARY):
            for args in product(numbers, repeat=1 if opcode in UNARY else 2):
                _compare(opcode, t, args)
                count += 1
    return count


def _conversions(w: Widths, pick: int | None) -> int:
    count = 0
    for source, target in product(w.all, repeat=2):
        for n in _numbers(source, pick):
            _compare("convert", target, (n,))
            count += 1
            if source == w.weak and not target.weak:
                _compare("narrow", target, (n,))
                count += 1
    return count


def _compare(opcode: str, t: ScalarType, args: tuple[int, ...]) -> None:
    function: Callable[..., Any] = SEMANTICS[opcode]
    try:
        expected: int | None = function(t, *args)
    except Trap:
        expected = None
    what = f"{opcode} of {args} as {t}"
    if opcode in ON_BITS:
        vectors = [z3.BitVecVal(n, WIDE) for n in args]
        found = z3.simplify(bits_of(opcode, t, vectors[0], vectors[-1])).as_signed_long()
        if found != expected:
            raise UnsoundError(f"{what}: {found}, and it is {expected}")
        return
    semantics = Semantics()
    traps, result = semantics.of(opcode, t, *[z3.IntVal(n) for n in args])
    solver = z3.Solver()
    wrong = z3.Not(traps) if expected is None else z3.Or(traps, result != expected)
    solver.add(*semantics.premises)
    if solver.check() != z3.sat:  # from which anything would follow
        raise UnsoundError(f"{what}: the solver's semantics have no result")
    solver.add(wrong)
    if solver.check() != z3.unsat:
        raise UnsoundError(f"{what}: the solver's semantics are not {expected}")
