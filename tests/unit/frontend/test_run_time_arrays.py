"""Local arrays of run-time sizes: bits and traps alike, and what is freed when."""

from __future__ import annotations

import re
import threading
from functools import partial
from typing import Any

import numpy as np
import pytest
from tests.support.executions import same

import samebits as sb
from samebits import float3, float32, float64, int8, int32, int64, uint64
from samebits.backend.emit.module import emit_module
from samebits.backend.targets.table import TARGETS
from samebits.errors import ArgumentError, CompileError, Trap
from samebits.frontend.compile import compile_kernel, link
from samebits.lang.kernel import Kernel
from samebits.types import INT

SMALL = 1 << 12
"""The bytes of the arena of most kernels here."""


def trap_of(kernel: Kernel, *args: Any) -> Trap:
    """The trap that managed, evaluate and compiled share, with one message."""
    with pytest.raises(Trap) as caught:
        same(kernel, *args)
    with pytest.raises(Trap) as compiled:
        kernel(*args)
    assert (compiled.value.message, compiled.value.span) == (
        caught.value.message,
        caught.value.span,
    )
    return caught.value


def runs(kernel: Any) -> tuple[Any, ...]:
    """The three executions."""
    return kernel, kernel.managed, partial(sb.evaluate, kernel)


@sb.struct
class Point:
    at: float3
    n: int8


@sb.kernel
def shapes(n: int, m: int32, k: uint64) -> float64:
    a = sb.zeros(n, float64)
    b = sb.zeros((n, m), int32)
    c = sb.zeros((2, n, m), float3)
    d = sb.zeros((n, 2, m, k), int8)
    p = sb.zeros(m, Point)
    flags = sb.zeros(n, bool)
    for i in range(len(a)):
        a[i] += float64(i)
        flags[i] = i % 2 == 1
        row = b[i]
        for j in range(len(row)):
            row[j] += int32(i * 10 + j)
            c[1, i, j] = float3(float32(j))
            d[i, 1, j, -1] = int8(i)
    for q in p:
        q.at.y = float32(3)
        q.n = int8(len(p))
    total = float64(0)
    for i in range(len(a)):
        total += a[i] * 2 + float64(flags[i])
        for j in range(len(p)):
            total += float64(b[i, j]) + float64(c[1, i, j].z) + float64(d[i, 1, j, 0])
            total += float64(p[j].at.y) * float64(p[j].n) + float64(c[0, i, j].x)
    h, w = b.shape
    return total + float64(h * 100 + w)


@pytest.mark.parametrize("sizes", [(4, 3, 1), (1, 1, 2), (0, 3, 1), (5, 0, 1), (17, 2, 3)])
def test_every_shape_and_element_begins_with_zeros(sizes: tuple[int, int, int]) -> None:
    same(shapes, *sizes)


@sb.kernel
def one(n: int) -> int:
    return len(sb.zeros(n, float64))


@sb.kernel
def square(h: int, w: int) -> int:
    a = sb.zeros((h, w), float64)
    return len(a)


@sb.kernel
def four(a: int, b: int, c: int, d: int) -> int:
    return len(sb.zeros((a, b, c, d), int8))


FITS = 1 << 21
"""The most float64 that the default arena holds."""


def test_the_arena_holds_16_mib() -> None:
    same(one, FITS)
    said = trap_of(one, FITS + 1)
    assert said.kind == "arena"
    assert said.message == (
        "the arena has no room for an array of 2097153 float64, 8 bytes each: 0 of its 16,777,216 "
        "bytes, which `arena=` sets, are in use"
    )


@pytest.mark.parametrize(
    "sizes",
    [
        (1 << 32, 1 << 32), (1 << 62, 4), (1 << 62, 0), (0, 1 << 48), (3, INT.maximum),
        (1 << 31, 1 << 29), (INT.maximum, INT.maximum),
    ],
)  # fmt: skip
def test_sizes_whose_product_no_integer_holds_trap(sizes: tuple[int, int]) -> None:
    assert trap_of(square, *sizes).kind == "arena"
    assert trap_of(four, 1, *sizes, 1 << 40).kind == "arena"


def test_a_negative_length_traps_whatever_the_others_are() -> None:
    assert trap_of(one, -1).message == "negative length of an array: -1 float64"
    assert trap_of(one, INT.minimum).kind == "length"
    said = trap_of(square, 1 << 62, -2)
    assert said.message == "negative length of an array: 4611686018427387904 x -2 float64"
    assert trap_of(four, 0, 0, -1, 0).kind == "length"


def test_unsigned_lengths_beyond_int64_are_negative() -> None:
    @sb.kernel
    def use(n: uint64) -> int:
        return len(sb.zeros(n, int8))

    assert trap_of(use, 2**63).kind == "length"
    assert trap_of(use, 2**64 - 1).message == "negative length of an array: -1 int8"


@sb.kernel(arena=SMALL)
def scratch(n: int, rounds: int) -> float64:
    total = float64(0)
    for k in range(rounds):
        a = sb.zeros(n, float64)
        if k % 3 == 1:
            continue
        a[k % n] += float64(k)
        b = sb.zeros(n, float64)
        b[0] = a[0]
        total += a[k % n] + b[0] + a[n - 1]
    return total


def test_a_loop_frees_what_an_iteration_has_made() -> None:
    same(scratch, 256, 50)
    assert trap_of(scratch, 257, 1).kind == "arena"


def test_what_a_loop_runs_over_is_not_freed() -> None:
    @sb.kernel(arena=SMALL)
    def use(n: int, m: int) -> int64:
        total = int64(0)
        for x in sb.zeros(n, int64):
            for k, y in enumerate(sb.zeros((m, 2), int64)):
                a = sb.zeros(m, int64)
                a[k] += 1
                y[0] += a[k] + x
                total += y[0]
        return total

    same(use, 3, 20)
    same(use, 32, 160)
    assert trap_of(use, 34, 160).kind == "arena"


def test_loops_inside_one_another_and_while_free() -> None:
    @sb.kernel(arena=SMALL)
    def use(n: int, rounds: int) -> int:
        outer = sb.zeros(n, int64)
        k = 0
        while True:
            a = sb.zeros(n, int64)
            for _ in range(3):
                b = sb.zeros(n, int64)
                for j in range(2):
                    c = sb.zeros(n, int64)
                    c[j] = a[0] + b[0] + 1
                    outer[0] += c[j]
            k += 1
            if k == rounds:
                break
        return int(outer[0]) + len(a)

    same(use, 128, 5)
    assert trap_of(use, 129, 1).kind == "arena"


def test_what_a_name_keeps_is_not_freed() -> None:
    @sb.kernel(arena=SMALL)
    def chain(n: int, rounds: int) -> float64:
        now = sb.zeros(n, float64)
        for k in range(rounds):
            new = sb.zeros(n, float64)
            for i in range(n):
                new[i] = now[i] + float64(i * k)
            now = new
        return now[n - 1]

    same(chain, 12, 40)
    assert trap_of(chain, 12, 50).kind == "arena"


def test_parts_of_new_arrays_have_names() -> None:
    @sb.kernel(arena=SMALL)
    def use(n: int, rounds: int) -> int64:
        total = int64(0)
        row = sb.zeros((2, n), int64)[1]
        for k in range(rounds):
            last = sb.zeros(n, int64)[1:]
            last[0] += int64(k) + row[0]
            total += last[0] + sb.zeros((n, 2), int64)[n - 1, 1]
            row[0] = total
        return total

    same(use, 5, 100)
    assert trap_of(use, 150, 1).kind == "arena"


def test_references_and_views_that_outlive_an_iteration_keep_it() -> None:
    @sb.kernel(arena=SMALL)
    def rows(n: int, rounds: int) -> int64:
        row = sb.zeros(n, int64)
        total = int64(0)
        for k in range(rounds):
            total += row[0]
            grid = sb.zeros((2, n), int64)
            grid[1, 0] = int64(k + 1)
            row = grid[1]
        return total * 100 + row[0]

    same(rows, 4, 9)
    assert trap_of(rows, 4, 64).kind == "arena"


def test_an_array_of_the_last_iteration_lives_on() -> None:
    @sb.kernel
    def use(n: int) -> int64:
        while True:
            a = sb.zeros(n, int64)
            a[0] = int64(7)
            if n > 0:
                break
        b = sb.zeros(n, int64)
        return a[0] + b[0]

    same(use, 3)


@sb.kernel(arena=SMALL)
def filled(n: int, value: float64) -> float64:
    a = sb.zeros(n, float64)
    for i in range(n):
        a[i] += value
    return a[n - 1]


def test_a_kernel_frees_when_it_returns() -> None:
    @sb.kernel(arena=SMALL)
    def use(n: int, rounds: int, m: int) -> float64:
        a = sb.zeros(m, float64)
        total = float64(0)
        for k in range(rounds):
            total += filled(n, float64(k)) + a[1]
        b = sb.zeros(n, float64)
        return total + b[n - 1]

    same(use, 300, 9, 3)
    said = trap_of(use, 509, 1, 3)
    assert said.span is not None
    assert said.span.function == "filled"
    assert "32 of its 4,096 bytes" in said.message  # 24, in multiples of 16


def test_recursion_takes_memory_until_it_returns() -> None:
    @sb.kernel(recursion=50, arena=SMALL)
    def down(n: int, depth: int) -> int64:
        a = sb.zeros(n, int64)
        a[0] = int64(depth)
        if depth == 0:
            return a[n - 1]
        below = down(n, depth - 1) + down(n, 0)
        return a[0] + below

    same(down, 20, 20)
    assert trap_of(down, 20, 26).kind == "arena"


def test_arrays_are_passed_and_written_through_views() -> None:
    @sb.kernel
    def write(a: sb.Array[float32], b: sb.ReadOnly[float32]) -> None:
        for i in range(min(len(a), len(b))):
            a[i] = b[i] + float32(1)

    @sb.kernel
    def use(n: int) -> float32:
        a = sb.zeros((n, n), float32)
        for k in range(1, n):
            write(a[k], a[k - 1])
            write(a[k][1:], a[k][:-1])
        return a[n - 1, n - 1]

    same(use, 6)


def test_an_index_outside_traps() -> None:
    @sb.kernel
    def use(n: int, i: int) -> float64:
        a = sb.zeros(n, float64)
        return a[i]

    same(use, 5, 4)
    assert trap_of(use, 5, 5).message == "index 5 is out of range for an array of 5"
    assert trap_of(use, 0, 0).kind == "index"


@sb.kernel(arena=100)
def small(n: int, m: int) -> int:
    a = sb.zeros(n, int8)
    b = sb.zeros(m, int8)
    return len(a) + len(b)


def test_an_arena_has_the_bytes_that_the_option_says() -> None:
    same(small, 84, 4)
    same(small, 96, 4)
    same(small, 1, 84)
    said = trap_of(small, 1, 85)
    assert said.message == (
        "the arena has no room for an array of 85 int8, 1 byte each: 16 of its 100 bytes, which "
        "`arena=` sets, are in use"
    )
    assert trap_of(small, 97, 0).kind == "arena"
    assert trap_of(small, 101, 1).kind == "arena"


def test_a_kernel_counts_what_its_callers_have() -> None:
    @sb.kernel(arena=1 << 10)
    def outer(n: int, m: int) -> int:
        a = sb.zeros(n, int8)
        return small(m, 0) + len(a)

    same(outer, 16, 68)
    assert trap_of(outer, 17, 68).kind == "arena"
    assert trap_of(outer, 101, 0).kind == "arena"


@pytest.mark.parametrize("size", [0, -1, 1 << 31, 1.0, True, "1"])
def test_an_arena_is_a_number_of_bytes(size: Any) -> None:
    with pytest.raises(ArgumentError, match="arena is the bytes"):
        sb.kernel(arena=size)


def test_parallel_parts_make_none() -> None:
    @sb.kernel
    def own(a: sb.Array[float64]) -> None:
        for i in sb.prange(len(a)):
            b = sb.zeros(i + 1, float64)
            a[i] = b[0]

    @sb.kernel
    def calls(a: sb.Array[float64]) -> None:
        for i in sb.prange(len(a)):
            a[i] = filled(i + 1, 2.0)

    for kernel in (own, calls):
        for run in runs(kernel):
            with pytest.raises(CompileError, match="known only at run time"):
                run(np.zeros(3))


def test_a_parallel_range_uses_one_made_before() -> None:
    @sb.kernel
    def use(n: int) -> float64:
        a = sb.zeros(n, float64)
        for i in sb.prange(n):
            a[i] = float64(i) * 2
        return a[n - 1] + a[0]

    same(use, 3000)


def test_threads_have_arenas_of_their_own() -> None:
    found: list[float] = []

    def run(value: float) -> None:
        found.extend(filled(500, value) for _ in range(20))

    threads = [threading.Thread(target=run, args=(float(k),)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [float(k) for k in range(4) for _ in range(20)]


def test_a_trap_leaves_the_arena_free() -> None:
    for run in runs(small):
        for _ in range(3):
            with pytest.raises(Trap):
                run(90, 90)
            assert run(90, 4) == 94


@pytest.mark.parametrize("target", ["x86-64-v3", "wasm32"])
@pytest.mark.parametrize("threads", [True, False])
def test_kernels_without_such_arrays_take_no_memory(target: str, threads: bool) -> None:
    @sb.kernel
    def fixed(n: int) -> float64:
        a = sb.zeros(8, float64)
        return a[n]

    def text(kernel: Any) -> str:
        unit = compile_kernel(kernel, (INT,))
        module = link(unit)
        names = [unit.function.name]
        return emit_module(module, names, TARGETS[target], threads=threads).text

    assert not re.search(r"[%@.]arena", text(fixed))
    assert re.search(r"[%@.]arena", text(one))


def test_other_machines_give_the_same() -> None:
    targets = ["wasm32", "i686", "s390x"]
    sb.assert_same_bits(shapes, 4, 3, 1, targets=targets)
    sb.assert_same_bits(scratch, 200, 30, targets=targets)
    for sizes in ((1 << 62, 4), (-1, 1), (1 << 31, 1 << 29)):
        with pytest.raises(Trap):
            sb.assert_same_bits(square, *sizes, targets=targets)
