"""LLVM's loop metadata, chosen by counts of what the loop contains.

Knows these counts, not the functions or statements themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from samebits.backend.targets.table import Target

ANY_LOOP = "!{name} = distinct !{{!{name}}}"
"""A loop without hints."""
CHECKED_LOOP = (
    '!{name} = distinct !{{!{name}, !{{!"llvm.loop.vectorize.enable", i1 false}}, '
    '!{{!"llvm.loop.unroll.runtime.disable"}}}}'
)
"""A loop with checks left in it: the cold version of a loop, or one that no pass can vectorise. The
vectoriser and the unroller would spend most of the compile time on it in vain. So would they on the
remainder loop of a vector loop."""
DIVIDING_LOOP = '!{name} = distinct !{{!{name}, !{{!"llvm.loop.vectorize.enable", i1 false}}}}'
"""A loop that divides integers by a variable. LLVM 22 vectorises it wrongly if the division is
conditional and loop-invariant: it divides if the first lane's condition holds, and uses the result
for all lanes (tests/unit/backend/test_dividing_loops.py). No processor here divides vectors of
integers, so little is lost."""
SUMMING_LOOP = DIVIDING_LOOP
"""A loop that carries sums of floats, which stay in source order, beside too little else for lanes
to pay. LLVM's costs of such sums, which elsewhere than on AArch64 are to be had by an option only,
are too low."""
ORDERED = {"aarch64"}
"""The architectures on which LLVM itself chooses lanes beside sums in source order."""
INTERLEAVED_LOOP = (
    '!{{name}} = distinct !{{{{!{{name}}, !{{{{!"llvm.loop.interleave.count", i32 {count}}}}}}}}}'
)
"""A loop around inlined functions: one iteration is a chain of dependent operations, several
iterations overlap. LLVM by itself interleaves only the smallest loops."""
LANES_LOOP = (
    '!{name} = distinct !{{!{name}, !{{!"llvm.loop.unroll.disable"}}, '
    '!{{!"llvm.loop.vectorize.followup_vectorized", !{{!"llvm.loop.unroll.full"}}}}}}'
)
"""A loop over lanes: unrolled only after it is vectorised, as straight-line code rarely is."""
FEW_LANES = 32
"""Fewest lanes of a block whose iterations are interleaved: fewer make too few vectors."""
LEAST_INTERLEAVED = 40
"""Fewest statements of inlined functions in an interleaved loop. With fewer, the dependent chain is
short and LLVM's own choice as good."""
INTERLEAVINGS = ((190, 4), (420, 2))
"""Most statements of a loop, callees included, for each interleave count: beyond, spilled values
cost more (measured on x86-64 with every function of the math library)."""
WIDE_LOOP = (
    '!{{name}} = distinct !{{{{!{{name}}, !{{{{!"llvm.loop.interleave.count", i32 1}}}}, '
    '!{{{{!"llvm.loop.vectorize.width", i32 {width}}}}}}}}}'
)
"""A loop that computes float32 with a larger body. LLVM splits vectors wider than the processor's
into several, which are independent of each other as interleaved iterations are; but they test once,
together, whether a lane takes a cold path, and no branch separates them."""
FULL_LOOP = (
    '!{{name}} = distinct !{{{{!{{name}}, !{{{{!"llvm.loop.vectorize.width", i32 {width}}}}}}}}}'
)
"""A loop around more of the math library. Whole vectors are LLVM's choice or as fast, and the
pipeline takes a fifth less time if it need not compare costs."""
VECTOR_LOOP = (
    '!{{name}} = distinct !{{{{!{{name}}, !{{{{!"llvm.loop.vectorize.width", i32 {width}}}}}, '
    '!{{{{!"llvm.loop.vectorize.predicate.enable", i1 {masks}}}}}, '
    '!{{{{!"llvm.loop.parallel_accesses", {group}}}}}}}}}'
)
"""Such a loop without dependences through memory, for which LLVM adds no overlap test. Its trip
count is a multiple of the width, or the last vector's surplus lanes are masked out."""
INTERLEAVING = {"x86_64"}
"""The architectures on which interleaving was measured."""


DIVISIONS = frozenset({"floordiv", "mod"})


@dataclass(slots=True)
class EmittedCounts:
    """Counts of what a function's text contains so far; their differences choose loop metadata."""

    checks: int = 0
    divisions: int = 0
    statements: int = 0
    """Statements, those of inlined functions and their callees included."""
    inlined: int = 0
    """Statements of inlined functions."""
    loops: int = 0
    wide: int = 0
    """Loads and stores of more than 32 bits."""
    lanes: int = 0
    """Iterations of loops over the lanes of a block."""
    group: str = ""
    """The access group of the loop's loads and stores, if its iterations are independent."""
    is_remainder: bool = False
    """Whether the loop is the remainder loop of a vector loop."""

    def since(self, before: EmittedCounts) -> EmittedCounts:
        """The counts since `before`."""
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
    """Lanes of a wide loop: four vectors of 32-bit numbers."""
    return 4 * vector_bits // 32


def loop_metadata(
    inside: EmittedCounts,
    target: Target,
    is_independent: Callable[[], bool],
    vector_dominated: bool = False,
    is_sum: Callable[[], bool] = lambda: False,
) -> str:
    """The metadata of a loop with `inside` in it, its own name as `{name}`; empty for none.

    `is_independent` says whether its iterations are independent: only then may LLVM be given a
    width, which it takes as permission to reorder sums. `vector_dominated`: nearly all code in the
    module's loops is functions that become vectors. `is_sum` says whether the loop, which has no
    other inside, is a SUMMING_LOOP.
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
    if inside.loops:
        return ""
    if is_sum():
        return SUMMING_LOOP
    if inside.inlined < LEAST_INTERLEAVED:
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
    """Whether vector loads, stores and gathers can be masked without a branch for each lane."""
    return target.vector_bits >= 512


def is_full(inside: EmittedCounts, target: Target) -> bool:
    """Whether a loop without checks, divisions or inner loops uses whole vectors of 64-bit
    numbers."""
    large = inside.statements > INTERLEAVINGS[-1][0] and inside.inlined >= LEAST_INTERLEAVED
    fits = bool(target.vector_bits) and target.architecture in INTERLEAVING
    return large and fits and bool(inside.wide)
