"""`assert_same_bits` says which scalar differs, in which execution, and by how much."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import Array, float3, float32, float64, int32
from samebits.runtime import same_bits


@sb.struct
class Body:
    pos: float3
    hp: int32


@sb.kernel
def step(a: Array[float64], body: Body, x: float32) -> tuple[float32, float3, int32]:
    a[1] += x
    body.pos = float3(x, 2 * x, 3 * x)
    return x, body.pos, body.hp - 1


def arguments() -> tuple[Any, ...]:
    return np.array([0.5, 1.5]), Body(hp=3), 1.0


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[..., Any]], str]:
    """The failure's text when the execution `fake -O3` runs `fault` instead of the kernel."""

    def text_of(fault: Callable[..., Any]) -> str:
        pairs = [("managed", step.managed), ("fake -O3", fault)]
        monkeypatch.setattr(same_bits, "executions", lambda *_: iter(pairs))
        with pytest.raises(sb.BitsMismatchError) as caught:
            sb.assert_same_bits(step, *arguments())
        return str(caught.value)

    return text_of


def test_a_result_is_named_with_both_patterns_values_and_the_distance(planted: Any) -> None:
    def fault(*args: Any) -> Any:
        x, v, n = step.managed(*args)
        return x, float3(v.x, np.nextafter(np.float32(v.y), np.float32(0)), v.z), n

    assert planted(fault) == (
        "step: result[1].y (float32) differs between managed and fake -O3\n"
        "  managed : 40000000 = 2.0\n"
        "  fake -O3: 3fffffff = 1.9999998807907104\n"
        "  distance: 1 ULP"
    )


def test_an_integer_has_no_distance(planted: Any) -> None:
    def fault(*args: Any) -> Any:
        x, v, n = step.managed(*args)
        return x, v, n - int32(3)

    assert planted(fault) == (
        "step: result[2] (int32) differs between managed and fake -O3\n"
        "  managed : 00000002 = 2\n"
        "  fake -O3: ffffffff = -1"
    )


def test_memory_is_compared_after_the_call(planted: Any) -> None:
    def fault(a: Any, body: Any, x: Any) -> Any:
        result = step.managed(a, body, x)
        a[1] = -0.0
        return result

    assert planted(fault) == (
        "step: a[1] (float64) differs between managed and fake -O3\n"
        "  managed : 4004000000000000 = 2.5\n"
        "  fake -O3: 8000000000000000 = -0.0\n"
        "  distance: 4612811918334230529 ULP"
    )

    def in_struct(a: Any, body: Any, x: Any) -> Any:
        result = step.managed(a, body, x)
        body.pos = float3(1, 2, float("nan"))
        return result

    assert planted(in_struct) == (
        "step: body.pos.z (float32) differs between managed and fake -O3\n"
        "  managed : 40400000 = 3.0\n"
        "  fake -O3: 7fc00000 = nan"
    )


def test_a_trap_differs_from_a_result(planted: Any) -> None:
    def fault(*args: Any) -> Any:
        raise sb.Trap("zero")

    assert planted(fault) == (
        "step: managed and fake -O3 end differently\n"
        "  managed: returns\n"
        "  fake -O3: division by zero"
    )


def test_a_type_of_another_width_differs(planted: Any) -> None:
    def fault(*args: Any) -> Any:
        x, v, n = step.managed(*args)
        return float64(x), v, n

    assert "result[0] (float32) differs" in planted(fault)


def test_arguments_stay_as_they_are() -> None:
    a, body, x = arguments()
    sb.assert_same_bits(step, a, body, x)
    assert a.tolist() == [0.5, 1.5]
    assert (body.hp, body.pos.x) == (3, 0)


def test_what_is_refused_runs_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    @sb.kernel
    def refused(x: float32) -> float32:
        return x + y_unknown  # noqa: F821

    monkeypatch.setattr(same_bits, "executions", pytest.fail)
    with pytest.raises(sb.CompileError, match="unknown name 'y_unknown'"):
        sb.assert_same_bits(refused, 1.0)


def test_what_is_no_kernel_is_refused() -> None:
    refused: tuple[Any, ...] = (3, sb.math.sin, sb.math.sum, len)
    for value in refused:
        with pytest.raises(sb.ArgumentError, match="assert_same_bits takes a kernel, and"):
            sb.assert_same_bits(value, float32(1))
