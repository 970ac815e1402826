"""A loop that is to be vectorised is, or the compile fails and says why."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import samebits as sb
from samebits import Array, float32, int32
from samebits.backend.emit.module import emit_module
from samebits.backend.llvm.compile import compile_module
from samebits.backend.targets.table import TARGETS
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.text import parse_module, print_module
from samebits.lang.kernel import Kernel
from samebits.passes.pipeline import optimise
from samebits.passes.semantics.float_modes import lower_float_modes
from samebits.runtime import cache
from samebits.runtime.compile import compile_native


@sb.kernel
def scale(x: Array[float32]) -> None:
    for i in range(len(x)):
        sb.expect_vectorized()
        x[i] = x[i] * 2.0 + 1.0


@sb.kernel
def scale_while(x: Array[float32]) -> None:
    n = 0
    while n < len(x):
        if n >= 0:
            sb.expect_vectorized()
        x[n] += 1.0
        n += 1


@sb.kernel
def in_order(x: Array[float32]) -> float32:
    total = float32(0)
    for i in range(len(x)):
        sb.expect_vectorized()
        total += x[i]
    return total


@sb.kernel(mode=sb.DETERMINISTIC)
def in_lanes(x: Array[float32]) -> float32:
    total = float32(0)
    for i in range(len(x)):
        sb.expect_vectorized()
        total += x[i]
    return total


@sb.kernel
def parallel(x: Array[float32]) -> None:
    for i in sb.prange(len(x)):
        sb.expect_vectorized()
        x[i] = x[i] * 2.0


@sb.kernel
def parallel_scatter(x: Array[float32], at: Array[int32]) -> None:
    for i in sb.prange(len(x)):
        sb.expect_vectorized()
        x[i] = x[at[i]]


@sb.kernel
def scatter(x: Array[float32], at: Array[int32]) -> None:
    for i in range(len(at)):
        sb.expect_vectorized()
        x[at[i]] = 1.0


@sb.kernel
def outer(x: Array[float32]) -> None:
    for i in range(len(x)):
        sb.expect_vectorized()
        for j in range(len(x)):
            x[j] += x[i]


@sb.kernel
def chain(x: Array[float32]) -> None:
    for i in range(1, len(x)):
        sb.expect_vectorized()
        x[i] = x[i - 1] + x[i]


@sb.kernel
def leaving(x: Array[float32]) -> int32:
    found = int32(0)
    for i in range(len(x)):
        sb.expect_vectorized()
        if x[i] == 3.0:
            break
        found += 1
    return found


@sb.kernel
def four(x: float32) -> float32:
    for _ in range(4):
        sb.expect_vectorized()
        x = x * x + 1.0
    return x


@sb.kernel
def outside(x: Array[float32]) -> None:
    sb.expect_vectorized()
    x[0] = 1.0


@sb.kernel
def plain(x: Array[float32]) -> None:
    for i in range(len(x)):
        x[i] = x[i] * 2.0 + 1.0


@sb.kernel
def calls(x: Array[float32]) -> float32:
    scale(x)
    return in_order(x)


def build(kernel: Kernel, name: str, opt: int = 3) -> None:
    assert kernel.fixed_types is not None
    unit = compile_kernel(kernel, kernel.fixed_types)
    module, entries = lower_float_modes(link(unit)), [unit.function.name]
    compile_module(optimise(module, entries), entries, TARGETS[name], opt)


VECTOR_TARGETS = [
    row.name for row in TARGETS.values() if row.vector_bits and not row.is_object_only
]


@pytest.mark.parametrize("kernel", [scale, scale_while, in_lanes, parallel], ids=str)
@pytest.mark.parametrize("name", VECTOR_TARGETS)
def test_a_loop_that_is_vectorised_compiles(kernel: Kernel, name: str) -> None:
    build(kernel, name)


REFUSED = [
    (in_order, "sums floats in source order", "math.sum", 0),
    (scatter, "keeps a check that can trap, at line {0}", "range(len(array))", 2),
    (parallel_scatter, "keeps a check that can trap, at line {0}", "range(len(array))", 2),
    (outer, "only innermost loops", "innermost loop", 0),
    (chain, "dependent memory operations", "another array", 2),
    (leaving, "", "without break", 0),
    (four, "no loop is left", "remove sb.expect_vectorized()", 0),
]


@pytest.mark.parametrize(("kernel", "note", "fix", "offset"), REFUSED, ids=lambda v: str(v)[:24])
def test_a_loop_that_is_not_vectorised_is_an_error_with_its_place_reason_and_remedy(
    kernel: Kernel, note: str, fix: str, offset: int
) -> None:
    with pytest.raises(sb.CompileError, match="not vectorised for x86-64-v3") as caught:
        build(kernel, "x86-64-v3")
    error = caught.value
    assert error.span is not None
    lines = Path(__file__).read_text().splitlines()
    assert lines[error.span.line - 1].lstrip().startswith("for ")
    assert lines[error.span.line].strip() == "sb.expect_vectorized()"
    assert error.span.function == kernel.__name__
    assert error.note is not None
    assert error.fix is not None
    assert note.format(error.span.line + offset) in error.note
    assert fix in error.fix


def test_a_loop_inside_a_called_kernel_is_checked_as_well() -> None:
    with pytest.raises(sb.CompileError) as caught:
        build(calls, "x86-64-v2")
    assert caught.value.span is not None
    assert caught.value.span.function == "in_order"


@pytest.mark.parametrize("kernel", [in_order, scatter, outer, chain, leaving, four], ids=str)
def test_no_vectors_are_expected_without_optimisation_or_where_the_target_has_none(
    kernel: Kernel,
) -> None:
    build(kernel, "x86-64-v3", opt=0)
    build(kernel, "riscv64")
    build(kernel, "wasm32")


def test_the_cache_does_not_hide_the_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache._Setting, "chosen", cache.ObjectCache(tmp_path))
    x = np.ones(9, np.float32)
    for _ in range(2):
        with pytest.raises(sb.CompileError, match="not vectorised"):
            chain(x)
    # The same kernel without optimisation is another object.
    assert chain.fixed_types is not None
    compile_native(chain, chain.fixed_types, opt=0)(x)
    with pytest.raises(sb.CompileError, match="not vectorised"):
        chain(x)


def test_outside_a_loop_it_is_an_error() -> None:
    with pytest.raises(sb.CompileError, match="expect_vectorized\\(\\) is not in a loop"):
        outside(np.ones(3, np.float32))


def test_it_changes_no_result_and_a_managed_run_and_evaluate_ignore_it() -> None:
    x = np.linspace(-3, 3, 37, dtype=np.float32)
    expected = x.copy()
    plain(expected)
    for run in (scale, scale.managed):
        found = x.copy()
        run(found)
        assert found.tobytes() == expected.tobytes()
    sb.assert_same_bits(scale, x)
    assert int(leaving.managed(np.array([1, 3, 3], np.float32))) == 1
    assert sb.expect_vectorized() is None


def test_the_expectation_is_part_of_the_ir_text() -> None:
    for kernel in (scale, scale_while):
        assert kernel.fixed_types is not None
        module = link(compile_kernel(kernel, kernel.fixed_types))
        text = print_module(module)
        assert " vectorized " in text
        assert parse_module(text) == module
    assert plain.fixed_types is not None
    assert " vectorized " not in print_module(link(compile_kernel(plain, plain.fixed_types)))


def test_kernels_without_it_are_not_looked_at() -> None:
    assert plain.fixed_types is not None
    unit = compile_kernel(plain, plain.fixed_types)
    emitted = emit_module(link(unit), [unit.function.name], TARGETS["x86-64-v3"])
    assert emitted.expected is None
    assert "samebits.expect" not in emitted.text
