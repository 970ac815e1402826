"""The most statements of a call are never fewer than it runs, and are worked out alike by the code
that chooses whether a call is guarded."""

# pyright: reportArgumentType=false, reportIndexIssue=false, reportReturnType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import math
from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import pytest
from tests.fuzz.execute import run_evaluate
from tests.fuzz.generator import generate
from tests.fuzz.inputs import InputSet
from tests.fuzz.loading import Loaded, Workspace

import samebits as sb
from samebits import float64, int64, uint64
from samebits.backend.emit.module import emit_module
from samebits.backend.emit.preemption import LEAST_STATEMENTS
from samebits.backend.llvm.engine import compile_text, host_target, load
from samebits.backend.text.run_bound import (
    LIMIT,
    OPEN,
    Bound,
    ProductBound,
    SumBound,
    WordBound,
    formula,
    run_bound,
    short,
)
from samebits.errors import Trap
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.builder import Builder
from samebits.ir.grammar import Module, Op, Value
from samebits.ir.interp.evaluator import Evaluator, evaluate
from samebits.ir.interp.memory import ArrayView
from samebits.types import FLOAT64, INT, ArrayType


def worked_out(bound: Bound, args: Sequence[Any]) -> float:
    """A bound's value, of values as evaluation has them."""
    match bound:
        case WordBound(n, dimension):
            given = args[n]
            return max(0, given.lengths[dimension] if isinstance(given, ArrayView) else given)
        case SumBound(a, b):
            return worked_out(a, args) + worked_out(b, args)
        case ProductBound(a, b):
            return worked_out(a, args) * worked_out(b, args)
        case _:
            return bound


def bounds_of(module: Module) -> dict[str, Bound]:
    found: dict[str, Bound] = {}
    for name, function in module.functions.items():  # callees first
        found[name] = run_bound(function, found)
    return found


class Judged(Evaluator):
    """Compares each call's operations with what its function may run at most."""

    def __init__(self, module: Module) -> None:
        super().__init__(module, self._hear)
        self.bounds = bounds_of(module)
        self.heard = 0
        self.known = 0
        """Calls of which something was known."""

    def _hear(self, op: Op, operands: tuple[Any, ...], results: tuple[Any, ...]) -> None:
        self.heard += 1

    def call(self, name: str, args: list[Any]) -> tuple[Any, ...]:
        before, given = self.heard, [*args]
        try:
            return super().call(name, args)
        finally:
            most = worked_out(self.bounds[name], given)
            self.known += most < math.inf
            assert self.heard - before <= most, (name, self.bounds[name], given)


@pytest.mark.parametrize("optimised", [False, True])
def test_no_generated_program_runs_more(optimised: bool) -> None:
    known = 0
    with Workspace(texts=4) as workspace:
        for seed in range(7000, 7030):
            program = generate(seed, 2)
            loaded = workspace.load(program.source, program.entry)
            known += judged(loaded, program.inputs, optimised)
    assert known > 50


def judged(loaded: Loaded, inputs: Sequence[InputSet], optimised: bool) -> int:
    evaluator = Judged(loaded.optimised if optimised else loaded.ir)
    watched = dataclasses.replace(loaded, evaluator=evaluator, optimised_evaluator=evaluator)
    for one in inputs:
        run_evaluate(watched, one, optimised=optimised)
    return evaluator.known


def rows(a: sb.ReadOnly[float64, 2], n: int) -> float64:
    total = float64(0.0)
    for i in range(len(a)):
        for j in range(i):
            total += a[i, j]
    for k in range(n - 1, -1, -1):
        total += float64(k)
    return total


def half(x: sb.Array[float64], n: int) -> None:
    m = sb.min(len(x) // 2, n + 3)
    for i in range(m):
        x[i] = 0.0


halved = sb.kernel(half)


def calls(x: sb.Array[float64], n: int) -> None:
    for _ in range(4):
        halved(x, n * 2)


def waits(x: sb.Array[float64], n: int) -> None:
    while x[0] < 1.0:
        x[0] += float64(n)


def wraps(x: sb.Array[float64], n: int) -> None:
    for _ in range(int(int64(n) + int64(1))):
        x[0] += 1.0


def unsigned(x: sb.Array[float64], n: uint64) -> None:
    for _ in range(int(int64(n))):
        x[0] += 1.0


def sets_its_end(x: sb.Array[float64], n: int) -> None:
    for _ in range(3):
        for i in range(n):
            x[i] = 0.0
        n = n * 2


def between(x: sb.Array[float64], n: int) -> None:
    for _ in range(n, len(x)):
        x[0] += 1.0


def ends(x: sb.Array[float64], n: int) -> None:
    m = len(x)
    for _ in range(m + n):
        x[0] += 1.0
    for _ in range(sb.max(m - 3, n) * 2):
        x[0] += 1.0
    for _ in range(-5, n % 7 + m * n, 2):
        x[0] += 1.0
    for _ in range(n - -4):
        x[0] += 1.0


def sines(x: sb.Array[float64]) -> None:
    for i in range(len(x)):
        x[i] = sb.math.sin(x[i])


def bound_of(function: Any) -> Bound:
    kernel = sb.kernel(function)
    unit = compile_kernel(kernel, kernel.fixed_types)
    return bounds_of(link(unit))[unit.function.name]


@pytest.mark.parametrize("function", [rows, half, calls, ends], ids=lambda f: f.__name__)
def test_calls_run_no_more_than_their_bound(function: Any) -> None:
    kernel = sb.kernel(function)
    unit = compile_kernel(kernel, kernel.fixed_types)
    evaluator = Judged(link(unit))
    for length in (1, 2, 7):
        for n in (-9, -1, 0, 1, 3, 12):
            x = np.zeros((length, length) if function is rows else length)
            evaluator.run(unit.function.name, [x, n])
    assert evaluator.known >= 18


OPERATIONS = ("add", "sub", "mul", "floordiv", "mod", "min", "max", "shr", "neg", "abs", "xor")


def expression(b: Builder, random: Random, depth: int, names: str = "nk") -> Value:
    chosen = random.randrange(4 + 6 * (depth > 0))
    if chosen < 2:
        return b.get(random.choice(names))
    if chosen == 2:
        return b.length(b.get("a"))
    if chosen == 3:
        return b.const(INT, random.choice((-7, -1, 0, 1, 2, 5)))
    opcode = random.choice(OPERATIONS)
    count = 1 if opcode in ("neg", "abs") else 2
    args = [expression(b, random, depth - 1, names) for _ in range(count)]
    return b.op(opcode, *args)


def test_no_integer_is_above_what_is_said_of_it() -> None:
    """As ends of loops in which nothing is done, up or down."""
    random, known = Random(3), 0
    for _ in range(1500):
        b = Builder("f", {"a": ArrayType(FLOAT64, 1), "n": INT}, [INT] * 2, {"k": INT, "i": INT})
        b.set("k", expression(b, random, 1, "n"))
        start, end = expression(b, random, random.choice((0, 2))), expression(b, random, 3)
        step = random.choice((1, -1))
        with b.into(b.for_("i", start, end, step).body):
            pass
        function = b.ret(start, end)
        bound = run_bound(function, {})
        known += bound < OPEN if isinstance(bound, float) else 1
        module = Module({"f": function})
        for length in (0, 1, 4):
            for n in (-9, -1, 0, 1, 3, 12):
                args = [np.zeros(length), n]
                with contextlib.suppress(Trap):
                    start, end = evaluate(module, "f", args)
                    words = [ArrayView(bytearray(), 0, (length,)), n]
                    steps = sum(1 for _ in function.body)
                    assert worked_out(bound, words) >= steps + max(0, (end - start) * step), (
                        function
                    )
    assert known > 100


OPEN_ONES = (waits, wraps, unsigned, sets_its_end, between)


@pytest.mark.parametrize("function", [rows, half, calls, sines], ids=lambda f: f.__name__)
def test_what_loops_over_lengths_and_integers_has_a_bound(function: Any) -> None:
    bound = bound_of(function)
    least = [ArrayView(bytearray(), 0, (9, 9)), 9]
    assert 9 < worked_out(bound, least) < LEAST_STATEMENTS
    most = [ArrayView(bytearray(), 0, (1 << 40,) * 2), 1 << 40]
    assert worked_out(bound, most) > LEAST_STATEMENTS


@pytest.mark.parametrize("function", OPEN_ONES, ids=lambda f: f.__name__)
def test_what_ends_by_something_else_is_open(function: Any) -> None:
    assert bound_of(function) == OPEN


def test_a_long_formula_is_open() -> None:
    bound: Bound = WordBound(0)
    for _ in range(12):
        bound = SumBound(bound, bound)
    assert short(bound) == OPEN
    assert short(SumBound(WordBound(0), 1.0)) == SumBound(WordBound(0), 1.0)


def test_compiled_code_works_a_formula_out_and_cuts_it_at_the_limit() -> None:
    params = [("x", FLOAT64), ("a", ArrayType(FLOAT64, 2)), ("n", INT)]
    chosen = [
        WordBound(2),
        SumBound(WordBound(1), WordBound(1, 1)),
        ProductBound(WordBound(1), SumBound(3.0, WordBound(2))),
        1e30,
        SumBound(ProductBound(ProductBound(WordBound(1), WordBound(1, 1)), WordBound(2)), 7.0),
        12.0,
    ]
    texts: list[str] = []
    for k, bound in enumerate(chosen):
        lines, name = formula(bound, params)
        lines += [f"  store i64 {name}, ptr %args", "  ret i32 0"]
        texts.append("\n".join([f"define i32 @worked_{k}(ptr %args) {{", *lines, "}"]))
    target = host_target()
    code = compile_text("\n".join([f'target triple = "{target.triple}"', *texts]), target)
    loaded = load(code, [f"worked_{k}" for k in range(len(chosen))])
    try:
        for rows_, columns, n in (
            (3, 5, 7), (0, 5, -1), (1 << 62, 1 << 62, 1 << 62), (0, 1 << 62, 5), (4096, 4096, 1),
            (1, 1, -(1 << 63)), (1 << 24, 1, 1), ((1 << 24) - 1, 0, 0),
        ):  # fmt: skip
            args = [1.0, ArrayView(bytearray(), 0, (rows_, columns)), n]
            for k, bound in enumerate(chosen):
                words = (ctypes.c_int64 * 5)(0, 0, rows_, columns, n)
                call = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)
                assert call(loaded.addresses[f"worked_{k}"])(ctypes.addressof(words)) == 0
                assert words[0] == min(LIMIT, worked_out(bound, args)), (bound, args)
    finally:
        loaded.close()


def test_only_what_may_be_long_is_called_guarded() -> None:
    def text(function: Any) -> str:
        kernel = sb.kernel(function)
        unit = compile_kernel(kernel, kernel.fixed_types)
        return emit_module(link(unit), [unit.function.name], host_target(), threads=True).text

    assert "label %short.call, label %long.call" in text(half)
    assert "%short.call" not in text(waits)
    assert all("%guarded.status = call i32 %guarded.f" in text(f) for f in (half, waits))
