"""The search for the evaluations of an expression that give observed bits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, permutations
from typing import Any, SupportsFloat

from samebits.bits import float_to_bits, ulp_distance
from samebits.errors import ArgumentError
from samebits.fpmodel.evaluate import Arithmetic, Evaluator
from samebits.fpmodel.parse import operands, parse, pattern
from samebits.fpmodel.softfloat import (
    FLOAT16,
    FLOAT32,
    FORMATS,
    Format,
    Number,
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
    bits: int


@dataclass(frozen=True, slots=True)
class Cause:
    """The evaluations of the same hazards that give the observed bits, the simplest first."""

    hazards: tuple[ExpressionHazard, ...]
    evaluations: tuple[Evaluation, ...]


@dataclass(frozen=True, slots=True)
class Miss:
    """A hazard none of whose evaluations gives the observed bits."""

    hazard: ExpressionHazard
    evaluations: int
    """How many were tried; 0 where there is nothing that it could act on."""
    nearest: int | None
    """The least distance of a result from the observed one, in ULP; None if all are NaNs."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """The evaluations of an expression that were tried, and those that give the observed bits."""

    expression: str
    form: Format
    operands: Mapping[str, int]
    strict: int
    observed: int
    causes: tuple[Cause, ...]
    """The most plausible first; with no hazard first where the strict evaluation gives them."""
    misses: tuple[Miss, ...]
    tried: int
    """How many evaluations."""
    complete: bool
    """Whether all were tried that there are of the hazards; false where limits were reached."""

    @property
    def distance(self) -> int | None:
        """From the strict to the observed result, in ULP; None where one is a NaN."""
        return ulp_distance(self.strict, self.observed, self.form.bits)


def explain(
    expression: str,
    values: Mapping[str, str | SupportsFloat],
    observed: str | SupportsFloat,
    type: str = "float32",
) -> Explanation:
    """Try every evaluation of `expression` and say which give the `observed` bits.

    Values are floats, or text: bits in hex (0x and 4, 8 or 16 digits), hex floats or decimals. A
    float that the type does not hold is rounded to it, as a decimal is. `type` is
    float16, float32 or float64; what is of halves is computed in float32, as in a kernel, and
    rounded to a half at last. Two hazards together are tried only where none alone gives the bits.
    Raises ArgumentError for what is not in the language, and for operands that are missing or not
    used.
    """
    given: Any = (expression, values, type)
    kinds = {"expression": str, "values": Mapping, "type": str}
    for value, (name, kind) in zip(given, kinds.items(), strict=True):
        if not isinstance(value, kind):
            raise ArgumentError(
                f"{name} is {value!r:.40}",
                fix='explain("a*b + c", {"a": 0.1, "b": 0.1, "c": -0.01}, "0x300f5c29", "float32")',
            )
    form = FORMATS.get(type)
    if form is None:
        raise ArgumentError(f"there is no type {type:.40} here", fix="float16, float32 or float64")
    tree = parse(expression)
    bits = _operand_bits(tree, values, form)
    goal = pattern(_text(observed, form, "what was observed"), form, "what was observed")
    search = _Search(tree, form, {name: from_bits(b, form) for name, b in bits.items()}, goal)
    causes = search.causes()
    return Explanation(
        _written(tree), form, bits, search.strict, goal, tuple(causes), tuple(search.misses),
        search.tried, search.complete,
    )  # fmt: skip


def _text(value: Any, form: Format, what: str) -> str:
    """Text that `pattern` reads: a float as a hex float, infinities and NaN as bits."""
    if isinstance(value, str):
        return value
    if not isinstance(value, SupportsFloat):
        raise ArgumentError(
            f"{what} is {value!r:.40}", fix="give a float, or text such as 0x3dcccccd or 0.1"
        )
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise ArgumentError(f"{what} is no float: {error}", fix="give a float, or text") from None
    if number - number == 0:
        return number.hex()
    return f"0x{float_to_bits(number, form.bits):0{form.bits // 4}x}"


def _operand_bits(
    tree: Tree, values: Mapping[str, str | SupportsFloat], form: Format
) -> dict[str, int]:
    wanted = operands(tree)
    missing = [name for name in wanted if name not in values]
    unused = [name for name in values if name not in wanted]
    if missing:
        given = " ".join(f"{name}=…" for name in missing)
        raise ArgumentError(f"no value is given for {', '.join(missing)}", fix=f"add {given}")
    if unused:
        raise ArgumentError(
            f"the expression has no {', '.join(unused)}",
            note=f"its names are {', '.join(wanted) or 'none'}",
            fix="leave the value away, or use the name",
        )
    return {name: pattern(_text(values[name], form, name), form, name) for name in wanted}


_Variant = tuple[Tree, Arithmetic, tuple[str, ...]]


class _Search:
    def __init__(self, tree: Tree, form: Format, values: Mapping[str, Number], goal: int) -> None:
        self.computed = FLOAT32 if form is FLOAT16 else form
        stored = cast(FLOAT16, tree) if form is FLOAT16 else tree
        self.start: _Variant = (stored, Arithmetic(self.computed, self.computed), ())
        self.form, self.values, self.goal = form, values, goal
        self.evaluators: dict[Arithmetic, Evaluator] = {}
        self.seen: set[tuple[Tree, Arithmetic]] = set()
        self.misses: list[Miss] = []
        self.complete = True
        self.tried = 0
        self.strict = self.bits(self.start)

    def bits(self, variant: _Variant) -> int:
        tree, arithmetic, _ = variant
        self.tried += 1
        evaluator = self.evaluators.get(arithmetic)
        if evaluator is None:
            evaluator = self.evaluators[arithmetic] = Evaluator(arithmetic, self.values)
        found = evaluator.bits(tree)
        if self.computed is self.form:
            return found
        return to_bits(rounded(from_bits(found, self.computed), self.form), self.form)

    def causes(self) -> list[Cause]:
        found: list[Cause] = []
        if self.strict == self.goal:
            found.append(self.cause((), [self.start]))
        for hazard in EXPRESSION_HAZARDS:
            variants = self.variants(hazard, self.start, _MOST_OF_ONE)
            results = [(variant, self.bits(variant)) for variant in variants]
            hits = [variant for variant, bits in results if bits == self.goal]
            if hits:
                found.append(self.cause((hazard,), hits))
            else:
                distances = [ulp_distance(b, self.goal, self.form.bits) for _, b in results]
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
            hits = [variant for variant in variants if self.bits(variant) == self.goal]
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
            tuple(Evaluation(hazards, _written(t), notes, self.goal) for t, _, notes in variants),
        )


def _written(tree: Tree) -> str:
    """Without the last conversion to a half."""
    return written(tree.args[0] if isinstance(tree, Node) and stored_as_half(tree) else tree)
