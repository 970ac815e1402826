"""Loops over tuples, `in`, `float()`, elements of tuples of the module, numbers as conditions.

They have a generator of their own, which leaves what else a program has as it is.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random

from samebits.types import BOOL, FLOAT, FLOAT16, INT, ScalarType, VectorType
from tests.fuzz.expressions import Expressions
from tests.fuzz.expressions.forms import COMPARABLE
from tests.fuzz.literals import NUMBERS, VECTOR_TYPES, int_literal, int_value
from tests.fuzz.scope import Variable
from tests.fuzz.statements import Body

FIRST_SEED = 1_000_000
"""Programs of smaller seeds were compared, and are named, without these: they stay."""
CALLS_FROM = 9_000_000
"""First seed of programs with calls of constants, such as `int(3)`."""
CALLS = ("int({a})", "round({a})", "divmod({a}, {b})[0]", "({a}, {b})[0]")
STATEMENTS = 0.1
EDGES = ("", "", ", 1", ", start=3", ", -2", ", 9223372036854775806")

Item = ScalarType | VectorType


@dataclass(frozen=True)
class Constant:
    """A tuple at module level: the type of each item, or of each column of its rows."""

    name: str
    columns: tuple[Item, ...]
    count: int

    @property
    def flat(self) -> bool:
        return len(self.columns) == 1


class Tuples:
    """What the program of `seed` has of them."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(f"samebits fuzz tuples {seed}")
        self.wanted = seed >= FIRST_SEED
        self.calls = seed >= CALLS_FROM
        self.busy = False
        self.constants: list[Constant] = []

    @contextmanager
    def _drawing(self, body: Body) -> Generator[None]:
        """Inside, everything is drawn from this generator."""
        saved, self.busy = body.rng, True
        body.rng = body.draw.rng = self.rng
        try:
            yield
        finally:
            body.rng = body.draw.rng = saved
            self.busy = False

    # Tuples of the module

    def module(self, palette: list[Item]) -> list[str]:
        """The lines of some constants."""
        if not self.wanted:
            return []
        lines: list[str] = []
        for k in range(self.rng.choice((0, 1, 1, 2, 3))):
            columns = tuple(self._type(palette) for _ in range(self.rng.choice((1, 1, 1, 2, 3))))
            count = self.rng.randint(1, 6)
            draw = Expressions(self.rng, 0.0, palette, [])
            constant = Constant(f"TK{k}", columns, count)
            self.constants.append(constant)
            rows = [[self._constant(draw, t) for t in columns] for _ in range(count)]
            items = [row[0] if constant.flat else _written(row) for row in rows]
            lines.append(f"{constant.name} = {_written(items)}")
        return lines

    def _constant(self, draw: Expressions, t: Item) -> str:
        if isinstance(t, VectorType):
            return f"{t.name}({', '.join(draw.constant(t.element) for _ in range(t.length))})"
        return draw.constant(t)

    def _type(self, palette: list[Item]) -> Item:
        rng = self.rng
        roll = rng.random()
        if roll < 0.2:
            return rng.choice((INT, INT, FLOAT, BOOL))
        known = [t for t in palette if t != FLOAT16 and t in (*NUMBERS, *VECTOR_TYPES)]
        return rng.choice(known) if known and roll < 0.8 else rng.choice(NUMBERS)

    def element(self, t: Item) -> str | None:
        """An element of a tuple of the module that is a `t`, or a call of constants that gives one;
        None where there is none."""
        if self.calls and t == INT and self.rng.random() < 0.5:
            a, b = (int_literal(int_value(self.rng, INT)) for _ in "ab")
            return self.rng.choice(CALLS).format(a=a, b=b)
        places: list[str] = []
        for constant in self.constants:
            k = self.rng.randrange(-constant.count, constant.count)
            for column, item in enumerate(constant.columns):
                if item == t:
                    places.append(f"{constant.name}[{k}]" + f"[{column}]" * (not constant.flat))
        return self.rng.choice(places) if places else None

    # Expressions

    def called(self, number: str) -> str:
        """An int literal, or sometimes a call that gives its value."""
        if not self.calls or self.rng.random() < 0.6:
            return number
        return self.rng.choice(CALLS).format(a=number, b=1)

    def contains(self, draw: Expressions, depth: int) -> str:
        """A number in a tuple, list or set that is written out, or in one of the module."""
        rng = self.rng
        t = rng.choice((draw.number(), draw.number(), INT, FLOAT))
        number = draw.variable(t, depth) if t in NUMBERS else draw.expr(t, min(depth, 1))
        word = rng.choice(("in", "in", "not in"))
        known = [c for c in self.constants if c.flat and self._compares(t, c.columns[0])]
        if known and rng.random() < 0.3:
            return f"({number} {word} {rng.choice(known).name})"
        items = [self._compared(draw, t, depth - 1) for _ in range(rng.choice((1, 2, 2, 3, 5)))]
        if rng.random() < 0.3:
            items[0] = number
        text = _written(items)
        if rng.random() < 0.3:
            text = rng.choice(("[{}]", "{{{}}}")).format(", ".join(items))
        return f"({number} {word} {text})"

    @staticmethod
    def _compares(a: Item, b: Item) -> bool:
        if isinstance(a, VectorType) or isinstance(b, VectorType) or b == BOOL:
            return False
        return a == b or (not (a.weak or b.weak) and (a, b) in COMPARABLE)

    def _compared(self, draw: Expressions, t: ScalarType, depth: int) -> str:
        rng = self.rng
        if t.weak:
            return draw.expr(t, min(depth, 1))
        roll = rng.random()
        others = [b for a, b in COMPARABLE if a == t]
        if roll < 0.2 and others:
            return draw.expr(rng.choice(others), depth)
        if roll < 0.5:
            return draw.weak_for(t, 0)
        return "NAN" if t.is_float and roll < 0.55 else draw.expr(t, depth)

    def truth(self, draw: Expressions) -> str:
        """A number as a condition."""
        t = self.rng.choice((draw.number(), draw.number(), INT, FLOAT))
        number = draw.expr(t, self.rng.choice((0, 1)))
        return self.rng.choice(("{}", "{}", "not {}", "(not {})")).format(number)

    def as_float(self, draw: Expressions, depth: int) -> str:
        """A Python float of any number or bool."""
        source = self.rng.choice((*NUMBERS, BOOL, INT, FLOAT))
        return f"float({draw.expr(source, depth - 1)})"

    # Loops

    def statement(self, body: Body) -> None:
        """Sometimes a loop over a tuple."""
        if not self.wanted or self.busy or body.level > 3 or self.rng.random() >= STATEMENTS:
            return
        room = body.room()
        if room < 2:
            return
        with self._drawing(body):
            target, text, names, count = self._head(body, min(room, 6))
            body.emit(f"for {target} in {text}:")
            body.scope.push()
            for name in names:
                body.scope.add(name)
            body.loop_body(self.rng.choice((0, 1, 1, 2)), count)
            body.scope.pop()
            body.loop_else()

    def _head(self, body: Body, most: int) -> tuple[str, str, list[Variable], int]:
        """Target, what is looped over, the names, and the most iterations."""
        rng = self.rng
        target, text, names, count = self._one(body, most)
        roll = rng.random()
        if roll < 0.5:
            return target, text, names, count
        if roll < 0.6:
            return target, f"reversed({text})", names, count
        if roll < 0.8:
            number = body.fresh("i")
            names = [Variable(number, INT, mutable=False), *names]
            inner = f"({target})" if "," in target else target
            start = rng.choice(EDGES if body.draw.risky() else EDGES[:-1])
            return f"{number}, {inner}", f"enumerate({text}{start})", names, count
        other, second, more, length = self._one(body, most)
        if rng.random() < 0.3:
            length = rng.randint(1, most)
            other, more = body.fresh("i"), []
            second = f"range({length})"
        targets = [f"({part})" if "," in part else part for part in (target, other)]
        parts = [text, rng.choice((second, f"reversed({second})"))]
        return ", ".join(targets), f"zip({', '.join(parts)})", names + more, min(count, length)

    def _one(self, body: Body, most: int) -> tuple[str, str, list[Variable], int]:
        """One tuple, of the module or written out."""
        rng = self.rng
        known = [c for c in self.constants if c.count <= most]
        if known and rng.random() < 0.4:
            constant = rng.choice(known)
            names = [body.fresh("x") for _ in constant.columns]
            variables = [self._variable(n, t) for n, t in zip(names, constant.columns, strict=True)]
            return ", ".join(names), constant.name, variables, constant.count
        columns = [self._type(body.draw.palette) for _ in range(rng.choice((1, 1, 1, 2, 3)))]
        names = [body.fresh("x") for _ in columns]
        count = rng.randint(1, most)
        if len(columns) == 1:
            items = [self._item(body.draw, columns[0], k) for k in range(count)]
        else:
            rows = [[self._item(body.draw, t, k) for t in columns] for k in range(count)]
            items = [_written(row) for row in rows]
        text = f"[{', '.join(items)}]" if rng.random() < 0.2 else _written(items)
        variables = [self._variable(n, t) for n, t in zip(names, columns, strict=True)]
        return ", ".join(names), text, variables, count

    def _variable(self, name: str, t: Item) -> Variable:
        return Variable(name, t, mutable=t != INT and self.rng.random() < 0.7)

    def _item(self, draw: Expressions, t: Item, k: int) -> str:
        """Item `k`; any but the first may be a number that takes the type of the others."""
        if k and isinstance(t, ScalarType) and t not in (BOOL, INT) and self.rng.random() < 0.2:
            return draw.tame(0)[0] if t == FLOAT else draw.weak_for(t, 0)
        if t == INT:
            if self.rng.random() < 0.7:
                return int_literal(self.rng.randint(-9, 40))
            return draw.tame(1)[0]
        return draw.expr(t, self.rng.choice((0, 0, 1)))


def _written(items: list[str]) -> str:
    return f"({', '.join(items)}{',' * (len(items) == 1)})"
