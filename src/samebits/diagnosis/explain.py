"""The search for the evaluations of an expression that give observed bits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, permutations
from typing import Any

from samebits.bits import ulp_distance
from samebits.diagnosis.explain_rows import (
    Row,
    Value,
    bits_of,
    given_rows,
    require_one_result_each,
)
from samebits.errors import ArgumentError
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
from samebits.hazards.catalogue.expressions.widening import cast, stored_as_half

_MOST_OF_ONE = 12_000
"""Evaluations of one hazard."""
_MOST_OF_A_PAIR = 600
_MOST_OF_PAIRS = 12_000
"""Evaluations of two hazards together."""


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
    """The most plausible first; with no hazard first where the strict evaluation gives all bits."""
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
    return Explanation(
        _written(tree), form, tuple(search.rows), tuple(causes), tuple(search.misses),
        search.tried, search.complete,
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
        found: list[Cause] = []
        if all(row.strict == row.observed for row in self.rows):
            found.append(self.cause((), [self.start]))
        for hazard in EXPRESSION_HAZARDS:
            variants = self.variants(hazard, self.start, _MOST_OF_ONE)
            results = [(variant, self.missed(variant)) for variant in variants]
            hits = [variant for variant, miss in results if miss is None]
            if hits:
                found.append(self.cause((hazard,), hits))
            else:
                distances = [ulp_distance(*miss, self.form.bits) for _, miss in results if miss]
                known = [d for d in distances if d is not None]
                self.misses.append(Miss(hazard, len(results), min(known, default=None)))
        return found or self.pairs()

    def variants(self, hazard: ExpressionHazard, base: _Variant, limit: int) -> list[_Variant]:
        """A hazard's variants of an evaluation, each once."""
        tree, arithmetic, practice = base
        made: list[_Variant] = []
        local: set[tuple[Tree, Arithmetic]] = {(tree, arithmetic)}
        found = hazard.variants(tree, arithmetic)
        for other, how, note in islice(found, limit):
            if (other, how) not in local:
                local.add((other, how))
                made.append((other, how, (*practice, note)))
        if next(found, None) is not None:
            self.complete = False
        return made

    def pairs(self) -> list[Cause]:
        """Two hazards together, where each has something to act on."""
        able = {miss.hazard.name for miss in self.misses if miss.evaluations}
        hazards = [h for h in EXPRESSION_HAZARDS if h.name in able]
        left, found = _MOST_OF_PAIRS, list[Cause]()
        pairs = permutations(range(len(hazards)), 2)
        for i, j in sorted(pairs, key=sum):  # the more plausible pairs first
            if hazards[i].last:
                continue
            variants = list(islice(self.pair(hazards[i], hazards[j]), min(left, _MOST_OF_A_PAIR)))
            left -= len(variants)
            self.complete &= left > 0 and len(variants) < _MOST_OF_A_PAIR
            hits = [variant for variant in variants if self.missed(variant) is None]
            if hits:
                found.append(self.cause((hazards[i], hazards[j]), hits))
            if left <= 0:
                break
        return found

    def pair(self, first: ExpressionHazard, second: ExpressionHazard) -> Iterator[_Variant]:
        for base in self.variants(first, self.start, _MOST_OF_A_PAIR):
            for variant in self.variants(second, base, _MOST_OF_A_PAIR):
                if variant[:2] not in self.seen:
                    self.seen.add(variant[:2])
                    yield variant

    def cause(self, hazards: tuple[ExpressionHazard, ...], variants: Sequence[_Variant]) -> Cause:
        return Cause(
            hazards,
            tuple(Evaluation(hazards, _written(t), notes) for t, _, notes in variants),
        )


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
