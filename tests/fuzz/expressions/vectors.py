"""Halves and vectors, those of halves among them."""

from __future__ import annotations

from samebits.types import BOOL, COMPONENTS, FLOAT, FLOAT16, INT, VectorType
from tests.fuzz.expressions.forms import (
    COMPARISONS,
    TEMPTING_FLOATS,
    TEMPTING_HALVES,
    TEMPTING_INTS,
    VECTOR_OF,
)
from tests.fuzz.expressions.strong import StrongNumbers
from tests.fuzz.literals import FLOATS, INTS, VECTOR_TYPES, is_half


class Vectors(StrongNumbers):
    """Draws halves and vectors."""

    # Halves

    def half(self, depth: int) -> str:
        if depth <= 0:
            return self.leaf(FLOAT16)
        roll = self.rng.random()
        if roll < 0.25:
            return self.tempting(TEMPTING_HALVES, FLOAT16, depth)
        if roll < 0.35:
            return f"half({self.leaf(self.rng.choice(FLOATS))})"
        if roll < 0.6:
            source = self.rng.choice((*self.sources, *FLOATS * 5, INT, FLOAT))
            return f"{self.rng.choice(('half', 'float16'))}({self.expr(source, depth - 1)})"
        if roll < 0.68:
            return self.component(FLOAT16, depth)
        if roll < 0.74:
            source = self.rng.choice([t for t in INTS if t.bits == 16])
            return f"{self.module}.bitcast(half, {self.expr(source, depth - 1)})"
        return self.common(FLOAT16, depth) or self.leaf(FLOAT16)

    def half_vector(self, t: VectorType, depth: int) -> str:
        roll = self.rng.random()
        if roll < 0.5:
            return self.construct(t, depth)
        if roll < 0.7:
            return self.swizzle(t, depth)
        return self.common(t, depth) or self.leaf(t)

    # Vectors

    def vector(self, t: VectorType, depth: int) -> str:
        if depth <= 0:
            return self.leaf(t)
        if is_half(t):
            return self.half_vector(t, depth)
        rng = self.rng
        roll = rng.random()
        if roll < 0.35:
            return self.vector_binary(t, depth)
        if roll < 0.55:
            return self.construct(t, depth)
        if roll < 0.65:
            return self.swizzle(t, depth)
        if roll < 0.82:
            return self.vector_function(t, depth)
        return self.common(t, depth) or self.construct(t, depth)

    def swizzle(self, t: VectorType, depth: int) -> str:
        rng = self.rng
        source = rng.choice([v for v in self.vectors if v.element == t.element])
        letters = "".join(rng.choice(COMPONENTS[: source.length]) for _ in range(t.length))
        return f"{self.atom(source, depth)}.{letters}"

    def vector_binary(self, t: VectorType, depth: int) -> str:
        rng, e = self.rng, t.element
        if e == BOOL:
            if rng.random() < 0.4:
                a, b = self.expr(t, depth - 1), self.expr(t, depth - 1)
                return f"({a} {rng.choice('&|^')} {b})"
            other = rng.choice([v for v in VECTOR_TYPES if v.length == t.length])
            if other.element == BOOL:
                return f"(~{self.atom(t, depth)})"
            a, b = self.vector_operands(other, depth)
            return f"({a} {rng.choice(COMPARISONS)} {b})"
        if self.rng.random() < 0.25:
            forms = TEMPTING_FLOATS[:12] if e.is_float else TEMPTING_INTS[:7]
            return self.tempting(forms, t, depth)
        a, b = self.vector_operands(t, depth)
        if e.is_float:
            return self.powered(f"({a} {rng.choice('+-*/')} {b})")
        sign = rng.choice(("+", "-", "*", "&", "|", "^", "//", "%", "<<", ">>"))
        if sign in ("//", "%") and not self.risky():
            b = f"({self.expr(t, depth - 1)} | 1)"
        return self.powered(f"({a} {sign} {b})")

    def vector_operands(self, t: VectorType, depth: int) -> tuple[str, str]:
        """Two vectors, or a vector and a scalar in either order."""
        roll = self.rng.random()
        v = self.expr(t, depth - 1)
        if roll < 0.6:
            return v, self.expr(t, depth - 1)
        s = self.expr(t.element, depth - 1) if roll < 0.8 else self.weak_for(t.element, 0)
        if self.rng.random() >= 0.6:
            return s, v
        return v, s if roll < 0.8 or t.element.is_float else self.within(s, t.element)

    def construct(self, t: VectorType, depth: int) -> str:
        roll = self.rng.random()
        if roll < 0.15:
            return f"{t.name}({self.adopted(t.element, depth - 1)})"
        if roll < 0.3:
            source = self.rng.choice([v for v in self.vectors if v.length == t.length])
            if source.element == BOOL or t.element != BOOL:
                return f"{t.name}({self.expr(source, depth - 1)})"
        parts: list[str] = []
        left = t.length
        while left:
            widest = min(left, t.length - 1)
            width = self.rng.choice([w for w in (1, 1, 2, 3) if w <= widest])
            part = VECTOR_OF[t.element, width] if width > 1 else t.element
            parts.append(self.adopted(part, depth - 1))
            left -= width
        return f"{t.name}({', '.join(parts)})"

    def vector_function(self, t: VectorType, depth: int) -> str:
        e = t.element
        if e == BOOL:
            return f"(~{self.atom(t, depth)})"
        if e.is_float:
            roll = self.rng.random()
            if roll < 0.15:
                return f"{self.module}.normalize({self.expr(t, depth - 1)})"
            if roll < 0.3 and t.length == 3:
                a, b = self.expr(t, depth - 1), self.expr(t, depth - 1)
                return f"{self.module}.cross({a}, {b})"
            if roll < 0.4:
                return f"(-{self.atom(t, depth)})"
            return self._on_vector(self.float_intrinsic, t, depth)
        if self.rng.random() < 0.3:
            return f"({self.rng.choice('-~')}{self.atom(t, depth)})"
        return self._on_vector(self.integer_intrinsic, t, depth)

    def _on_vector(self, draw: object, t: VectorType, depth: int) -> str:
        return draw(t, depth)  # type: ignore[operator]
