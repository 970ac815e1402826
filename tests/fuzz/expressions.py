"""Random expressions of a wanted type, as source text in the kernel language.

Owns operators, conversions and intrinsics. Weak ints stay small enough not to overflow, divisors
non-zero and indexes in range, except where the program's `hazard` lets a trap happen.
"""

from __future__ import annotations

import re
from random import Random

from samebits.types import (
    BOOL,
    COMPONENTS,
    FLOAT,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    INT,
    PROMOTIONS,
    FixedArrayType,
    ScalarType,
    StructType,
    Type,
    VectorType,
)
from tests.fuzz.literals import (
    FLOATS,
    HALF_VECTORS,
    INTS,
    NUMBERS,
    VECTOR_TYPES,
    beside_halves,
    float_literal,
    int_literal,
    int_value,
    is_half,
    signed,
)
from tests.fuzz.scope import INT64_REACH, Callee, Place, Scope, Variable

COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
BY_RESULT: dict[ScalarType, list[tuple[ScalarType, ScalarType]]] = {}
for (_a, _b), _t in PROMOTIONS.items():
    if _a != _b:
        BY_RESULT.setdefault(_t, []).append((_a, _b))
COMPARABLE = [
    (a, b)
    for (a, b), t in PROMOTIONS.items()
    if a != b and not ({a.name, b.name} & {"uint64"} and (a.is_signed or b.is_signed))
]
VECTOR_OF = {(t.element, t.length): t for t in (*VECTOR_TYPES, *HALF_VECTORS)}
TEMPTING_FLOATS = (
    "({a} * {b} + {c})",
    "({c} - {a} * {b})",
    "({a} * {b} - {c} * {a})",
    "({a} + {b} + {c})",
    "({a} - ({b} - {c}))",
    "({a} + 0.0)",
    "({a} - 0.0)",
    "(0.0 - {a})",
    "({a} * 0.0)",
    "({a} - {a})",
    "({a} / {a})",
    "(-({a} - {b}))",
    "({a} * 2.0 * 0.5)",
    "({a} / 3.0)",
    "({a} / {b} / {c})",
    "(1.0 / {a} * {b})",
    "({a} + {b} - {a})",
    "sb.sqrt({a} * {a})",
    "(1.0 / sb.sqrt({a}))",
    "sb.min({a}, sb.max({b}, {a}))",
    "({a} if {a} < {b} else {b})",
    "({a} if {a} == {b} else {c})",
    "({a} if {a} >= 0.0 else -{a})",
    "({a} * {b} + {a} * {c})",
    "(-{a} * -{b})",
    "sb.abs({a} - {b})",
)
"""Floats that an optimiser without scruples would rewrite: fused, reassociated, folded."""
TEMPTING_INTS = (
    "(({a} + {b}) - {b})",
    "({a} * 2 // 2)",
    "(({a} << 3) >> 3)",
    "(({a} >> 3) << 3)",
    "(-{a} // ({b} | 1))",
    "({a} % 8)",
    "({a} // 8)",
    "({a} * 3 // 3)",
    "sb.abs(-{a})",
    "({a} if {a} + 1 > {a} else {b})",
    "({a} if {a} - {b} < {a} else {b})",
    "({a} % 7 * 7)",
    "(({a} ^ {b}) & ~{b})",
    "({a} * {b} // ({b} | 1))",
    "sb.max({a} - {b}, {b} - {a})",
    "(({a} & {b}) + ({a} | {b}))",
    "({a} >> ({b} & 7) << ({b} & 7))",
    "sb.rotl({a}, {b} & 7)",
)
"""Integers whose wrapping, flooring or shifting an optimiser might forget."""
TEMPTING_HALVES = (
    "half(float32({a}))",
    "half(float64(float32({a})))",
    "half(float32(float64({a}) + float64({b})))",
    "half(float32({a}) + float32({b}))",
    "half(float32({a}) * float32({b}) - float32({c}))",
    "half(float64({a}) * float64({b}))",
    "half(float32({a}) / float32({b}))",
    "half(float32({a}) * 2.0 * 0.5)",
    "half(-float32({a}))",
    "half(sb.abs(float32({a})))",
    "half(sb.sqrt(float32({a})))",
    "half(sb.min(float32({a}), float32({b})))",
    "half(float32({a}) + 0.0)",
    "half(float32({a}) * 0.0009765625)",
    "half(float32(half(float64({a}) * 1.0001)))",
    "half(int32({a}))",
    "half(uint64({a}))",
    "half(int64({a}) * 2 + 1)",
    "sb.bitcast(half, sb.bitcast(uint16, {a}))",
    "sb.bitcast(half, sb.bitcast(uint16, {a}) ^ 32768)",
    "sb.bitcast(half, sb.bitcast(uint16, {a}) + 1)",
    "({a} if float32({a}) < float32({b}) else {b})",
)
"""Halves of halves, where an optimiser might round twice, drop a rounding or flush."""
ROUNDINGS = ("floor", "ceil", "trunc", "round")


BINARY_ELEMENTARY = ("atan2", "atan2pi", "fmod", "hypot", "logaddexp", "pow", "powr", "remainder")
ELEMENTARY = (
    "sin", "cos", "tan", "sinpi", "cospi", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh",
    "acosh", "atanh", "exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p", "cbrt",
    "rsqrt", "exp2m1", "exp10m1", "log2p1", "log10p1", "tanpi", "asinpi",
    "acospi", "atanpi", "erf", "erfc", "tgamma", "lgamma", *BINARY_ELEMENTARY,
)  # fmt: skip
"""Functions of the library that take floats or vectors of them and give the same."""


class Expressions:
    """Draws expressions; `module` is the name under which kernels find the intrinsics."""

    module = "sb"

    def __init__(
        self, rng: Random, hazard: float, palette: list[ScalarType | VectorType],
        callees: list[Callee],
    ) -> None:  # fmt: skip
        self.rng = rng
        self.hazard = hazard
        self.palette = palette
        self.callees = callees
        self.halves = any(is_half(t) for t in palette)
        """Whether the program keeps halves."""
        self.vectors = (*VECTOR_TYPES, *HALF_VECTORS) if self.halves else VECTOR_TYPES
        self.sources = (*NUMBERS, BOOL, *[FLOAT16] * (4 * self.halves))
        """What conversions convert."""
        self.scope = Scope()
        self.affine: dict[str, list[str]] = {}
        """Index expressions of the loop around, by the length that they are for, or by ''."""
        self.budget = 0
        """Calls may still cost this many turns of work at the present place."""

    def risky(self) -> bool:
        return self.rng.random() < self.hazard

    def pick(self) -> ScalarType | VectorType:
        return self.rng.choice(self.palette)

    def number(self) -> ScalarType:
        """A strong number type, from the palette where it has one."""
        t = self.pick()
        t = t.element if isinstance(t, VectorType) else t
        return t if t in NUMBERS and self.rng.random() < 0.8 else self.rng.choice(NUMBERS)

    # Dispatch

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

    def weak_for(self, t: ScalarType, depth: int) -> str:
        """A weak expression that adopts the strong number type `t`."""
        if t.is_ieee and self.rng.random() < 0.6:
            return self.weak_float(depth)
        if self.rng.random() < 0.5:
            value = int_value(self.rng, t if t.is_int else INTS[2])
            return int_literal(max(-INT64_REACH, min(INT64_REACH - 1, value)))
        return self.small_weak(depth)

    # Leaves

    def leaf(self, t: ScalarType | VectorType) -> str:
        """A variable, a value in memory, or a constant."""
        roll = self.rng.random()
        if roll < 0.55:
            names = self.scope.values(t)
            if names:
                return self.rng.choice(names).name
        if roll < 0.9:
            places = [p for p in self.scope.places() if p.type == t]
            if places:
                return self.place(self.rng.choice(places), 1)
        if isinstance(t, VectorType):
            return self.vector_constant(t)
        if t in NUMBERS and self.rng.random() < 0.7:
            others = [v for v in self.scope.all() if v.type in (*NUMBERS, BOOL, FLOAT16)]
            if others:
                return f"{t.name}({self.rng.choice(others).name})"
        return self.constant(t)

    def constant(self, t: ScalarType) -> str:
        if t == BOOL:
            return self.rng.choice(("True", "False"))
        if t == FLOAT16:
            return f"half({self.beside(t, 0.5)})"
        if t.is_float:
            text = self.beside(t, 0.3) if self.halves else float_literal(self.rng, t)
            return text if t.weak else f"{t.name}({text})"
        if t.weak:
            return int_literal(int_value(self.rng, t))
        value = int_value(self.rng, t)
        return f"{t.name}({int_literal(value)})"

    def beside(self, t: ScalarType, chance: float) -> str:
        """A literal of `t`, by `chance` one where rounding to half decides."""
        near = self.rng.random() < chance
        return signed(beside_halves(self.rng)) if near else float_literal(self.rng, t)

    def vector_constant(self, t: VectorType) -> str:
        draw = self.leaf if self.rng.random() < 0.6 else self.constant
        return f"{t.name}({', '.join(draw(t.element) for _ in range(t.length))})"

    def place(self, place: Place, depth: int) -> str:
        """The text of `place`, an index expression in each hole."""
        return place.template.format(*(self.index(length, depth) for length in place.lengths))

    def index(self, length: int | str, depth: int) -> str:
        """An index below `length`, or (rarely) one that may trap."""
        if self.risky():
            return self.rng.choice(
                (
                    lambda: str(self.rng.randint(0, 9)),
                    lambda: f"int({self.integer(self.rng.choice(INTS[:7]), 0)})",
                    lambda: self.rng.choice([v.name for v in self.scope.values(INT)] or ["4"]),
                    lambda: self.integer(self.rng.choice(INTS), 0),
                )
            )()
        if isinstance(length, str) and self.affine and self.rng.random() < 0.85:
            near = self.affine.get(length) or self.affine.get("")
            if near:
                return self.rng.choice(near)
        if self.rng.random() < 0.4 and isinstance(length, int):
            return str(self.rng.randrange(length))
        loops = [v for v in self.scope.values(INT) if isinstance(length, int) and v.bound < length]
        if loops and self.rng.random() < 0.7:
            return self.rng.choice(loops).name
        if isinstance(length, int) and self.rng.random() < 0.5:
            return f"{self.atom(self.rng.choice(INTS), depth)} % {length}"
        return f"{self.weak_int(min(depth, 1))[0]} % {length}"

    def atom(self, t: Type, depth: int) -> str:
        text = self.expr(t, min(depth, 1) - 1 if depth else 0)
        return text if text.replace("_", "").isalnum() or text.endswith(")") else f"({text})"

    # Shared by all numeric types

    def common(self, t: ScalarType | VectorType, depth: int) -> str | None:
        """Ternaries, calls, selects: what every type has. None where nothing came up."""
        roll = self.rng.random()
        if roll < 0.25:
            return f"({self.expr(t, depth - 1)} if {self.boolean(depth - 1)} " \
                   f"else {self.expr(t, depth - 1)})"  # fmt: skip
        if roll < 0.5:
            condition = self.boolean(depth - 1)
            if isinstance(t, VectorType) and self.rng.random() < 0.6:
                condition = self.vector(VECTOR_OF[BOOL, t.length], depth - 1)
            a, b = self.expr(t, depth - 1), self.expr(t, depth - 1)
            return f"{self.module}.select({condition}, {a}, {b})"
        return self.call(t, depth)

    def call(self, t: Type, depth: int) -> str | None:
        """A call of another kernel or a method whose result is `t`."""
        choices = [
            c for c in self.callees if c.result == t and c.cost <= self.budget and self.callable(c)
        ]
        if not choices:
            return None
        return self.call_text(self.rng.choice(choices), depth)

    def callable(self, callee: Callee) -> bool:
        """Whether the scope has a receiver and something for every memory argument."""
        if callee.owner is not None and not self.memory_arguments(callee.owner):
            return False
        return all(
            isinstance(t, ScalarType | VectorType) or self.memory_arguments(t)
            for _, t in callee.params
        )

    def call_text(self, callee: Callee, depth: int) -> str:
        """A call; the last arguments sometimes by name, in any order."""
        count = len(callee.params) - self.rng.randint(0, callee.defaults)
        draw = self.typed_argument if callee.generic else self.argument
        named = self.rng.randint(0, count) if self.rng.random() < 0.2 else count
        plain = [draw(t, depth - 1) for _, t in callee.params[:named]]
        by_name = list(callee.params[named:count])
        self.rng.shuffle(by_name)
        args = ", ".join([*plain, *(f"{name}={draw(t, depth - 1)}" for name, t in by_name)])
        if callee.owner is not None:
            receiver = self.rng.choice(self.memory_arguments(callee.owner))
            return f"{receiver}.{callee.name}({args})"
        return f"{callee.name}({args})"

    def argument(self, t: Type, depth: int) -> str:
        if isinstance(t, ScalarType | VectorType):
            return self.adopted(t, depth)
        return self.rng.choice(self.memory_arguments(t))

    def typed_argument(self, t: Type, depth: int) -> str:
        """An argument that says by itself what a type variable is."""
        if isinstance(t, ScalarType | VectorType):
            return self.expr(t, depth)
        return self.rng.choice(self.memory_arguments(t))

    def memory_arguments(self, t: Type) -> list[str]:
        """Sources of everything in scope that fits a struct or array parameter of type `t`."""
        if isinstance(t, StructType):
            return [v.name for v in self.scope.structs(t, writable=True)] + [
                self.place(p, 0) for p in self.scope.places() if p.type == t and not p.readonly
            ]
        found: list[str] = []
        for v in self.scope.arrays():
            if _viewed(v.type) == (t.element, t.ndim) and (t.readonly or not v.readonly):
                found.append(v.name)
            elif _viewed(v.type) == (t.element, t.ndim + 1) and (t.readonly or not v.readonly):
                length = v.type.shape[0] if isinstance(v.type, FixedArrayType) \
                    else f"{v.name}.shape[0]"  # fmt: skip
                if not isinstance(v.type, FixedArrayType):
                    found.append(f"{v.name}[{self.index(length, 0)}]")
        found += [
            self.place(p, 0)
            for p in self.scope.places()
            if isinstance(p.type, FixedArrayType)
            and _viewed(p.type) == (t.element, t.ndim)
            and (t.readonly or not p.readonly)
        ]
        return found

    # Booleans

    def boolean(self, depth: int) -> str:
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
            return f"int({self.leaf(t)})", INT64_REACH
        arrays = self.scope.arrays()
        if arrays and roll < 0.75:
            v = self.rng.choice(arrays)
            if isinstance(v.type, FixedArrayType):
                return f"len({v.name})", 64
            return f"{v.name}.shape[{v.type.ndim - 1}]", 64  # type: ignore[union-attr]
        value = self.rng.randint(-3, 40)
        return int_literal(value), 64

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

    # Strong integers

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

    def operands(self, t: ScalarType, depth: int) -> tuple[str, str]:
        """Two operands whose common type is `t`: strong, mixed, or one of them weak."""
        roll = self.rng.random()
        pairs = BY_RESULT.get(t, [])
        if roll < 0.2 and pairs:
            a, b = self.rng.choice(pairs)
            return self.expr(a, depth - 1), self.expr(b, depth - 1)
        strong = self.expr(t, depth - 1)
        if roll < 0.35:
            return strong, self.weak_for(t, depth - 1)
        if roll < 0.42:
            return self.weak_for(t, depth - 1), strong
        return strong, self.expr(t, depth - 1)

    def integer_binary(self, t: ScalarType, depth: int) -> str:
        sign = self.rng.choice(("+", "-", "*", "+", "-", "*", "&", "|", "^", "//", "%", "<<", ">>"))
        a, b = self.operands(t, depth)
        if sign in ("//", "%") and not self.risky():
            b = f"({self.expr(t, depth - 1)} | 1)"
        if sign in ("<<", ">>") and self.rng.random() < 0.6:
            a, b = self.expr(t, depth - 1), str(self.rng.randint(0, min(t.bits + 2, 64)))
        return f"({a} {sign} {b})"

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

    def intrinsic(self, name: str, t: ScalarType | VectorType, count: int, depth: int) -> str:
        """A call with `count` operands of type `t`, a literal now and then."""
        args = [self.expr(t, depth - 1)]
        scalar = t.element if isinstance(t, VectorType) else t
        for _ in range(count - 1):
            if self.rng.random() < 0.15 and scalar in NUMBERS and not isinstance(t, VectorType):
                # Functions of floats alone take no int, which min, max and clamp do.
                floats_only = name in ("fma", "copysign")
                args.append(self.weak_float(0) if floats_only else self.weak_for(scalar, 0))
            else:
                args.append(self.expr(t, depth - 1))
        return f"{self.module}.{name}({', '.join(args)})"

    def conversion(self, t: ScalarType, depth: int) -> str:
        source = self.rng.choice(self.sources)
        return f"{t.name}({self.expr(source, depth - 1)})"

    def component(self, t: ScalarType, depth: int) -> str:
        vectors = [v for v in self.vectors if v.element == t]
        if not vectors:
            return self.leaf(t)
        v = self.rng.choice(vectors)
        k = self.rng.randrange(v.length)
        tail = f".{COMPONENTS[k]}" if self.rng.random() < 0.7 else f"[{k}]"
        return f"{self.atom(v, depth)}{tail}"

    def tempting(self, forms: tuple[str, ...], t: ScalarType | VectorType, depth: int) -> str:
        """One of `forms` over two or three operands, each written wherever it occurs."""
        form = self.rng.choice(forms)
        a, b, c = (self.variable(t, depth) for _ in "abc")
        return form.format(a=a, b=b, c=c)

    def variable(self, t: ScalarType | VectorType, depth: int) -> str:
        """A variable or place of type `t`; an expression where there is none."""
        names = [v.name for v in self.scope.values(t)]
        places = [p for p in self.scope.places() if p.type == t]
        if names and (not places or self.rng.random() < 0.6):
            return self.rng.choice(names)
        if places:
            return self.place(self.rng.choice(places), 0)
        return self.expr(t, min(depth - 1, 1))

    # Strong floats

    def float(self, t: ScalarType, depth: int) -> str:
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

    def float_binary(self, t: ScalarType, depth: int) -> str:
        a, b = self.operands(t, depth)
        sign = self.rng.choice("+-*/+-*")
        if t == FLOAT64 and self.rng.random() < 0.1:
            source = self.rng.choice(INTS)
            if self.rng.random() < 0.5:
                return f"({self.expr(source, depth - 1)} / {self.expr(source, depth - 1)})"
            return f"({self.expr(source, depth - 1)} {sign} {self.weak_float(0)})"
        return f"({a} {sign} {b})"

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
            return f"({a} {rng.choice('+-*/')} {b})"
        sign = rng.choice(("+", "-", "*", "&", "|", "^", "//", "%", "<<", ">>"))
        if sign in ("//", "%") and not self.risky():
            b = f"({self.expr(t, depth - 1)} | 1)"
        return f"({a} {sign} {b})"

    def vector_operands(self, t: VectorType, depth: int) -> tuple[str, str]:
        """Two vectors, or a vector and a scalar in either order."""
        roll = self.rng.random()
        v = self.expr(t, depth - 1)
        if roll < 0.6:
            return v, self.expr(t, depth - 1)
        s = self.expr(t.element, depth - 1) if roll < 0.8 else self.weak_for(t.element, 0)
        return (v, s) if self.rng.random() < 0.6 else (s, v)

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

    # Structs

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


def _viewed(t: object) -> tuple[object, int] | None:
    """Element and dimensions of what can be passed as an array."""
    if isinstance(t, FixedArrayType):
        return t.element, len(t.shape)
    element, ndim = getattr(t, "element", None), getattr(t, "ndim", None)
    return None if ndim is None else (element, ndim)


__all__ = ["COMPARISONS", "FLOAT32", "FLOATS", "Expressions", "Variable"]
