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
LEFT_OUT = {"set_workers", "set_cache_dir", "tracing", "Any"}
"""What holds for the whole process."""
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


class Undecorated(sb.Struct):
    x: float64


@sb.struct
class Ship:
    x: float64


@sb.kernel
def halved(x: float64) -> float64:
    return x / 2


def generator(x: float64) -> Iterator[float64]:
    yield x


CASES: dict[str, Callable[[], Any]] = {
    "kernel of a number": lambda: sb.Kernel(3),  # type: ignore[call-arg]
    "kernel of a generator": lambda: sb.kernel(generator),
    "kernel of nothing": lambda: sb.Kernel(),  # type: ignore[call-arg]
    "kernel of a list": lambda: sb.Kernel[float64],  # type: ignore[misc]
    "kernel with a text": lambda: halved("x"),  # type: ignore[arg-type]
    "kernel with two": lambda: halved(1.0, 2.0),  # type: ignore[call-arg]
    "kernel managed with a text": lambda: halved.managed("x"),  # type: ignore[arg-type]
    "kernel evaluated with a text": lambda: sb.evaluate(halved, "x"),
    "races of a text": lambda: halved.check_races("x"),
    "kernel inspected at a text": lambda: sb.inspect(halved, types=["x"]),
    "same bits of a text": lambda: sb.assert_same_bits(halved, "x"),
    "base of structs": lambda: sb.Struct(),
    "base of structs with a field": lambda: sb.Struct(x=1),  # type: ignore[call-arg]
    "class that is no struct": lambda: Undecorated(1.0),  # type: ignore[call-arg]
    "memory of the base": lambda: sb.Struct.from_memory(np.zeros(1)),
    "memory of floats": lambda: Ship.from_memory(np.zeros(1)),  # type: ignore[attr-defined]
    "memory of a list": lambda: Ship.from_memory([1.0]),  # type: ignore[attr-defined]
    "memory of nothing": lambda: Ship.from_memory(),  # type: ignore[attr-defined]
    "struct beyond the memory": lambda: Ship.from_memory(np.zeros(1, Ship.dtype), 1),  # type: ignore[attr-defined]
    "struct of text": lambda: Ship("x"),  # type: ignore[call-arg]
    "struct of two": lambda: Ship(1, 2),  # type: ignore[call-arg]
    "field of a struct": lambda: Ship(y=1),  # type: ignore[call-arg]
    "structs compared": lambda: Ship(1) == Ship(1),  # type: ignore[call-arg]
    "handle of a job": lambda: sb.JobHandle(),
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
