"""Random kernels that read and write arrays, and input sets with numbers at every edge.

Owns what a program is made of: helpers, structs, jobs, options, parameters. A program and its
inputs are the same for the same seed.
"""

from __future__ import annotations

from random import Random

from tests.fuzz.bounds.draws import FLOATS, INTS, WEAK, Array, Draws, Function, plain
from tests.fuzz.bounds.inputs import Field, random_inputs
from tests.fuzz.bounds.statements import INDENT, Body
from tests.fuzz.bounds.views import FIRST_SEED as VIEWS
from tests.fuzz.generator import Program

HEADER = f"""import samebits as sb
from samebits import {", ".join((*INTS, *FLOATS))}
"""
OPTIONS = (
    "", "", "", "", "", "", "", "", 'optimize_for="size"', 'optimize_for="compile_time"',
    "mode=sb.DETERMINISTIC", "mode=sb.DETERMINISTIC, contract=True", 'denormals="flush"',
)  # fmt: skip
FORMS = ("Job", "For", "ParallelFor")


class _Writer:
    def __init__(self, seed: int) -> None:
        self.rng = Random(f"samebits bounds {seed}")
        self.views = seed >= VIEWS
        self.draws = Draws(self.rng)
        self.parts: list[str] = []
        self.fields: list[Field] = []
        self.rows = False
        self.array_helpers: list[tuple[str, str]] = []

    def decorator(self, name: str) -> str:
        options = self.rng.choice(OPTIONS)
        return f"@sb.{name}({options})" if options else f"@sb.{name}"

    # Parameters

    def integer(self) -> str:
        return self.rng.choice((WEAK, WEAK, WEAK, *INTS, "uint64", "int64"))

    def arrays(self, prefix: str = "") -> list[tuple[str, str]]:
        """Array parameters, in scope under `prefix`: name and annotation."""
        rng, found = self.rng, list[tuple[str, str]]()
        usual = rng.choice((*INTS, *FLOATS))
        for k in range(rng.choice((1, 1, 2, 2, 3))):
            element = usual if rng.random() < 0.5 else rng.choice((*INTS, *FLOATS))
            dimensions = 2 if rng.random() < 0.22 else 1
            readonly = rng.random() < 0.2 and bool(k)
            name = f"a{k}"
            array = plain(prefix + name, element, dimensions, readonly=readonly)
            self.draws.blocks[0].arrays.append(array)
            kind = "ReadOnly" if readonly else "Array"
            found.append((name, f"sb.{kind}[{element}{', 2' if dimensions == 2 else ''}]"))
            self.fields.append(("array", element, dimensions))
        return found

    def scalars(self, prefix: str = "", *, mutable: bool = True) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        for k in range(self.rng.choice((1, 2, 2, 3, 4))):
            t = self.integer()
            changes = mutable and self.rng.random() < 0.4
            self.draws.add(t, f"{prefix}p{k}", mutable=changes)
            found.append((f"p{k}", t))
            self.fields.append(("scalar", t, 0))
        return found

    def struct(self) -> list[tuple[str, str]]:
        """A struct of numbers and fixed arrays, as one parameter or as the element of an array."""
        rng = self.rng
        t = rng.choice(("int32", "uint32", "int64", "uint64", "uint8", "int16"))
        size = rng.randint(1, 6)
        wide = ", 3" if rng.random() < 0.25 else ""
        inner = f"sb.FixedArray[{t}, {size}{wide}]"
        fields = [f"{INDENT}{name}" for name in (f"n: {t}", f"m: {t}", f"z: {inner}")]
        self.parts.append("\n".join(["@sb.struct", "class S:", *fields]))
        lengths, holes = (str(size), "3"), "[{}, {}]"
        if not wide:
            lengths, holes = lengths[:1], "[{}]"
        count = 2 + size * (3 if wide else 1)
        scope = self.draws.blocks[0]
        if rng.random() < 0.5:
            scope.arrays.append(Array("", f"s.z{holes}", t, lengths))
            self.draws.add(t, "s.n", mutable=True)
            self.draws.add(t, "s.m", mutable=rng.random() < 0.5)
            self.fields.append(("struct", t, count))
            return [("s", "S")]
        scope.arrays.append(Array("", "s[{}].n", t, ("len(s)",)))
        scope.arrays.append(Array("", f"s[{{}}].z{holes}", t, ("len(s)", *lengths)))
        self.fields.append(("structs", t, count))
        return [("s", "sb.Array[S]")]

    # Helpers

    def helper(self, k: int) -> None:
        """A kernel of numbers, or of an array and an index."""
        rng, name = self.rng, f"h{k}"
        draws = Draws(rng)
        draws.wild = self.draws.wild
        if rng.random() < 0.55:
            result = self.integer()
            params = tuple(self.integer() for _ in range(rng.choice((1, 2))))
            for j, t in enumerate(params):
                draws.add(t, f"q{j}")
            head = ", ".join(f"q{j}: {t}" for j, t in enumerate(params))
            lines = [self.decorator("kernel"), f"def {name}({head}) -> {result}:"]
            if rng.random() < 0.4:
                lines.append(f"{INDENT}if {draws.condition(1)}:")
                early = draws.typed(result, draws.number(result, 1))
                lines.append(f"{INDENT * 2}return {early}")
            lines.append(f"{INDENT}return {draws.typed(result, draws.number(result, 2))}")
            self.draws.functions.append(Function(name, params, result))
        else:
            element = rng.choice([a.element for a in self.draws.arrays()] or ["int32"])
            draws.blocks[0].arrays.append(plain("b", element, 1))
            draws.add(WEAK, "k", mutable=True)
            draws.blocks[0].counters.append("k")
            body = Body(rng, draws)
            body.returns = None
            body.views = self.views
            for _ in range(rng.choice((1, 1, 2))):
                rng.choice((body.store, body.augment, body.read, body.for_loop))()
            head = f"def {name}(b: sb.Array[{element}], k: int) -> uint64:"
            lines = [self.decorator("kernel"), head, *_summing(body.lines)]
            self.array_helpers.append((name, element))
        self.parts.append("\n".join(lines))

    # Entries

    def kernel(self) -> list[str]:
        rng = self.rng
        params = self.arrays()
        if rng.random() < 0.14:
            params += self.struct()
        params += self.scalars()
        for k in range(rng.choice((0, 0, 0, 0, 1, 1, 2))):
            self.helper(k)
        body = Body(rng, self.draws)
        body.helpers = self.array_helpers
        body.views = self.views
        while self.views and rng.random() < 0.6:
            body.view()
        for _ in range(rng.choice((0, 0, 1, 1, 2))):
            rng.choice((body.declare, body.declare, body.assign, body.hint, body.branch))()
        for _ in range(rng.choice((1, 1, 1, 1, 1, 1, 2, 2))):
            rng.choice(
                (body.for_loop,) * 10
                + (body.while_loop, body.parallel_loop, body.row_loop, body.statement, body.narrow)
                * 2
            )()
        self.rows = body.rows
        head = ", ".join(f"{name}: {t}" for name, t in params)
        return [self.decorator("kernel"), f"def entry({head}) -> uint64:", *_summing(body.lines)]

    def job(self) -> list[str]:
        """A job, whose kernel takes where its range begins and ends, then the fields."""
        rng = self.rng
        form = rng.choice(FORMS)
        index = rng.choice(("int32", "int64", "int"))
        if form == "Job":
            self.fields += [("scalar", "begin", 0), ("scalar", "once", 0)]
        else:
            self.fields += [("scalar", "begin", 0), ("scalar", f"end {index}", 0)]
        fields = self.arrays("self.") + self.scalars("self.", mutable=False)
        body = Body(rng, self.draws, level=2)
        body.parallel = body.in_job = True
        body.views = self.views
        scope = self.draws.blocks[0]
        if form != "Job":
            self.draws.add(index, "index")
            scope.counters.append("index" if index == WEAK else "int(index)")
        if form == "ParallelFor":
            written = rng.choice([a for a in scope.arrays if not a.readonly])
            scope.arrays = [
                Array(a.name, a.place, a.element, a.lengths, a.readonly or a != written,
                      "index" if a == written else None)
                for a in scope.arrays
            ]  # fmt: skip
        for _ in range(rng.choice((1, 2, 2, 3))):
            body.statement()
        lines = [self.decorator("job"), f"class entry(sb.{form}):"]
        lines += [f"{INDENT}{name}: {t}" for name, t in fields]
        given = f"self, index: {index}" if form != "Job" else "self"
        return [*lines, f"{INDENT}def execute({given}):", *body.lines]

    def program(self, seed: int, calls: int) -> Program:
        lines = self.job() if self.rng.random() < 0.06 else self.kernel()
        self.parts.append("\n".join(lines))
        source = HEADER + "".join(f"\n\n{part}\n" for part in self.parts)
        inputs = random_inputs(self.rng, self.fields, calls, long=0.4 if self.rows else 0.1)
        return Program(seed, source, "entry", inputs)


def _summing(lines: list[str]) -> list[str]:
    return [f"{INDENT}total = uint64(0)", *lines, f"{INDENT}return total"]


def generate(seed: int, calls: int = 7) -> Program:
    """The program of `seed`, with `calls` input sets."""
    return _Writer(seed).program(seed, calls)
