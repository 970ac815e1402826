"""What LLVM is told of a loop: metadata, by what was emitted in it.

Knows counts of what a loop holds, not the functions or statements themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from samebits.backend.targets.table import Target

ANY_LOOP = "!{name} = distinct !{{!{name}}}"
"""A loop that LLVM is told nothing of."""
CHECKED_LOOP = (
    '!{name} = distinct !{{!{name}, !{{!"llvm.loop.vectorize.enable", i1 false}}, '
    '!{{!"llvm.loop.unroll.runtime.disable"}}}}'
)
"""A loop with checks left in it is the rare copy, or one that no pass can make parallel: the
vectoriser and the unroller would spend most of the compile time on it for nothing. So is the
loop beside one of vectors alone."""
DIVIDING_LOOP = '!{name} = distinct !{{!{name}, !{{!"llvm.loop.vectorize.enable", i1 false}}}}'
"""A loop that divides integers by a variable. LLVM 22 vectorises it wrongly where the division is
conditional and the same in every turn: it divides where the first lane's condition holds, and takes
the result for all lanes (tests/unit/backend/test_dividing_loops.py). No processor here divides
vectors of integers, so that little is lost."""
INTERLEAVED_LOOP = (
    '!{{name}} = distinct !{{{{!{{name}}, !{{{{!"llvm.loop.interleave.count", i32 {count}}}}}}}}}'
)
"""A loop around inlined functions: their chains of operations wait for each other, those of several
turns do not. LLVM by itself interleaves only the smallest loops."""
LANES_LOOP = (
    '!{name} = distinct !{{!{name}, !{{!"llvm.loop.unroll.disable"}}, '
    '!{{!"llvm.loop.vectorize.followup_vectorized", !{{!"llvm.loop.unroll.full"}}}}}}'
)
"""A loop over lanes: unrolled only after it is vectorised, for straight code seldom is."""
FEW_LANES = 32
"""Lanes below which turns are not interleaved: there are vectors enough only of more."""
LEAST_INTERLEAVED = 40
"""Statements of inlined functions. A loop with fewer is no chain that waits, and LLVM's own choice
is as good."""
INTERLEAVINGS = ((190, 4), (420, 2))
"""Statements of a loop, callees' included, up to which as many turns are interleaved: beyond, what
is kept in memory costs more (measured on x86-64 with every function of the math library)."""
WIDE_LOOP = (
    '!{{name}} = distinct !{{{{!{{name}}, !{{{{!"llvm.loop.interleave.count", i32 1}}}}, '
    '!{{{{!"llvm.loop.vectorize.width", i32 {width}}}}}}}}}'
)
"""A loop that computes float32 with a larger body. LLVM splits vectors wider than the processor's
into as many as it takes, which do not wait for each other as interleaved turns do not; but they
ask together, once, whether some lane is rare, and no branch lies between them."""
FULL_LOOP = (
    '!{{name}} = distinct !{{{{!{{name}}, !{{{{!"llvm.loop.vectorize.width", i32 {width}}}}}}}}}'
)
"""A loop around more of the math library. Whole vectors are what LLVM chooses, or as fast, and the
pipeline takes a fifth less time where it need not compare."""
VECTOR_LOOP = (
    '!{{name}} = distinct !{{{{!{{name}}, !{{{{!"llvm.loop.vectorize.width", i32 {width}}}}}, '
    '!{{{{!"llvm.loop.vectorize.predicate.enable", i1 {masks}}}}}, '
    '!{{{{!"llvm.loop.parallel_accesses", {group}}}}}}}}}'
)
"""Such a loop whose turns share no memory, so that LLVM adds no test for that. Its turns are whole
vectors, or the lanes of the last vector that are no turns are masked out."""
INTERLEAVING = {"x86_64"}
"""The architectures where that was measured."""


@dataclass(slots=True)
class EmittedCounts:
    """What has been emitted so far of what decides how LLVM is to treat a loop."""

    checks: int = 0
    divisions: int = 0
    statements: int = 0
    """With those of inlined functions, callees' included."""
    inlined: int = 0
    """Of the statements, those of inlined functions."""
    loops: int = 0
    wide: int = 0
    """Loads and stores of more than 32 bits."""
    lanes: int = 0
    """Turns of loops over the lanes of a block."""
    group: str = ""
    """The access group of what the loop touches, where no turn touches what another writes."""
    is_remainder: bool = False
    """Whether the loop stands beside one of vectors alone."""

    def since(self, before: EmittedCounts) -> EmittedCounts:
        """What came after `before`."""
        return EmittedCounts(
            self.checks - before.checks,
            self.divisions - before.divisions,
            self.statements - before.statements,
            self.inlined - before.inlined,
            self.loops - before.loops,
            self.wide - before.wide,
            self.lanes - before.lanes,
            self.group,
            self.is_remainder,
        )


def wide_lanes(vector_bits: int) -> int:
    """The lanes of a wide loop: four vectors of 32-bit numbers."""
    return 4 * vector_bits // 32


def loop_metadata(
    inside: EmittedCounts,
    target: Target,
    is_independent: Callable[[], bool],
    vector_dominated: bool = False,
) -> str:
    """The metadata of a loop with `inside` in it, its own name as `{name}`; empty for none.

    `is_independent` says whether its iterations are independent: only then may LLVM be given a
    width, which it takes as permission to reorder sums. `vector_dominated`: nearly all code in the
    module's loops is functions that become vectors.
    """
    if inside.checks or inside.is_remainder:
        return CHECKED_LOOP
    if inside.group:
        width, masks = target.vector_bits // 64, str(has_masks(target)).lower()
        return VECTOR_LOOP.format(width=width, masks=masks, group=inside.group)
    if inside.divisions:
        return DIVIDING_LOOP
    few = inside.lanes < FEW_LANES or inside.inlined < LEAST_INTERLEAVED
    if inside.lanes and few and not inside.loops:
        return LANES_LOOP
    if inside.loops or inside.inlined < LEAST_INTERLEAVED:
        return ""
    if target.architecture not in INTERLEAVING:
        return ""
    large = INTERLEAVINGS[0][0] < inside.statements <= INTERLEAVINGS[-1][0]
    if large and not inside.wide and is_independent():
        return WIDE_LOOP.format(width=wide_lanes(target.vector_bits))
    count = next((n for most, n in INTERLEAVINGS if inside.statements <= most), 0)
    if count:
        return INTERLEAVED_LOOP.format(count=count)
    full = vector_dominated and is_full(inside, target) and is_independent()
    return FULL_LOOP.format(width=target.vector_bits // 64) if full else ""


def has_masks(target: Target) -> bool:
    """Whether what a vector loads, stores and gathers can be masked without a branch a lane."""
    return target.vector_bits >= 512


def is_full(inside: EmittedCounts, target: Target) -> bool:
    """Whether a loop without checks, divisions or loops takes whole vectors of 64-bit numbers."""
    large = inside.statements > INTERLEAVINGS[-1][0] and inside.inlined >= LEAST_INTERLEAVED
    fits = bool(target.vector_bits) and target.architecture in INTERLEAVING
    return large and fits and bool(inside.wide)
