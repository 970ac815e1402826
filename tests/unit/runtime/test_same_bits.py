"""`assert_same_bits` says which scalar differs, in which execution, and by how much."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.support.levels import BEST, LEVELS, LOWEST

import samebits as sb
from samebits import Array, float3, float32, float64, int32
from samebits.errors import Span, Trap
from samebits.runtime import rows, same_bits
from samebits.runtime.emulation.machines import EmulatedProgram
from samebits.verify.executions import all_rows


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
def failure(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[..., Any]], str]:
    """The failure's text when the execution `fake-O3` runs `fault` instead of the kernel."""

    def text_of(fault: Callable[..., Any]) -> str:
        pairs = [("managed", step.managed), ("fake-O3", fault)]
        monkeypatch.setattr(same_bits, "executions", lambda *_: iter(pairs))
        with pytest.raises(sb.BitsMismatchError) as caught:
            sb.assert_same_bits(step, *arguments())
        return str(caught.value)

    return text_of


def test_a_result_is_named_with_both_patterns_values_and_the_distance(failure: Any) -> None:
    def fault(*args: Any) -> Any:
        x, v, n = step.managed(*args)
        return x, float3(v.x, np.nextafter(np.float32(v.y), np.float32(0)), v.z), n

    assert failure(fault) == (
        "step: result[1].y (float32) differs between managed and fake-O3\n"
        "  managed: 40000000 = 2.0\n"
        "  fake-O3: 3fffffff = 1.9999998807907104\n"
        "  distance: 1 ULP"
    )


def test_an_integer_has_no_distance(failure: Any) -> None:
    def fault(*args: Any) -> Any:
        x, v, n = step.managed(*args)
        return x, v, n - int32(3)

    assert failure(fault) == (
        "step: result[2] (int32) differs between managed and fake-O3\n"
        "  managed: 00000002 = 2\n"
        "  fake-O3: ffffffff = -1"
    )


def test_memory_is_compared_after_the_call(failure: Any) -> None:
    def fault(a: Any, body: Any, x: Any) -> Any:
        result = step.managed(a, body, x)
        a[1] = -0.0
        return result

    assert failure(fault) == (
        "step: a[1] (float64) differs between managed and fake-O3\n"
        "  managed: 4004000000000000 = 2.5\n"
        "  fake-O3: 8000000000000000 = -0.0\n"
        "  distance: 4612811918334230529 ULP"
    )

    def in_struct(a: Any, body: Any, x: Any) -> Any:
        result = step.managed(a, body, x)
        body.pos = float3(1, 2, float("nan"))
        return result

    assert failure(in_struct) == (
        "step: body.pos.z (float32) differs between managed and fake-O3\n"
        "  managed: 40400000 = 3.0\n"
        "  fake-O3: 7fc00000 = nan"
    )


def test_a_trap_differs_from_a_result(failure: Any) -> None:
    def fault(*args: Any) -> Any:
        raise sb.Trap("zero")

    assert failure(fault) == (
        "step: managed and fake-O3 end differently\n  managed: returns\n  fake-O3: division by zero"
    )


def test_traps_that_differ_in_their_end_alone_say_so() -> None:
    found = [
        same_bits.CallOutcome(
            None, [], Trap("zero").at(Span("f.py", "f", 3, 4, 3, end)), writes=False, left=[]
        )
        for end in (9, 12)
    ]
    with pytest.raises(sb.BitsMismatchError) as caught:
        same_bits.compare(*found, "fake-O3", "f")
    assert str(caught.value) == (
        "f: managed and fake-O3 end differently\n"
        "  managed: division by zero at f.py:3:5 in f, to 3:9\n"
        "  fake-O3: division by zero at f.py:3:5 in f, to 3:12"
    )


def test_a_type_of_another_width_differs(failure: Any) -> None:
    def fault(*args: Any) -> Any:
        x, v, n = step.managed(*args)
        return float64(x), v, n

    assert "result[0] (float32) differs" in failure(fault)


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
        with pytest.raises(sb.ArgumentError, match="assert_same_bits takes a kernel; "):
            sb.assert_same_bits(value, float32(1))


def test_what_was_compared_is_returned_by_the_names_of_samebits_targets() -> None:
    compared = sb.assert_same_bits(step, *arguments())
    assert compared == (
        "managed", "evaluate", *(f"{level}-O{opt}" for level in LEVELS for opt in (0, 3))
    )  # fmt: skip
    assert set(compared) <= {row.name for row in all_rows()}


@pytest.mark.parametrize(
    ("names", "compared"),
    [
        ([f"{BEST}-O3"], [f"{BEST}-O3"]),
        ([BEST], [f"{BEST}-O0", f"{BEST}-O3"]),
        ([f"{BEST}-O3", "managed", BEST], [f"{BEST}-O0", f"{BEST}-O3"]),
        (["evaluate"], []),
    ],
)
def test_targets_are_named_by_row_or_by_level(names: list[str], compared: list[str]) -> None:
    found = sb.assert_same_bits(step, *arguments(), targets=names)
    assert sorted(found) == sorted(["managed", "evaluate", *compared])


@pytest.mark.parametrize("name", ["tpyo", "x86-64-v3-O7", f"{BEST} -O3", "", "-O3"])
def test_an_unknown_target_is_refused(name: str) -> None:
    with pytest.raises(sb.TargetError, match=f"there is no target '{name}'"):
        sb.assert_same_bits(step, *arguments(), targets=[LOWEST, name])


def test_a_target_that_cannot_run_here_is_refused() -> None:
    with pytest.raises(sb.TargetError, match="'aarch64-macos-O3' cannot run here: only object"):
        sb.assert_same_bits(step, *arguments(), targets=["aarch64-macos-O3"])


def test_no_target_at_all_is_refused() -> None:
    with pytest.raises(sb.TargetError, match="nothing would be compared"):
        sb.assert_same_bits(step, *arguments(), targets=[])
    with pytest.raises(sb.ArgumentError, match="expected names; got the text 'managed'"):
        sb.assert_same_bits(step, *arguments(), targets="managed")
    for wrong in (3, [3]):
        with pytest.raises(sb.ArgumentError, match="expected names; got"):
            sb.assert_same_bits(step, *arguments(), targets=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("form", [iter, np.array, lambda names: filter(None, names)])
def test_names_that_are_given_once_are_taken_once(form: Any) -> None:
    with pytest.raises(sb.TargetError, match="nothing would be compared"):
        sb.assert_same_bits(step, *arguments(), targets=form([]))
    named = ["managed", f"{LOWEST}-O3"]
    assert f"{LOWEST}-O3" in sb.assert_same_bits(step, *arguments(), targets=form(named))


@sb.kernel(mode=sb.DETERMINISTIC)
def summed(a: Array[float64]) -> float64:
    total = float64(0)
    for i in range(len(a)):
        total += a[i]
    return total


def test_a_call_that_leaves_nothing_is_no_comparison() -> None:
    @sb.kernel
    def silent() -> None:
        pass

    @sb.kernel
    def doubled(a: sb.Array[float32]) -> None:
        for i in range(len(a)):
            a[i] += a[i]

    @sb.kernel
    def read(a: sb.ReadOnly[float32]) -> None:
        for i in range(len(a)):
            assert a[i] > 0

    one, none = np.ones(1, np.float32), np.zeros(0, np.float32)
    for kernel, args in ((silent, ()), (read, (one,)), (read, (none,))):
        with pytest.raises(sb.ArgumentError, match="left nothing to compare"):
            sb.assert_same_bits(kernel, *args)
    for given in (one, none):
        assert len(sb.assert_same_bits(doubled, given)) > 2


def test_one_execution_alone_is_no_comparison() -> None:
    a = np.ones(100)
    with pytest.raises(sb.ArgumentError, match="evaluate alone would run summed"):
        sb.assert_same_bits(summed, a, targets=["evaluate"])
    with pytest.raises(sb.TargetError, match="'managed' does not run summed's rewritten"):
        sb.assert_same_bits(summed, a, targets=["managed", BEST])
    assert sb.assert_same_bits(summed, a, targets=[f"{BEST}-O3"]) == ("evaluate", f"{BEST}-O3")


EMULATED = [row for row in all_rows() if row.emulated and not row.foreign]


@pytest.mark.parametrize("row", EMULATED, ids=lambda row: row.name)
def test_a_kernel_runs_on_an_emulated_machine(row: rows.Row[Any]) -> None:
    """Arrays, structs, vectors and struct results, in either byte order and pointer size."""
    if row.reason is not None:
        pytest.skip(row.reason)
    a, body, x = arguments()
    more = a, body, x, np.array([(7, 2, (1, 2, 3))], Mixed.dtype), np.arange(6, dtype=np.int16)
    found = sb.assert_same_bits(many, *more, targets=[row.name])
    assert found == ("managed", "evaluate", row.name)
    with pytest.raises(sb.Trap, match="index"):
        sb.assert_same_bits(many, *more[:4], np.zeros(0, np.int16), targets=[row.name])


@sb.struct
class Mixed:
    small: sb.uint8
    wide: float64
    v: float3


@sb.kernel
def many(
    a: Array[float64], body: Body, x: float32, mixed: Array[Mixed], n: Array[sb.int16]
) -> tuple[float32, Body, float3, sb.uint64]:
    a[0] = sb.math.sin(a[1])
    body.hp += 70_000
    mixed[0].wide = 1 / 3.0
    mixed[0].v = body.pos + x
    total = sb.uint64(0)
    for i in range(len(n)):
        n[i] -= 300
        total += sb.uint64(n[i])
    n[2] = n[len(n) - 1]
    return x * 3, Body(hp=body.hp), mixed[0].v, total


def test_a_difference_on_an_emulated_machine_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [row.name for row in EMULATED if row.reason is None]
    if not names:
        pytest.skip("nothing is emulated here")

    @sb.kernel
    def other(a: Array[float64], body: Body, x: float32) -> tuple[float32, float3, int32]:
        a[1] += x
        body.pos = float3(x, 2 * x, 3 * x)
        return x, body.pos, body.hp - 2

    compiled = same_bits.compile_emulated
    monkeypatch.setattr(same_bits, "compile_emulated", lambda _, *rest: compiled(other, *rest))
    with pytest.raises(sb.BitsMismatchError, match=rf"result\[2\].*managed and {names[0]}"):
        sb.assert_same_bits(step, *arguments(), targets=[names[0]])


def test_an_emulator_that_fails_is_no_agreement(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [row.name for row in EMULATED if row.reason is None]
    if not names:
        pytest.skip("nothing is emulated here")

    def hung(*_: Any) -> Any:
        raise sb.RunnerError("the program hung")

    monkeypatch.setattr(EmulatedProgram, "start", hung)
    with pytest.raises(sb.RunnerError, match="hung"):
        sb.assert_same_bits(step, *arguments(), targets=[names[0]])


@sb.kernel
def shifted(a: Array[float64], b: Array[float64]) -> float64:
    for i in range(len(a)):
        b[i] = a[i] + 1.0
    return b[len(a) - 1]


def test_arguments_that_share_memory_share_it_in_every_execution() -> None:
    memory = np.zeros(9)
    seen: list[float] = []

    def spy(a: Any, b: Any) -> Any:
        assert np.shares_memory(a, b)
        result = shifted.managed(a, b)
        seen.append(float(result))
        return result

    real = same_bits.executions
    pairs = [("managed", spy), *list(real(shifted, shifted.fixed_types or ()))[1:]]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(same_bits, "executions", lambda *_: iter(pairs))
        sb.assert_same_bits(shifted, memory[:8], memory[1:])
    assert seen == [8.0]  # each element is the one before it, and one
    assert memory.tolist() == [0.0] * 9


def test_no_emulator_is_looked_for_where_none_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def looked(target: object) -> str | None:
        raise AssertionError(target)

    monkeypatch.setattr(rows, "emulation_reason", looked)
    assert sb.assert_same_bits(step, *arguments(), targets=["evaluate"]) == ("managed", "evaluate")
    assert f"{BEST}-O3" in sb.assert_same_bits(step, *arguments())
    with pytest.raises(AssertionError):
        sb.assert_same_bits(step, *arguments(), targets=["s390x"])
