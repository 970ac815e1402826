"""NaNs that the end of a loop makes canonical: those that it stored, all of them, and no others."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest
from tests.fuzz.loading import Workspace

import samebits as sb
from samebits import float32, float64
from samebits.backend.emit import function as emission
from samebits.backend.text.nan_deferral import Deferral, deferral
from samebits.lang.kernel import Kernel
from samebits.runtime import cache

SIZE = 7
ODD = (0x7FF8_0000_0000_0001, 0xFFF8_0000_0000_0000, 0x7FF0_0000_0000_0001)
"""NaNs that samebits never makes: a payload, a sign, a signalling one."""


@sb.kernel(bounds_check=False)
def pairs(a: sb.Array[float64], x: float64, n: int) -> None:
    for i in range(n):
        for j in range(i + 1, n):
            d = a[i] - a[j] * x
            a[i] = a[i] + d
            a[j] = a[j] - d


@sb.kernel(bounds_check=False)
def steps(a: sb.Array[float64], x: float64, n: int) -> None:
    for _ in range(n):
        for i in range(n):
            for j in range(i + 1, n):
                d = a[i] - a[j]
                a[i] = a[i] + d * x
                a[j] = a[j] - d * x


@sb.kernel(bounds_check=False)
def into_one(a: sb.Array[float64], x: float64, n: int) -> None:
    for i in range(1, n):
        a[0] = a[0] * x + a[i]


@sb.kernel(bounds_check=False)
def backwards(a: sb.Array[float64], x: float64, n: int) -> None:
    for i in range(n - 1, 0, -2):
        a[6] = a[6] + a[i - 1]
        a[i] = a[i - 1] * x


@sb.kernel(bounds_check=False)
def stays_or_moves(a: sb.Array[float64], x: float64, n: int) -> None:
    k = 0
    for i in range(n):
        a[k] = a[i] * x
        a[6] = a[k]
        k = i


@sb.kernel(bounds_check=False)
def by_a_slot(a: sb.Array[float64], x: float64, n: int) -> None:
    k = 0
    for i in range(n):
        k = n - 1 - i
        for j in range(k):
            a[k] = a[j] - a[k] * x
        k = 0
    a[0] = a[0] + float64(k)


@sb.kernel(bounds_check=False)
def counters_after(a: sb.Array[float64], x: float64, n: int) -> None:
    i = 5
    j = 6
    for _ in range(n):
        for i in range(n):
            for j in range(i + 1, n):
                a[j] = a[i] * x
                a[i] = a[i] + a[j]
                j = 0
            i = i + 1
    a[i] = 1.0
    a[j] = 2.0


@sb.kernel(bounds_check=False)
def singles(a: sb.Array[float32], x: float64, n: int) -> None:
    for i in range(n):
        a[13] = a[13] + a[i] * float32(x)
        a[i] = a[13]


KERNELS = (pairs, steps, into_one, backwards, stays_or_moves, by_a_slot, counters_after, singles)
DEFERRED = {"pairs", "steps", "into_one", "backwards", "by_a_slot", "counters_after", "singles"}
"""Those whose addresses counters alone move."""


def memories() -> Iterator[Any]:
    yield np.arange(1.0, SIZE + 1)
    for k in range(SIZE):
        for pattern in ODD:
            memory = np.arange(1.0, SIZE + 1)
            memory.view(np.uint64)[k] = pattern
            yield memory
    yield np.full(SIZE, ODD[0], np.uint64).view(np.float64)
    yield np.array([np.inf, 1.0, -np.inf, 2.0, np.inf, 1e308, -1e308])


def left_by(run: Any, memory: Any, x: float, n: int, element: Any) -> bytes:
    copy = memory.copy()
    run(copy.view(element), x, n)
    return copy.tobytes()


def check(kernel: Kernel, counts: range = range(SIZE)) -> None:
    """A call leaves what a managed run leaves, whatever NaNs are there before."""
    element = np.float32 if kernel is singles else np.float64
    for memory, x, n in product(memories(), (0.5, np.inf, np.nan), counts):
        found = left_by(kernel, memory, x, n, element)
        assert found == left_by(kernel.managed, memory, x, n, element), (memory, x, n)


@pytest.fixture
def deferred(monkeypatch: pytest.MonkeyPatch) -> list[Deferral]:
    """What is deferred while a test compiles."""
    found: list[Deferral] = []

    def noted(loop: Any, facts: Any) -> Deferral | None:
        result = deferral(loop, facts)
        if result is not None:
            found.append(result)
        return result

    monkeypatch.setattr(emission, "deferral", noted)
    monkeypatch.setattr(cache._Setting, "chosen", None)
    return found


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
def test_memory_is_as_managed_leaves_it(kernel: Kernel, deferred: list[Deferral]) -> None:
    check(kernel)
    sb.inspect(kernel)
    assert bool(deferred) == (kernel.__name__ in DEFERRED)


def test_what_no_counter_moves_is_looked_at_once(deferred: list[Deferral]) -> None:
    sb.inspect(steps)
    sb.inspect(into_one)
    assert {found.is_tested for found in deferred} == {False}
    sb.inspect(pairs)
    assert deferred[-1].is_tested
    assert len(deferred[-1].steady) == 1
    assert len(deferred[-1].stores) == 2


HEADS = ("range(n)", "range({o}, n)", "range({o} + 1, n)", "range(n - 1, -1, -1)", "range(0, n, 3)")
PLACES = ("{i}", "{o}", "{k}", "n - 1 - {i}", "3")
VALUES = ("a[{p}] + a[{q}]", "a[{q}] * x", "-a[{p}]", "x - a[{q}]", "a[{p}] / a[{q}]", "2.0")


def written(rng: Random) -> str:
    """A kernel of nested loops over an array, every index of which is in range."""
    head = "def made(a: sb.Array[float64], x: float64, n: int) -> None:"
    lines = ["@sb.kernel(bounds_check=False)", head, "    k = 0"]

    def loops(level: int, outer: str) -> None:
        counter, indent = f"i{level}", "    " * (level + 1)
        lines.append(f"{indent}for {counter} in {rng.choice(HEADS).format(o=outer)}:")
        for _ in range(rng.randint(1, 3)):
            names = {"i": counter, "o": outer, "k": "k"}
            p, q, r = (rng.choice(PLACES).format(**names) for _ in range(3))
            if rng.random() < 0.2:
                lines.append(f"{indent}    k = {rng.choice((counter, outer, '2'))}")
            lines.append(f"{indent}    a[{r}] = {rng.choice(VALUES).format(p=p, q=q)}")
        if rng.random() < 0.2:
            lines.append(f"{indent}    k = 4")
        if level < 2 and rng.random() < 0.7:
            loops(level + 1, counter)

    loops(0, "1")
    return "\n".join([*lines, "    a[6] = a[6] + float64(k)"])


def test_made_kernels_leave_what_managed_leaves(deferred: list[Deferral]) -> None:
    head = "import samebits as sb\nfrom samebits import float64\n\n"
    with Workspace() as loader:
        for seed in range(60):
            (kernel,) = loader.imported(f"{head}{written(Random(seed))}\n", ["made"])
            check(kernel, range(0, SIZE, 2))
    assert {found.is_tested for found in deferred} == {True, False}
