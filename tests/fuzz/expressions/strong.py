"""Integers and floats of the sized types: operators, conversions and intrinsics."""

from __future__ import annotations

from samebits.types import FLOAT32, FLOAT64, INT, ScalarType, VectorType
from tests.fuzz.expressions.forms import (
    BINARY_ELEMENTARY,
    ELEMENTARY,
    ROUNDINGS,
    TEMPTING_FLOATS,
    TEMPTING_INTS,
)
from tests.fuzz.expressions.weak import WeakNumbers
from tests.fuzz.literals import FLOATS, INTS, VECTOR_TYPES, int_literal, int_value


class StrongNumbers(WeakNumbers):
    """Draws integers and floats of a size."""

    # Integers

    def integer(self, t: ScalarType, depth: int) -> str:
        if depth <= 0:
            return self.leaf(t)
        rng = self.rng
        if rng.random() < 0.2:
            return self.tempting(TEMPTING_INTS, t, depth)
        roll = rng.random()
        if roll < 0.42:
            return self.integer_binary(t, depth)
        if roll < 0.55:
            return self.conversion(t, depth)
        if roll < 0.62:
            return f"({rng.choice('-~')}{self.atom(t, depth)})"
        if roll < 0.8:
            return self.integer_intrinsic(t, depth)
        if roll < 0.85:
            return self.component(t, depth)
        if roll < 0.88:
            same = [u for u in dict.fromkeys(self.sources) if u.bits == t.bits and u != t]
            source = self.expr(rng.choice(same), depth - 1)
            return f"{self.module}.bitcast({t.name}, {source})"
        return self.common(t, depth) or self.integer_binary(t, depth)

    def integer_binary(self, t: ScalarType, depth: int) -> str:
        sign = self.rng.choice(("+", "-", "*", "+", "-", "*", "&", "|", "^", "//", "%", "<<", ">>"))
        a, b = self.operands(t, depth, shift=sign in ("<<", ">>"))
        if sign in ("//", "%") and not self.risky():
            b = f"({self.expr(t, depth - 1)} | 1)"
        if sign in ("<<", ">>") and self.rng.random() < 0.6:
            a, count = self.expr(t, depth - 1), self.rng.randint(0, min(t.bits + 2, 64))
            b = str(min(count, t.bits - 1))
        return self.powered(f"({a} {sign} {b})")

    def integer_intrinsic(self, t: ScalarType, depth: int) -> str:
        name = self.rng.choice(
            ("min", "max", "abs", "sign", "clamp", "popcount", "clz", "ctz", "rotl", "rotr")
        )
        if name in ("rotl", "rotr"):
            count = self.expr(t, depth - 1)
            if not isinstance(t, VectorType) and self.rng.random() < 0.5:
                count = self.expr(self.rng.choice((INT, *INTS)), depth - 1)
            return f"{self.module}.{name}({self.expr(t, depth - 1)}, {count})"
        return self.intrinsic(name, t, {"min": 2, "max": 2, "clamp": 3}.get(name, 1), depth)

    # Floats

    def float(self, t: ScalarType, depth: int) -> str:
        if self.quotients is not None and t in FLOATS and self.quotients.random() < 0.15:
            return self.quotient() if t == FLOAT64 else f"{t.name}({self.quotient()})"
        if depth <= 0:
            return self.leaf(t)
        rng = self.rng
        if rng.random() < 0.35:
            return self.tempting(TEMPTING_FLOATS, t, depth)
        roll = rng.random()
        if roll < 0.4:
            return self.float_binary(t, depth)
        if roll < 0.5:
            return self.conversion(t, depth)
        if roll < 0.55:
            return f"({rng.choice('---+')}{self.atom(t, depth)})"
        if roll < 0.72:
            return self.float_intrinsic(t, depth)
        if roll < 0.78:
            return self.component(t, depth)
        if roll < 0.82:
            same = [u for u in INTS if u.bits == t.bits]
            return f"{self.module}.bitcast({t.name}, {self.expr(rng.choice(same), depth - 1)})"
        if roll < 0.88:
            v = rng.choice([v for v in VECTOR_TYPES if v.element == t])
            if rng.random() < 0.5:
                return f"{self.module}.length({self.expr(v, depth - 1)})"
            return f"{self.module}.dot({self.expr(v, depth - 1)}, {self.expr(v, depth - 1)})"
        return self.common(t, depth) or self.float_binary(t, depth)

    def quotient(self) -> str:
        """A float64 of an integer and a Python int, either first."""
        assert self.quotients is not None
        t = self.quotients.choice(INTS)
        number = int_literal(int_value(self.quotients, INT))
        names = self.scope.values(INT)
        if names and self.quotients.random() < 0.4:
            number = self.quotients.choice(names).name
        a, b = self.leaf(t), number
        if self.quotients.random() < 0.3:
            a, b = b, a
        return f"({a} / {b})"

    def float_binary(self, t: ScalarType, depth: int) -> str:
        a, b = self.operands(t, depth)
        sign = self.rng.choice("+-*/+-*")
        if t == FLOAT64 and self.rng.random() < 0.1:
            source = self.rng.choice(INTS)
            if self.rng.random() < 0.5:
                return f"({self.expr(source, depth - 1)} / {self.expr(source, depth - 1)})"
            return f"({self.expr(source, depth - 1)} {sign} {self.weak_float(0)})"
        return self.powered(f"({a} {sign} {b})")

    def float_intrinsic(self, t: ScalarType | VectorType, depth: int) -> str:
        scalar = t.element if isinstance(t, VectorType) else t
        if not scalar.weak and self.rng.random() < (0.04 if scalar == FLOAT32 else 0.015):
            name = self.rng.choice(ELEMENTARY)
            count = 2 if name in BINARY_ELEMENTARY else 1
            return f"math.{name}({', '.join(self.expr(t, depth - 1) for _ in range(count))})"
        name = self.rng.choice(
            ("sqrt", "abs", "min", "max", "clamp", *ROUNDINGS, "copysign", "sign", "fma", "fma")
        )
        count = {"min": 2, "max": 2, "clamp": 3, "copysign": 2, "fma": 3}.get(name, 1)
        return self.intrinsic(name, t, count, depth)
