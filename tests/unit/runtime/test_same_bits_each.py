"""`assert_same_bits_each`: many calls, one start of each emulator, and the call that differs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.support.levels import BEST

import samebits as sb
from samebits import Array, float64
from samebits.runtime import same_bits
from samebits.runtime.emulation.machines import EmulatedProgram
from samebits.verify.executions import all_rows


@sb.kernel
def ratio(x: float64, y: float64) -> float64:
    return sb.math.exp(x) / y


@sb.kernel
def twice(a: Array[float64]) -> None:
    for i in range(len(a)):
        a[i] *= 2.0


@sb.kernel
def floor_of(n: int, m: int) -> int:
    return n // m


def test_each_call_is_compared_in_each_execution() -> None:
    assert sb.assert_same_bits_each(ratio, [(1.0, 3.0), {"x": -2.0, "y": 0.0}], targets=[BEST]) == (
        "managed", "evaluate", f"{BEST}-O0", f"{BEST}-O3",
    )  # fmt: skip


def test_arrays_stay_as_they_are() -> None:
    a = np.ones(3)
    sb.assert_same_bits_each(twice, ((a,) for _ in range(3)), targets=[f"{BEST}-O3"])
    assert a.tolist() == [1, 1, 1]


def test_traps_are_compared_and_not_raised() -> None:
    sb.assert_same_bits_each(floor_of, [(1, 0), (7, 2), (2**62, 1)], targets=[f"{BEST}-O3"])


def test_an_emulator_starts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    row = next((r for r in all_rows() if r.emulated and r.reason is None), None)
    if row is None:
        pytest.skip("no emulator here")
    starts: list[Any] = []
    start = EmulatedProgram.start

    def counted(self: Any, *args: Any, **kwargs: Any) -> Any:
        starts.append(self)
        return start(self, *args, **kwargs)

    monkeypatch.setattr(EmulatedProgram, "start", counted)
    calls = [(0.1 * n, 1.0 + n) for n in range(50)]
    assert sb.assert_same_bits_each(ratio, calls, targets=[row.name])[-1] == row.name
    assert len(starts) == 1


def test_the_call_that_differs_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def fault(x: float, y: float) -> Any:
        return ratio.managed(x, y) if x < 2 else 0.5

    pairs = [("managed", ratio.managed), ("fake-O3", fault)]
    monkeypatch.setattr(same_bits, "executions", lambda *_: iter(pairs))
    with pytest.raises(sb.BitsMismatchError) as caught:
        sb.assert_same_bits_each(ratio, [(0.0, 1.0), (2.0, 1.0), (3.0, 1.0)])
    assert str(caught.value).startswith(
        "ratio, call 1: result (float64) differs between managed and fake-O3\n"
    )


@pytest.mark.parametrize(
    ("calls", "message"),
    [
        ([], "assert_same_bits_each: no call of ratio is given"),
        ([1.0], "assert_same_bits_each: call 0 is float, where a tuple of arguments is due"),
    ],
)
def test_what_is_no_call_is_refused(calls: Any, message: str) -> None:
    with pytest.raises(sb.ArgumentError) as caught:
        sb.assert_same_bits_each(ratio, calls)
    assert caught.value.message == message


def test_a_wrong_call_is_named() -> None:
    with pytest.raises(sb.ArgumentError) as caught:
        sb.assert_same_bits_each(ratio, [(1.0, 1.0), (1.0,)])
    assert caught.value.__notes__ == ["in call 1"]


def test_calls_that_leave_nothing_are_no_comparison() -> None:
    @sb.kernel
    def read(a: sb.ReadOnly[float64]) -> None:
        for x in a:
            assert x > 0

    with pytest.raises(sb.ArgumentError, match="left nothing to compare"):
        sb.assert_same_bits_each(read, [(np.ones(1),)], targets=[BEST])
    assert len(sb.assert_same_bits_each(twice, [(np.ones(0),)], targets=[BEST])) > 2
