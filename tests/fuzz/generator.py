"""Random well-typed programs in the kernel language, the same for the same seed.

A program is one module of source text with structs, helper kernels, generic kernels and one
entry kernel, and the input sets to call it with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from samebits.types import (
    BOOL,
    FLOAT,
    FLOAT16,
    INT,
    NONE,
    STRONG_SCALARS,
    ArrayType,
    FixedArrayType,
    MemoryType,
    ScalarType,
    StructType,
    TupleType,
    Type,
    VectorType,
)
from tests.fuzz.expressions import Expressions
from tests.fuzz.halves import FIRST_SEED, Halves
from tests.fuzz.inputs import InputSet, random_inputs
from tests.fuzz.joins import Joins
from tests.fuzz.literals import (
    FLOATS,
    NUMBERS,
    VECTOR_TYPES,
    float_literal,
    random_value_type,
    type_name,
)
from tests.fuzz.loop_heads import generator_of
from tests.fuzz.members import Members
from tests.fuzz.options import Options
from tests.fuzz.outer import Outer
from tests.fuzz.prints import Prints
from tests.fuzz.scope import CAPTURED, Callee, Variable
from tests.fuzz.scratch_arrays import ScratchArrays
from tests.fuzz.simple_statements import INDENT
from tests.fuzz.statements import Body
from tests.fuzz.streams import Stream
from tests.fuzz.sums import Sums
from tests.fuzz.tuples import Tuples
from tests.fuzz.views import Views

QUOTIENTS_FROM = 70_000
"""The first seed whose programs divide integers by Python's ints."""

HEADER = f"""import typing

import samebits as sb
from samebits import {", ".join(t.name for t in STRONG_SCALARS if t != BOOL)}
from samebits import {", ".join(t.name for t in VECTOR_TYPES)}
from samebits import math

NAN = float("nan")
INF = float("inf")
T = typing.TypeVar("T")
"""

HALF_HEADER = "from samebits import float16, half, half2, half3, half4\n"

GENERIC_BODIES = (
    ("a: T, b: T", "T", ("return a + b * a",)),
    ("a: T, b: T", "T", ("c = a - b", "c *= 3", "return c if c > b else sb.max(a, b)")),
    ("a: T, b: T", "T",
     ("z = sb.zeros(3, T)", "z[1] = b", "z[2] = T(3) * a", "return z[1] + z[2]")),
    ("a: T, b: T", "bool", ("return a < b or not (a == a)",)),
    ("a: T, x: sb.Array[T]", "T",
     ("for i in range(len(x)):", "    x[i] += a", "    a = a + x[i]", "return a")),
    ("a: T, x: sb.ReadOnly[T]", "T",
     ("s = a", "for i in range(len(x)):", "    s = sb.min(s, x[i])", "else:", "    s -= a",
      "return s")),
)  # fmt: skip


@dataclass(frozen=True)
class Program:
    """Source text of a module, the name of its entry kernel, and the calls to make."""

    seed: int
    source: str
    entry: str
    inputs: tuple[InputSet, ...]


class _Writer:
    def __init__(self, seed: int) -> None:
        self.rng = Random(f"samebits fuzz {seed}")
        self.options = Options(seed)
        self.halves = Halves(seed)
        self.joins = Joins(seed)
        self.powers = Random(f"samebits fuzz powers {seed}") if seed >= FIRST_SEED else None
        self.quotients = (
            Random(f"samebits fuzz quotients {seed}") if seed >= QUOTIENTS_FROM else None
        )
        self.members = Members(seed)
        self.views = Views(seed)
        self.prints = Prints(seed)
        self.scratch = ScratchArrays(seed)
        self.tuples = Tuples(seed)
        self.outer = Outer(seed, self.views)
        self.loops = generator_of(seed, FIRST_SEED, self.halves.wanted)
        self.hazard = self.rng.choice((0.0, 0.0, 0.01, 0.03, 0.1))
        self.palette = self._palette()
        self.structs: list[StructType] = []
        self.callees: list[Callee] = []
        self.parts: list[str] = []
        self.constants: list[Variable] = []

    def module_constants(self) -> None:
        """Numbers, vectors and tables at module level, which kernels capture."""
        rng = self.rng
        lines: list[str] = []
        for k in range(rng.choice((0, 0, 1, 2, 4))):
            t = rng.choice(self.palette)
            roll = rng.random()
            if roll < 0.25 and isinstance(t, ScalarType) and t in (*NUMBERS, FLOAT16):
                values = [self.constant(t) for _ in range(rng.randint(1, 6))]
                text, shape = self.views.table(values)
                lines.append(f"K{k} = sb.table({text}, {t.name})")
                table = FixedArrayType(t, shape)
                self.constants.append(Variable(f"K{k}", table, mutable=False, readonly=True))
                continue
            lines.append(f"K{k} = {self.constant(t)}")
            self.constants.append(Variable(f"K{k}", t, mutable=False, bound=CAPTURED))
        lines += self.tuples.module(self.palette)
        if lines:
            self.parts.append("\n".join(lines))

    def constant(self, t: ScalarType | VectorType) -> str:
        if t == INT:
            return str(self.rng.randint(0, 7))
        draw = Expressions(self.rng, 0.0, self.palette, [])
        return draw.vector_constant(t) if isinstance(t, VectorType) else draw.constant(t)

    def closure(self, name: str, lines: list[str], captured: list[tuple[Variable, str]]) -> str:
        """A kernel defined in a factory that gives it `captured`."""
        head = ", ".join(v.name for v, _ in captured)
        inner = "\n".join(INDENT + line for line in lines)
        values = ", ".join(value for _, value in captured)
        return f"def make_{name}({head}):\n{inner}\n{INDENT}return {name}\n\n\n" \
               f"{name} = make_{name}({values})"  # fmt: skip

    def _palette(self) -> list[ScalarType | VectorType]:
        rng = self.rng
        types = [random_value_type(rng) for _ in range(rng.randint(3, 6))]
        if rng.random() < 0.6:
            types += [rng.choice(FLOATS)] * 2
        types += self.halves.types
        return [*types, BOOL, INT] if rng.random() < 0.5 else types

    # Structs

    def field_type(self, depth: int) -> MemoryType:
        rng = self.rng
        roll = rng.random()
        if roll < 0.2 and self.structs:
            return rng.choice(self.structs)
        if roll < 0.4 and depth:
            shape = (rng.randint(1, 5),) if rng.random() < 0.7 else \
                (rng.randint(1, 3), rng.randint(1, 3))  # fmt: skip
            return FixedArrayType(self.field_type(0), self.views.deeper(shape))
        known = [t for t in self.palette if not (isinstance(t, ScalarType) and t.weak)]
        if known and roll < 0.8:
            return rng.choice(known)
        return random_value_type(rng, weak=False)

    def struct(self) -> None:
        rng = self.rng
        name = f"S{len(self.structs)}"
        fields = [(f"f{k}", self.field_type(1)) for k in range(rng.randint(1, 5))]
        t = StructType(name, tuple(fields))
        if t.size > 400:
            t = StructType(name, tuple(fields[:1]))
        lines = [self.options.decorator("struct"), f"class {name}:"]
        if self.members.wanted:
            lines += self.members.fields(t, self.palette)
        else:
            lines += [f"{INDENT}{field}: {type_name(f)}" for field, f in t.fields]
        # A method's annotations can't name the class that is being defined.
        for k in range(rng.choice((0, 0, 1, 2))):
            lines += ["", *self.function(f"m{k}", method_of=t)]
        if self.members.wanted:
            lines += self.members.methods(t)
        self.structs.append(t)
        self.parts.append("\n".join(lines))

    # Functions

    def value_type(self) -> ScalarType | VectorType:
        return self.rng.choice(self.palette) if self.rng.random() < 0.7 \
            else random_value_type(self.rng)  # fmt: skip

    def parameter(self) -> Type:
        rng = self.rng
        roll = rng.random()
        if roll < 0.45:
            return self.value_type()
        if roll < 0.6 and self.structs:
            return rng.choice(self.structs)
        element: MemoryType = rng.choice(self.structs) if self.structs and rng.random() < 0.25 \
            else self.value_type()  # fmt: skip
        if element in (INT, FLOAT):
            element = rng.choice(NUMBERS)
        ndim = self.views.dimensions(rng.choice((1, 1, 1, 2)))
        return ArrayType(element, ndim, rng.random() < 0.25)

    def result(self, *, entry: bool) -> Type:
        rng = self.rng
        if entry and rng.random() < 0.75:
            # Much of what an entry computes has to come out, or it would be dead code.
            return TupleType(tuple(rng.choice(self.palette) for _ in range(rng.randint(3, 6))))
        roll = rng.random()
        if roll < 0.45:
            return self.value_type()
        if roll < 0.75:
            return TupleType(tuple(self.value_type() for _ in range(rng.randint(2, 4))))
        if roll < 0.88 and self.structs:
            return rng.choice(self.structs)
        return NONE

    def function(
        self,
        name: str,
        *,
        method_of: StructType | None = None,
        entry: bool = False,
        captured: Sequence[Variable] = (),
    ) -> list[str]:
        """The lines of a kernel or method; helpers become callable by what follows."""
        rng = self.rng
        count = rng.randint(2, 5) if entry else rng.randint(0, 3)
        params = [(f"p{k}", self.parameter()) for k in range(count)]
        result = self.result(entry=entry)
        work = 400 if entry else rng.choice((10, 30, 60))
        body = Body(rng, self.hazard, self.palette, self.callees, self.structs, result, work)
        body.extra = (
            self.members.statement,
            self.views.statement,
            self.prints.statement,
            self.scratch.statement,
            self.tuples.statement,
            self.outer.statement,
        )
        body.serial = self.scratch.wanted
        body.draw.powers, body.draw.loops = self.powers, self.loops
        body.draw.quotients = self.quotients
        body.draw.tuples = self.tuples if self.tuples.wanted else None
        body.joins = self.joins
        for variable in (*self.constants, *captured):
            body.scope.add(variable)
        if method_of is not None:
            body.scope.add(Variable("self", method_of, mutable=False))
        for parameter, t in params:
            readonly = isinstance(t, ArrayType) and t.readonly
            mutable = isinstance(t, ScalarType | VectorType)
            body.scope.add(Variable(parameter, t, mutable=mutable, readonly=readonly))
        size = rng.choice((3, 5, 8, 8, 12, 16)) if entry else rng.choice((1, 2, 3, 5))
        lines = body.write(size, rng.choice((1, 2, 2, 3)) if entry else rng.choice((0, 1, 2)))
        head, defaults = self.head(params, entry=entry)
        if method_of is not None:
            head = ", ".join(("self", head)) if head else "self"
            prefix = INDENT
            top = [f"{INDENT}def {name}({head}) -> {type_name(result)}:"]
        else:
            prefix = ""
            above = self.scratch.decorated(self.options.decorator("kernel"))
            top = [above, f"def {name}({head}) -> {type_name(result)}:"]
        if not entry:
            self.callees.append(
                Callee(name, tuple(params), result, 2 + body.cost, defaults, method_of)
            )
        else:
            self.entry_params = [t for _, t in params]
        return [*top, *(prefix + line for line in lines)]

    def stream(self) -> list[str]:
        """The lines of an entry kernel that loops over arrays."""
        stream = Stream(
            self.rng, self.hazard, self.palette, self.callees, self.structs, self.constants
        )
        stream.body.extra = (
            self.members.statement,
            self.views.statement,
            self.prints.statement,
            self.tuples.statement,
            self.outer.statement,
        )
        stream.body.draw.tuples = self.tuples if self.tuples.wanted else None
        stream.body.draw.powers, stream.body.draw.loops = self.powers, self.loops
        stream.body.draw.quotients = self.quotients
        stream.body.joins = self.joins
        lines = stream.write()
        self.entry_params = [t for _, t in stream.params]
        head = ", ".join(f"{name}: {type_name(t)}" for name, t in stream.params)
        top = f"def entry({head}) -> {type_name(stream.result)}:"
        return [self.options.decorator("kernel"), top, *lines]

    def head(self, params: list[tuple[str, Type]], *, entry: bool) -> tuple[str, int]:
        """The parameter list; trailing scalars of helpers sometimes get defaults."""
        texts = [f"{name}: {type_name(t)}" for name, t in params]
        defaults = 0
        while not entry and defaults < len(params) and self.rng.random() < 0.25:
            t = params[-1 - defaults][1]
            if not isinstance(t, ScalarType):
                break
            value = "True" if t == BOOL else "3" if not t.is_ieee else float_literal(self.rng, t)
            texts[-1 - defaults] += f" = {value}"
            defaults += 1
        return ", ".join(texts), defaults

    def generic(self, name: str) -> None:
        params, result, lines = self.rng.choice(GENERIC_BODIES)
        top = f"{self.options.decorator('kernel')}\ndef {name}({params}) -> {result}:"
        text = [top, *(INDENT + x for x in lines)]
        self.parts.append("\n".join(text))
        for t in dict.fromkeys(t for t in self.palette if t in NUMBERS):
            types: list[tuple[str, Type]] = [("a", t)]
            if "b: T" in params:
                types.append(("b", t))
            else:
                types.append(("x", ArrayType(t, 1, "ReadOnly" in params)))
            self.callees.append(Callee(name, tuple(types), BOOL if result == "bool" else t, 20,
                                       generic=True))  # fmt: skip

    def program(self, seed: int, input_sets: int) -> Program:
        rng = self.rng
        self.module_constants()
        for _ in range(rng.choice((0, 1, 1, 2, 3))):
            self.struct()
        lines = self.outer.module(self.structs, self.palette)
        if lines:
            self.parts.append("\n".join(lines))
            self.constants += self.outer.constants
        for k in range(rng.choice((0, 0, 1, 2, 3))):
            if rng.random() < 0.25:
                self.generic(f"g{k}")
            elif rng.random() < 0.2:
                types = [rng.choice(self.palette) for _ in range(rng.randint(1, 2))]
                captured = [
                    (Variable(f"c{n}", t, mutable=False, bound=CAPTURED), self.constant(t))
                    for n, t in enumerate(types)
                ]
                lines = self.function(f"h{k}", captured=[v for v, _ in captured])
                self.parts.append(self.closure(f"h{k}", lines, captured))
            else:
                self.parts.append("\n".join(self.function(f"h{k}")))
        streams = rng.random() < 0.35
        lines = self.stream() if streams else self.function("entry", entry=True)
        sums = Sums(seed)
        if sums.wanted and self.options.mixed and not self.halves.wanted:
            lines = [self.options.decorator("kernel"), *sums.write()]
            self.entry_params, streams = [t for _, t in sums.params], True
        self.parts.append("\n".join(lines))
        halves = self.halves.wanted
        inputs = tuple(
            random_inputs(rng, self.entry_params, streams=streams, halves=halves)
            for _ in range(input_sets)
        )
        header = HEADER + HALF_HEADER * halves
        return Program(seed, header + "".join(f"\n\n{p}\n" for p in self.parts), "entry", inputs)


def generate(seed: int, input_sets: int = 3) -> Program:
    """The program of `seed`, with `input_sets` calls."""
    return _Writer(seed).program(seed, input_sets)
