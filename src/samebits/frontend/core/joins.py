"""Joins: the one type of a name, or of a ternary, that weak numbers and strong ones meet in."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from samebits.errors import CompileError, Span
from samebits.types import BOOL, FLOAT, INT, ScalarType, Type

NARROWEST = 32
"""The bits of the narrowest integer type that a name takes which began as a weak int: a sum kept
in fewer would wrap where nobody wrote that it may."""


ItemTypes = ScalarType | tuple["ItemTypes", ...] | None
"""The type of every item, or of each column of them; None where they stay what they are."""


@dataclass(slots=True)
class Joins:
    """What one function's lowering has found out; the next attempt begins with it.

    A name is declared with its join from the start, and whatever weak number is assigned to it
    converts. So a join that grows while the function is lowered makes all that was lowered void.
    """

    names: dict[str, ScalarType] = field(default_factory=dict[str, ScalarType])
    """The types that names are declared with, of those that began as a weak number."""
    origins: dict[str, ast.Name] = field(default_factory=dict[str, ast.Name])
    """Where what is assigned gave these names their types."""
    places: dict[Span, ScalarType] = field(default_factory=dict[Span, ScalarType])
    """The types that weak numbers take, by the place of the name that is assigned, or of the
    ternary that has one as a side."""
    items: dict[Span, ItemTypes] = field(default_factory=dict[Span, "ItemTypes"])
    """The types that the items of a tuple take which a loop runs over, by the tuple's place."""
    roots: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    """Whose memory the views may lie in that a name is given."""
    allocations: set[Span] = field(default_factory=set[Span])
    """The calls that make local arrays of run-time sizes."""
    freeing: set[Span] = field(default_factory=set[Span])
    """The loops that free such arrays at the start of each iteration."""
    grown: bool = False
    """Whether a name's type, or its views' memory, has changed since the attempt began."""
    refused: CompileError | None = None
    """The first use of a weak number that is refused, unless a later line gives its name a type for
    which it is not."""

    def begin(self) -> None:
        """Begin an attempt."""
        self.places.clear()
        self.items.clear()
        self.allocations.clear()
        self.freeing.clear()
        self.grown = False
        self.refused = None

    def grow(self, target: ast.Name, t: ScalarType) -> None:
        """The name that is assigned there has type `t`, from its first assignment on."""
        self.names[target.id] = t
        self.origins[target.id] = target
        self.grown = True

    def grow_roots(self, name: str, roots: frozenset[str]) -> None:
        self.roots[name] = roots
        self.grown = True


def join(a: Type, b: Type) -> ScalarType | None:
    """The type of two scalars of which one at least is weak; None where they have no join.

    A weak int joins a weak float, and a weak number a strong one; a weak float joins no integer.
    """
    if not isinstance(a, ScalarType) or not isinstance(b, ScalarType):
        return None
    if a == b:
        return a
    if not a.weak:
        a, b = b, a
    if not a.weak or b is BOOL:
        return None
    if b.weak:
        return FLOAT
    return None if b.is_int and a is FLOAT else b


def takes_weak(t: ScalarType, weak: ScalarType) -> bool:
    """Whether a name of type `t` may be assigned a weak number, which then converts."""
    if not weak.weak or t is BOOL:
        return False
    return weak is INT or not t.is_int
