"""Small random programs of one form each: texts of one character, ranges of uint64, kernels as
parameters, recursion, widening, shifts.

Owns the text of these programs and their inputs, and the forms by name. They are apart from the
programs of `generator`, whose seeds keep their meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from samebits.types import (
    FLOAT32,
    FLOAT64,
    INT,
    INT32,
    INT64,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    ArrayType,
    ScalarType,
    Type,
)
from tests.fuzz import shifts as shifts_of
from tests.fuzz import widenings as widenings_of
from tests.fuzz.generator import HEADER, Program
from tests.fuzz.inputs import InputSet, random_inputs
from tests.fuzz.literals import int_literal

CALLS = 6
"""Calls of each program."""

CHARACTERS = ("a", "z", "A", "0", "9", "_", ":", "é", "∂", "🙂")
INTEGERS = (UINT8, UINT16, UINT32, INT32, INT64, UINT64, INT)


def _program(
    seed: int, rng: Random, parts: list[str], params: list[Type], entry: str = "entry"
) -> Program:
    inputs = tuple(random_inputs(rng, params) for _ in range(CALLS))
    return Program(seed, "\n\n".join([HEADER, *parts]) + "\n", entry, inputs)


def characters(seed: int) -> Program:
    """Comparisons with texts of one character, `ord` and `match`, on every integer type."""
    rng = Random(f"samebits fuzz characters {seed}")
    types = [rng.choice(INTEGERS) for _ in range(2)]
    text = ArrayType(rng.choice(INTEGERS[:-1]), 1, True)
    least = min(t.maximum for t in (*types, text.element) if isinstance(t, ScalarType))
    fit = [c for c in CHARACTERS if ord(c) <= least]
    lines = ["n = 0"]

    def character() -> str:
        return f'"{rng.choice(fit)}"'

    def test(name: str) -> str:
        a, b = character(), character()
        return rng.choice((
            f"{name} == {a}", f"{a} != {name}", f"{a} <= {name} <= {b}", f"{name} < {a} < {b}",
            f"{a} < {b} and {name} >= {b}", f"{a} > {name} > ord({b})", f"not ({name} < {a})",
            f"{a} <= {name} + 1", f"{a} == {rng.randint(0, 130)} or {name} == {a}",
        ))  # fmt: skip

    for _ in range(rng.randint(2, 5)):
        name = rng.choice(("c", "d"))
        lines += [f"if {test(name)}:", f"    n += ord({character()}) * {rng.randint(1, 9)}"]
    lines += [f"match {rng.choice(('c', 'd'))}:"]
    for k in range(rng.randint(1, 3)):
        values = " | ".join(character() for _ in range(rng.randint(1, 3)))
        guard = f" if {test('d')}" if rng.random() < 0.4 else ""
        lines += [f"    case {values}{guard}:", f"        n += {1000 * (k + 1)}"]
    lines += ["    case _:", "        n -= 1"]
    lines += ["for e in text:", f"    n = n * 2 + (3 if {test('e')} else 1) & 65535", "return n"]
    names = [t.name for t in types]
    body = "\n".join(f"    {line}" for line in lines)
    head = f"def entry(c: {names[0]}, d: {names[1]}, text: sb.ReadOnly[{text.element}]) -> int:"
    program = _program(seed, rng, [f"@sb.kernel\n{head}\n{body}"], [*types, text])
    inputs = tuple(_near_characters(rng, given, types) for given in program.inputs)
    return Program(seed, program.source, program.entry, inputs)


def _near_characters(rng: Random, given: InputSet, types: list[ScalarType]) -> InputSet:
    """Integers that are near characters, more often than any."""
    args = list(given.args)
    for k, t in enumerate(types):
        if rng.random() < 0.8:
            point = rng.choice((ord("a"), ord("z"), ord("0"), ord("_"), 10, 0xE9, 0x1F642))
            value = min(max(0, point + rng.randint(-1, 1)), t.maximum)
            args[k] = ("scalar", t.name, value)
    return InputSet(tuple(args), given.blobs)


def wide_ranges(seed: int) -> Program:
    """Ranges with bounds of uint64 beside others, small and beyond int64."""
    rng = Random(f"samebits fuzz wide ranges {seed}")
    names = ["p", "q", "r"]
    types: list[ScalarType] = [rng.choice((UINT64, UINT64, UINT64, INT32, INT)) for _ in names]
    types[rng.randrange(3)] = UINT64

    def bounds(count: int) -> str:
        parts = [rng.choice((*names, "p + p", "q", str(rng.randint(1, 9)))) for _ in range(count)]
        return ", ".join(parts)

    lines = ["n = 0"]
    for k in range(rng.randint(1, 4)):
        head = rng.choice((
            f"for i in range({bounds(rng.randint(1, 3))}):",
            f"for i in range({bounds(rng.randint(1, 3))}):",
            f"for i in reversed(range({bounds(rng.randint(1, 3))})):",
            f"for k{k}, i in enumerate(range({bounds(2)}), {bounds(1)}):",
            f"for i, v{k} in enumerate(a, {bounds(1)}):",
            f"for i, v{k} in zip(range({bounds(2)}), a):",
        ))  # fmt: skip
        lines += [head, f"    n = (n * 3 + (i & 4095)) & {(1 << 40) - 1}"]
        lines += [f"    if n & {rng.choice((3, 7, 31))} == {rng.randint(0, 3)}:", "        break"]
        lines += ["    n += 1", f"    if n > {1 << 12}:", "        break"]
    if rng.random() < 0.4:
        lines += [f"for j in sb.prange(0, {rng.choice(names)}):", "    a[j] = int32(1)"]
    lines += ["return n"]
    body = "\n".join(f"    {line}" for line in lines)
    params = ", ".join(f"{n}: {t.name}" for n, t in zip(names, types, strict=True))
    head = f"def entry({params}, a: sb.Array[int32]) -> int:"
    array = ArrayType(INT32, 1, False)
    program = _program(seed, rng, [f"@sb.kernel\n{head}\n{body}"], [*types, array])
    inputs = tuple(_bounded(rng, given, types) for given in program.inputs)
    return Program(seed, program.source, program.entry, inputs)


def _bounded(rng: Random, given: InputSet, types: list[ScalarType]) -> InputSet:
    """Bounds that are small, or at the ends of int64 and uint64: loops of some iterations."""
    args = list(given.args)
    for k, t in enumerate(types):
        near = (1 << 63) + rng.randint(-3, 3) if t == UINT64 else rng.randint(-5, 5)
        value = rng.choice((rng.randint(0, 12), rng.randint(0, 12), near))
        args[k] = ("scalar", t.name, value & ((1 << t.bits) - 1))
    return InputSet(tuple(args), given.blobs)


def given_kernels(seed: int) -> Program:
    """Kernels that take kernels: several signatures, closures, math functions, given on, at two
    levels, and generic ones."""
    rng = Random(f"samebits fuzz given kernels {seed}")
    t = rng.choice((FLOAT32, FLOAT64, INT32, INT, UINT64))
    arity = rng.randint(1, 2)
    names = "xy"[:arity]
    signature = f"sb.Kernel[[{', '.join([t.name] * arity)}], {t.name}]"
    parameters = ", ".join(f"{n}: {t.name}" for n in names)
    parts: list[str] = []
    leaves: list[str] = []
    for k in range(rng.randint(2, 4)):
        leaves.append(f"leaf{k}")
        body = _expression(rng, t, names, 2)
        parts.append(f"@sb.kernel\ndef leaf{k}({parameters}) -> {t.name}:\n    return {body}")
    if rng.random() < 0.6:
        parts.append(
            f"def make(k):\n    @sb.kernel\n    def made({parameters}) -> {t.name}:\n"
            f"        return x * k + {_expression(rng, t, names, 1)}\n    return made"
        )
        for k in range(2):
            parts.append(f"made{k} = make({t.name}({rng.randint(1, 9)}))")
            leaves.append(f"made{k}")
    givable = list(leaves)
    if t.is_float and not t.weak:
        givable += {1: ["math.sin", "math.exp"], 2: ["math.atan2", "math.hypot"]}[arity]
    # What has no types of its own takes the parameter's.
    givable += {1: ["abs", "sb.abs"], 2: ["min", "max", "sb.max"]}[arity]
    if rng.random() < 0.5 and not t.weak:
        given = ", ".join(f"{n}: W" for n in names)
        parts.append(
            "from typing import TypeVar\n\nW = TypeVar('W')\n\n\n"
            f"@sb.kernel\ndef generic({given}) -> W:\n    return {' * '.join(('x', *names))}"
        )
        givable.append("generic")
    uses: list[tuple[str, int]] = []
    for k in range(rng.randint(1, 3)):
        count = rng.randint(1, 2)
        fs = [f"f{i}" for i in range(count)]
        head = ", ".join(f"{f}: {signature}" for f in fs)
        lines = ["s = x"]
        for _ in range(rng.randint(1, 3)):
            f = rng.choice(fs)
            given = ", ".join(rng.choice(("s", *names)) for _ in names)
            lines.append(rng.choice((f"s = {f}({given})", f"s = s + {f}({given})")))
        if uses and rng.random() < 0.6:
            inner, wants = rng.choice(uses)
            given = [rng.choice((*fs, *leaves)) for _ in range(wants)]
            lines.append(f"s = s + {inner}({', '.join(given)}, {', '.join(names)})")
        if rng.random() < 0.5:
            lines += [f"for i in range({rng.randint(1, 4)}):",
                      f"    s = s + {fs[-1]}({', '.join(['s'] * arity)})"]  # fmt: skip
        lines.append("return s")
        body = "\n".join(f"    {line}" for line in lines)
        kind = t.name
        parts.append(f"@sb.kernel\ndef use{k}({head}, {parameters}) -> {kind}:\n{body}")
        uses.append((f"use{k}", count))
    calls: list[str] = []
    for _ in range(rng.randint(2, 4)):
        use, wants = rng.choice(uses)
        given = [rng.choice(givable) for _ in range(wants)]
        calls.append(f"{use}({', '.join(given)}, {', '.join(rng.choice(names) for _ in names)})")
    lines = [f"r = {calls[0]}", *(f"r = r * {_constant(rng, t)} + {c}" for c in calls[1:])]
    lines += [f"out[{k}] = {_stored(t)}({c})" for k, c in enumerate(calls[:2])]
    body = "\n".join(f"    {line}" for line in [*lines, "return r"])
    element = INT64 if t is INT else t
    head = f"def entry({parameters}, out: sb.Array[{element}]) -> {t.name}:"
    parts.append(f"@sb.kernel\n{head}\n{body}")
    params: list[Type] = [*[t] * arity, ArrayType(element, 1, False)]
    return _program(seed, rng, parts, params)


def _stored(t: ScalarType) -> str:
    return "int64" if t is INT else t.name


def _constant(rng: Random, t: ScalarType) -> str:
    if t.is_float:
        return f"{rng.choice((0.5, 1.25, 3.0, -2.0))!r}"
    return int_literal(rng.randint(0 if not t.is_signed else -3, 5))


def _expression(rng: Random, t: ScalarType, names: str, depth: int) -> str:
    if depth == 0 or rng.random() < 0.2:
        return rng.choice((*names, _constant(rng, t)))
    a, b = (_expression(rng, t, names, depth - 1) for _ in range(2))
    a = rng.choice(names) if a[0] in "-(0123456789" else a  # of literals alone nothing strong comes
    signs = "+-*" if t.is_float else "+-*&|"
    return f"({a} {rng.choice(signs)} {b})"


def recursive(seed: int) -> Program:
    """Recursion: of one kernel or several, with arrays, structs, loops around the calls, a given
    kernel, and bounds that some calls reach."""
    rng = Random(f"samebits fuzz recursion {seed}")
    t = rng.choice((FLOAT32, FLOAT64, INT32, INT, UINT64))
    element = INT64 if t is INT else t
    has_struct = rng.random() < 0.5
    with_kernel = rng.random() < 0.3
    count = rng.choice((1, 1, 1, 2, 2, 3))
    names = [f"rec{k}" for k in range(count)]
    result = rng.choice((t.name, t.name, "State" if has_struct else t.name))
    wrapped = result == "State"
    parts: list[str] = []
    if has_struct:
        parts.append(f"@sb.struct\nclass State:\n    v: {element}\n"
                     f"    seen: sb.FixedArray[{element}, 3]\n    n: int32")  # fmt: skip
    if with_kernel:
        parts.append(f"@sb.kernel\ndef leaf(x: {t.name}, y: {t.name}) -> {t.name}:\n"
                     f"    return {_expression(rng, t, 'xy', 2)}")  # fmt: skip
    head = [f"n: int, x: {t.name}, y: {t.name}, a: sb.Array[{element}]"]
    head += ["s: State"] * has_struct
    head += [f"f: sb.Kernel[[{t.name}, {t.name}], {t.name}]"] * with_kernel
    more = ", s" * has_struct + ", f" * with_kernel
    bounds = {name: rng.choice((3, 5, 9, 17, 40)) for name in names}
    smaller = ("n - 1", "n - 2", "n // 2", "n - 1")
    deepest = 11

    def call(name: str) -> str:
        given = ", ".join(_expression(rng, t, "xy", 1) for _ in range(2))
        return f"{name}({rng.choice(smaller)}, {given}, a{more})"

    def value(text: str) -> str:
        return f"{t.name}({text}.v)" if wrapped and t is not INT else (
            f"int({text}.v)" if wrapped else text
        )  # fmt: skip

    for name in names:
        lines = ["if n <= 0:"]
        base = _expression(rng, t, "xy", 2)
        lines += [f"    return State({element}({base}))" if wrapped else f"    return {base}"]
        if rng.random() < 0.5:
            lines.append(f"a[n & 3] = {_stored(t)}(x)" if rng.random() < 0.9 else "a[n] = a[0]")
        if has_struct:
            lines += rng.choice((["s.n += 1"], ["s.seen[n % 3] = a[0]", "s.n = s.n + 2"], []))
        if rng.random() < 0.4:
            lines += [f"z = sb.zeros(4, {element})", f"z[n & 3] = {_stored(t)}(y)"]
            lines += [f"x = x + {t.name if t is not INT else 'int'}(z[1])"]
        lines.append(f"r = {value(call(rng.choice(names)))}")
        roll = rng.random()
        if roll < 0.35:
            lines.append(f"r = r + {value(call(rng.choice(names)))}")
        elif roll < 0.5:
            lines += ["for i in range(2):", f"    r = r + {value(call(name))}"]
            deepest = 7  # with three calls of itself in each
        elif roll < 0.65:
            lines += ["if x > y:", f"    r = r - {value(call(rng.choice(names)))}"]
        if with_kernel:
            lines.append("r = f(r, x)")
        lines.append(f"r = {_expression(rng, t, 'xy', 1)} + r")
        if wrapped:
            lines += [f"out = State({element}(r))", "out.n = int32(7)", "return out"]
        else:
            lines.append("return r")
        body = "\n".join(f"    {line}" for line in lines)
        flush = ', denormals="flush"' if rng.random() < 0.1 else ""
        parts.append(f"@sb.kernel(recursion={bounds[name]}{flush})\n"
                     f"def {name}({', '.join(head)}) -> {result}:\n{body}")  # fmt: skip
    params = f"n: int, x: {t.name}, y: {t.name}, a: sb.Array[{element}]"
    lines = ["s = State()"] * has_struct
    given = ", s" * has_struct + ", leaf" * with_kernel
    first = rng.choice(names)
    lines += [f"r = {value(f'{first}(n % 24, x, y, a{given})')}"]
    if rng.random() < 0.4:
        lines += [f"r = r + {value(f'{names[-1]}(3, y, x, a{given})')}"]
    lines += ["a[0] = a[0] + s.v", "return r"] if has_struct else ["return r"]
    body = "\n".join(f"    {line}" for line in lines)
    parts.append(f"@sb.kernel\ndef entry({params}) -> {t.name}:\n{body}")
    array = ArrayType(element, 1, False)
    program = _program(seed, rng, parts, [INT, t, t, array])
    inputs = tuple(_shallow(rng, given_, deepest) for given_ in program.inputs)
    return Program(seed, program.source, program.entry, inputs)


def _shallow(rng: Random, given: InputSet, deepest: int) -> InputSet:
    """Depths that few calls take."""
    depth = min(rng.randint(0, 11), deepest)
    return InputSet((("scalar", "int", depth), *given.args[1:]), given.blobs)


def widenings(seed: int) -> Program:
    """Numbers at places that declare wider types."""
    rng = Random(f"samebits fuzz widenings {seed}")
    return _program(seed, rng, *widenings_of.parts(rng))


def shifts(seed: int) -> Program:
    """Shifts by constants within the width, and by variables of any number."""
    rng = Random(f"samebits fuzz shifts {seed}")
    return _program(seed, rng, *shifts_of.parts(rng))


FORMS: dict[str, Callable[[int], Program]] = {
    "characters": characters,
    "wide_ranges": wide_ranges,
    "given_kernels": given_kernels,
    "recursive": recursive,
    "widenings": widenings,
    "shifts": shifts,
}
"""The generators, by the form of their programs."""


def programs(form: str, seeds: range) -> Iterator[Program]:
    """The programs of a form."""
    return map(FORMS[form], seeds)
