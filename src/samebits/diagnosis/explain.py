"""The search for the evaluations of an expression that give observed bits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice, permutations
from typing import Any

from samebits.bits import ulp_distance
from samebits.diagnosis.explain_rows import (
    Row,
    Value,
    bits_of,
    given_rows,
    require_one_result_each,
)
from samebits.diagnosis.fresh_samples import (
    CERTAIN_BITS,
    Strength,
    far_samples,
    fresh_samples,
    strength,
)
from samebits.errors import ArgumentError, folding
from samebits.fpmodel.evaluate import Arithmetic, Evaluator
from samebits.fpmodel.parse import operands, parse
from samebits.fpmodel.softfloat import (
    FLOAT16,
    FLOAT32,
    FORMATS,
    Format,
    from_bits,
    rounded,
    to_bits,
)
from samebits.fpmodel.tree import Node, Tree, written
from samebits.hazards.catalogue import EXPRESSION_HAZARDS, ExpressionHazard
from samebits.hazards.catalogue.expressions.algebra import ALGEBRA
from samebits.hazards.catalogue.expressions.fma_contraction import FUSED, fused
from samebits.hazards.catalogue.expressions.reassociation import FAST_MATH
from samebits.hazards.catalogue.expressions.rewrites import rewritten
from samebits.hazards.catalogue.expressions.widening import cast, stored_as_half
from samebits.hazards.catalogue.hazard import contracted
from samebits.lang.signal_safe import keeps_flags

_MOST_OF_ONE = 12_000
"""Evaluations of one hazard."""
_MOST_OF_A_PAIR = 600
_MOST_OF_PAIRS = 12_000
"""Evaluations of two hazards together."""
_MOST_REWRITES = 1_500
"""Trees that fast-math's rewrites upon rewrites make."""
_BITS_A_PLACE = 0.5
"""Evidence that a place further down the table of hazards, the most plausible first, has to make up
for."""
_RIVALS = 4
"""Evaluations of each hazard that what fits is held against in fresh samples."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One evaluation, and the bits that it gives."""

    hazards: tuple[ExpressionHazard, ...]
    """None for the strict evaluation; two where they act together."""
    expression: str
    practice: tuple[str, ...]
    """What does it, a line for each hazard."""


@dataclass(frozen=True, slots=True)
class Cause:
    """The evaluations of the same hazards that give every row's observed bits, the simplest
    first."""

    hazards: tuple[ExpressionHazard, ...]
    evaluations: tuple[Evaluation, ...]
    strength: Strength
    """What fresh samples say of the first evaluation."""


@dataclass(frozen=True, slots=True)
class Decisive:
    """Operands for which the explanations give several results: a row that tells them apart."""

    operands: Mapping[str, int]
    results: tuple[int, ...]
    """Of each cause, in their order."""
    width: int
    """Bits of the type."""

    def operands_as_text(self) -> dict[str, str]:
        """Bits in hex, as `explain` takes them."""
        return {name: f"0x{bits:0{self.width // 4}x}" for name, bits in self.operands.items()}


@dataclass(frozen=True, slots=True)
class Miss:
    """A hazard none of whose evaluations gives the observed bits of every row."""

    hazard: ExpressionHazard
    evaluations: int
    """How many were tried; 0 where there is nothing that it could act on."""
    nearest: int | None
    """The least distance of a result from the observed one, in ULP, at the first row that an
    evaluation misses; None if all are NaNs."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """The evaluations of an expression that were tried, and those that give the observed bits."""

    expression: str
    form: Format
    rows: tuple[Row, ...]
    """In the order given; at least one."""
    causes: tuple[Cause, ...]
    """The one with the strongest evidence first; with no hazard first where the strict evaluation
    gives all bits."""
    certain: bool
    """Whether the first cause is what happened: it alone explains the rows, all evaluations were
    tried, and an accident is less likely than one in a million."""
    decisive: Decisive | None
    """Where there are several causes; None if no fresh sample tells them apart."""
    misses: tuple[Miss, ...]
    tried: int
    """How many evaluations."""
    complete: bool
    """Whether all were tried that there are of the hazards; false where limits were reached."""

    @property
    def operands(self) -> Mapping[str, int]:
        """Those of the first row, as bits; so are `strict` and `observed`."""
        return self.rows[0].operands

    @property
    def strict(self) -> int:
        return self.rows[0].strict

    @property
    def observed(self) -> int:
        return self.rows[0].observed

    @property
    def distance(self) -> int | None:
        """From the strict to the observed result of the first row, in ULP; None where one is a
        NaN."""
        return self.rows[0].distance


@folding
@keeps_flags
def explain(
    expression: str,
    values: Mapping[str, Value] | Sequence[Mapping[str, Value]],
    observed: Value | Sequence[Value],
    type: str = "float32",
) -> Explanation:
    """Try every evaluation of `expression` and say which give the `observed` bits.

    `values` are the operands by name, and `observed` the result; or sequences of as many of each,
    up to 1,000 rows, of which an evaluation must give all. Values are floats, or text: bits in hex
    (0x and 4, 8 or 16 digits), hex floats or decimals. A float that the type does not hold is
    rounded to it, as a decimal is. `type` is float16, float32 or float64; what is of halves is
    computed in float32, as in a kernel, and rounded to a half at last. Two hazards together are
    tried only where none alone gives the bits. Raises ArgumentError for what is not in the
    language, for operands that are missing or not used, for rows and results that are not as many,
    and for rows of the same operands with other results.
    """
    given: Any = (expression, type)
    for value, name in zip(given, ("expression", "type"), strict=True):
        if not isinstance(value, str):
            raise ArgumentError(
                f"{name} is {value!r:.40}",
                fix='explain("a*b + c", {"a": 0.1, "b": 0.1, "c": -0.01}, "0x300f5c29", "float32")',
            )
    form = FORMATS.get(type)
    if form is None:
        raise ArgumentError(f"there is no type {type:.40} here", fix="float16, float32 or float64")
    rows = given_rows(values, observed)
    tree = parse(expression)
    wanted = operands(tree)
    bits = [
        bits_of(row, wanted, form, f"row {n}" if len(rows) > 1 else "")
        for n, row in enumerate(rows, 1)
    ]
    require_one_result_each(bits)
    search = _Search(tree, form, bits)
    causes = search.causes()
    alone = len(causes) == 1 and bool(causes[0].hazards) and search.complete
    certain = alone and causes[0].strength.bits >= CERTAIN_BITS
    return Explanation(
        _written(tree), form, tuple(search.rows), tuple(causes), certain, search.decisive,
        tuple(search.misses), search.tried, search.complete,
    )  # fmt: skip


_Variant = tuple[Tree, Arithmetic, tuple[str, ...]]


class _Search:
    def __init__(
        self, tree: Tree, form: Format, given: Sequence[tuple[Mapping[str, int], int]]
    ) -> None:
        self.form = form
        self.computed = FLOAT32 if form is FLOAT16 else form
        stored = cast(FLOAT16, tree) if form is FLOAT16 else tree
        self.start: _Variant = (stored, Arithmetic(self.computed, self.computed), ())
        self.seen: set[tuple[Tree, Arithmetic]] = set()
        self.misses: list[Miss] = []
        self.rivals: list[_Variant] = []
        self.decisive: Decisive | None = None
        self.complete = True
        self.tried = 1
        strict = [_Observation(self, bits, goal) for bits, goal in given]
        results = [each.bits(self.start) for each in strict]
        self.rows = [
            Row(bits, result, goal, form.bits)
            for (bits, goal), result in zip(given, results, strict=True)
        ]
        # A row that is not as expected rules out most.
        order = sorted(
            range(len(given)), key=lambda i: self.rows[i].strict == self.rows[i].observed
        )
        self.observations = [strict[i] for i in order]

    def missed(self, variant: _Variant) -> tuple[int, int] | None:
        """The result and the observed one of the first row that an evaluation does not give."""
        self.tried += 1
        for each in self.observations:
            found = each.bits(variant)
            if found != each.goal:
                return found, each.goal
        return None

    def causes(self) -> list[Cause]:
        """What gives all rows' bits, the strongest evidence first."""
        found: list[_Fit] = []
        if all(row.strict == row.observed for row in self.rows):
            found.append(_Fit((), [self.start], 1))
        for hazard in EXPRESSION_HAZARDS:
            variants = self.variants(hazard, self.start, _MOST_OF_ONE, more=True)
            results = [(variant, self.missed(variant)) for variant in variants]
            hits = [variant for variant, miss in results if miss is None]
            self.rivals += _spread([variant for variant, miss in results if miss is not None])
            if hits:
                found.append(_Fit((hazard,), hits, len(results)))
            else:
                distances = [ulp_distance(*miss, self.form.bits) for _, miss in results if miss]
                known = [d for d in distances if d is not None]
                self.misses.append(Miss(hazard, len(results), min(known, default=None)))
        # A pair may fit some rows by chance, as estimates of some processors do.
        return self.ordered(found or [*self.pairs(), *self.rewrites()])

    def ordered(self, fits: Sequence[_Fit]) -> list[Cause]:
        """The causes with what fresh samples say of each, the strongest evidence first."""
        samples = fresh_samples([row.operands for row in self.rows], self.form)
        if not fits:
            return []
        fresh = [_Observation(self, sample, 0) for sample in samples]
        strict = [each.bits(self.start) for each in fresh]
        firsts = [[each.bits(fit.variants[0]) for each in fresh] for fit in fits]
        rivals = [[each.bits(variant) for each in fresh] for variant in self.rivals]
        differ = sum(row.strict != row.observed for row in self.rows)
        made: list[tuple[Cause, list[int]]] = []
        for fit, own in zip(fits, firsts, strict=True):
            others = [*rivals, *(each for each in firsts if each is not own)]
            rows = differ, len(self.rows) - differ
            found = strength(own, strict, others, rows, fit.tried)
            evaluations = tuple(
                Evaluation(fit.hazards, _written(t), notes) for t, _, notes in fit.variants
            )
            made.append((Cause(fit.hazards, evaluations, found), own))
        made.sort(key=lambda each: (len(each[0].hazards), -_weight(each[0])))
        self.decisive = _decisive(samples, [own for _, own in made], self.form.bits)
        if self.decisive is None and len(fits) > 1:
            ordered = [next(f for f in fits if f.hazards == cause.hazards) for cause, _ in made]
            far = far_samples([row.operands for row in self.rows], self.form)
            fresh = [_Observation(self, sample, 0) for sample in far]
            results = [[each.bits(fit.variants[0]) for each in fresh] for fit in ordered]
            self.decisive = _decisive(far, results, self.form.bits)
        return [cause for cause, _ in made]

    def variants(
        self, hazard: ExpressionHazard, base: _Variant, limit: int, more: bool = False
    ) -> list[_Variant]:
        """A hazard's variants of an evaluation, each once."""
        tree, arithmetic, practice = base
        made: list[_Variant] = []
        local: set[tuple[Tree, Arithmetic]] = {(tree, arithmetic)}
        found = hazard.variants(tree, arithmetic)
        if more and hazard.more is not None:
            found = chain(found, hazard.more(tree, arithmetic))
        for other, how, note in islice(found, limit):
            if (other, how) not in local:
                local.add((other, how))
                made.append((other, how, (*practice, note)))
        if next(found, None) is not None:
            self.complete = False
        return made

    def pairs(self) -> list[_Fit]:
        """Two hazards together, where each has something to act on."""
        able = {miss.hazard.name for miss in self.misses if miss.evaluations}
        hazards = [h for h in EXPRESSION_HAZARDS if h.name in able]
        left, hits = _MOST_OF_PAIRS, list[tuple[tuple[ExpressionHazard, ...], list[_Variant]]]()
        pairs = permutations(range(len(hazards)), 2)
        for i, j in sorted(pairs, key=sum):  # the more plausible pairs first
            if hazards[i].last:
                continue
            variants = list(islice(self.pair(hazards[i], hazards[j]), min(left, _MOST_OF_A_PAIR)))
            left -= len(variants)
            self.complete &= left > 0 and len(variants) < _MOST_OF_A_PAIR
            found = [variant for variant in variants if self.missed(variant) is None]
            if found:
                hits.append(((hazards[i], hazards[j]), found))
            if left <= 0:
                break
        fits = [_Fit(both, variants, _MOST_OF_PAIRS - left) for both, variants in hits]
        return [*fits, *self.fused_by_hand(hazards)]

    def fused_by_hand(self, hazards: Sequence[ExpressionHazard]) -> list[_Fit]:
        """What people write by hand, with products fused into sums."""
        fits: list[_Fit] = []
        for hazard in hazards:
            if hazard.more is None:
                continue
            tried, hits = 0, list[_Variant]()
            for tree, arithmetic, note in islice(hazard.more(*self.start[:2]), _MOST_OF_A_PAIR):
                for each in islice(contracted(tree, fused), 1, None):
                    tried += 1
                    variant = each, arithmetic, (note, FUSED.practice)
                    if self.missed(variant) is None:
                        hits.append(variant)
            if hits:
                fits.append(_Fit((hazard, FUSED), hits, tried))
        return fits

    def rewrites(self) -> list[_Fit]:
        """Rewrites upon rewrites, as they are and with products fused into sums."""
        tree, arithmetic, _ = self.start
        plain: list[_Variant] = []
        together: list[_Variant] = []
        tried = 0
        for other in rewritten(tree, _MOST_REWRITES):
            for place, each in enumerate(contracted(other, fused)):
                tried += 1
                notes = (FAST_MATH, FUSED.practice)[: 1 + bool(place)]
                if self.missed((each, arithmetic, notes)) is None:
                    (together if place else plain).append((each, arithmetic, notes))
        self.complete &= tried < _MOST_REWRITES
        fits = [_Fit((ALGEBRA,), plain, tried), _Fit((ALGEBRA, FUSED), together, tried)]
        return [fit for fit in fits if fit.variants]

    def pair(self, first: ExpressionHazard, second: ExpressionHazard) -> Iterator[_Variant]:
        for base in self.variants(first, self.start, _MOST_OF_A_PAIR):
            for variant in self.variants(second, base, _MOST_OF_A_PAIR):
                if variant[:2] not in self.seen:
                    self.seen.add(variant[:2])
                    yield variant


@dataclass(frozen=True, slots=True)
class _Fit:
    """Evaluations of the same hazards that give all rows' bits, of so many that were tried."""

    hazards: tuple[ExpressionHazard, ...]
    variants: Sequence[_Variant]
    tried: int


def _weight(cause: Cause) -> float:
    """The evidence for a cause, less what makes it implausible beforehand."""
    places = [EXPRESSION_HAZARDS.index(hazard) for hazard in cause.hazards]
    return cause.strength.bits - _BITS_A_PLACE * sum(places)


def _spread(variants: Sequence[_Variant]) -> list[_Variant]:
    """A few of them, from the first to the last."""
    step = max(1, len(variants) // _RIVALS)
    return list(variants[::step][:_RIVALS])


def _decisive(
    samples: Sequence[Mapping[str, int]], results: Sequence[Sequence[int]], width: int
) -> Decisive | None:
    """The sample for which the evaluations give the most different results."""
    if len(results) < 2:
        return None
    columns = list(zip(*results, strict=True))
    best = max(range(len(columns)), key=lambda i: len(set(columns[i])), default=None)
    if best is None or len(set(columns[best])) < 2:
        return None
    return Decisive(samples[best], columns[best], width)


class _Observation:
    """A row, with the subtrees that were evaluated for it."""

    def __init__(self, search: _Search, operands: Mapping[str, int], goal: int) -> None:
        self.form, self.computed = search.form, search.computed
        self.values = {name: from_bits(bits, self.form) for name, bits in operands.items()}
        self.goal = goal
        self.evaluators: dict[Arithmetic, Evaluator] = {}

    def bits(self, variant: _Variant) -> int:
        tree, arithmetic, _ = variant
        evaluator = self.evaluators.get(arithmetic)
        if evaluator is None:
            evaluator = self.evaluators[arithmetic] = Evaluator(arithmetic, self.values)
        found = evaluator.bits(tree)
        if self.computed is self.form:
            return found
        return to_bits(rounded(from_bits(found, self.computed), self.form), self.form)


def _written(tree: Tree) -> str:
    """Without the last conversion to a half."""
    return written(tree.args[0] if isinstance(tree, Node) and stored_as_half(tree) else tree)
