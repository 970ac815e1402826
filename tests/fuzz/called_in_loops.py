"""Programs whose innermost loops call kernels of arrays and structs, with early returns or without.

Arrays that are given to one call may be the same, and indices run past their ends now and then.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from samebits.types import FLOAT32, FLOAT64, INT, INT32, ArrayType, StructType, Type
from tests.fuzz.generator import HEADER, Program
from tests.fuzz.inputs import random_inputs
from tests.fuzz.statements import INDENT

BOX = StructType("Box", (("a", FLOAT64), ("b", FLOAT32), ("n", INT32)))
PARAMS: dict[str, tuple[str, Type]] = {
    "boxes": ("sb.Array[Box]", ArrayType(BOX, 1)),
    "x": ("sb.Array[float64]", ArrayType(FLOAT64, 1)),
    "y": ("sb.ReadOnly[float32]", ArrayType(FLOAT32, 1, readonly=True)),
    "z": ("sb.Array[float64, 2]", ArrayType(FLOAT64, 2)),
    "k": ("float64", FLOAT64),
    "n": ("int", INT),
}
STRUCT = """@sb.struct
class Box:
    a: float64
    b: float32
    n: int32"""
LOCALS = {"box": "Box", "x": "sb.Array[float64]", "y": "sb.ReadOnly[float32]",
          "row": "sb.ReadOnly[float64]", "k": "float64", "i": "int"}  # fmt: skip
"""What helpers take."""


class _Writer:
    def __init__(self, seed: int) -> None:
        self.rng = Random(f"samebits fuzz called in loops {seed}")
        self.helpers: list[tuple[str, list[str], str]] = []

    # Expressions over a helper's parameters

    def index(self, names: Sequence[str]) -> str:
        places = ["i", "i // 2"] if "i" in names else ["0"]
        if self.rng.random() < 0.06:
            places = ["1", "i + 1", "i - 1"] if "i" in names else ["1"]
            places += ["int(box.n)"] if "box" in names else []
        return self.rng.choice(places)

    def number(self, names: Sequence[str], depth: int = 0) -> str:
        r = self.rng
        leaves = ["1.5", "-0.0", "0.1", "s"]
        leaves += {"k": ["k", "k"]}.get("k" if "k" in names else "", [])
        if "box" in names:
            leaves += ["box.a", "box.a", "float64(box.b)", "float64(box.n)"]
        for array in ("x", "row"):
            if array in names:
                leaves.append(f"{array}[{self.index(names)}]")
        if "y" in names:
            leaves.append(f"float64(y[{self.index(names)}])")
        if depth > 2 or r.random() < 0.35:
            return r.choice(leaves)
        a, b = self.number(names, depth + 1), self.number(names, depth + 1)
        form = r.choice(("({a} + {b})", "({a} - {b})", "({a} * {b})", "({a} / ({b} + 2.0))",
                         "sb.min({a}, {b})", "math.sin({a})", "math.sqrt(sb.abs({a}))",
                         "({a} if {a} < {b} else {b})"))  # fmt: skip
        return form.format(a=a, b=b)

    def condition(self, names: Sequence[str]) -> str:
        a, b = self.number(names, 2), self.number(names, 2)
        return f"{a} {self.rng.choice(('<', '>=', '!='))} {b}"

    def place(self, names: Sequence[str]) -> str:
        places = ["s"]
        if "box" in names:
            places += ["box.a", "box.a"]
        if "x" in names:
            places += [f"x[{self.index(names)}]"] * 2
        if "k" in names:
            places.append("k")
        return self.rng.choice(places)

    def statement(self, names: Sequence[str], result: str, depth: int) -> list[str]:
        r = self.rng
        roll = r.random()
        if roll < 0.12 and "box" in names:
            return [f"box.n = int32(int({r.choice(('i', '3'))})) if {self.condition(names)} "
                    "else box.n - int32(1)" if "i" in names else "box.n += int32(1)"]  # fmt: skip
        if roll < 0.2 and "box" in names:
            return [f"box.b = float32({self.number(names)})"]
        if roll < 0.45 and depth < 2:
            lines = [f"if {self.condition(names)}:"]
            lines += [INDENT + x for x in self.block(names, result, depth + 1)]
            if r.random() < 0.4:
                lines += ["else:", *(INDENT + x for x in self.block(names, result, depth + 1))]
            return lines
        form = r.choice(("{place} = {value}", "{place} += {value}"))
        return [form.format(place=self.place(names), value=self.number(names))]

    def block(self, names: Sequence[str], result: str, depth: int) -> list[str]:
        lines: list[str] = []
        for _ in range(self.rng.choice((1, 1, 2, 3))):
            lines += self.statement(names, result, depth)
        if depth and self.rng.random() < 0.3:
            lines.append(self.leave(names, result))
        return lines

    def leave(self, names: Sequence[str], result: str) -> str:
        match result:
            case "None":
                return "return"
            case "float64":
                return f"return {self.number(names)}"
            case _:
                return f"return {self.number(names)}, {self.condition(names)}"

    def helper(self, name: str) -> str:
        r = self.rng
        names = [n for n in LOCALS if r.random() < 0.6] or ["x", "i"]
        if not {"box", "x", "row", "y"} & set(names):
            names.append("x")
        result = r.choice(("None", "float64", "float64", "tuple[float64, bool]"))
        head = ", ".join(f"{n}: {LOCALS[n]}" for n in names)
        lines = ["s = float64(0.25)", *self.block(names, result, 0)]
        for _ in range(r.choice((0, 1, 2))):
            lines += self.statement(names, result, 0)
        if result != "None":
            lines.append(self.leave(names, result))
        self.helpers.append((name, names, result))
        body = "\n".join(INDENT + x for x in lines)
        return f"@sb.kernel\ndef {name}({head}) -> {result}:\n{body}"

    # The entry

    def call(self, at: str) -> list[str]:
        r = self.rng
        name, names, result = r.choice(self.helpers)
        given = {
            "box": f"boxes[{at}]", "y": "y",
            "x": r.choice(("x", "x", "x", "x", f"z[{at}]", "x[1:]")),
            "row": r.choice((f"z[{at}]", "x", "x", "x")), "k": r.choice(("k", "total", "0.5")),
            "i": r.choice((at, at, at, at, at, at, "0", f"{at} + 1")),
        }  # fmt: skip
        text = f"{name}({', '.join(given[n] for n in names)})"
        match result:
            case "None":
                return [text]
            case "float64":
                return [f"total += {text}" if r.random() < 0.6 else f"x[{at}] = {text}"]
            case _:
                return [f"part, ok = {text}", "if ok:", f"{INDENT}total = total * 0.5 + part"]

    def entry(self) -> str:
        r = self.rng
        lines = ["total = float64(0)", "part = float64(0)", "ok = False"]
        for k in range(r.choice((1, 2, 2, 3))):
            name = f"i{k}"
            bound = "sb.min(sb.min(len(x), len(y)), sb.min(len(boxes), len(z)))"
            if r.random() < 0.3:
                bound = r.choice(("len(x)", "len(boxes)", "n"))
            loop = [f"for {name} in range({bound}):"]
            for _ in range(r.choice((1, 1, 2))):
                loop += [INDENT + x for x in self.call(name)]
            if r.random() < 0.3:
                loop += [f"{INDENT}if total > 1e6:", f"{INDENT * 2}total = 1.0"]
            if r.random() < 0.25:
                loop = [f"for _{k} in range(3):", *(INDENT + x for x in loop)]
            lines += loop
        head = ", ".join(f"{n}: {t}" for n, (t, _) in PARAMS.items())
        body = "\n".join(INDENT + x for x in [*lines, "return total"])
        return f"@sb.kernel\ndef entry({head}) -> float64:\n{body}"


def generate(seed: int, input_sets: int = 3) -> Program:
    """The program of `seed`, with `input_sets` calls."""
    writer = _Writer(seed)
    parts = [STRUCT, *(writer.helper(f"h{k}") for k in range(writer.rng.choice((1, 2, 3))))]
    parts.append(writer.entry())
    types = [t for _, t in PARAMS.values()]
    inputs = tuple(random_inputs(writer.rng, types, streams=True) for _ in range(input_sets))
    return Program(seed, HEADER + "".join(f"\n\n{p}\n" for p in parts), "entry", inputs)
