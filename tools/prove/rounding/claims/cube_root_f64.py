"""float64 cbrt at HIGH: for every argument that its fast phase decides.

First how near the start from the bits of x is to x^(-1/3), then the first step from any such start,
then the root from any such step: x·y³ is the variable of these, and of y nothing is known but a
part of the binade. Eight times the argument has twice the root: all between is scaled likewise.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
from flint import arb
from tools.prove.rounding.cells import Proof, a_float, length, linked, pieces, variable
from tools.prove.rounding.expansions import Expansion, magnitude
from tools.prove.rounding.machine import Machine
from tools.prove.rounding.numbers import Number

from samebits.mathlib.float64 import roots_f64

FAR = 0.1021
"""Bounds |1 - x·y³| of the start y."""
NEAR = 2.0**-17
"""The same of the first step."""
WORDS = 3 << 20
"""High words of x after which those of the start come again."""
ROUNDED = 2.0**-45
"""Bounds what x·y³ is rounded by in three products of floats."""
CELLS = 16
"""Of 1 - x·y³."""
PARTS = 4
"""Of a binade of y."""
BINADES = (-300, 0, 299)
"""Exponents of y: of the largest x, of one between, and of the smallest."""
STEP = "inverse_cube_root"
ONE = Expansion.constant(arb(1))


def start() -> Proof:
    """x is of the three binades that come again. With w the high word of x, w·THIRD_32 / 2^32 is
    w/3 - w/(3·2^32), and as w < 2^31, its whole part is that of (w - 1)/3."""
    proof = Proof("start", sys.modules[__name__], ("FAR",))
    if roots_f64.THIRD_32 * 3 != 2**32 - 1:
        proof.failures.append("THIRD_32")
    words = np.arange(1 << 30, (1 << 30) + WORDS + 1, dtype=np.uint64)
    third = (words * np.uint64(roots_f64.THIRD_32)) >> np.uint64(32)
    y = ((np.uint64(roots_f64.THIRD_ROOT_WORD) - third) << np.uint64(32)).view(np.float64)
    x = (words << np.uint64(32)).view(np.float64)
    ends = (x[:-1] * y[:-1] ** 3, x[1:] * y[:-1] ** 3)
    off = max(float(np.abs(1 - end).max()) for end in ends) + ROUNDED
    again = y[WORDS] * 2 == y[0]
    if not (again and off <= FAR):
        proof.failures.append(f"a start is off by {off}")
    proof.cells, proof.worst, proof.where = WORDS, off / FAR, "three binades"
    return proof


def _x_and_y(one: Number, lengths: tuple[float, float]) -> tuple[Number, Number]:
    """Of which 1 - x·y³ is given."""
    cube = ONE - one.expansion
    return a_float(cube * length(*lengths, -3), "x"), a_float(length(*lengths), "y")


def _cells(bound: float) -> Iterator[tuple[Number, tuple[float, float]]]:
    for e in BINADES:
        for lengths in pieces(2.0**e, 2.0 ** (e + 1), PARTS):
            for ends in pieces(-bound, bound, CELLS):
                yield variable(*ends), lengths


def step() -> Proof:
    """How near the first step is."""
    proof = Proof("step", sys.modules[__name__], ("NEAR",))
    module, name = linked(roots_f64.inverse_cube_root)
    for one, lengths in _cells(FAR):
        x, y = _x_and_y(one, lengths)
        machine = Machine(module, {(STEP, "start"): y})
        machine.reach(name, [x], [(STEP, "near")])
        proof.take(machine)
        near = machine.reached[STEP, "near"].expansion
        off = magnitude((x.expansion * near * near * near - ONE).range())
        proof.note(off / NEAR, f"1 - x·y³ in {one.ends}, y in {lengths}")
    return proof


def cbrt() -> Proof:
    """A test of the root, from any first step that is near."""
    proof = Proof("sum", roots_f64, ("MARGIN",))
    module, name = linked(roots_f64.cbrt)
    if (
        2.0 ** (-3 * BINADES[0]) < roots_f64.LARGE
        or 2.0 ** (3 * (BINADES[-1] + 1)) < 1 / roots_f64.SMALL
    ):
        proof.failures.append("the range of x")
    for one, lengths in _cells(NEAR):

        def run(one: Number, lengths: tuple[float, float] = lengths) -> tuple[Any, ...]:
            x, y = _x_and_y(one, lengths)
            root = (ONE - one.expansion).of(lambda s: (s.log() / 3).exp())
            return Machine(module, {(STEP, "near"): y}), name, [x], root * length(*lengths, -1)

        proof.attempt(f"y in {lengths}, 1 - x·y³", run, one)
    return proof
