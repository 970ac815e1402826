"""Subnormal numbers flushed to zero, by x86's and by ARM's rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from samebits.fpmodel.evaluate import Arithmetic
from samebits.fpmodel.softfloat import Flush
from samebits.fpmodel.tree import Tree
from samebits.hazards.catalogue.hazard import Evaluation, ExpressionHazard

PRACTICE: Mapping[tuple[Flush, bool], str] = {
    ("after", True): "x86 FTZ and DAZ: -ffast-math, audio libraries, engines' worker threads",
    ("after", False): "x86 FTZ alone, which tests after rounding",
    ("no", True): "x86 DAZ alone, ARM's FIZ",
    ("before", True): "ARM FZ, AArch32 NEON: results tested before rounding; many GPUs",
    ("before", False): "results flushed by their exact value, operands kept",
}
"""What does it in practice, by when results are tested and whether operands are flushed."""


def _flush(tree: Tree, arithmetic: Arithmetic) -> Iterator[Evaluation]:
    if arithmetic.flush == "no" and not arithmetic.flush_inputs:
        for (flush, inputs), note in PRACTICE.items():
            yield tree, replace(arithmetic, flush=flush, flush_inputs=inputs), note


FLUSH = ExpressionHazard(
    "flush",
    "subnormal numbers flushed to zero",
    _flush,
    practice="FTZ and DAZ on x86, FZ on ARM: -ffast-math, audio libraries, GPU compilers",
    remedy="pin the FP environment at every entry, on every thread (`samebits doctor`)",
)
