"""Generated `match` statements, with names and guards, give what CPython's own gives.

Managed and compiled runs read one writing out of `match`, so that this compares with neither.
"""

from __future__ import annotations

import linecache
from random import Random
from types import FunctionType

import numpy as np
import pytest

import samebits as sb

SUBJECTS = range(-3, 9)
PROGRAMS = 40


def program(seed: int) -> str:
    """A function of a subject and a number that says where it went, and what its names held."""
    rng, lines = Random(f"samebits match {seed}"), list[str]()
    names = [f"k{n}" for n in range(3)]

    def guard() -> str:
        a, b = rng.choice([*names, "s", "n"]), rng.choice([*names, "n", str(rng.randint(-2, 7))])
        test = f"{a} {rng.choice(('<', '>', '==', '!=', '<='))} {b}"
        return f"not {test}" if rng.random() < 0.2 else test

    def guards() -> str:
        return f" {rng.choice(('and', 'or'))} ".join(guard() for _ in range(rng.randint(1, 2)))

    def pattern(*, last: bool) -> str:
        name, roll = rng.choice(names), rng.random()
        held = " | ".join(str(rng.randint(-3, 7)) for _ in range(rng.randint(1, 3)))
        if last or roll < 0.15:
            whole = rng.choice(("_", name, f"_ as {name}"))
            return whole if last else f"{whole} if {guards()}"
        named = f" as {name}" * (roll < 0.8)
        return f"{held}{named}{f' if {guards()}' * (rng.random() < 0.7)}"

    def block(level: int, depth: int) -> None:
        indent = "    " * level
        for _ in range(rng.randint(1, 2)):
            roll = rng.random()
            if depth and roll < 0.45:
                subject = rng.choice(("s", "n", "s + n", rng.choice(names)))
                lines.append(f"{indent}match {subject}:")
                for _ in range(rng.randint(1, 3)):
                    lines.append(f"{indent}    case {pattern(last=False)}:")
                    block(level + 2, depth - 1)
                if rng.random() < 0.6:
                    lines.append(f"{indent}    case {pattern(last=True)}:")
                    block(level + 2, depth - 1)
            elif roll < 0.7:
                lines.append(f"{indent}{rng.choice([*names, 's'])} = {rng.choice(names)} - 1")
            else:
                told = rng.choice([*names, "s", str(rng.randint(1, 99))])
                lines.append(f"{indent}r = (r * 31 + {told} + {rng.randint(1, 9)}) % 1000003")

    while sum("match" in line for line in lines) < 2:
        block(2, 3)
    starts = [f"    {name} = {rng.randint(-1, 4)}" for name in names]
    head = ["def k(s: int, n: int) -> int:", *starts, "    r = 0", "    for _ in range(2):"]
    ends = [f"        r = (r * 31 + {name}) % 1000003" for name in (*names, "s")]
    return "\n".join([*head, *lines, *ends, "        n = n + 1", "    return r\n"])


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_generated_matches_are_cpythons(seed: int) -> None:
    text = program(seed)
    name = f"<match {seed}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    scope: dict[str, FunctionType] = {}
    exec(compile(text, name, "exec", dont_inherit=True), scope)
    plain, kernel = scope["k"], sb.kernel(scope["k"])
    numbers = [(s, n) for s in SUBJECTS for n in (-1, 2)]
    wanted = [plain(*pair) for pair in numbers]
    assert [kernel(*pair) for pair in numbers] == wanted, text
    some = numbers[seed % 5 :: 5]
    assert [kernel.managed(*pair) for pair in some] == wanted[seed % 5 :: 5], text
    sb.assert_same_bits(kernel, *numbers[seed % len(numbers)])


def test_programs_bind_names_beside_guards_that_read_them() -> None:
    text = "".join(map(program, range(PROGRAMS)))
    for name in ("k0", "k1", "k2"):
        assert f" as {name} if " in text
        assert f"case {name} if " in text
    assert "_ as " in text
    assert np.mean(["match k" in program(seed) for seed in range(PROGRAMS)]) > 0.1
