"""Random programs over containers: fields, locals, loops and calls, in all executions.

Unlike the generator of expressions, this one draws statements alone, from a table for each kind of
container; traps are as welcome as results.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import samebits as sb
from tests.fuzz.loading import Workspace

INDENT = "    "
CHANGES_FROM = 2000
"""Programs of smaller seeds stand in tests: they stay."""
CHANGED = {
    "list": "{0}.try_append({1})", "heap": "{0}.try_push({1})", "map": "{0}.clear()",
    "queue": "{0}.clear()", "bits": "{0}.discard({2})",
}  # fmt: skip
"""What may change the length of each kind: `{1}` is an item, `{2}` a number."""
WRAPPED = (
    "{0} in {1}", "(_, {0}) in enumerate({1}, 5)", "(_, {0}) in zip(range(9), {1})",
    "({0}, _) in zip({1}, range(9))", "_, ({0}, _) in enumerate(zip({1}, range(4)))",
)  # fmt: skip
"""Heads around the target `{0}` and what is looped over."""
SCALARS = ("int32", "int64", "uint8", "float32", "float64", "uint64")
KEYS = ("int32", "int64", "uint8", "uint64", "int8", "int2")
STATEMENTS = 10
SAFE = ("try_", ".get(", "len(", " in ", "discard", "reverse", ".count(", ".sort(", "[:")
"""What does not trap has one of these."""
HEAD = """import samebits as sb
from samebits import float2, float32, float64, int2, int3, int8, int32, int64, uint8, uint64


@sb.struct
class Item:
    a: float32
    b: int2

    def __lt__(self, other: "Item") -> bool:
        return self.a < other.a

    def __eq__(self, other: "Item") -> bool:
        return self.a == other.a and sb.all(self.b == other.b)


"""


@dataclass(frozen=True, slots=True)
class Held:
    """A container of a program: the expression that is it, its kind, and the types inside."""

    place: str
    kind: str
    item: str
    key: str = ""


class Program:
    """The source of one program, drawn from a seed."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(f"samebits fuzz containers {seed}")
        self.held: list[Held] = []
        self.names = 0
        self.loops = Random(f"samebits fuzz loops of containers {seed}")
        self.changes = seed >= CHANGES_FROM
        """Whether loops are inside one another's heads, and change what they run over."""

    def source(self) -> str:
        fields = [self.field(k) for k in range(self.rng.randrange(1, 4))]
        local = [self.local(k) for k in range(self.rng.randrange(2))]
        body = self.block(2, STATEMENTS)
        lines = [
            "@sb.struct", "class World:", *(INDENT + f for f in fields), INDENT + "n: int64",
            "", "", "@sb.kernel", "def run(w: World, n: int, x: float64) -> float64:",
            INDENT + "t = 0.0", *(INDENT + line for line in local),
            INDENT + "for i in range(n):", *body, INDENT + "return t",
        ]  # fmt: skip
        return HEAD + "\n".join(lines) + "\n"

    # Declarations

    def kind(self, place: str) -> tuple[Held, str]:
        rng, n = self.rng, self.rng.choice((1, 2, 3, 5, 8, 70))
        item = rng.choice((*SCALARS, "float2", "Item"))
        key = rng.choice(KEYS)
        match rng.randrange(5):
            case 0:
                return Held(place, "list", item), f"sb.List[{item}, {n}]"
            case 1:
                return Held(place, "map", item, key), f"sb.Map[{key}, {item}, {n}]"
            case 2:
                item = rng.choice((*SCALARS, "Item"))
                return Held(place, "heap", item), f"sb.Heap[{item}, {n}]"
            case 3:
                key = rng.choice(SCALARS)
                return Held(place, "queue", item, key), f"sb.Heap[{key}, {item}, {n}]"
            case _:
                return Held(place, "bits", "int"), f"sb.BitSet[{n}]"

    def field(self, k: int) -> str:
        held, t = self.kind(f"w.f{k}")
        self.held.append(held)
        return f"f{k}: {t}"

    def local(self, k: int) -> str:
        held, t = self.kind(f"c{k}")
        self.held.append(held)
        return f"c{k} = {t}()"

    # Statements

    def block(self, depth: int, most: int) -> list[str]:
        lines: list[str] = []
        for _ in range(self.rng.randrange(1, most + 1)):
            lines += self.statement(depth)
        return lines

    def statement(self, depth: int) -> list[str]:
        rng, pad = self.rng, INDENT * depth
        held = rng.choice(self.held)
        draw = rng.random()
        if draw < 0.12 and depth < 4:
            return [f"{pad}if {self.condition(held)}:", *self.block(depth + 1, 3)]
        if draw < 0.27 and depth < 4:
            return self.loop(held, depth)
        rows = self.rows(held)
        if rng.random() < 0.8:  # programs that go on are worth more than those that trap at once
            rows = [row for row in rows if any(part in row for part in SAFE)]
        return [pad + rng.choice(rows)]

    def loop(self, h: Held, depth: int) -> list[str]:
        pad, v = INDENT * depth, self.name()
        c = h.place
        reference = h.item == "Item" and not c.startswith("w.")
        add = f"{INDENT * (depth + 1)}t = t * 0.5 + "
        rows: list[tuple[str, str]] = []
        if h.kind in ("list", "heap") and not (reference and h.kind == "list"):
            rows = [(v, c), (f"{v}k, {v}", f"enumerate({c})"), (v, f"reversed({c})")]
            if h.kind == "list" and h.item != "Item":
                rows += [(v, f"{c}[:]"), (v, f"{c}[{self.rng.choice(('1', 'i'))}:]")]
            return self._looped(h, pad, add, rows, self.number(v, h.item))
        if h.kind == "map":
            rows = [(v, c), (v, f"{c}.keys()")]
            if self.rng.random() < 0.5 and not reference:
                rows = [(f"_, {v}", f"{c}.items()"), (v, f"{c}.values()")]
                return self._looped(h, pad, add, rows, self.number(v, h.item))
            return self._looped(h, pad, add, rows, self.number(v, h.key))
        if h.kind == "queue":
            return self._looped(h, pad, add, [(f"{v}, _", c)], self.number(v, h.key))
        if h.kind == "bits":
            return self._looped(h, pad, add, [(v, c)], self.number(v, "int"))
        return [f"{pad}t += float64(len({c}))"]

    def _looped(
        self, h: Held, pad: str, add: str, rows: list[tuple[str, str]], number: str
    ) -> list[str]:
        target, head = self.rng.choice(rows)
        lines = [f"{pad}for {target} in {head}:", add + number]
        if self.changes and self.loops.random() < 0.6:
            whole = f"({target})" if "," in target else target
            wrapped = self.loops.choice(WRAPPED).format(whole, head)
            lines[0] = f"{pad}for {wrapped}:"
        if self.changes and self.loops.random() < 0.3:
            change = CHANGED[h.kind].format(h.place, self.value(h.item), "i")
            lines.append(f"{pad}{INDENT}{change}")
        if self.rng.random() < 0.15:
            lines += self.block(len(pad) // len(INDENT) + 1, 2)
        return lines

    def name(self) -> str:
        self.names += 1
        return f"v{self.names}"

    def condition(self, h: Held) -> str:
        rows = [f"len({h.place}) > {self.rng.randrange(4)}", "x > t"]
        if h.kind == "list":
            rows.append(f"{self.value(h.item)} in {h.place}")
        if h.kind == "map":
            rows.append(f"{self.value(h.key)} not in {h.place}")
        if h.kind == "bits":
            rows.append(f"i in {h.place}")
        return self.rng.choice(rows)

    def rows(self, h: Held) -> list[str]:
        rng, c, k = self.rng, h.place, self.rng.choice(("i", "0", "1", "n - i"))
        v = self.value(h.item)
        some = f"t += float64(len({c}))"
        match h.kind:
            case "list":
                low, high = k, rng.choice(("", "n", "1", "-1"))
                part = rng.choice((f"{c}[:]", f"{c}[{low}:{high}]", f"{c}[:{high}]", c))
                got = self.number(f"{c}[{self.rng.choice((k, '-1'))}]", h.item)
                return [
                    f"{c}.append({v})", f"{c}.try_append({v})", f"{c}.try_append({v})",
                    f"{c}.insert({k}, {v})", f"{c}[{k}] = {v}", f"t += {got}", f"{c}.pop()",
                    f"{c}.pop({k})", f"del {c}[{k}]", f"{c}.swap_pop({k})", f"{c}.reverse()",
                    f"t += {self.number(f'{c}.get({k}, {v})', h.item)}", f"{c}.clear()", some,
                    f"t += float64({c}.count({v}))", f"{c}.remove({v})",
                    *[f"{c}.sort({rng.choice(('', 'reverse=True', 'i % 2 == 0'))})"]
                    * (h.item != "float2"),
                    f"{c}.extend({part})", f"t += float64(len({c}[{low}:{high}]))",
                ]  # fmt: skip
            case "map":
                key = self.value(h.key)
                return [
                    f"{c}[{key}] = {v}", f"{c}.try_set({key}, {v})", f"{c}.try_set({key}, {v})",
                    f"t += {self.number(f'{c}.get({key}, {v})', h.item)}", f"{c}.pop({key})",
                    f"del {c}[{key}]", f"t += {self.number(f'{c}[{key}]', h.item)}", some,
                    f"t += 1.0 if {key} in {c} else 2.0", f"{c}.clear()",
                ]  # fmt: skip
            case "heap":
                return [
                    f"{c}.push({v})", f"{c}.try_push({v})", f"{c}.try_push({v})", f"{c}.clear()",
                    f"t += {self.number(f'{c}.pop()', h.item)}", some,
                    f"t += {self.number(f'{c}.peek()', h.item)}",
                    f"t += {self.number(f'{c}.get({v})', h.item)}",
                ]  # fmt: skip
            case "queue":
                key = self.value(h.key)
                p = self.name()
                return [
                    f"{c}.push({key}, {v})", f"{c}.try_push({key}, {v})", some, f"{c}.clear()",
                    f"{c}.try_push({key}, {v})", f"{p}, _ = {c}.pop()", f"_, {p} = {c}.peek()",
                ]  # fmt: skip
            case _:
                return [
                    f"{c}.add({k})", f"{c}.try_add({k})", f"{c}.discard({k})", f"{c}.remove({k})",
                    f"t += float64({c}.pop())", some, f"t += 1.0 if {k} in {c} else 2.0",
                    f"{c}.try_add(i * 7)", f"{c}.clear()",
                ]  # fmt: skip

    def value(self, t: str) -> str:
        number = self.rng.choice(("i", "n", "i * 3", "i % 2", str(self.rng.randrange(9))))
        match t:
            case "float2" | "int2":
                kind = "float32" if t == "float2" else "int32"
                return f"{t}({kind}({number}), {self.rng.randrange(3)})"
            case "Item":
                return f"Item(float32({number}), int2(int32({number}), 1))"
            case "float32" | "float64":
                return self.rng.choice((f"{t}({number})", f"{t}(x)", f"{t}(x * t)", f"-{t}(0)"))
            case _:
                return f"{t}({number})"

    def number(self, text: str, t: str) -> str:
        match t:
            case "float2" | "int2":
                return f"float64({text}.x)"
            case "Item":
                return f"float64({text}.a)"
            case _:
                return f"float64({text})"


def source_of(seed: int) -> str:
    """The source of a program: a struct `World` and a kernel `run(w, n, x)`."""
    return Program(seed).source()


def check(seed: int, workspace: Workspace, targets: Sequence[str] | None = None) -> str:
    """How the program ends, which is the same in every execution, on `targets` alone where they are
    given. Raises BitsMismatchError."""
    module = workspace.load(source_of(seed), "run").module
    ends: list[str] = []
    for n, x in ((0, 1.5), (3, -2.25), (9, float("nan"))):
        try:
            sb.assert_same_bits(module.run, module.World(), n, x, targets=targets)
            ends.append("result")
        except sb.Trap as trap:
            ends.append(trap.kind)
    return " ".join(ends)


def main(first: int, count: int) -> None:
    """Check programs of so many seeds, and print how they end."""
    with Workspace() as workspace:
        for seed in range(first, first + count):
            try:
                print(seed, check(seed, workspace), flush=True)
            except (sb.SamebitsError, AssertionError, ArithmeticError) as error:
                print(seed, "FAILED", error, flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
