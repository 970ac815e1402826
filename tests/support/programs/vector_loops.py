"""Loops over arrays of vectors, as source: most treat all components alike, some do not."""

from __future__ import annotations

from random import Random

ELEMENTS = {"float2": 2, "float3": 3, "float4": 4, "double2": 2, "double3": 3, "double4": 4,
            "int3": 3, "uint2": 2}  # fmt: skip
"""Vector types with their lengths."""
ARRAYS = ("a", "b", "c")


class VectorLoop:
    """One kernel `f(a, b, c, k, n)` with a loop over vectors; `odd` statements, of ten, break the
    pattern."""

    def __init__(self, random: Random, odd: float = 0.1) -> None:
        self._random = random
        self._odd = odd
        self.vector = random.choice([*ELEMENTS])
        self._scalar = {"f": "float32", "d": "float64", "i": "int32", "u": "uint32"}[self.vector[0]]
        self._temporaries: list[str] = []

    def source(self) -> str:
        r = self._random
        v, s = self.vector, self._scalar
        start = r.choice(("", "", "", "1, ", "n - 3, "))
        lines = [self._statement() for _ in range(r.randrange(1, 6))]
        after = ""
        if self._temporaries and r.random() < 0.15:
            after = f"    if n > 0:\n        c[0] = {r.choice(self._temporaries)}\n"
        before = "".join(f"    {name} = {v}({s}(1))\n" for name in self._temporaries if after)
        outer = r.random() < 0.3
        head = "    for _ in range(2):\n" if outer else ""
        indent = "        " if outer else "    "
        body = "".join(f"{indent}    {line}\n" for line in lines)
        arrays = ", ".join(f"{name}: sb.Array[{v}]" for name in ARRAYS)
        return (
            "import samebits as sb\nfrom samebits import *\nfrom samebits import math\n\n\n"
            "@sb.kernel\n"
            f"def f({arrays}, k: {s}, n: int) -> None:\n"
            f"{before}{head}{indent}for i in range({start}n):\n{body}{after}"
        )

    def _statement(self) -> str:
        r = self._random
        if r.random() < self._odd:
            return self._broken()
        match r.randrange(4):
            case 0 if len(self._temporaries) < 2:
                value = self._value(2)
                name = f"t{len(self._temporaries)}"
                self._temporaries.append(name)
                return f"{name} = {value}"
            case 1:
                return f"{r.choice(ARRAYS)}[i] {r.choice(('+=', '-=', '*='))} {self._value(1)}"
            case _:
                return f"{r.choice(ARRAYS)}[i] = {self._value(2)}"

    def _value(self, depth: int) -> str:
        r = self._random
        if depth == 0 or r.random() < 0.2:
            return r.choice([f"{r.choice(ARRAYS)}[i]"] * 3 + self._temporaries)
        left, right = self._value(depth - 1), self._value(depth - 1)
        if r.random() < 0.4:
            right = r.choice(("k", f"{self._scalar}(3)", f"(k + {self._scalar}(2))"))
        if self._scalar.startswith("float") and r.random() < 0.2:
            return f"math.sqrt(abs({left}))" if r.random() < 0.5 else f"math.floor({left})"
        return f"({left} {r.choice('+-*')} {right})"

    def _broken(self) -> str:
        """A statement after which components differ, or iterations depend on each other."""
        r = self._random
        target, other = r.choice(ARRAYS), r.choice(ARRAYS)
        return r.choice((
            f"{target}[i].x = {other}[i].y",
            f"{target}[i] = {other}[i].{'yx' if ELEMENTS[self.vector] == 2 else 'zyx'[:3]}"
            if ELEMENTS[self.vector] in (2, 3) else f"{target}[i] = {other}[i].wzyx",
            f"{target}[i] = {other}[0]",
            f"{target}[0] = {other}[i]",
            f"{target}[i] *= {self._scalar}(i)",
            f"{target}[i] += math.dot({other}[i], {other}[i]) * k" if self._scalar[0] == "f"
            else f"{target}[i].y += k",
            f"{target}[n - 1 - i] = {other}[i]",
        ))  # fmt: skip
