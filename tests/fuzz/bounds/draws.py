"""Random integer, boolean and element expressions over what is in scope, as source text.

Owns how operands, indices and conditions are drawn from the language. Knows nothing of
statements, and must not know what any pass recognises: it draws, and others judge.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

INTS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float32", "float64")
WEAK = "int"
BITS = {name: int(name.lstrip("uintfloa")) for name in (*INTS, *FLOATS)}
EDGES = (7, 8, 15, 16, 30, 31, 32, 47, 48, 61, 62, 63, 64)
"""Powers of two near which something may change: widths of types, and halves of them."""


SMALL = (0, 1, 1, 2, 2, 3, 4, 5, 7, 8, -1, -1, -2, -3)


def _is_literal(text: str) -> bool:
    """Whether an expression is an int literal, which has no type of its own."""
    return text.lstrip("(-").rstrip(")").isdigit()


def reach(t: str) -> tuple[int, int]:
    """Least and greatest value of an integer type."""
    if t == WEAK:
        return -(1 << 63), (1 << 63) - 1
    bits = BITS[t]
    return (0, (1 << bits) - 1) if t[0] == "u" else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)


def extreme(rng: Random, t: str) -> int:
    """A value at or beside an edge of some type, that `t` holds."""
    low, high = reach(t)
    if rng.random() < 0.25:
        return rng.choice((low, low, low + 1, high - 1, high, high))
    for _ in range(8):
        value = (1 << rng.choice(EDGES)) + rng.choice((-2, -1, -1, 0, 0, 0, 1, 1, 2, 3, 5))
        value = -value if rng.random() < 0.4 else value
        if low <= value <= high:
            return value
    return rng.choice((low, low + 1, high - 1, high))


def halved(rng: Random, t: str) -> int:
    """A value of which other signedness makes another number, just past where it does so."""
    low, high = reach(t)
    small = rng.choice((0, 0, 0, 1, 1, 2, 3, 5))
    return low + small if low else (high + 1) // 2 + small


@dataclass(frozen=True)
class Array:
    """Elements in scope: `place` has a hole for each index, `lengths` are the sources of how many
    there are, literals where they are fixed.

    `name` is of an array that can be passed on whole, or empty. `own` is the one first index at
    which an iteration of a parallel range may touch it, where that is so. `root` is the array in
    whose memory a view lies.
    """

    name: str
    place: str
    element: str
    lengths: tuple[str, ...]
    readonly: bool = False
    own: str | None = None
    root: str = ""


def plain(name: str, element: str, dimensions: int, *, readonly: bool = False) -> Array:
    """A parameter or a name of an array of scalars."""
    lengths = tuple(f"{name}.shape[{k}]" for k in range(dimensions))
    lengths = (f"len({name})",) if dimensions == 1 else lengths
    holes = ", ".join(["{}"] * dimensions)
    return Array(name, f"{name}[{holes}]", element, lengths, readonly)


@dataclass(frozen=True)
class Function:
    """A kernel that can be called: types of its parameters, and of its result."""

    name: str
    params: tuple[str, ...]
    result: str


@dataclass
class Block:
    """The names of one block of source: integers by type, counters among them, and arrays."""

    numbers: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    mutable: set[str] = field(default_factory=set[str])
    counters: list[str] = field(default_factory=list[str])
    arrays: list[Array] = field(default_factory=list[Array])


class Draws:
    """Draws expressions from `blocks`, innermost last."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.blocks = [Block()]
        self.functions: list[Function] = []
        self.wild = rng.choice((0.02, 0.08, 0.2))
        """How often a literal or an index is anything at all."""

    # Scope

    def numbers(self, t: str) -> list[str]:
        return [name for block in self.blocks for name in block.numbers.get(t, ())]

    def counters(self) -> list[str]:
        return [name for block in self.blocks for name in block.counters]

    def arrays(self) -> Iterator[Array]:
        for block in self.blocks:
            yield from block.arrays

    def add(self, t: str, name: str, *, mutable: bool = False) -> None:
        self.blocks[-1].numbers.setdefault(t, []).append(name)
        if mutable:
            self.blocks[-1].mutable.add(name)

    def mutable(self) -> list[tuple[str, str]]:
        """Type and name of what may be assigned."""
        return [
            (t, name)
            for block in self.blocks
            for t, names in block.numbers.items()
            for name in names
            if name in block.mutable
        ]

    def lengths(self) -> list[str]:
        return [text for array in self.arrays() for text in array.lengths]

    # Leaves

    def literal(self, t: str) -> str:
        low, high = reach(t)
        if self.rng.random() < self.wild:
            value = extreme(self.rng, t)
        else:
            value = max(low, min(high, self.rng.choice(SMALL)))
        if value == -(1 << 63):
            return f"(-{(1 << 63) - 1} - 1)"
        return f"({value})" if value < 0 else str(value)

    def weak_leaf(self) -> str:
        rng, roll = self.rng, self.rng.random()
        counters, weak, lengths = self.counters(), self.numbers(WEAK), self.lengths()
        if roll < 0.3 and counters:
            return rng.choice(counters)
        if roll < 0.5 and weak:
            return rng.choice(weak)
        if roll < 0.62 and lengths:
            return rng.choice(lengths)
        types = [t for t in INTS if self.numbers(t)]
        if roll < 0.84 and types:
            t = rng.choice(types)
            return self.widened(t, rng.choice(self.numbers(t)))
        t = rng.choice(INTS)
        if roll < 0.87 and (found := self.element(t)):
            return self.widened(t, found)
        return self.literal(WEAK)

    def widened(self, t: str, text: str) -> str:
        """A fixed-width integer as a Python int, through another width or straight."""
        if t == "uint64" or self.rng.random() < 0.5:
            text = f"{self.rng.choice(INTS[:-1])}({text})"
        return f"int({text})"

    def types(self) -> list[str]:
        """Fixed-width types that something in scope has, all of them where nothing has."""
        return [t for t in INTS if self.numbers(t)] or [*INTS]

    def fixed_leaf(self, t: str) -> str:
        rng, roll = self.rng, self.rng.random()
        if roll < 0.55 and (names := self.numbers(t)):
            return rng.choice(names)
        if roll < 0.8:
            other = rng.choice(self.types())
            names = self.numbers(other)
            if names and other != t:
                return f"{t}({rng.choice(names)})"
        if roll < 0.9 and (found := self.element(t)):
            return found
        return f"{t}({self.literal(t)})"

    def element(self, t: str) -> str | None:
        """An element of some array of `t`."""
        arrays = [array for array in self.arrays() if array.element == t]
        return self.access(self.rng.choice(arrays)) if arrays else None

    # Expressions

    def number(self, t: str, depth: int) -> str:
        return self.weak(depth) if t == WEAK else self.fixed(t, depth)

    def weak(self, depth: int) -> str:
        """A Python int."""
        if depth <= 0:
            return self.weak_leaf()
        rng, roll = self.rng, self.rng.random()
        if roll < 0.6:
            return self.binary(WEAK, depth)
        if roll < 0.78:
            return self.common(WEAK, depth)
        if roll < 0.92:
            t = rng.choice(self.types())
            return self.widened(t, self.fixed(t, depth - 1))
        return self.weak_leaf()

    def fixed(self, t: str, depth: int) -> str:
        """An integer of fixed width, or a float where `t` is one."""
        if t in FLOATS:
            return self.float(t)
        if depth <= 0:
            return self.fixed_leaf(t)
        rng, roll = self.rng, self.rng.random()
        if roll < 0.5:
            return self.binary(t, depth)
        if roll < 0.7:
            return self.common(t, depth)
        if roll < 0.88:
            other = rng.choice(self.types())
            inner = self.fixed(other, depth - 1) if rng.random() < 0.8 else self.weak(depth - 1)
            return f"{t}({inner})"
        return self.fixed_leaf(t)

    def float(self, t: str) -> str:
        found = self.element(t) if self.rng.random() < 0.4 else None
        if found:
            return f"({found} * {t}(0.5))" if self.rng.random() < 0.5 else found
        return f"{t}({self.weak(0)})"

    def binary(self, t: str, depth: int) -> str:
        rng = self.rng
        sign = rng.choice(("+", "+", "+", "-", "-", "*", "*", "//", "%", "<<", ">>", "&", "|", "^"))
        a = self.number(t, depth - 1)
        if sign in ("//", "%", "<<", ">>") and rng.random() < 0.75:
            b = rng.choice(("1", "2", "2", "3", "4", "5", "8"))
            if sign in ("//", "%") and t[0] != "u" and rng.random() < 0.2:
                b = f"(-{b})"
        elif rng.random() < 0.4:
            b = self.literal(t)
        elif t != WEAK and sign in ("<<", ">>"):
            b = self.fixed(t, depth - 1)
        else:
            b = self.number(t, depth - 1)
        if t != WEAK and sign in ("<<", ">>") and _is_literal(b):
            b = str(int(b.strip("()")) % BITS[t])
        if rng.random() < 0.15 and sign in "+*&|^":
            a, b = b, a
        if t != WEAK and _is_literal(a) and _is_literal(b):
            a = f"{t}({a})"
        return f"({a} {sign} {b})"

    def common(self, t: str, depth: int) -> str:
        """What integers of every type have."""
        rng, roll = self.rng, self.rng.random()
        a = self.number(t, depth - 1)
        if roll < 0.3:
            return (
                f"sb.{rng.choice(('min', 'max'))}({self.typed(t, a)}, {self.number(t, depth - 1)})"
            )
        if roll < 0.4:
            return f"sb.abs({self.typed(t, a)})"
        if roll < 0.5:
            return f"({rng.choice('-~')}{self.typed(t, a)})"
        if roll < 0.7:
            return f"({a} if {self.condition(depth - 1)} else {self.number(t, depth - 1)})"
        if roll < 0.82:
            return f"sb.select({self.condition(depth - 1)}, {a}, {self.number(t, depth - 1)})"
        if roll < 0.9 and t != WEAK:
            return f"sb.{rng.choice(('popcount', 'clz', 'ctz'))}({self.typed(t, a)})"
        calls = [f for f in self.functions if f.result == t]
        if calls:
            called = rng.choice(calls)
            return f"{called.name}({', '.join(self.number(p, depth - 1) for p in called.params)})"
        return a

    def typed(self, t: str, text: str) -> str:
        """`text` so that by itself it has type `t`."""
        return text if t == WEAK or not _is_literal(text) else f"{t}({text})"

    def condition(self, depth: int) -> str:
        rng, roll = self.rng, self.rng.random()
        lengths = self.lengths()
        if roll < 0.2 and lengths:
            return self.inside(self.weak(min(depth, 1)), rng.choice(lengths))
        if roll < 0.27:
            t = WEAK if rng.random() < 0.4 else rng.choice(self.types())
            a = self.typed(t, self.number(t, 0))
            sign, b = rng.choice("+-*"), self.literal(t)
            return f"({a} {sign} {b} {rng.choice(('<', '<=', '>', '>=', '!='))} {a})"
        if roll < 0.65 or depth <= 0:
            t = WEAK if rng.random() < 0.6 else rng.choice(self.types())
            a = self.typed(t, self.number(t, min(depth, 1)))
            b = self.literal(t) if rng.random() < 0.5 else self.number(t, min(depth, 1) - 1)
            if rng.random() < 0.1:
                return f"({self.literal(t)} <= {a} < {b})"
            return f"({a} {rng.choice(('<', '<', '<=', '>', '>=', '==', '!='))} {b})"
        if roll < 0.85:
            word = rng.choice(("and", "or"))
            return f"({self.condition(depth - 1)} {word} {self.condition(depth - 1)})"
        if roll < 0.92:
            return f"(not {self.condition(depth - 1)})"
        return f"sb.{rng.choice(('likely', 'unlikely'))}({self.condition(depth - 1)})"

    def inside(self, index: str, length: str) -> str:
        """Whether an index is one, or half of that."""
        roll = self.rng.random()
        if roll < 0.4:
            return f"({index} < {length})"
        if roll < 0.65:
            return f"({index} {self.rng.choice(('>= 0', '>= 0', '> -1', '>= 1', '!= 0'))})"
        if roll < 0.9:
            return f"(0 <= {index} < {length})"
        return f"({index} >= {length})"

    # Indices

    def converted(self) -> tuple[str, str]:
        """A type, and a number of it that comes from a computation."""
        t = self.rng.choice(self.types())
        return t, self.fixed(t, 1)

    def index(self, length: str) -> str:
        """An index for a dimension of this length: mostly near counters, now and then anything."""
        rng, roll = self.rng, self.rng.random()
        if length.isdigit() and rng.random() < 0.3:
            return str(rng.randrange(int(length)))
        counters = self.counters()
        if not counters:
            counters = self.numbers(WEAK) or [self.weak_leaf()]
        i = rng.choice(counters[-2:]) if rng.random() < 0.8 else rng.choice(counters)
        if roll < 0.14:
            return i
        if roll < 0.22:
            return f"{i} {rng.choice('+-')} {rng.choice((1, 1, 2, 3))}"
        if roll < 0.4:
            return f"{i} {rng.choice('++-')} {self.weak(rng.choice((0, 0, 1)))}"
        if roll < 0.45:
            return f"{i} + {self.widened(*self.converted())}"
        if roll < 0.5:
            return self.widened(*self.converted())
        if roll < 0.57:
            return f"{length} - {rng.choice(('1', '1', '2', self.weak(0)))} - {i}"
        if roll < 0.66:
            return f"{rng.choice((2, 2, 3, -1, 4))} * {i} + {self.weak(0)}"
        if roll < 0.72:
            return f"{i} * {self.weak(0)} + {self.weak(0)}"
        if roll < 0.78:
            by = rng.choice(("1", "2", "3", "4", "(-2)", "(-3)", length, self.weak(0)))
            i = i if rng.random() < 0.5 else f"({i} {rng.choice('+--')} {self.weak(0)})"
            return f"{i} {rng.choice(('//', '//', '%', '%', '>>', '&', '<<'))} {by}"
        if roll < 0.82:
            other = rng.choice((length, f"{length} - 1", self.weak(0)))
            return rng.choice((f"sb.abs({i} - {other})", f"sb.min({i}, {other})",
                               f"sb.max({i}, {self.weak(0)})",
                               f"sb.abs({self.fixed(rng.choice(self.types()), 0)})"))  # fmt: skip
        if roll < 0.86:
            a, b = self.rng.sample([i, self.weak(1), self.weak(0)], 2)
            return f"({a} if {self.inside(i, length)} else {b})"
        if roll < 0.93:
            text = self.weak(2)
            return text if not text.startswith("(-") else f"{i} + {text}"
        if roll < 0.98:
            return self.fixed(rng.choice(self.types()), 1)
        return str(rng.choice((0, 1, 2, 3, 8)))

    def access(self, array: Array) -> str:
        """An element of `array`."""
        if array.own is not None and self.rng.random() < 0.9:
            first = array.own
        else:
            first = self.index(array.lengths[0])
        rest = [self.index(length) for length in array.lengths[1:]]
        return array.place.format(first, *rest)
