"""Entry kernels that accumulate in loops: what DETERMINISTIC gives lanes to, and what it must not.

Owns the text of such a kernel. Every choice comes from a generator of its own, so that the other
programs are the same with it and without.
"""

from __future__ import annotations

from random import Random

from samebits.types import (
    FLOAT32,
    FLOAT64,
    INT,
    INT32,
    VECTORS,
    ArrayType,
    ScalarType,
    TupleType,
    Type,
    VectorType,
)
from tests.fuzz.literals import type_name

INDENT = "    "
FIRST_SEED = 1000
"""Programs of smaller seeds stand in tests because they once differed: they stay."""
SPANS = (
    "len(x)", "len(x)", "len(x)", "len(y)", "1, len(x)", "0, len(x), 2", "len(x) - 1, -1, -1",
    "len(x) - 1, 2, -3", "9", "64", "73", "n, len(x)", "n",
)  # fmt: skip
PLACES = ("x[i]", "x[i]", "y[i]", "x[k[i] & 15]", "x[i] * y[i]", "x[i] * x[i]", "y[i] - x[i]")


class Sums:
    """One entry kernel, with its parameters and its result."""

    def __init__(self, seed: int) -> None:
        self.rng = rng = Random(f"samebits fuzz sums {seed}")
        self.wanted = rng.random() < 0.5 and seed >= FIRST_SEED
        """Whether the program of `seed`, if its kernels have options, is to be such a one."""
        self.element = rng.choice((FLOAT32, FLOAT32, FLOAT64))
        self.names = [f"s{i}" for i in range(rng.randint(2, 3))]
        self.types: list[ScalarType | VectorType] = [self._type() for _ in self.names]
        self.params: list[tuple[str, Type]] = [
            ("x", ArrayType(self.element, 1, True)),
            ("y", ArrayType(self.element, 1)),
            ("k", ArrayType(INT32, 1, True)),
            ("n", INT),
        ]
        self.result = TupleType(tuple(self.types))

    def _type(self) -> ScalarType | VectorType:
        length = {FLOAT32: "float3", FLOAT64: "double3"}[self.element]
        return VECTORS[length] if self.rng.random() < 0.2 else self.element

    def write(self) -> list[str]:
        """The lines of the kernel, its decorator not included."""
        rng = self.rng
        head = ", ".join(f"{name}: {type_name(t)}" for name, t in self.params)
        lines = [f"def entry({head}) -> {type_name(self.result)}:"]
        for name, t in zip(self.names, self.types, strict=True):
            start = rng.choice(("0.0", "1.0", "-0.0", "0.1", "-3.5"))
            lines.append(f"{INDENT}{name} = {t.name}({self._start(t, start)})")
        for _ in range(rng.randint(1, 2)):
            lines += [INDENT + line for line in self._loop()]
        return [*lines, f"{INDENT}return {', '.join(self.names)}"]

    def _start(self, t: ScalarType | VectorType, value: str) -> str:
        if isinstance(t, VectorType):
            return ", ".join([f"{self.element.name}({value})"] * t.length)
        return value

    def _loop(self) -> list[str]:
        rng = self.rng
        span = rng.choice(SPANS)
        lines = [f"for i in range({span}):"]
        statements = [self._statement() for _ in range(rng.randint(1, 4))]
        if "n" in span.split(", ") and not any("[i]" in lines[0] for lines in statements):
            statements.append(["y[i] = x[i]"])  # `n` may be 2^62: an index has to end it
        lines += [INDENT + line for lines in statements for line in lines]
        if rng.random() < 0.15:
            name = self.names[0]
            lines += ["else:", f"{INDENT}{name} = {name} + {name}"]
        return lines

    def _statement(self) -> list[str]:
        rng = self.rng
        roll = rng.random()
        if roll < 0.55:
            return [self._update()]
        if roll < 0.7:
            return [f"if {self._value()} > {self._value()}:", INDENT + self._update()]
        if roll < 0.76:
            test = f"if {rng.choice(PLACES)} < {self._constant()}:"
            return [test, f"{INDENT}{self._update()}", f"{INDENT}continue"]
        if roll < 0.84:
            return [f"for _ in range({rng.choice((2, 3, 8))}):", INDENT + self._update()]
        if roll < 0.92:
            return [f"y[i] = {self._value()}"]
        if roll < 0.95:
            return [f"if {rng.choice(PLACES)} > {self.element.name}(1e30):", f"{INDENT}break"]
        scalars = [n for n, t in zip(self.names, self.types, strict=True) if t is self.element]
        return [f"y[i] = {scalars[0]}"] if scalars else [self._update()]

    def _constant(self) -> str:
        value = self.rng.choice(("0.5", "1.0", "-0.25", "1.1", "3e-39", "0.0"))
        return f"{self.element.name}({value})"

    def _value(self) -> str:
        rng = self.rng
        a, b, c = rng.choice(PLACES), rng.choice(PLACES), self._constant()
        return rng.choice((a, a, f"{a} * {c}", f"({a} + {b} * {c})", f"sb.min({a}, {b})", c))

    def _update(self) -> str:
        rng = self.rng
        index = rng.randrange(len(self.names))
        name, t = self.names[index], self.types[index]
        value = self._value()
        if isinstance(t, VectorType):
            items = ", ".join(rng.choice((value, self._value())) for _ in range(t.length))
            return rng.choice((f"{name} += {t.name}({items})", f"{name} = {name} * ({value})"))
        return rng.choice(
            (
                f"{name} += {value}",
                f"{name} += {rng.choice(PLACES)} * {value}",
                f"{name} = {value} + {name}",
                f"{name} -= {value}",
                f"{name} = {name} + {value} - {self._value()}",
                f"{name} *= {value}",
                f"{name} = sb.max({name}, {value})",
                f"{name} = sb.min({value}, {name})",
            )
        )
