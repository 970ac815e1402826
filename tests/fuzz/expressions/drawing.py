"""Leaves, places, calls and choices: what expressions of every type are made of."""

from __future__ import annotations

import re
from random import Random
from typing import Any

from samebits.types import (
    BOOL,
    COMPONENTS,
    FLOAT16,
    INT,
    FixedArrayType,
    ScalarType,
    StructType,
    Type,
    VectorType,
)
from tests.fuzz.expressions.forms import BY_RESULT, NARROWER, VECTOR_OF
from tests.fuzz.literals import (
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
from tests.fuzz.scope import CAPTURED, Callee, Place, Scope

INDICES = 8
"""How many indices are inside one another at most."""


class Drawing:
    """What draws expressions; `module` is the name under which kernels find the intrinsics."""

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
        self.powers: Random | None = None
        """Draws powers and ints of floats; a generator of its own leaves other programs alone."""
        self.quotients: Random | None = None
        """Draws quotients of integers beside Python's ints, which need not fit their type."""
        self.loops: Random | None = None
        """Draws loops over elements, indices from the end and shapes, as `powers` does powers."""
        self.tuples: Any = None
        """Draws `in`, `float()` and elements of tuples (`tests.fuzz.tuples`)."""
        self.scope = Scope()
        self.affine: dict[str, list[str]] = {}
        """Index expressions of the loop around, by the length that they are for, or by ''."""
        self.budget = 0
        """Calls may still cost this many iterations of work at the present place."""
        self.inside = 0
        """How many places' indices are around: without an end to it, an index of an index of an
        index never ends where most values of a program lie in memory."""

    def risky(self) -> bool:
        return self.rng.random() < self.hazard

    def powered(self, text: str) -> str:
        """The expression, or a power of it."""
        if self.powers is None or self.powers.random() >= 0.1:
            return text
        return f"({text}**{self.powers.choice((1, 2, 2, 2, 3, 3, 4, 5, 7, 8, 17))})"

    def pick(self) -> ScalarType | VectorType:
        return self.rng.choice(self.palette)

    def number(self) -> ScalarType:
        """A strong number type, from the palette where it has one."""
        t = self.pick()
        t = t.element if isinstance(t, VectorType) else t
        return t if t in NUMBERS and self.rng.random() < 0.8 else self.rng.choice(NUMBERS)

    # Leaves

    def leaf(self, t: ScalarType | VectorType) -> str:
        """A variable, a value in memory, or a constant."""
        if self.tuples is not None and self.tuples.rng.random() < 0.05:
            element = self.tuples.element(t)
            if element is not None:
                return str(element)
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
        if self.inside == INDICES:
            return place.template.format(*("0" for _ in place.lengths))
        self.inside += 1
        text = place.template.format(*(self.index(length, depth) for length in place.lengths))
        self.inside -= 1
        return text

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
        if self.loops is not None and self.loops.random() < 0.05:
            far = length if isinstance(length, int) else 1
            return str(-self.loops.randint(1, far + self.risky()))
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

    # Choices and calls, which every type has

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

    def operands(self, t: ScalarType, depth: int, *, shift: bool = False) -> tuple[str, str]:
        """Two operands whose common type is `t`: strong, mixed, or one of them weak."""
        roll = self.rng.random()
        pairs = BY_RESULT.get(t, [])
        if roll < 0.2 and pairs:
            a, b = self.rng.choice(pairs)
            return self.expr(a, depth - 1), self.expr(b, depth - 1)
        strong = self.expr(t, depth - 1)
        if roll < 0.35:
            weak = self.weak_for(t, depth - 1)
            return strong, self.within(weak, t) if shift else weak
        if roll < 0.42:
            return self.weak_for(t, depth - 1), strong
        return strong, self.expr(t, depth - 1)

    def within(self, count: str, t: ScalarType) -> str:
        """A weak count of a shift: below the width where it may be a constant."""
        if count.isdigit():
            return str(int(count) % t.bits)
        used = set(re.findall(r"\w+", count))
        if any(
            v.name in used and (v.mutable or v.bound != CAPTURED) for v in self.scope.values(INT)
        ):
            return count
        return f"({count} & {t.bits - 1})"

    def intrinsic(self, name: str, t: ScalarType | VectorType, count: int, depth: int) -> str:
        """A call with `count` operands of type `t`, a literal now and then."""
        args = [self.expr(t, depth - 1)]
        scalar = t.element if isinstance(t, VectorType) else t
        for _ in range(count - 1):
            roll = 1.0 if isinstance(t, VectorType) else self.rng.random()
            # Functions of floats alone take no integer of a width, which min, max and clamp do.
            floats_only = name in ("fma", "copysign")
            narrower = [u for u in NARROWER.get(t, ()) if u.is_float or not floats_only]
            if roll < 0.15 and scalar in NUMBERS:
                args.append(self.weak_for(scalar, 0))
            elif roll < 0.3 and narrower:
                args.append(self.expr(self.rng.choice(narrower), depth - 1))
            else:
                args.append(self.expr(t, depth - 1))
        return f"{self.module}.{name}({', '.join(args)})"

    def conversion(self, t: ScalarType, depth: int) -> str:
        source = self.rng.choice(self.sources)
        return f"{t.name}({self.expr(source, depth - 1)})"

    # What the classes over this one draw

    def adopted(self, t: Type, depth: int) -> str:
        raise NotImplementedError

    def boolean(self, depth: int) -> str:
        raise NotImplementedError

    def expr(self, t: Type, depth: int) -> str:
        raise NotImplementedError

    def float_intrinsic(self, t: ScalarType | VectorType, depth: int) -> str:
        raise NotImplementedError

    def integer(self, t: ScalarType, depth: int) -> str:
        raise NotImplementedError

    def vector(self, t: VectorType, depth: int) -> str:
        raise NotImplementedError

    def weak_float(self, depth: int) -> str:
        raise NotImplementedError

    def weak_for(self, t: ScalarType, depth: int) -> str:
        raise NotImplementedError

    def weak_int(self, depth: int) -> tuple[str, int]:
        raise NotImplementedError


def _viewed(t: object) -> tuple[object, int] | None:
    """Element and dimensions of what can be passed as an array."""
    if isinstance(t, FixedArrayType):
        return t.element, len(t.shape)
    element, ndim = getattr(t, "element", None), getattr(t, "ndim", None)
    return None if ndim is None else (element, ndim)
