"""Random expressions of a wanted type, as source text in the kernel language.

Owns operators, conversions and intrinsics. Weak ints stay small enough not to overflow, divisors
non-zero and indexes in range, except where the program's `hazard` lets a trap happen. Each file
draws one kind of numbers; from `drawing` to here, a class extends that of the file before.
"""

from __future__ import annotations

from samebits.types import BOOL, FLOAT, FLOAT16, INT, ScalarType, StructType, Type, VectorType
from tests.fuzz.expressions.vectors import Vectors
from tests.fuzz.literals import NUMBERS


class Expressions(Vectors):
    """Draws expressions of any type."""

    def expr(self, t: Type, depth: int) -> str:
        """An expression of exactly type `t`."""
        match t:
            case VectorType():
                return self.vector(t, depth)
            case ScalarType():
                if t == BOOL:
                    return self.boolean(depth)
                if t == INT:
                    return self.weak_int(depth)[0]
                if t == FLOAT:
                    return self.weak_float(depth)
                if t == FLOAT16:
                    return self.half(depth)
                return self.float(t, depth) if t.is_float else self.integer(t, depth)
            case StructType():
                return self.struct(t, depth)
            case _:
                raise TypeError(repr(t))

    def adopted(self, t: Type, depth: int) -> str:
        """An expression that a store, argument or return converts to `t`: weak ones too."""
        weak = isinstance(t, ScalarType) and (t in NUMBERS or t == FLOAT16)
        if weak and self.rng.random() < 0.15:
            return self.weak_for(t, depth)
        return self.expr(t, depth)

    def struct(self, t: StructType, depth: int) -> str:
        """A new struct: constructor, copy of another, or a call."""
        roll = self.rng.random()
        sources = self.scope.structs(t)
        if roll < 0.3 and sources:
            return f"{self.rng.choice(sources).name}.copy()"
        if roll < 0.5:
            text = self.call(t, depth)
            if text:
                return text
        fields = [
            f"{name}={self.adopted(f, min(depth, 1))}"
            for name, f in t.fields
            if isinstance(f, ScalarType | VectorType) and self.rng.random() < 0.7
        ]
        return f"{t.name}({', '.join(fields)})"
