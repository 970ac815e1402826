"""Booleans, and numbers that are Python's own. Weak ints stay small enough not to overflow."""

from __future__ import annotations

import re

from samebits.types import BOOL, FLOAT, FLOAT32, FLOAT64, INT, UINT64, FixedArrayType, ScalarType
from tests.fuzz.expressions.drawing import Drawing
from tests.fuzz.expressions.forms import COMPARABLE, COMPARISONS, VECTOR_OF
from tests.fuzz.literals import INTS, NUMBERS, int_literal, int_value
from tests.fuzz.scope import INT64_REACH


class WeakNumbers(Drawing):
    """Draws booleans and weak numbers."""

    # Booleans

    def boolean(self, depth: int) -> str:
        if self.tuples is not None and self.tuples.rng.random() < 0.1:
            return str(self.tuples.contains(self, depth))
        if depth <= 0:
            if self.rng.random() < 0.5 and self.scope.values(BOOL):
                return self.leaf(BOOL)
            return self.comparison(0)
        roll = self.rng.random()
        if roll < 0.4:
            return self.comparison(depth)
        if roll < 0.6:
            word = self.rng.choice(("and", "or"))
            terms = [self.boolean(depth - 1) for _ in range(self.rng.choice((2, 2, 3)))]
            return "(" + f" {word} ".join(terms) + ")"
        if roll < 0.68:
            return f"(not {self.boolean(depth - 1)})"
        if roll < 0.76:
            sign = self.rng.choice("&|^")
            return f"({self.boolean(depth - 1)} {sign} {self.boolean(depth - 1)})"
        if roll < 0.84:
            t = VECTOR_OF[BOOL, self.rng.randint(2, 4)]
            inner = self.vector(t, depth - 1)
            return f"{self.module}.{self.rng.choice(('any', 'all'))}({inner})"
        if roll < 0.9:
            if self.rng.random() < 0.3:
                sign = self.rng.choice(("==", "!="))
                return f"({self.boolean(depth - 1)} {sign} {self.boolean(depth - 1)})"
            return self.component(BOOL, depth)
        return self.common(BOOL, depth) or self.comparison(depth)

    def comparison(self, depth: int) -> str:
        """`a < b`, or a chain of two or three."""
        count = self.rng.choice((1, 1, 1, 2, 3))
        names = [v for v in self.scope.all() if v.type in NUMBERS]
        if names and self.rng.random() < 0.7:
            v = self.rng.choice(names)
            assert isinstance(v.type, ScalarType)
            t, terms = v.type, [v.name]
        else:
            t = self.number()
            terms = [self.variable(t, depth)]
        last = t
        for _ in range(count):
            others = [b for a, b in COMPARABLE if a == last]
            if self.rng.random() < 0.25 and others:
                last = self.rng.choice(others)
                terms += [self.rng.choice(COMPARISONS), self.expr(last, depth - 1)]
            elif self.rng.random() < 0.3 and count == 1:
                terms += [self.rng.choice(COMPARISONS), self.weak_for(last, 0)]
            else:
                terms += [self.rng.choice(COMPARISONS), self.expr(last, depth - 1)]
        if count == 1 and self.rng.random() < 0.1:
            weak = self.rng.choice((INT, FLOAT))
            a, b = self.expr(weak, depth - 1), self.expr(weak, depth - 1)
            terms = [a, self.rng.choice(COMPARISONS), b]
        return "(" + " ".join(terms) + ")"

    # Weak numbers

    def weak_for(self, t: ScalarType, depth: int) -> str:
        """A weak expression that adopts the strong number type `t`."""
        if t.is_ieee and self.rng.random() < 0.6:
            return self.weak_float(depth)
        if self.rng.random() < 0.5:
            value = int_value(self.rng, t if t.is_int else INTS[2])
            number = int_literal(max(-INT64_REACH, min(INT64_REACH - 1, value)))
            return number if self.tuples is None else str(self.tuples.called(number))
        return self.small_weak(depth)

    def weak_int(self, depth: int) -> tuple[str, int]:
        """A weak int and a bound of its magnitude."""
        rng = self.rng
        if depth <= 0:
            return self.weak_leaf()
        roll = rng.random()
        a, x = self.tame(depth - 1)
        if roll < 0.4:
            b, y = self.tame(depth - 1)
            sign = rng.choice("+-*")
            return f"({a} {sign} {b})", x * y if sign == "*" else x + y
        if roll < 0.55:
            b = str(rng.choice((1, 2, 3, 5, 7, 16))) if rng.random() < 0.7 else int_literal(
                -rng.randint(1, 9))  # fmt: skip
            if self.risky():
                b = self.weak_int(depth - 1)[0]
            sign = rng.choice(("//", "%"))
            return f"({a} {sign} {b})", max(x, 1 << 40)
        if roll < 0.7:
            b, y = self.tame(depth - 1)
            reach = 1 << max(x, y).bit_length()
            return f"({a} {rng.choice('&|^')} {b})", reach
        if roll < 0.78:
            count = str(rng.randint(0, 70)) if rng.random() < 0.7 else f"({self.tame(0)[0]} & 63)"
            return f"({a} >> {count})", x
        if roll < 0.84:
            if self.risky():
                return f"({self.weak_int(0)[0]} << {self.weak_int(0)[0]})", INT64_REACH
            count = rng.randint(0, 12)
            return f"(({a} & 4095) << {count})", 1 << 25
        if roll < 0.9:
            name = rng.choice(("min", "max", "abs", "sign"))
            if name in ("abs", "sign"):
                return f"{self.module}.{name}({a})", x
            b, y = self.tame(depth - 1)
            return f"{self.module}.{name}({a}, {b})", max(x, y)
        if roll < 0.95:
            return f"({rng.choice(('-', '~'))}{a})", x + 1
        return f"({a} if {self.boolean(depth - 1)} else {self.tame(0)[0]})", INT64_REACH

    def weak_leaf(self) -> tuple[str, int]:
        names = self.scope.values(INT)
        roll = self.rng.random()
        if names and roll < 0.55:
            v = self.rng.choice(names)
            return v.name, v.bound
        if roll < 0.65 and self.rng.random() < 0.5:
            t = self.rng.choice(INTS[:7])
            if self.powers is not None and self.powers.random() < 0.5:
                t = self.powers.choice((FLOAT32, FLOAT64, UINT64))
            return f"int({self.leaf(t)})", INT64_REACH
        arrays = self.scope.arrays()
        if arrays and roll < 0.75:
            v = self.rng.choice(arrays)
            if isinstance(v.type, FixedArrayType):
                return f"len({v.name})", 64
            return f"{v.name}.shape[{v.type.ndim - 1}]", 64  # type: ignore[union-attr]
        number = int_literal(self.rng.randint(-3, 40))
        return number if self.tuples is None else str(self.tuples.called(number)), 64

    def tame(self, depth: int) -> tuple[str, int]:
        """A weak int of magnitude below 2**20, unless a hazard is wanted."""
        text, bound = self.weak_int(depth)
        if bound > (1 << 20) and not self.risky():
            mask = self.rng.choice((7, 63, 1023))
            text = f"({text} & {mask})" if self.rng.random() < 0.7 else f"({text} % {mask})"
            return text, 1024
        return text, bound

    def small_weak(self, depth: int) -> str:
        """A weak int from 0 to 63, which fits every integer type, or now and then any."""
        text, _ = self.weak_int(depth)
        # A literal that does not fit is refused, so only a run-time value is left as it is.
        if self.risky() and re.search(r"\b[a-z]\d+\b", text):
            return text
        return f"({text} & {self.rng.choice((3, 15, 63))})"

    def weak_float(self, depth: int) -> str:
        rng = self.rng
        if self.tuples is not None and depth > 0 and self.tuples.rng.random() < 0.15:
            return str(self.tuples.as_float(self, depth))
        if depth <= 0:
            return self.leaf(FLOAT)
        roll = rng.random()
        a = self.weak_float(depth - 1)
        if roll < 0.5:
            b = self.weak_float(depth - 1) if rng.random() < 0.8 else self.tame(depth - 1)[0]
            return f"({a} {rng.choice('+-*')} {b})"
        if roll < 0.62:
            b = rng.choice(("2.0", "3.0", "(-7.5)", "1e-300", "60"))
            if self.risky():
                b = self.weak_float(depth - 1)
            return f"({a} / {b})"
        if roll < 0.7:
            return f"(-{a})"
        if roll < 0.85:
            return self.float_intrinsic(FLOAT, depth)
        return self.common(FLOAT, depth) or a
