"""Loops over vectors, run over components: the same memory, whatever overlaps."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest
from tests.fuzz.loading import Loaded, Workspace, load_kernel
from tests.support.executions import same
from tests.support.programs.vector_loops import VectorLoop

import samebits as sb
from samebits import double3, float3, float32, float64
from samebits.errors import Trap
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.grammar import Module, Op, walk
from samebits.ir.interp.evaluator import Evaluator
from samebits.ir.text import print_module
from samebits.lang.kernel import Kernel
from samebits.passes.pipeline import optimise

CELLS = 40
HARD = (0.0, -0.0, 1.0, -1.5, 3.0, 1e30, -1e30, 1e-40, float("inf"), float("-inf"), float("nan"))


def is_flat(module: Module) -> bool:
    return any(
        isinstance(s, Op) and s.opcode == "flat"
        for function in module.functions.values()
        for s in walk(function.body)
    )


@pytest.fixture(scope="module")
def workspace() -> Iterator[Workspace]:
    with Workspace(texts=4) as made:
        yield made


def arguments(random: Random, loaded: Loaded) -> tuple[Any, list[Any], list[Any]]:
    """Memory; three arrays in it that may be one, apart, or overlap at any component; the rest."""
    vector = loaded.params[0].element  # type: ignore[union-attr]
    dtype, n = vector.element.dtype, vector.length
    memory = np.zeros(CELLS * n, dtype)
    with np.errstate(all="ignore"):
        values = [random.choice(HARD) if dtype.kind == "f" else random.randrange(1 << 31)
                  for _ in range(len(memory))]  # fmt: skip
        memory[:] = values
        k = dtype.type(random.choice((2, 3)))
    length = random.randrange(0, 9)
    arrays: list[Any] = []
    for _ in range(3):
        at = random.choice((0, 0, n, 1, 10 * n, 20 * n, 12 * n + 1, random.randrange(28 * n)))
        arrays.append(memory[at : at + length * n].reshape(length, n))
    count = length if random.random() < 0.8 else random.choice((0, length + 1, -3, 2**62))
    return memory, arrays, [k, count]


def ending(run: Any, memory: Any, arrays: list[Any], rest: list[Any]) -> Any:
    """How a run ends, and the memory that it leaves."""
    before = memory.copy()
    try:
        found: Any = run(*arrays, *rest)
    except Trap as trap:
        found = trap.kind, trap.span, trap.detail
    after = memory.tobytes()
    memory[:] = before
    return found, after


@pytest.mark.parametrize("seed", range(120))
def test_a_flat_loop_leaves_the_same_memory_in_evaluation(seed: int, workspace: Workspace) -> None:
    random = Random(seed)
    loaded = workspace.load(VectorLoop(random).source(), "f")
    for _ in range(12):
        memory, arrays, rest = arguments(random, loaded)
        one, other = (
            ending(lambda *args: e.run(loaded.symbol, [*args]), memory, arrays, rest)  # noqa: B023
            for e in (loaded.evaluator, loaded.optimised_evaluator)
        )
        assert one == other, print_module(loaded.optimised)


@pytest.mark.parametrize("seed", range(1000, 1024))
def test_a_flat_loop_leaves_the_same_memory_compiled(seed: int, workspace: Workspace) -> None:
    random = Random(seed)
    loaded = workspace.load(VectorLoop(random).source(), "f")
    for _ in range(12):
        memory, arrays, rest = arguments(random, loaded)
        one = ending(loaded.kernel.managed, memory, arrays, rest)
        other = ending(loaded.kernel, memory, arrays, rest)
        assert one == other, print_module(loaded.optimised)


def test_most_loops_that_treat_components_alike_are_flat(workspace: Workspace) -> None:
    sources = [VectorLoop(Random(seed), odd=0).source() for seed in range(40)]
    flat = [is_flat(workspace.load(source, "f").optimised) for source in sources]
    assert sum(flat) >= 25


@sb.struct
class Cloud:
    places: sb.FixedArray[double3, 5]
    speeds: sb.FixedArray[double3, 5]


@sb.kernel
def moved(cloud: Cloud, dt: float64) -> None:
    for i in range(len(cloud.places)):
        cloud.places[i] += cloud.speeds[i] * dt


@sb.kernel
def twisted(a: sb.Array[float3], dt: float32) -> None:
    for i in range(len(a)):
        a[i] += float3(a[i].y, a[i].z, a[i].x) * dt


@sb.kernel
def falling(a: sb.Array[float3], dt: float32) -> None:
    for i in range(len(a)):
        a[i] += float3(0.0, -9.81, 0.0) * dt


@sb.kernel
def last_of(a: sb.Array[float3]) -> float32:
    last = float3(0.0, 0.0, 0.0)
    for i in range(len(a)):
        last = a[i] * float32(2.0)
        a[i] = last
    return last.y


@sb.kernel
def carried(a: sb.Array[float3]) -> None:
    last = float3(0.0, 0.0, 0.0)
    for _ in range(2):
        a[0] += last
        for i in range(len(a)):
            last = a[i] * float32(2.0)
            a[i] = last


@sb.kernel
def carried_behind(a: sb.Array[float3]) -> None:
    last = float3(1.0, 0.0, 0.0)
    for i in range(len(a)):
        last = a[i] * float32(2.0)
        a[i] = last
    for i in range(len(a)):
        a[i] -= last


@pytest.mark.parametrize(
    ("kernel", "flat"),
    [(moved, True), (twisted, False), (falling, False), (last_of, False), (carried, False)],
)
def test_which_loops_are_flat(kernel: Kernel, flat: bool) -> None:
    assert is_flat(load_kernel(kernel).optimised) == flat


def test_what_a_loop_leaves_in_slots_is_kept() -> None:
    for kernel in (last_of, carried, carried_behind):
        same(kernel, np.arange(12, dtype=np.float32).reshape(4, 3))


def test_fixed_arrays_of_a_struct_are_flat_too() -> None:
    cloud = Cloud()
    for i in range(5):
        cloud.places[i] = double3(i, 1.0, -2.0)
        cloud.speeds[i] = double3(0.5, -i, 1e-3)
    same(moved, cloud, 0.25)
    assert [*cloud.places[3]] == [3.125, 0.25, -1.99975]


@sb.kernel(bounds_check=False)
def trusted(a: sb.Array[float3], start: int, stop: int) -> None:
    for i in range(start, stop):
        a[i] *= float32(2.0)


def test_an_empty_range_far_from_the_arrays_indices_does_not_wrap_into_one() -> None:
    assert is_flat(load_kernel(trusted).optimised)
    third = 2**64 // 3  # of which three times is -1
    for start, stop in ((2**62, 0), (third, 1), (2**63 - 1, -(2**63)), (2, -third)):
        a = np.ones((4, 3), np.float32)
        same(trusted, a, start, stop)
        assert (a == 1).all()


@sb.kernel
def into_last_row(a: sb.Array[float3, 2], b: sb.ReadOnly[float3], n: int) -> None:
    for j in range(n):
        a[n - 1][j] = b[j] * 2


@sb.kernel
def into_the_rest(a: sb.Array[float3], b: sb.ReadOnly[float3], n: int) -> None:
    for j in range(n):
        a[n - 1 :][j] = b[j] * 2


@pytest.mark.parametrize("kernel", [into_last_row, into_the_rest], ids=["row", "slice"])
@pytest.mark.parametrize("n", [0, 1, 3, -(2**63)])
def test_a_part_of_an_array_is_taken_only_where_the_loop_runs(kernel: Kernel, n: int) -> None:
    unit = compile_kernel(kernel, kernel.fixed_types)
    module = optimise(link(unit), [unit.function.name])
    assert is_flat(module)
    shape = (4, 4, 3) if kernel is into_last_row else (9, 3)
    given, b = np.zeros(shape, np.float32), np.ones((4, 3), np.float32)
    wanted = given.copy()
    same(kernel, wanted, b, n)
    Evaluator(module).run(unit.function.name, [given, b, n])
    assert np.array_equal(given, wanted)
