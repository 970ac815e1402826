"""The processor's floating-point settings: flushing of subnormal numbers, rounding direction."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from samebits.diagnose.arithmetic import Arithmetic
from samebits.diagnose.hazards.hazard import Hazard, Variant
from samebits.diagnose.numbers import Flush, Rounding
from samebits.diagnose.trees import Tree

_FLUSHES: tuple[tuple[Flush, bool, str], ...] = (
    ("after", True, "x86 FTZ and DAZ: -ffast-math, audio libraries, engines' worker threads"),
    ("after", False, "x86 FTZ alone, which tests after rounding"),
    ("no", True, "x86 DAZ alone, ARM's FIZ"),
    ("before", True, "ARM FZ, AArch32 NEON: results tested before rounding; many GPUs"),
    ("before", False, "results flushed by their exact value, operands kept"),
)
_DIRECTIONS: tuple[tuple[Rounding, str], ...] = (
    ("zero", "rounding towards zero: fesetround, _controlfp, processors that truncate"),
    ("up", "rounding up: left behind by interval arithmetic or a foreign library"),
    ("down", "rounding down: left behind by interval arithmetic or a foreign library"),
)


def _flush(tree: Tree, arithmetic: Arithmetic) -> Iterator[Variant]:
    if arithmetic.flush == "no" and not arithmetic.flush_inputs:
        for flush, inputs, note in _FLUSHES:
            yield tree, replace(arithmetic, flush=flush, flush_inputs=inputs), note


def _direction(tree: Tree, arithmetic: Arithmetic) -> Iterator[Variant]:
    if arithmetic.rounding == "nearest":
        for rounding, note in _DIRECTIONS:
            yield tree, replace(arithmetic, rounding=rounding), note


FLUSH = Hazard("flush", "subnormal numbers flushed to zero", _flush)
DIRECTION = Hazard("rounding", "another rounding direction", _direction)
