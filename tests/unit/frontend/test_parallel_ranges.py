"""A parallel range does what the plain one does, in every execution."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from tests.support.kernels import parallel_kernels as k
from tests.support.kernels.parallel_calls import CALLS, IDS, floats
from tests.support.levels import BEST

import samebits as sb
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.interp.evaluator import Evaluator
from samebits.ir.text import parse_module, print_module
from samebits.ir.verify import verify
from samebits.passes.pipeline import optimise
from samebits.runtime.evaluate import evaluate_call


@pytest.mark.parametrize(("kernel", "args"), CALLS, ids=IDS)
def test_a_parallel_range_has_the_same_bits_in_every_execution(kernel: Any, args: Any) -> None:
    sb.assert_same_bits(kernel, *args, targets=[BEST])


@pytest.mark.parametrize(("kernel", "args"), CALLS, ids=IDS)
def test_a_parallel_range_is_legal_ir_that_prints_and_parses(kernel: Any, args: Any) -> None:
    module = link(compile_kernel(kernel, kernel.fixed_types))
    verify(module)
    text = print_module(module)
    assert "parallel" in text
    assert print_module(parse_module(text)) == text
    verify(optimise(module, [list(module.functions)[-1]]))


def test_the_order_of_iterations_makes_no_difference() -> None:
    module = link(compile_kernel(k.move, k.move.fixed_types or ()))
    name = list(module.functions)[-1]
    first, other, v = floats(20, 3), floats(20, 3), floats(20, 3)

    def backwards(body: str, start: int, stop: int, captured: list[Any]) -> None:
        for i in reversed(range(start, stop)):
            evaluator.call(body, [i, i + 1, *captured])

    evaluator = Evaluator(module, run_iterations=backwards)
    evaluator.run(name, [first, v, 0.5, 1.0, 2.0, 3.0])
    evaluate_call(k.move, (other, v, np.float32(0.5), sb.float3(1, 2, 3)))
    assert first.tobytes() == other.tobytes()


def test_an_iteration_that_leaves_its_own_index_is_the_same_trap_everywhere() -> None:
    at = np.array([0, 1, 4, 2, 3], np.int32)
    with pytest.raises(sb.Trap) as caught:
        sb.assert_same_bits(k.scatter, at, floats(5), targets=[BEST])
    assert caught.value.kind == "own"
    assert caught.value.detail == "y"
    assert caught.value.span is not None
    assert caught.value.span.line == k.scatter.function.__code__.co_firstlineno + 3


@pytest.mark.parametrize("run", [k.scatter.managed, partial(evaluate_call, k.scatter)])
def test_the_trap_names_index_array_and_range(run: Any) -> None:
    args = np.array([0, 1, 4, 2, 3], np.int32), floats(5)
    with pytest.raises(sb.Trap) as caught:
        run(*args) if run == k.scatter.managed else run(args)
    assert caught.value.message == "index 4 of `y` is outside this iteration's own elements [2, 3)"


def test_an_index_outside_the_array_is_that_trap_even_where_it_is_not_the_own_one() -> None:
    at = np.array([0, 1, 40], np.int32)
    with pytest.raises(sb.Trap) as caught:
        sb.assert_same_bits(k.scatter, at, floats(5), targets=[BEST])
    assert caught.value.kind == "index"


def test_the_range_analysis_takes_out_checks_of_the_own_index_that_it_can_show() -> None:
    linked = link(compile_kernel(k.shown, k.shown.fixed_types or ()))
    assert " = own " in print_module(linked)
    assert " = own " not in print_module(optimise(linked, [list(linked.functions)[-1]]))


def test_prange_outside_a_kernel_is_the_plain_range() -> None:
    assert [int(i) for i in sb.prange(2, 5)] == [2, 3, 4]
    with pytest.raises(sb.ArgumentError, match="positive constant"):
        sb.prange(3, batch=0)
    with pytest.raises(sb.ArgumentError, match="a start and a stop"):
        sb.prange(1, 2, 3)


def test_bounds_and_batches_in_python_are_whole_numbers() -> None:
    wrong: tuple[Any, ...] = (1.5, "3", None, True, np.float32(2))
    for bound in wrong:
        with pytest.raises(sb.ArgumentError, match=r"prange\(\) takes integers, not"):
            sb.prange(bound)
    for batch in (1.5, "a", 0):
        with pytest.raises(sb.ArgumentError, match="the batch of prange"):
            sb.prange(3, batch=batch)  # pyright: ignore[reportArgumentType]
    assert [int(i) for i in sb.prange(np.int32(1), 3, batch=2)] == [1, 2]
