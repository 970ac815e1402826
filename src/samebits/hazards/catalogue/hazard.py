"""What a hazard is: a name, what does it in practice, what to do about it, and what it makes.

A `Hazard` makes other evaluations of an expression. A `Structural` one makes other kernels: it is
none of arithmetic, and no expression shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random, SystemRandom

from samebits.fpmodel.evaluate import Arithmetic
from samebits.fpmodel.tree import Tree
from samebits.hazards.edit.function_editor import guarded
from samebits.ir.grammar import Module
from samebits.ir.refs import Place

Variant = tuple[Tree, Arithmetic, str]
"""Another evaluation, and what does it in practice."""
Way = tuple[Module, str]
"""Other kernels, and what has been done in them."""


@dataclass(frozen=True, slots=True)
class Hazard:
    """One way in which the same source gives other bits, within an expression."""

    name: str
    title: str
    """What happens, in a few words."""
    ways: Callable[[Tree, Arithmetic], Iterator[Variant]]
    """The evaluations that it makes of one, the most plausible first."""
    practice: str
    """What does it in the real world, in a line."""
    remedy: str
    """What to do about it, in a line."""
    notes: Callable[[Tree], int] | None = None
    """How many practices the ways of an expression can have: where only the first way of each is
    wanted, no further ones are made."""
    last: bool = False
    """Whether it only comes after others: its trees are large, with subtrees many times over."""


@dataclass(frozen=True, slots=True)
class Structural:
    """One way in which the same source gives other bits by control flow, memory or inputs.

    It acts on the linked kernels of a simulation, their float modes lowered, at one statement of
    the user's own. What it makes is legal, and the same bits wherever it runs; what stays keeps its
    ids, and what gives the result of an id still has it.
    """

    name: str
    title: str
    places: Callable[[Module], list[Place]]
    """Where it can act, in source order."""
    made: Callable[[Module, Place, Random], Iterator[Way]]
    """As `ways`; what is left to chance is drawn."""
    practice: str
    remedy: str
    varies: bool = False
    """Whether it is another one each time that a program runs."""
    is_race: bool = False
    """Whether it takes several workers."""

    def ways(self, module: Module, place: Place, seed: int | None = None) -> Iterator[Way]:
        """The kernels that it makes of some, the most plausible first.

        What chance decides in practice is drawn anew at each call, or follows from `seed`.
        """
        draws = SystemRandom() if seed is None else Random(f"{self.name} {place} {seed}")
        return self.made(guarded(module), place, draws)
