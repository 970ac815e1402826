"""Functions, types and operators that Python calls: what they refuse ends at the caller's line."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np
import pytest

import samebits as sb
from samebits import ensemble, float2, float3, float64, gym, half, int32, math, noise, random, scene
from samebits.errors import WHOLE_TRACEBACK

TABLE = sb.table([1, 2], int32)
LETTERS = sb.List[float64, Literal[3]]
GIVEN: tuple[tuple[Any, ...], ...] = (
    (), (object(),), ("x", "y"), (object(),) * 3, (1,) * 7, ([1, 2],), (np.zeros(3), np.zeros(2)),
    (np.zeros(0),), (half(1),),
)  # fmt: skip
LEFT_OUT = {"JobHandle", "Kernel", "Struct", "set_workers", "set_cache_dir", "tracing", "Any"}
"""Made by the library alone, a base that is not called, and what holds for the whole process."""
MODULES = (sb, math, random, noise)


def functions() -> Iterator[Any]:
    for module in MODULES:
        for name in dir(module):
            found = getattr(module, name)
            is_error = isinstance(found, type) and issubclass(found, BaseException)
            if callable(found) and name[0] != "_" and name not in LEFT_OUT and not is_error:
                yield pytest.param(found, id=f"{module.__name__}.{name}")


def last_file(call: Callable[..., Any], *args: Any) -> str:
    """The file where the traceback ends of what a call raises; this one where it raises nothing."""
    try:
        call(*args)
    except Exception as error:
        return traceback.extract_tb(error.__traceback__)[-1].filename
    return __file__


@pytest.fixture(autouse=True)
def _folded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(WHOLE_TRACEBACK, raising=False)


@pytest.mark.parametrize("function", [*functions()])
def test_a_function_that_refuses_ends_at_the_callers_line(function: Any) -> None:
    found = [last_file(function, *args) for args in GIVEN]
    assert found == [__file__] * len(GIVEN)


def assigned() -> None:
    TABLE[0] = 3


def added() -> None:
    items = LETTERS()
    items += [1, 2, 3, 4]


CASES: dict[str, Callable[[], Any]] = {
    "added to a list": added,
    "list extended": lambda: LETTERS().extend([1, 2, 3, 4]),
    "list of text": lambda: LETTERS(["a"]),
    "set of a large number": lambda: sb.BitSet[Literal[8]]([9]),
    "product of two lengths": lambda: float3(1) @ float2(1),
    "sum of halves": lambda: half(1) + half(2),
    "halves compared": lambda: half(1) < half(2),
    "half negated": lambda: -half(1),
    "struct of a function": lambda: sb.struct(added),  # type: ignore[type-var]
    "job of a function": lambda: sb.job(added),  # type: ignore[type-var]
    "zeros of a text": lambda: sb.zeros(4, "f"),
    "one bound": lambda: sb.clamp(1, 2),  # type: ignore[call-arg]
    "index of a table": lambda: TABLE[5],
    "table assigned": assigned,
    "named": lambda: math.sum(np.zeros(3), axis=0),
    **{
        f"name of {module.__name__}": lambda module=module: module.nope
        for module in (sb, math, random, noise, scene, ensemble, gym)
    },
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_refused_ends_at_the_callers_line(case: str) -> None:
    with pytest.raises(Exception) as caught:  # noqa: PT011
        CASES[case]()
    assert traceback.extract_tb(caught.value.__traceback__)[-1].filename == __file__


@sb.kernel
def of_math(x: float64) -> float64:
    return math.magnitude(x)


@sb.kernel
def of_samebits(x: float64) -> float64:
    return x * sb.PI


@sb.kernel
def of_random(x: float64) -> float64:
    return x + random.nope()


@sb.kernel
def of_a_part(x: float64) -> float64:
    return x + sb.math.nope(x)


@pytest.mark.parametrize("kernel", [of_math, of_samebits, of_random, of_a_part])
def test_a_managed_call_refuses_an_unknown_name_as_the_compiler_does(kernel: Any) -> None:
    texts: list[str] = []
    for call in (kernel.managed, kernel, lambda x: sb.evaluate(kernel, x)):
        with pytest.raises(sb.CompileError) as caught:
            call(1.0)
        assert traceback.extract_tb(caught.value.__traceback__)[-1].filename == __file__
        assert caught.value.span is not None
        texts.append(str(caught.value))
    assert len(set(texts)) == 1
