"""Heads of loops over elements, counted, zipped and reversed, and over ranges of any step.

Owns their text and the names that they bind. Every choice comes from a generator of its own, so
that the programs of seeds without it are the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from samebits.types import (
    INT,
    INT8,
    INT16,
    INT32,
    INT64,
    ArrayType,
    FixedArrayType,
    MemoryType,
    ScalarType,
    StructType,
    VectorType,
)
from tests.fuzz.expressions import Expressions
from tests.fuzz.scope import INT64_REACH, Variable

CHANCE = 0.45
"""How many loops have such a head, where a program has them at all."""
ARRAY = 17
"""Most elements of an array that is given."""
EDGE = (1 << 63) - 1


@dataclass(frozen=True)
class Head:
    """A head in parts: the target's text, what is looped over, the names bound, and the most
    iterations."""

    target: str
    text: str
    names: tuple[Variable, ...]
    iterations: int


def generator_of(seed: int, first: int, halves: bool) -> Random | None:
    """What draws the loops of the program of `seed`; None if it has none of these."""
    return Random(f"samebits fuzz loops {seed}") if seed >= first and not halves else None


class Heads:
    """Draws heads for one place of a program."""

    def __init__(self, rng: Random, draw: Expressions, fresh: Iterator[str]) -> None:
        self.rng = rng
        self.draw = draw
        self.fresh = fresh
        self.elements = list(self._elements())

    def draw_head(self, room: int) -> Head | None:
        """A head of at most `room` iterations, or nothing."""
        makers = [self.over_range, self.enumerated, self.enumerated, self.zipped]
        makers += [self.over_array] * 3 + [self.backwards] * 2
        return self.rng.choice(makers)(room, 0)

    def any_head(self, room: int, depth: int) -> Head | None:
        makers = [self.over_array] * 4 + [self.over_range, self.plain_range, self.backwards]
        if depth < 2:
            makers += [self.enumerated, self.zipped]
        return self.rng.choice(makers)(room, depth)

    # Arrays

    def _elements(self) -> Iterator[tuple[str, MemoryType, int, bool]]:
        """Arrays of one dimension: text, element, length, and whether it is read-only."""
        for v in self.draw.scope.all():
            t = v.type
            if isinstance(t, ArrayType):
                if t.ndim == 1:
                    yield v.name, t.element, ARRAY, v.readonly or t.readonly
                elif t.ndim == 2:
                    row = f"{v.name}[{self.draw.index(f'{v.name}.shape[0]', 0)}]"
                    yield row, t.element, ARRAY, v.readonly or t.readonly
            elif isinstance(t, FixedArrayType) and len(t.shape) == 1:
                if not (v.owner and isinstance(t.element, StructType)):
                    yield v.name, t.element, t.shape[0], v.readonly
            elif isinstance(t, StructType):
                for name, field in t.fields:
                    if isinstance(field, FixedArrayType) and len(field.shape) == 1:
                        if v.owner and isinstance(field.element, StructType):
                            continue
                        yield f"{v.name}.{name}", field.element, field.shape[0], v.readonly

    def array(self, room: int) -> tuple[str, MemoryType, int, bool] | None:
        fit = [e for e in self.elements if e[2] <= room]
        return self.rng.choice(fit) if fit else None

    def bound(self, t: MemoryType, readonly: bool) -> tuple[str, tuple[Variable, ...]]:
        """A name for an element."""
        if self.rng.random() < 0.12:
            return "_", ()
        name = next(self.fresh)
        value = isinstance(t, ScalarType | VectorType)
        return name, (Variable(name, t, mutable=value, readonly=readonly and not value),)

    def over_array(self, room: int, _depth: int) -> Head | None:
        found = self.array(room)
        if found is None:
            return None
        text, t, count, readonly = found
        name, names = self.bound(t, readonly)
        return Head(name, text, names, count)

    # Ranges

    def number(self, bound: int) -> tuple[str, tuple[Variable, ...]]:
        if self.rng.random() < 0.12:
            return "_", ()
        name = next(self.fresh)
        return name, (Variable(name, INT, mutable=self.rng.random() < 0.2, bound=bound),)

    def plain_range(self, room: int, _depth: int) -> Head:
        n = self.rng.randint(0, min(room, 9))
        start = self.rng.choice((0, 0, 1, 3, -2))
        name, names = self.number(16)
        text = f"range({start + n})" if start == 0 else f"range({start}, {start + n})"
        return Head(name, text, names, max(1, n))

    def over_range(self, room: int, _depth: int) -> Head:
        """A range whose step is no constant."""
        rng, draw = self.rng, self.draw
        t = rng.choice((INT, INT, INT8, INT16, INT32, INT64))
        step = f"({draw.atom(t, 1)} & {rng.choice((1, 3, 7))})"
        if not draw.risky() or not any(map(str.isalpha, step)):  # a constant 0 is refused
            step = f"({step} + 1)"
        start, n = rng.randint(-5, 5), rng.randint(0, min(room, 6))
        bound = 64
        if rng.random() < 0.2 and t == INT:
            step, n, bound = f"({step} + {EDGE // 2})", 4, INT64_REACH
            ends = rng.choice(((-EDGE, EDGE), (f"-{EDGE} - 1", EDGE), (-3, EDGE), (-EDGE, 5)))
        elif rng.random() < 0.2:
            start, bound = rng.choice((EDGE - n, -EDGE)), INT64_REACH
            ends = (start, start + n)
        else:
            ends = (start, start + n)
        if rng.random() < 0.4:
            ends, step = ends[::-1], f"-{step}"
        name, names = self.number(bound)
        return Head(name, f"range({ends[0]}, {ends[1]}, {step})", names, max(1, n))

    # Heads of heads

    def backwards(self, room: int, depth: int) -> Head | None:
        inner = self.rng.choice((self.over_array, self.over_range, self.plain_range))(room, depth)
        if inner is None:
            return None
        return Head(inner.target, f"reversed({inner.text})", inner.names, inner.iterations)

    def enumerated(self, room: int, depth: int) -> Head | None:
        inner = self.any_head(room, depth + 1)
        if inner is None:
            return None
        rng = self.rng
        start, bound = rng.choice(
            (("", 64), ("", 64), (", 1", 64), (", start=3", 64), (", -2", 64))
        )
        if rng.random() < 0.15:
            start, bound = f", {EDGE - rng.choice((1, 2, 20, 40))}", INT64_REACH
        elif rng.random() < 0.2:
            start, bound = f", {self.draw.tame(0)[0]}", INT64_REACH
        name, names = self.number(bound)
        target = f"{name}, {_nested(inner.target)}"
        return Head(target, f"enumerate({inner.text}{start})", names + inner.names,
                    inner.iterations)  # fmt: skip

    def zipped(self, room: int, depth: int) -> Head | None:
        parts = [self.any_head(room, depth + 1) for _ in range(self.rng.choice((1, 2, 2, 2, 3)))]
        heads = [part for part in parts if part is not None]
        if not heads:
            return None
        target = ", ".join(_nested(head.target) for head in heads) + "," * (len(heads) == 1)
        names = tuple(name for head in heads for name in head.names)
        return Head(target, f"zip({', '.join(head.text for head in heads)})", names,
                    min(head.iterations for head in heads))  # fmt: skip


def _nested(target: str) -> str:
    return f"({target})" if "," in target else target
