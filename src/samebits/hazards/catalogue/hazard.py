"""Rows of the hazard table: a name, a title, what does it in practice, a remedy, and the variants.

An `ExpressionHazard` evaluates an expression differently. A `ProgramHazard` changes the kernels:
control flow, memory or inputs, which no expression shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random, SystemRandom

from samebits.fpmodel.evaluate import Arithmetic
from samebits.fpmodel.tree import Node, Tree, choices, rebuilt
from samebits.hazards.edit.function_editor import guarded
from samebits.ir.grammar import Module
from samebits.ir.refs import OpRef

Evaluation = tuple[Tree, Arithmetic, str]
"""An alternative evaluation, and what does it in practice."""
ChangedKernels = tuple[Module, str]
"""Changed kernels, and a note of the change."""


@dataclass(frozen=True, slots=True)
class ExpressionHazard:
    """A reason why the same source gives other bits, within an expression."""

    name: str
    title: str
    """What happens, in a few words."""
    variants: Callable[[Tree, Arithmetic], Iterator[Evaluation]]
    """The alternative evaluations of an expression, the most plausible first."""
    practice: str
    """What does it in practice, in a line."""
    remedy: str
    """What to do about it, in a line."""
    notes: Callable[[Tree], int] | None = None
    """How many different notes the variants of an expression can have: a caller that wants the
    first of each stops there."""
    more: Callable[[Tree, Arithmetic], Iterator[Evaluation]] | None = None
    """Evaluations that `explain` alone tries after the variants: those that people write by hand,
    and rewrites upon rewrites. No experiment runs them."""
    last: bool = False
    """Whether it is tried after all others: its trees are large, with subtrees many times over."""


def exchanges(
    tree: Tree, arithmetic: Arithmetic, options: Callable[[Node], list[Tree]], most: int, note: str
) -> Iterator[Evaluation]:
    """The evaluations of at most `most` trees with operations replaced by one of their options."""
    for variant in choices(tree, options, most):
        if variant != tree:
            yield variant, arithmetic, note


def contracted(tree: Tree, options: Callable[[Node], list[Tree]]) -> Iterator[Tree]:
    """`tree`, and the tree with every operation replaced for which there are options: by the first
    of them, then by the last."""

    def first(node: Tree) -> Tree | None:
        return next(iter(options(node)), None) if isinstance(node, Node) else None

    def last(node: Tree) -> Tree | None:
        return next(reversed(options(node)), None) if isinstance(node, Node) else None

    seen = [tree]
    yield tree
    for change in (first, last):
        made = rebuilt(tree, change)
        if made not in seen:
            seen.append(made)
            yield made


@dataclass(frozen=True, slots=True)
class ProgramHazard:
    """A reason why the same source gives other bits through control flow, memory or inputs.

    It acts on a simulation's linked kernels with lowered float modes, at one statement of the
    user's own. The changed kernels are legal IR with the same bits wherever they run; statements
    that remain keep their ids, and whatever computes an id's result has that id.
    """

    name: str
    title: str
    places: Callable[[Module], list[OpRef]]
    """The places where it can act, in source order."""
    changes: Callable[[Module, OpRef, Random], Iterator[ChangedKernels]]
    """The changed kernels of a place, the most plausible first, given a source of random draws."""
    practice: str
    remedy: str
    varies: bool = False
    """Whether it differs each time that the program runs."""
    is_race: bool = False
    """Whether it needs several workers."""

    def variants(
        self, module: Module, place: OpRef, seed: int | None = None
    ) -> Iterator[ChangedKernels]:
        """The changed kernels for a place, the most plausible first.

        What is random in practice follows from `seed`, or is drawn anew at each call.
        """
        draws = SystemRandom() if seed is None else Random(f"{self.name} {place} {seed}")
        return self.changes(guarded(module), place, draws)
