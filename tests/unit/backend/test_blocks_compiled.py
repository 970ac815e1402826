"""Loops in blocks as compiled code: trapping fixed point over arrays, whatever overlaps."""

import re
from typing import Any

import numpy as np
import pytest
from tests.support.programs.compiled_kernels import CONFIGURATIONS, Compiled, evaluated

import samebits as sb
from samebits import fix16, fix32, fix48
from samebits.backend.llvm import engine
from samebits.backend.llvm.compile import llvm_text
from samebits.errors import Trap
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.builder import Builder
from samebits.ir.grammar import Function
from samebits.lang.kernel import Kernel
from samebits.passes.pipeline import optimise
from samebits.types import BOOL, INT32, INT64, ArrayType


def kernels(number: Any) -> dict[str, Kernel]:
    """Loops over arrays of one fixed-point type."""

    @sb.kernel
    def multiply(a: sb.ReadOnly[number], b: sb.ReadOnly[number], out: sb.Array[number]) -> None:
        for i in range(len(out)):
            out[i] = a[i] * b[i]

    @sb.kernel
    def accumulate(a: sb.ReadOnly[number], b: sb.ReadOnly[number], out: sb.Array[number]) -> None:
        for i in range(len(out)):
            step = a[i] * b[i]
            if step > 0:
                out[i] = out[i] + step

    @sb.kernel
    def difference(a: sb.ReadOnly[number], b: sb.ReadOnly[number], out: sb.Array[number]) -> None:
        for i in range(len(out)):
            out[i] = a[i] - b[i]

    return {k.__name__: k for k in (multiply, accumulate, difference)}


TYPES = {"fix16": (fix16, np.int32, 16), "fix32": (fix32, np.int64, 32),
         "fix48": (fix48, np.int64, 16)}  # fmt: skip
KERNELS = {(t, name): kernel for t, (number, _, _) in TYPES.items()
           for name, kernel in kernels(number).items()}  # fmt: skip
N = 1300


def ending(run: Any, memory: np.ndarray[Any, Any], views: list[slice]) -> Any:
    own = memory.copy()
    try:
        run(*(own[view] for view in views))
    except Trap as trap:
        return (trap.kind, trap.span), own.tobytes()
    return None, own.tobytes()


@pytest.mark.parametrize(("t", "name"), KERNELS)
def test_arrays_come_out_as_in_the_managed_run(t: str, name: str) -> None:
    """The trap at the element where the managed run has it, and the same memory before it."""
    kernel, (_, dtype, fraction) = KERNELS[t, name], TYPES[t]
    rng = np.random.default_rng(7)
    apart = [slice(0, N), slice(N, 2 * N), slice(2 * N, 3 * N)]
    placed = {
        "apart": apart,
        "in place": [apart[0], apart[1], apart[0]],
        "all one": [apart[0]] * 3,
        "one behind": [apart[0], apart[1], slice(1, N)],
        "one ahead": [slice(1, N + 1), apart[1], slice(0, N - 1)],
        "short": [slice(0, 15), slice(15, 30), slice(30, 45)],
    }
    steps = np.round(rng.uniform(-1, 1, 3 * N) * 2**fraction).astype(dtype)
    for views in placed.values():
        for at in (None, 3, 700, N - 2):
            memory = steps.copy()
            if at is not None:
                memory[[view.start + at for view in views]] = np.iinfo(dtype).max - 5
            assert ending(kernel, memory, views) == ending(kernel.managed, memory, views)


def vectors(kernel: Kernel, types: tuple[Any, ...], blocks: bool) -> bool:
    unit = compile_kernel(kernel, types)
    entry = [unit.function.name]
    module = optimise(link(unit), entry, blocks=blocks)
    text = llvm_text(module, entry, engine.host_target(), 3)
    return re.search(r"store <\d+ x i64>", text) is not None


@pytest.mark.skipif(not engine.host_target().has_wide_vectors, reason="needs vectors of 256 bits")
def test_trapping_products_become_vectors() -> None:
    kernel = KERNELS["fix32", "multiply"]
    assert kernel.fixed_types is not None
    assert not vectors(kernel, kernel.fixed_types, blocks=False)
    assert vectors(kernel, kernel.fixed_types, blocks=True)


def apart_function(one: ArrayType, other: ArrayType, aligned: bool) -> Function:
    b = Builder("apart", {"a": one, "b": other}, [BOOL])
    return b.ret(b.emit("apart", b.get("a"), b.get("b"), attr=aligned, types=[BOOL]).result)


def run_shared(function: Function, views: list[np.ndarray[Any, Any]]) -> Any:
    """What evaluation and every configuration agree on, of arrays that may share memory."""
    wanted = evaluated([function], function.name, *views)
    for target, opt in CONFIGURATIONS:
        assert Compiled([function], [function.name], target, opt)(function.name, *views) == wanted
    return wanted


@pytest.mark.parametrize("aligned", [False, True])
def test_apart_says_whether_arrays_share_bytes(aligned: bool) -> None:
    words = np.zeros(24, np.int64)
    row, grid = ArrayType(INT64, 1), ArrayType(INT64, 2)
    function = apart_function(row, row, aligned)
    cases = [(0, 8, 8, 16, True), (8, 16, 0, 8, True), (0, 9, 8, 16, False), (0, 8, 0, 8, aligned),
             (0, 8, 0, 5, aligned), (4, 4, 0, 8, True), (1, 9, 0, 8, False)]  # fmt: skip
    for a, a_end, b, b_end, expected in cases:
        views = [words[a:a_end], words[b:b_end]]
        assert run_shared(function, views) == (expected,), (a, a_end, b, b_end)
    function = apart_function(grid, grid, aligned)
    for shape, expected in (((2, 6), aligned), ((3, 4), False)):
        views = [words[:12].reshape(2, 6), words[:12].reshape(shape)]
        assert run_shared(function, views) == (expected,)
    function = apart_function(row, ArrayType(INT32, 1), aligned)
    assert run_shared(function, [words[:4], words[4:].view(np.int32)]) == (True,)
    assert run_shared(function, [words[:5], words[4:].view(np.int32)]) == (False,)
