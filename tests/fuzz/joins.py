"""Weak numbers that names of strong types take: first values, later ones, sides of ternaries.

Every choice comes from a generator of its own, so that the other lines of a program are the same
with joins and without.
"""

from __future__ import annotations

from random import Random

from samebits.types import BOOL, FLOAT, INT, FixedPointType, ScalarType, Type
from tests.fuzz.halves import FIRST_SEED
from tests.fuzz.literals import is_half
from tests.fuzz.scope import Scope

FREQUENCY = 0.25
FLOAT_LITERALS = ("0.0", "-0.0", "0.1", "1.5", "1e-40", "-3.7", "16777217.0", "1e300", "0.3")
INT_LITERALS = ("0", "1", "2", "7", "100", "127")


class Joins:
    """What a program of `seed` has of joins."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(f"samebits fuzz joins {seed}")
        self.wanted = seed >= FIRST_SEED

    def drawn(self, t: Type) -> bool:
        """Whether a weak number is to be assigned to a name of type `t` here."""
        if not self.wanted or not isinstance(t, ScalarType) or t in (BOOL, INT):
            return False
        if is_half(t) or isinstance(t, FixedPointType):
            return False
        return self.rng.random() < FREQUENCY

    def weak(self, scope: Scope, t: ScalarType) -> str:
        """A weak number that a name of type `t` takes."""
        names = scope.values(INT)
        if names and self.rng.random() < 0.3:
            return f"({self.rng.choice(names).name} & 63)"
        if t.is_int:
            return self.rng.choice(INT_LITERALS)
        floats = scope.values(FLOAT)
        if floats and self.rng.random() < 0.3:
            return self.rng.choice(floats).name
        return self.rng.choice(FLOAT_LITERALS + INT_LITERALS)

    def first(self, t: Type) -> bool:
        """Whether a weak number may come before the first number of type `t`."""
        wide = isinstance(t, ScalarType) and (not t.is_int or t.bits >= 32)
        return wide and self.drawn(t)

    def condition(self, scope: Scope) -> str:
        flags, counts = scope.values(BOOL), scope.values(INT)
        if flags and self.rng.random() < 0.5:
            return self.rng.choice(flags).name
        if counts and self.rng.random() < 0.7:
            return f"({self.rng.choice(counts).name} & 1) == 0"
        return self.rng.choice(("True", "False"))

    def ternary(self, scope: Scope, t: ScalarType, text: str) -> str:
        """`text`, or on one side of it a weak number."""
        if self.rng.random() < 0.5:
            return f"{text} if {self.condition(scope)} else {self.weak(scope, t)}"
        return f"{self.weak(scope, t)} if {self.condition(scope)} else {text}"
