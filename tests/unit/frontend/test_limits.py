"""What is too deep, too long or too large is refused at its place, never by a Python error."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.executions import same, spanned

import samebits as sb
from samebits.frontend.compile import compile_kernel
from samebits.ir.grammar import MAX_NESTING
from samebits.types import INT32

Load = Callable[[str], Any]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Makes the kernel `k` of a source text."""

    def kernel(text: str) -> Any:
        file = tmp_path / "generated_kernel.py"
        file.write_text(f"import samebits as sb\nfrom samebits import float32, int32\n\n{text}")
        spec = importlib.util.spec_from_file_location("generated_kernel", file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.k

    return kernel


def cascade(n: int) -> str:
    rows = "".join(f"    elif x == {i}:\n        return {-i}\n" for i in range(1, n))
    head = "@sb.kernel\ndef k(x: int32) -> int32:\n    if x == 0:\n        return 0\n"
    return f"{head}{rows}    else:\n        return 1\n"


def test_an_elif_cascade_goes_as_deep_as_the_ir(load: Load) -> None:
    assert same(load(cascade(MAX_NESTING - 1)), 150) == -150


def test_a_deeper_cascade_is_refused_at_its_place(load: Load) -> None:
    with pytest.raises(sb.CompileError) as caught:
        same(load(cascade(MAX_NESTING + 50)), 1)
    assert caught.value.message == f"this is nested more than {MAX_NESTING} deep"
    assert spanned(caught.value.span) == f"return {-MAX_NESTING}"
    assert "kernel of its own" in str(caught.value.fix)


@pytest.mark.parametrize(
    "chain",
    [
        " and ".join(f"x // {i} != 7" for i in range(1, 400)),
        " < ".join(f"x + {i}" for i in range(400)),
        " else ".join(f"x == {i} if x // {i} == 2" for i in range(1, 400)) + " else False",
    ],
    ids=["and", "comparison", "ternary"],
)
def test_a_long_chain_of_conditions_is_refused(load: Load, chain: str) -> None:
    with pytest.raises(sb.CompileError, match=f"nested more than {MAX_NESTING} deep"):
        same(load(f"@sb.kernel\ndef k(x: int32) -> bool:\n    return {chain}\n"), 1)


def test_a_sum_of_hundreds_is_computed(load: Load) -> None:
    text = f"@sb.kernel\ndef k(x: float32) -> float32:\n    return {' + '.join(['x'] * 300)}\n"
    assert same(load(text), 1.0) == 300


def test_a_sum_of_many_hundreds_is_refused_in_every_execution(load: Load) -> None:
    k = load(f"@sb.kernel\ndef k(x: float32) -> float32:\n    return {'+'.join(['x'] * 1500)}\n")
    for run in (k, k.managed):
        with pytest.raises(sb.CompileError) as caught:
            run(1.0)
        assert caught.value.message == "this statement has too many parts inside one another"
        assert max(map(len, str(caught.value).splitlines())) < 200
        assert "keep partial results" in str(caught.value.fix)


@pytest.mark.parametrize("count", [300, 1200])
def test_a_long_chain_of_calls_is_named_for_what_it_is(load: Load, count: int) -> None:
    rows = ["@sb.kernel\ndef first(x: int32) -> int32:\n    return x + 1\n"]
    rows += [
        f"@sb.kernel\ndef k{i}(x: int32) -> int32:\n    return {f'k{i - 1}' if i else 'first'}(x)\n"
        for i in range(count)
    ]
    k = load("".join(rows) + f"k = k{count - 1}\n")
    with pytest.raises(sb.CompileError, match="too deep") as caught:
        k(1)
    assert "write some of the kernels out" in str(caught.value.fix)


def test_kernels_that_are_compiled_already_are_called_as_deep_as_one_likes(load: Load) -> None:
    rows = [
        f"@sb.kernel\ndef k{i}(x: int32) -> int32:\n    return {f'k{i - 1}(x)' if i else 'x'} + 1\n"
        for i in range(1100)
    ]
    rows.append(f"k = [{', '.join(f'k{i}' for i in range(49, 1100, 50))}]\n")
    *others, last = load("".join(rows))
    for kernel in others:
        compile_kernel(kernel, (INT32,))
    assert last(1) == 1101


def test_locals_that_do_not_fit_the_stack_are_refused_at_the_largest(load: Load) -> None:
    rows = "".join(f"    a{i} = sb.zeros({4000 + i}, float32)\n" for i in range(70))
    k = load(f"@sb.kernel\ndef k(x: float32) -> float32:\n{rows}    return a3[0]\n")
    with pytest.raises(sb.CompileError) as caught:
        same(k, 1.0)
    assert caught.value.message == "the local memory of 'k' does not fit the stack"
    assert spanned(caught.value.span) == "sb.zeros(4069, float32)"
    assert "the most is 1,048,576" in str(caught.value.note)


def test_very_long_literals_are_numbers_like_others(load: Load) -> None:
    digits = "f" * 8000
    k = load(f"@sb.kernel\ndef k(x: float32) -> float32:\n    return x * 0x{digits}\n")
    assert same(k, 1.0) == float("inf")
    k = load(f"@sb.kernel\ndef k(x: int32) -> int32:\n    return x * 0x{digits}\n")
    with pytest.raises(sb.CompileError, match="an int of 32,000 bits does not fit int32"):
        same(k, 1)
