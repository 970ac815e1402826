"""`print` and `sb.trace` leave the same text and records, in order, in every execution."""

from __future__ import annotations

import gc
import signal
import sys
import threading
from collections.abc import Callable
from enum import IntEnum
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.support.executions import refusal_of, same

import samebits as sb
from samebits import float2, float3, float3x3, float16, float32, float64, int8, int32, uint64
from samebits.backend.llvm.compile import llvm_text
from samebits.backend.targets.table import TARGETS
from samebits.errors import BitsMismatchError, CompileError, Trap
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.grammar import Op, walk
from samebits.ir.text import parse_module, print_module
from samebits.passes.pipeline import optimise
from samebits.passes.without_output import without_output
from samebits.printed import MOST_WORDS, TraceRecord, captured
from samebits.runtime.compile import compile_emulated

TITLE = "ti{tle}"


def called(kernel: Any, *args: Any) -> Any:
    return kernel(*args)


def managed(kernel: Any, *args: Any) -> Any:
    return kernel.managed(*args)


EXECUTIONS: list[Callable[..., Any]] = [called, managed, sb.evaluate]
EMULATED = ["s390x-O3", "i686-O3", "aarch64-O3", "wasm32-O3"]


class Colour(IntEnum):
    RED = 1


@sb.struct
class Inner:
    at: float2
    on: bool


@sb.struct
class Body:
    mass: float32
    inner: Inner
    hits: int32

    def told(self) -> int32:
        print("told", self)
        self.hits += 1
        return self.hits


@sb.kernel
def scalars(x: float32, y: float64, on: bool, u: uint64, i: int8, n: int) -> int:
    print(x, y, on, u, i, n, -0.0, 7, True, Colour.RED, sep=", ", end=".\n")
    print(f"{x:.3f}|{u:08x}|{n:+d}|{x!r}|{y}", TITLE, "{}", sep="{x}", end=None)
    print()
    print(y / 3.0 * 1e308 * 1e10, y * 1e308 * 1e10 - y * 1e308 * 1e10, 5e-324)
    return n


@sb.kernel
def composites(v: float3, b: Body) -> None:
    print(v, b, b.inner, float3x3(v.x), f"{v:.1f} {v} {b}")
    b.told()
    b.told()


@sb.kernel
def inner(x: float64) -> float64:
    print("inner", x)
    return x * 2.0


@sb.kernel
def loops(a: sb.Array[float64], n: int) -> float64:
    s = 0.0
    for i in range(n):
        if i % 2 == 1:
            print("odd", i)
            continue
        s += inner(a[i])
        sb.trace("s", s)
    k = 0
    while k < 3:
        k += 1
        print(k, end=" ")
    print(f"end {s}")
    return s


@sb.kernel(recursion=16)
def fib(n: int) -> int:
    print("fib", n, end=";")
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@sb.kernel
def in_parallel(a: sb.Array[float64]) -> None:
    for i in sb.prange(len(a)):
        a[i] = float64(i)
        print(i, a[i])


@sb.kernel
def in_lists(n: int) -> int:
    items = sb.List[float64, 8]()
    for i in range(n):
        items.append(float64(i))
        print(len(items), items[i])
    return len(items)


@sb.kernel(mode=sb.DETERMINISTIC)
def rewritten(a: sb.ReadOnly[float64]) -> float64:
    s = 0.0
    for i in range(len(a)):
        s += a[i]
        if i % 100 == 0:
            print("at", i)
    return s


@sb.struct
class Steps:
    at: sb.fix32x2
    part: float16


@sb.kernel
def stored(h: float16, v: sb.half2, x: sb.fix16, w: sb.fix48, s: Steps) -> None:
    print(h, v, x, w, s.at, s, f"{h!r} {x!r} {w}")
    sb.trace("x", x)
    sb.trace("s", s)


@sb.kernel
def total(x: float64) -> float64:
    print(x)
    return x + 1.0


@sb.kernel
def versioned(a: sb.Array[int32], b: sb.ReadOnly[int32], n: int) -> None:
    for i in range(n):
        a[i] = int32(int(b[i]) + int(float64(1) * 2)) + int32(total(1.0))


FLAGS = (True, False)
ROWS = ((True, float32(1.5)), (False, float32(2)))


@sb.kernel
def outer_tuples(n: int) -> None:
    for on, mass in reversed(ROWS):
        print(n, on, mass)
    for flag, (on, mass) in zip(FLAGS, ROWS):  # noqa: B905 -- kernels know no strict
        print(flag, on, mass)
    print(FLAGS[1], ROWS[0][0], f"{FLAGS[0]}")


@sb.kernel
def many(n: int) -> int:
    for i in range(n):
        print(i)
    return n


STEPS = Steps(sb.fix32x2(0.75, -3), float16(0.3))
CALLS: list[tuple[Any, tuple[Any, ...]]] = [
    (scalars, (0.1, 2.5, True, 2**64 - 1, -5, -3)),
    (scalars, (np.nan, -np.inf, False, 0, 127, 2**62)),
    (composites, (float3(0.1, -0.0, 1e-45), Body(0.1, Inner(float2(1, 2), True), 7))),
    (loops, (np.arange(5.0) / 3, 5)),
    (loops, (np.arange(4.0), 5)),
    (fib, (5,)),
    (in_parallel, (np.zeros(5),)),
    (in_lists, (5,)),
    (in_lists, (9,)),
    (rewritten, (np.arange(300.0) / 7,)),
    (versioned, (np.zeros(600, np.int32), np.arange(600, dtype=np.int32), 600)),
    (many, (10,)),
    (outer_tuples, (2,)),
    (stored, (float16(0.1), sb.half2(-0.0, 65504), sb.fix16("-0.1"), sb.fix48("45.6789"), STEPS)),
    (stored, (float16(np.nan), sb.half2(6e-8, -np.inf), sb.fix16(0), sb.fix48(-1), STEPS)),
]


@pytest.mark.parametrize(("kernel", "args"), CALLS)
def test_every_execution_prints_and_traces_the_same(kernel: Any, args: tuple[Any, ...]) -> None:
    sb.assert_same_bits_each(kernel, [args])


@pytest.mark.parametrize("target", EMULATED)
def test_emulated_targets_print_the_same(target: str) -> None:
    for kernel in dict.fromkeys(kernel for kernel, _ in CALLS):
        calls = [args for other, args in CALLS if other is kernel]
        sb.assert_same_bits_each(kernel, calls, targets=[target])


@pytest.mark.parametrize("run", EXECUTIONS)
def test_what_is_printed_is_what_python_prints(run: Any, capsys: Any) -> None:
    run(scalars, 0.1, 2.5, True, 2**64 - 1, -5, -3)
    first, second, third, fourth = capsys.readouterr().out.splitlines()
    assert first == "0.1, 2.5, True, 18446744073709551615, -5, -3, -0.0, 7, True, 1."
    assert second == "0.100|ffffffffffffffff|-3|float32(0.1)|2.5{x}ti{tle}{x}{}"
    assert third == ""
    assert fourth == "inf nan 5e-324"
    run(outer_tuples, 2)
    *_, last_row, names = capsys.readouterr().out.splitlines()
    assert (last_row, names) == ("False False 2.0", "False True True")
    run(composites, float3(0.1, -0.0, 1e-45), Body(0.1, Inner(float2(1, 2), True), 7))
    line, *told = capsys.readouterr().out.splitlines()
    m = float3x3(float32(0.1))
    body = Body(0.1, Inner(float2(1, 2), True), 7)
    v = float3(0.1, -0.0, 1e-45)
    assert line == f"{v} {body} {body.inner} {m} float3(0.1, -0.0, 0.0) {v} {body}"
    assert told[1] == f"told {Body(0.1, Inner(float2(1, 2), True), 8)}"


@pytest.mark.parametrize("run", EXECUTIONS)
def test_fixed_point_numbers_and_halves_read_as_in_python(run: Any, capsys: Any) -> None:
    h, v, x, w = float16(0.1), sb.half2(0.1, 2), sb.fix16("-0.1"), sb.fix48("0.1")
    with sb.tracing() as records:
        run(stored, h, v, x, w, STEPS)
    assert capsys.readouterr().out == f"{h!s} {v} {x} {w} {STEPS.at} {STEPS} {h!r} {x!r} {w}\n"
    assert records[0].value == Fraction(x.raw, 1 << 16)
    assert records[1].values == (Fraction(3, 4), Fraction(-3), float(float16(0.3)))


@sb.kernel
def now_and_then(a: sb.Array[float64]) -> None:
    for i in sb.prange(len(a)):
        a[i] = sb.sqrt(float64(i)) / 3.0
        if i % 100 == 0:
            print(i)


def test_a_parallel_range_that_prints_is_in_order() -> None:
    sb.set_workers(2)
    try:
        for _ in range(10):
            with captured() as left:
                now_and_then(np.zeros(200_000))
            assert left == [f"{i}\n" for i in range(0, 200_000, 100)]
    finally:
        sb.set_workers(None)


@pytest.mark.parametrize("run", EXECUTIONS)
def test_lines_before_a_trap_are_printed(run: Any, capsys: Any) -> None:
    with pytest.raises(Trap):
        run(loops, np.arange(2.0), 3)
    assert capsys.readouterr().out == "inner 0.0\nodd 1\n"


@pytest.mark.parametrize("run", EXECUTIONS)
def test_records_have_names_numbers_and_places(run: Any) -> None:
    with sb.tracing() as records:
        run(loops, np.array([0.5, 0.0, 0.25]), 3)
    assert [(r.name, r.values, r.value) for r in records] == [
        ("s", (1.0,), 1.0),
        ("s", (1.5,), 1.5),
    ]
    span = records[0].span
    assert span is not None
    assert (span.function, span.file) == ("loops", __file__)
    run(loops, np.zeros(3), 3)
    assert len(records) == 2


@sb.kernel
def traces_all(v: float3, b: Body, n: int, on: bool) -> float32:
    sb.trace("v", v)
    sb.trace("b{}", b)
    sb.trace("n", n * 2)
    sb.trace("on", on)
    return v.x


@pytest.mark.parametrize("run", EXECUTIONS)
def test_a_record_of_a_composite_has_its_numbers(run: Any) -> None:
    with sb.tracing() as outer, sb.tracing() as records:
        run(traces_all, float3(1, 2, 0.1), Body(0.5, Inner(float2(1, 2), True), 7), 4, False)
    tenth = float(np.float32(0.1))
    assert [(r.name, r.value) for r in records] == [
        ("v", (1.0, 2.0, tenth)),
        ("b{}", (0.5, 1.0, 2.0, True, 7)),
        ("n", 8),
        ("on", False),
    ]
    assert outer == []


def test_trace_outside_of_kernels_keeps_the_value() -> None:
    sb.trace("nobody", 1)
    with sb.tracing() as records:
        sb.trace("x", float32(0.5))
        sb.trace("v", float2(1, 2))
    assert records == [TraceRecord("x", (0.5,), None), TraceRecord("v", (1.0, 2.0), None)]
    with pytest.raises(sb.ArgumentError, match="expected a scalar, got list"), sb.tracing():
        sb.trace("a", [1, 2])


def test_what_does_not_fit_is_counted_alike_everywhere() -> None:
    texts: list[list[Any]] = []
    for run in EXECUTIONS:
        with captured() as left:
            run(many, MOST_WORDS // 2 + 3)
        texts.append(left)
    assert texts[0] == texts[1] == texts[2]
    assert len(texts[0]) == MOST_WORDS // 2 + 1
    assert texts[0][-2] == f"{MOST_WORDS // 2 - 1}\n"
    assert str(texts[0][-1]).startswith("samebits: 3 more were dropped")
    with captured() as left:
        many(1)
    assert left == ["0\n"]


@sb.kernel(prints=False)
def quiet(n: int) -> int:
    print("never", 10 // n)
    sb.trace("n", n)
    return n


@pytest.mark.parametrize("run", EXECUTIONS)
def test_without_prints_nothing_is_left_and_no_result_changes(run: Any, capsys: Any) -> None:
    with sb.tracing() as records:
        assert run(quiet, 5) == 5
        with pytest.raises(Trap, match="division by zero"):
            run(quiet, 0)
    assert records == []
    assert capsys.readouterr().out == ""
    module = link(compile_kernel(quiet, quiet.fixed_types or ()))
    assert "print" not in _opcodes(module)


def _opcodes(module: Any) -> set[str]:
    return {s.opcode for f in module.functions.values() for s in walk(f.body) if isinstance(s, Op)}


@sb.kernel
def mute(a: sb.Array[float64], n: int) -> float64:
    s = 0.0
    for i in range(n):
        s += a[i]
    return s


@sb.kernel
def loud(a: sb.Array[float64], n: int) -> float64:
    s = 0.0
    for i in range(n):
        s += a[i]
    print(s)
    return s


def test_a_program_without_prints_has_the_code_of_one_that_never_had_any() -> None:
    def text(kernel: Any, strip: bool = False) -> str:
        module = link(compile_kernel(kernel, kernel.fixed_types or ()))
        module = without_output(module) if strip else module
        (name,) = module.functions
        made = llvm_text(optimise(module, [name]), [name], TARGETS["x86-64-v3"], 3)
        return made.replace(kernel.__name__, "k")

    assert "sb_output" not in text(mute)
    assert "sb_output" in text(loud)
    assert text(mute) == text(loud, strip=True)


def test_ir_text_keeps_prints() -> None:
    module = link(compile_kernel(loops, loops.fixed_types or ()))
    text = print_module(module)
    assert print_module(parse_module(text)) == text
    assert {"print", "trace"} <= _opcodes(parse_module(text))


def test_a_difference_of_what_is_printed_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from samebits.managed import texts

    monkeypatch.setattr(texts, "printed", texts.unprinted)

    @sb.kernel
    def told(x: float64) -> float64:
        print(x)
        return x

    with pytest.raises(BitsMismatchError, match="print 0 differs between managed and"):
        sb.assert_same_bits(told, 1.0)


def test_two_threads_do_not_mix_their_lines() -> None:
    found: dict[int, list[Any]] = {}

    def work(k: int) -> None:
        with captured() as left:
            for _ in range(50):
                loops(np.full(4, float(k)), 4)
        found[k] = left

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k, left in found.items():
        with captured() as once:
            loops(np.full(4, float(k)), 4)
        assert left == once * 50


@sb.kernel
def long(n: int) -> int:
    s = 0
    for _ in range(n):
        for j in range(400):
            s = (s * 3 + j) % 1000003
        sb.trace("s", s)
    return s


class _Stopped(Exception):
    pass


def test_a_call_that_is_left_has_printed_what_it_ran() -> None:
    def stop(number: int, frame: object) -> None:
        raise _Stopped

    with captured() as whole:
        long(MOST_WORDS // 2)
    before = signal.signal(signal.SIGALRM, stop)
    try:
        for k in range(6):
            with captured() as left:
                signal.setitimer(signal.ITIMER_REAL, 0.05 + k * 3e-3)
                with pytest.raises(_Stopped):
                    long(1 << 40)
            assert len(left) > 0
            assert left[: len(whole)] == whole[: len(left)]
    finally:
        signal.signal(signal.SIGALRM, before)


def test_an_emulated_kernel_prints_to_the_caller(capsys: Any) -> None:
    run = compile_emulated(many, many.fixed_types or (), TARGETS["s390x"], 3)
    assert run(2) == 2
    assert capsys.readouterr().out == "0\n1\n"
    del run
    gc.collect()


def test_a_process_without_output_prints_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert many(1) == 1


# Refusals ------------------------------------------------------------------------------------


@sb.kernel
def of_array(a: sb.ReadOnly[float64]) -> None:
    print(a)


@sb.kernel
def flushing(x: float64) -> None:
    print(x, flush=True)


@sb.kernel
def given_end(x: float64) -> None:
    print(x, end=x)  # pyright: ignore


@sb.kernel
def unnamed(x: float64) -> None:
    name = 1
    sb.trace(name, x)  # pyright: ignore


@sb.kernel
def of_text(x: float64) -> None:
    sb.trace("x", "text")  # pyright: ignore


@sb.kernel
def too_many(m: float3x3) -> None:
    print(m, m, m, m, m, m, m, m)


@pytest.mark.parametrize(
    ("kernel", "args", "fix"),
    [
        (of_array, (np.zeros(3),), "name its elements: `a[0]`, or each in a loop"),
        (flushing, (1.0,), 'write print(a, b, sep=", ", end="\\n"), each text in quotes'),
        (given_end, (1.0,), 'write print(a, b, sep=", ", end="\\n"), each text in quotes'),
        (unnamed, (1.0,), 'write sb.trace("x", x)'),
        (of_text, (1.0,), 'write sb.trace("x", x)'),
        (too_many, (float3x3(1),), "name fewer; a vector counts as its components"),
    ],
)
def test_what_cannot_be_printed_is_refused(kernel: Any, args: tuple[Any, ...], fix: str) -> None:
    error = refusal_of(kernel, *args)
    assert error.fix == fix
    if kernel is not too_many:
        with pytest.raises((CompileError, sb.ArgumentError)):
            kernel.managed(*args)


@sb.job
class Told(sb.ParallelFor):
    a: sb.Array[float64]

    def execute(self, index: int32) -> None:
        self.a[index] = inner(float64(index))


def test_a_job_that_prints_is_refused_however_it_runs() -> None:
    job = Told(a=np.zeros(4))
    for run in (job.run, job.schedule, job.managed_run):
        with pytest.raises(CompileError, match="a job does not print or trace"):
            run(4)


def test_a_kernel_that_prints_is_called_as_before() -> None:
    assert same(inner, 2.0) == 4.0
