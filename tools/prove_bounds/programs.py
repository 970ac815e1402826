"""Whole loops at a few bits: on every input, optimised code does what the source says.

Each program is a loop or two that read or write an array where random arithmetic on a counter, an
int and a number of some other type leads them. Evaluation tells where an index was not checked that
had to be, and where an operation trapped that was said not to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any

import numpy as np
from tools.prove_bounds.concrete import UnsoundError
from tools.prove_bounds.miniature import Widths

from samebits.errors import Trap
from samebits.ir.builder import Builder
from samebits.ir.grammar import For, If, Module, Op, Region, Value, walk
from samebits.ir.interp.evaluator import Evaluator
from samebits.passes.bounds import domain
from samebits.passes.bounds.versioning import checks
from samebits.passes.pipeline import optimise
from samebits.types import INT32, ArrayType, ScalarType

ARRAY = ArrayType(INT32, 1)
CELLS = (-8, 7, 3, 0, -1)
"""What arrays hold before."""
ROWS = 1_000_000
"""The first of the programs that `Rows` writes."""


@dataclass(slots=True)
class Tally:
    """What was covered: programs, runs compared, programs that lost checks, guards among them, runs
    that trapped, programs with a loop in blocks."""

    programs: int = 0
    runs: int = 0
    lost: int = 0
    guarded: int = 0
    trapped: int = 0
    blocks: int = 0

    def add(self, other: Tally) -> None:
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


class Loops:
    """Writes one program; `h` has the type `t`."""

    def __init__(self, random: Random, w: Widths) -> None:
        self.r, self.w = random, w
        self.t = random.choice((w.unsigned, w.unsigned, w.unsigned, w.signed, *w.narrow))
        params = {"a": ARRAY, "n": w.weak, "h": self.t}
        slots = {name: w.weak for name in ("i", "j", "k", "t")}
        self.b = Builder("f", params, [w.weak], slots)
        self.ints = ["n"]

    def module(self) -> Module:
        b = self.b
        b.set("k", self.weak())
        b.set("t", self.outer())
        if self.r.random() < 0.2:
            b.emit("assert", self.test(self.outer(), self.outer()), attr="before")
        if self.r.random() < 0.25:
            branch = b.if_(self.test(self.outer(), self.outer()))
            with b.into(branch.then):
                self.loop("i", 0)
            with b.into(branch.orelse):
                b.set("k", self.outer())
        else:
            self.loop("i", 0)
        b.ret(b.get("k"))
        return Module({"f": b.function})

    def number(self, value: int) -> Value:
        return self.b.const(self.w.weak, value)

    def weak(self) -> Value:
        """`h`, or what is left of it in some type, as an int."""
        b, value = self.b, self.b.get("h")
        for _ in range(self.r.choice((0, 1, 1, 2))):
            t = self.r.choice(self.w.all[1:])
            if self.r.random() < 0.15:
                value = b.op(self.r.choice(("add", "sub", "mul", "xor")), value,
                             b.const(value.type, 1))  # fmt: skip
            value = b.to(t, value)
        return b.to(self.w.weak, value)

    def outer(self) -> Value:
        """An int known before the loop."""
        b, r = self.b, self.r
        match r.randrange(9):
            case 0 | 1:
                return b.get("n")
            case 2:
                return self.weak()
            case 3:
                return b.length(b.get("a"))
            case 4:
                return b.op(r.choice(("add", "sub")), b.get("n"), self.number(r.choice((1, 2))))
            case 5:
                return b.op(r.choice(("sub", "add", "min", "max", "mul")),
                            b.length(b.get("a")), self.weak())  # fmt: skip
            case 6:
                opcode = r.choice(("floordiv", "mod", "shr", "and"))
                return b.op(opcode, b.get("n"), self.number(r.choice((1, 2, 3))))
            case _:
                return self.number(r.choice((0, 0, 1, 2, 3, -1, -2)))

    def inner(self, depth: int = 0) -> Value:
        """An int that may differ from iteration to iteration."""
        b, r = self.b, self.r
        roll = r.randrange(16)
        if depth > 2 or roll < 4:
            return b.get(r.choice(self.ints[1:]))
        if roll < 8:
            opcode = r.choice(("add", "add", "sub", "sub", "mul", "min", "max"))
            other = self.weak() if r.random() < 0.5 else b.get(r.choice(("n", "t", "k")))
            pair = [self.inner(depth + 1), other]
            r.shuffle(pair)
            return b.op(opcode, *pair)
        if roll < 11:
            return b.op(r.choice(("add", "sub", "mul", "shl")), self.inner(depth + 1),
                        self.number(r.choice((1, 1, 2, 3))))  # fmt: skip
        if roll < 13:
            opcode = r.choice(("floordiv", "mod", "and", "shr", "or", "floordiv", "mod"))
            return b.op(opcode, self.inner(depth + 1), self.number(r.choice((1, 2, 3, -1, -2))))
        if roll < 14:
            return b.op(r.choice(("neg", "abs", "not")), self.inner(depth + 1))
        if roll < 15:
            x, y = self.inner(depth + 1), self.outer()
            return b.op("select", self.test(x, y), x, y)
        narrow = r.choice(self.w.all[1:])
        value = b.to(narrow, self.inner(depth + 1), r.choice(("convert", "narrow")))
        if r.random() < 0.6:
            value = b.op(r.choice(("add", "sub", "mul")), value, b.to(narrow, b.get("h")))
        return b.to(self.w.weak, value)

    def test(self, x: Value, y: Value) -> Value:
        return self.b.op(self.r.choice(("lt", "le", "gt", "ge", "eq", "ne")), x, y)

    def access(self, at: Value) -> None:
        b = self.b
        place = b.at(b.get("a"), at)
        if self.r.random() < 0.7:
            b.store(place, b.const(INT32, self.r.randrange(1, 99)))
        else:
            found = b.load(place)
            b.store(place, b.op("add", found, b.const(INT32, 1)))

    def loop(self, slot: str, depth: int) -> None:
        b, r, w = self.b, self.r, self.w
        if depth == 0 and r.random() < 0.12:
            self.uncounted()
            return
        step = r.choice((1, 1, 1, 1, 1, -1, -1, 2, 3, -2, -3, w.weak.maximum, w.weak.minimum))
        start, stop = (self.outer(), self.outer()) if r.random() < 0.5 else (
            self.number(0), self.outer())  # fmt: skip
        if step < 0:
            start, stop = stop, b.op("sub", start, self.number(1))
        statement = b.for_(slot, start, stop, step)
        self.ints.append(slot)
        with b.into(statement.body):
            self.iteration(depth)
        self.ints.pop()
        if r.random() < 0.1:
            with b.into(statement.orelse):
                self.access(self.outer())

    def iteration(self, depth: int) -> None:
        b, r = self.b, self.r
        if r.random() < 0.2:
            leave = b.if_(self.test(self.inner(1), self.outer()))
            with b.into(leave.then):
                if r.random() < 0.5:
                    b.break_()
                else:
                    b.continue_()
        if r.random() < 0.25:
            branch = b.if_(self.test(self.inner(1), self.outer()))
            with b.into(branch.then):
                self.access(self.inner())
            if r.random() < 0.5:
                with b.into(branch.orelse):
                    b.set("k", self.inner())
        else:
            self.access(self.inner())
        if depth == 0 and r.random() < 0.25:
            self.loop("j", 1)
        if r.random() < 0.35:
            opcode, by = r.choice(("add", "add", "sub")), self.number(r.choice((1, 1, 2)))
            b.set("k", b.op(opcode, b.get("k"), by))
            self.access(b.get("k"))

    def uncounted(self) -> None:
        b, r = self.b, self.r
        b.set("i", self.outer())
        self.ints.append("i")
        head: Region = []
        with b.into(head):
            condition = self.test(b.get("i"), self.outer())
        statement = b.while_(condition, head)
        with b.into(statement.body):
            self.access(self.inner())
            opcode = r.choice(("add", "add", "sub"))
            b.set("i", b.op(opcode, b.get("i"), self.number(r.choice((1, 1, 2)))))
        self.ints.pop()


class Rows(Loops):
    """Writes a loop along the array whose checks are of values: such a loop goes in blocks."""

    def loop(self, slot: str, depth: int) -> None:
        b, r, w = self.b, self.r, self.w
        stop = self.outer() if r.random() < 0.3 else b.length(b.get("a"))
        statement = b.for_(slot, self.number(0), stop)
        with b.into(statement.body):
            place = b.at(b.get("a"), b.get(slot))
            number = b.to(w.weak, b.load(place))
            for _ in range(r.choice((1, 1, 2))):
                opcode = r.choice(("add", "add", "sub", "sub", "neg", "abs", "narrow"))
                if opcode == "narrow":
                    t = r.choice(w.all[1:])
                    number = b.to(w.weak, b.to(t, number, "narrow"))
                elif opcode in ("neg", "abs"):
                    number = b.op(opcode, number)
                else:
                    pair = [number, b.get(r.choice(("n", "k", slot)))]
                    r.shuffle(pair)
                    number = b.op(opcode, *pair)
            b.store(place, b.to(INT32, number))


class Run:
    """Runs one program again and again."""

    def __init__(self, module: Module, limit: int) -> None:
        self._limit = limit
        self._left = 0
        self._evaluator = Evaluator(module, self._count)

    def _count(self, op: Op, operands: tuple[Any, ...], results: tuple[Any, ...]) -> None:
        self._left -= 1
        if self._left < 0:
            raise _LongError

    def outcome(self, length: int, n: int, h: int) -> tuple[Any, bytes] | None:
        """How the program ends, and the array; None where it takes too many operations."""
        self._left = self._limit
        array = np.resize(np.array(CELLS, np.int32), length)
        try:
            ending: Any = self._evaluator.run("f", [array, n, h])
        except Trap as trap:
            ending = (trap.kind, trap.span)
        except _LongError:
            return None
        return ending, array.tobytes()


class _LongError(Exception):
    pass


def values(t: ScalarType, few: bool) -> list[int]:
    """All values of a type, or those at its ends and in the middle."""
    every = range(t.minimum, t.maximum + 1)
    near = (t.minimum, t.minimum + 1, -3, -2, -1, 0, 1, 2, 3, 4, 7, 8, t.maximum // 2,
            t.maximum // 2 + 1, t.maximum - 1, t.maximum)  # fmt: skip
    return sorted({v for v in near if v in every}) if few else [*every]


def judge(w: Widths, seed: int, few: bool) -> Tally:
    """One program on all its inputs."""
    writer = (Rows if seed >= ROWS else Loops)(Random(seed), w)
    original = writer.module()
    optimised = optimise(original, ["f"])
    body = optimised.functions["f"].body
    tally = Tally(1)
    tally.blocks = int(any(isinstance(s, For) and s.slot.startswith("block.") for s in walk(body)))
    tally.guarded = int(any(_is_choice(s) for s in walk(body)))
    tally.lost = int(tally.guarded or checks(body) < checks(original.functions["f"].body))
    lengths = range(domain.LENGTH_LIMIT + 1)
    source, done = Run(original, 600), Run(optimised, 3000)
    for length, n, h in product(lengths, values(w.weak, few), values(writer.t, few)):
        expected = source.outcome(length, n, h)
        if expected is None:
            continue
        try:
            found = done.outcome(length, n, h)
        except Exception as error:
            raise UnsoundError(_tell(seed, writer, original, (length, n, h), error)) from error
        if found != expected:
            raise UnsoundError(_tell(seed, writer, original, (length, n, h), (expected, found)))
        tally.runs += 1
        tally.trapped += int(len(expected[0]) == 2)
    return tally


def _is_choice(statement: Any) -> bool:
    """Whether it chooses between two copies of a loop."""
    return (
        isinstance(statement, If)
        and bool(statement.then and statement.orelse)
        and all(isinstance(side[0], For) for side in (statement.then, statement.orelse))
    )


def _tell(seed: int, writer: Loops, module: Module, inputs: object, what: object) -> str:
    """One line, and the program. `print_module` has no names for types of a few bits."""
    lines = [f"program {seed}, h of {writer.t}, length, n, h = {inputs}: {what}"]
    for s in walk(module.functions["f"].body):
        match s:
            case Op():
                args = ", ".join(f"%{v.op}" for v in s.args)
                lines.append(f"  %{s.id} = {s.opcode} {s.attr} {args}: "
                             f"{', '.join(str(v.type) for v in s.results)}")  # fmt: skip
            case For():
                lines.append(f"  for {s.slot} in %{s.start.op}, %{s.stop.op}, {s.step}")
            case If():
                lines.append(f"  if %{s.condition.op}, {len(s.then)} and {len(s.orelse)}")
            case _:
                lines.append(f"  {type(s).__name__.lower()}")
    return "\n".join(lines)


def every(w: Widths, seeds: range, few: bool = False,
          progress: Callable[[int], None] = lambda seed: None) -> Iterator[Tally]:  # fmt: skip
    for seed in seeds:
        yield judge(w, seed, few)
        progress(seed)
