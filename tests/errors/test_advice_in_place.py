"""What is advised, put where the message points, compiles and is the number that was meant."""

from __future__ import annotations

import ast
import itertools
import linecache
import re
import warnings
from itertools import count
from typing import Any

import pytest

import samebits as sb
from samebits.frontend.compile import compile_kernel

HEAD = """\
import math as pymath
import numpy as np
import samebits as sb
from samebits import float32, float64, int16, int32, int64, math, uint8, uint16, uint32, uint64
"""
NUMBERS = count()
MOST_STEPS = 20


def kernel_of(text: str) -> Any:
    """The kernel `k` of a program, lowered."""
    name = f"<advice {next(NUMBERS)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace: dict[str, Any] = {"__name__": __name__}
    exec(compile(text, name, "exec", dont_inherit=True), namespace)
    kernel = namespace["k"]
    compile_kernel(kernel, kernel.fixed_types)
    return kernel


def applied(text: str, fix: str, place: tuple[int, int, int]) -> str:
    """A program with a fix in it; `place` is the line and the columns that the message marks."""
    lines = text.splitlines()
    line, start, end = place
    code = re.search(r"`([^`]+)`(?: for `([^`]+)`)?(?: at line (\d+))?", fix)
    instead, replaced, named = code.groups() if code else (fix.removeprefix("write "), None, None)
    line = int(named or line)
    old = lines[line - 1]
    try:
        statement = not isinstance(ast.parse(instead).body[0], ast.Expr)
    except SyntaxError:
        statement = False
    if statement:
        lines[line - 1] = old[: len(old) - len(old.lstrip())] + instead
    elif replaced:
        assert replaced in old, fix
        lines[line - 1] = old.replace(replaced, instead)
    else:
        lines[line - 1] = old[:start] + instead + old[end:]
    return ast.unparse(ast.parse("\n".join(lines)))


def as_advised(text: str) -> tuple[Any, list[str]]:
    """The kernel of a program with all advice applied, and that advice."""
    fixes: list[str] = []
    for _ in range(MOST_STEPS):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            try:
                kernel = kernel_of(text)
            except sb.CompileError as error:
                if error.fix is None or error.span is None:
                    raise
                span = error.span
                fix, place = error.fix, (span.line, span.column, span.end_column)
            else:
                if not told:
                    return kernel, fixes
                said = str(told[0].message)
                found = re.search(r":(\d+):(\d+) in k\n", said)
                assert found is not None
                marks = re.search(r"\| ( *)(\^+)", said)
                assert marks is not None
                start = int(found[2]) - 1
                fix = said.partition("fix: ")[2]
                place = int(found[1]), start, start + len(marks[2])
        fixes.append(fix)
        text = applied(text, fix, place)
    raise AssertionError(f"{fixes} do not end:\n{text}")


PARTS = (
    "p", "p + q", "-p", "p - q", "p * q", "p if p > q else q", "p % 7", "p << 1", "p // q",
    "(p + q) * 3", "p & q", "2",
)  # fmt: skip
"""What operands are in turn."""
AROUND = ("{e}", "2 * {e}", "70 - {e}", "{e} - 70", "-{e}", "{e} % 5", "{e} * {e}", "{e} // 3")
"""What an expression stands in, in turn."""
P, Q = 5, 3
INTS = "p: int, q: int) -> int"
INTS32 = "p: int32, q: int32) -> int32"
BYTES = "p: uint8, q: uint8) -> "
DOUBLE = "p: float64, q: float64) -> "
DOUBLES = f"{DOUBLE}float64"
QUOTIENTS = {
    "returned": (INTS32, "return {a} / ({b})"),
    "index": ("p: int, q: int) -> float64", "t = sb.zeros(99, float64)\n"
              "for i in range(99): t[i] = i\nreturn t[{a} / ({b})]"),
    "bound": (INTS, "s = 0\nfor i in range({a} / ({b})): s += 1\nreturn s"),
    "assigned": (INTS32, "n = p\nn = {a} / ({b})\nreturn n"),
    "in place": (INTS32, "n = {a}\nn /= {b}\nreturn n"),
    "index by a name": ("p: int, q: int) -> float64", "t = sb.zeros(99, float64)\n"
                        "for i in range(99): t[i] = i\nm = {a} / ({b})\nreturn t[m]"),
    "element in place": (INTS32, "t = sb.zeros(2, int32)\nt[0] = {a}\nt[0] /= {b}\nreturn t[0]"),
}  # fmt: skip


def program(declared: str, body: str) -> str:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return ast.unparse(ast.parse(f"{HEAD}@sb.kernel\ndef k({declared}:\n{lines}"))


def meant(expression: str, **names: Any) -> Any:
    return eval(expression, {"abs": abs, "round": round, "range": range, "math": sb.math}, names)


def first_operand(part: str) -> str:
    """A part as it is written before `/`: the looser ones in parentheses."""
    return part if isinstance(ast.parse(part, mode="eval").body, ast.Name) else f"({part})"


@pytest.mark.parametrize("where", QUOTIENTS)
def test_a_quotient_of_integers_is_told_as_the_one_that_floors(where: str) -> None:
    declared, body = QUOTIENTS[where]
    told = 0
    for a, b in itertools.product(PARTS, ("p", "q + 1", "q if q > 1 else p", "q * 2", "-q")):
        whole = meant(f"({a}) // ({b})", p=P, q=Q)
        if ("index" in where and not -1 < whole < 99) or (where == "bound" and whole < 0):
            continue
        left = a if where in ("in place", "element in place") else first_operand(a)
        if a == "2" and where in ("in place", "index by a name"):
            continue
        kernel, fixes = as_advised(program(declared, body.format(a=left, b=b)))
        assert kernel.managed(P, Q) == whole, (a, b, fixes)
        told += bool(fixes)
    assert told > 15


FORMS = {
    "a power of two": (INTS, "2 ** {a}", (P, Q)),
    "the difference of bytes": (f"{BYTES}int", "int(abs({a} - {b}))", (3, 5)),
    "a sum of bytes": (f"{BYTES}int", "int({a} * {b} + {a})", (70, 50)),
    "a larger literal": (f"{BYTES}int32", "(({a} + {b}) % 1000)", (170, 150)),
    "bits past the width": (f"{BYTES}int", "({a} * 77 + {b} * 150 >> 8)", (200, 190)),
    "the largest and a literal": (f"{BYTES}int32", "max({a} - {b}, 300)", (250, 90)),
    "rounded to digits": (DOUBLES, "round({a}, 1)", (5.28, 3.12)),
    "a remainder of NumPy": (DOUBLES, "np.mod({a}, {b})", (5.25, 3.5)),
    "an inverse": (DOUBLES, "{a} ** -1", (5.25, 3.5)),
    "an inverse square": (DOUBLES, "{a} ** -2", (5.25, 3.5)),
    "a root": (DOUBLES, "({a} + 50) ** 0.5", (5.25, 3.5)),
    "a logarithm": (DOUBLES, "math.log({a} + 50, q)", (5.25, 3.5)),
    "bits of a float": (f"{DOUBLE}int", "(int({a}) | {b})", (5.25, 3.5)),
}
"""What is refused or warned of: declared, written, and what it is given."""
MEANT = {
    "round({a}, 1)": "round({a} * 10.0) / 10.0",
    "np.mod({a}, {b})": "{a} % {b}",
    "{a} ** -1": "1 / {a}",
    "{a} ** -2": "1 / ({a} * {a})",
    "({a} + 50) ** 0.5": "math.sqrt({a} + 50)",
    "math.log({a} + 50, q)": "math.log({a} + 50) / math.log(q)",
    "(int({a}) | {b})": "int({a}) | int({b})",
}
"""The number that is meant, as Python computes it, where that is not what is written."""
WHOLE = ("p", "p + q", "p if p > q else q")
FLOATS = ("p", "p + q", "-p", "p - q", "p if p > q else q", "p % 0.7", "(p + q) * 3")
NARROW = ("p", "p + q", "p * q", "p - q", "p if p > q else q", "p << 1", "(p + q) * 3")


@pytest.mark.parametrize("form", FORMS)
def test_advice_in_place_of_an_expression_is_the_number_meant(form: str) -> None:
    declared, written, given = FORMS[form]
    parts = FLOATS if "float64" in declared else NARROW if "uint8" in declared else WHOLE
    around = [a for a in AROUND if declared != DOUBLES or "//" not in a]
    intended = MEANT.get(written, written)
    told = 0
    for (k, a), (j, outer) in itertools.product(enumerate(parts), enumerate(around)):
        if j and k % 3 != j % 3:
            continue
        sides = {"a": f"({a})", "b": f"({parts[(k + 1) % len(parts)]})"}
        text = program(declared, f"return {outer.format(e=written.format(**sides))}")
        names = dict(zip("pq", given, strict=True))
        expected = meant(outer.format(e=f"({intended.format(**sides)})"), int=int, **names)
        kernel, fixes = as_advised(text)
        assert kernel.managed(*given) == expected, (text, fixes)
        told += bool(fixes)
    assert told > 5
