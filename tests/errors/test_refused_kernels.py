"""What is not in the language is refused with this message, never computed differently."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import samebits as sb
from samebits.frontend.compile import compile_kernel
from tests.errors import (
    refused_functions,
    refused_joins,
    refused_kernels,
    refused_loops,
    refused_parallel,
    refused_structs,
    refused_types,
    refused_views,
)

MESSAGES = Path(__file__).parent / "messages"
MODULES = (
    refused_functions,
    refused_joins,
    refused_kernels,
    refused_loops,
    refused_parallel,
    refused_structs,
    refused_types,
    refused_views,
)
REFUSED = [f for m in MODULES for f in refused_kernels.REFUSED if f.__module__ == m.__name__]


def message_of(function: Callable[..., Any]) -> str:
    kernel = {
        refused_kernels.recursion: refused_kernels.recursion_kernel,
        refused_functions.unbounded: refused_functions.unbounded_kernel,
    }.get(function) or sb.kernel(function)
    types = kernel.fixed_types
    assert types is not None
    with pytest.raises(sb.CompileError) as caught:
        compile_kernel(kernel, types)
    return str(caught.value).replace(str(Path(__file__).parent) + "/", "") + "\n"


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_refusal_says_what_where_and_what_to_write(
    function: Callable[..., Any], update_golden: bool
) -> None:
    found = message_of(function)
    golden = MESSAGES / f"{function.__name__}.txt"
    if update_golden:
        golden.write_text(found)
    assert found == golden.read_text()
    assert "\n  fix: " in found
    assert "^" in found


def test_a_kernel_without_annotation_is_refused_at_decoration() -> None:
    with pytest.raises(sb.CompileError) as caught:

        @sb.kernel
        def scale(x, k: sb.float32) -> sb.float32:  # pyright: ignore
            return x * k

    text = str(caught.value)
    assert text.startswith("parameter 'x' of kernel ")
    assert "def scale(x, k: sb.float32) -> sb.float32:" in text.splitlines()[2]
    assert text.endswith("fix: write `x: float32`, or another samebits type")


def test_a_coroutine_is_refused_at_decoration() -> None:
    with pytest.raises(sb.CompileError, match="is not a plain function") as caught:

        @sb.kernel
        async def wait(x: sb.float32) -> sb.float32:
            return x

    assert "fix: write a plain `def` that returns its results" in str(caught.value)


def test_every_message_belongs_to_a_kernel() -> None:
    names = {f.__name__ for f in REFUSED}
    assert {p.stem for p in MESSAGES.glob("*.txt")} == names
