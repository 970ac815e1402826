"""A struct from outside is a constant of a kernel, with the same bits in every execution."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest
from tests.support.executions import refusal_of, same
from tests.support.kernels import outer_constants
from tests.support.kernels.outer_constants import HOME, Body, Point

import samebits as sb
from samebits import fix32, float32, float64, half, int32
from samebits.lang.fingerprint import described, fingerprint
from samebits.runtime.compile import run as compiled

ORIGIN = Point(-0.0, 0.5)
CORNERS = (Point(1, 2), (Point(3, 4), 5))


@sb.struct
class Settings(sb.Struct):
    home: Point = sb.zero
    way: sb.FixedArray[Point, Literal[3]] = sb.zero
    gain: sb.float3 = sb.zero
    weights: sb.FixedArray[float64, Literal[12]] = sb.zero
    grid: sb.FixedArray[int32, Literal[2], Literal[3]] = sb.zero
    turns: sb.FixedArray[sb.float2, Literal[2]] = sb.zero
    count: int32 = 0
    on: bool = False
    small: half = sb.zero
    steps: fix32 = sb.zero
    few: sb.FixedArray[half, Literal[2]] = sb.zero
    parts: sb.FixedArray[fix32, Literal[9]] = sb.zero


SETTINGS = Settings(
    home=HOME, gain=sb.float3(1, 2, 3), weights=[*range(12)], grid=[[1, 2, 3], [4, 5, 6]],
    turns=[sb.float2(1, 2), sb.float2(3, float("nan"))], count=12, on=True, small=half(0.1),
    steps=fix32("0.25"), few=[half(1), half(2)], parts=[fix32(k) for k in range(9)],
)  # fmt: skip
SETTINGS.way[1] = Point(7, 8)
NUMBERS = sb.List[int32, Literal[4]]([3, 1, 4])
PRICES = sb.Map[int32, float64, Literal[8]]({5: 0.5, -1: 2.5})


@sb.kernel
def norm(p: Point) -> float64:
    return p.norm()


@sb.kernel
def fields(i: int32) -> float64:
    total = ORIGIN.y + outer_constants.HOME.x + outer_constants.Rules.START.mass
    if SETTINGS.on:
        total += SETTINGS.home.y + float64(SETTINGS.gain.z) + SETTINGS.weights[i]
    for k in range(SETTINGS.count):
        total += SETTINGS.weights[k] * SETTINGS.grid[k % 2, -1]
    for w in SETTINGS.weights:
        total += w
    total += SETTINGS.way[i].x + SETTINGS.way[1].y + len(SETTINGS.way) + len(SETTINGS.weights)
    return total + float64(SETTINGS.small) + float64(SETTINGS.steps) + float64(SETTINGS.few[i])


@sb.kernel
def whole(i: int32, out: sb.Array[Point]) -> Point:
    p = ORIGIN
    q = SETTINGS.home.copy()
    q.x += norm(HOME) + HOME.norm() + outer_constants.Rules.START.at.norm()
    for k in range(len(out)):
        if k > 0:
            out[k] = SETTINGS.way[i]
        else:
            out[k] = p
    out[0] = CORNERS[0]
    out[1].x = CORNERS[1][0].y + CORNERS[1][1]
    return p + q + Point() + ORIGIN


@sb.kernel
def everything(out: sb.Array[Settings]) -> None:
    out[0] = SETTINGS


@sb.kernel
def containers(key: int32) -> float64:
    total = PRICES[key] + NUMBERS[-1]
    for n in NUMBERS:
        total += n
    return total + len(PRICES)


@sb.kernel
def in_parallel(out: sb.Array[float64]) -> None:
    for i in sb.prange(len(out)):
        out[i] = ORIGIN.y + SETTINGS.way[1].norm() + SETTINGS.weights[i]


@sb.kernel
def away(x: float64, start: Point = HOME) -> float64:
    return start.x + x


@sb.kernel
def by_default(x: float64) -> float64:
    return away(x) + away(x, SETTINGS.way[1])


def test_a_field_is_a_constant() -> None:
    expected = sum(
        [0.5, 3.0, float(float32(0.1)), -4.0, 3.0, 1.0, 12 * 11 / 2 + 0.0],
        sum(k * (3, 6)[k % 2] for k in range(12)),
    )
    expected += 7 + 8 + 3 + 12 + float(half(0.1)) + 0.25 + 2
    assert same(fields, 1) == pytest.approx(expected)
    assert "load" not in sb.inspect(lone, types=[float64]).ir


@sb.kernel
def lone(x: float64) -> float64:
    return HOME.x + SETTINGS.way[1].x * 0 + x


def test_a_struct_is_passed_copied_and_stored() -> None:
    out = np.zeros(3, Point.dtype)
    result = same(whole, 1, out)
    assert [float(v) for v in (result.x, result.y)] == [3 + 10 + 5**0.5, -3.0]
    assert out.tolist() == [(1, 2), (9, 8), (7, 8)]


def test_every_kind_of_field_has_its_bits() -> None:
    out = np.zeros(1, Settings.dtype)
    same(everything, out)
    for name in Settings.dtype.names or ():
        assert out[name][0].tobytes() == SETTINGS.memory[name].tobytes(), name


def test_containers_are_constants() -> None:
    assert same(containers, -1) == 2.5 + 4 + 8 + 2


def test_iterations_share_a_constant() -> None:
    out = np.zeros(12)
    same(in_parallel, out)
    assert out[2] == 0.5 + float(np.sqrt(113.0)) + 2


def test_a_default_is_a_constant() -> None:
    assert same(by_default, 1.0) == 4 + 8
    assert away(1.0) == away.managed(1.0) == sb.evaluate(away, 1.0) == 4


@pytest.mark.parametrize("target", ["s390x", "i686", "wasm32"])
def test_targets_have_the_same_constants(target: str) -> None:
    from samebits.backend.targets.table import TARGETS
    from samebits.runtime.emulation.machines import emulation_reason

    reason = emulation_reason(TARGETS[target])
    if reason is not None:
        pytest.skip(f"{target}: {reason}")
    sb.assert_same_bits(fields, 1, targets=[target])
    sb.assert_same_bits(everything, np.zeros(1, Settings.dtype), targets=[target])


def test_a_change_after_the_first_call_is_not_seen() -> None:
    place = Point(1, 2)

    @sb.kernel
    def of(x: float64) -> float64:
        return place.x + x + sb.sqrt(norm(place) * 0)

    place.x = 3.0
    assert same(of, 1.0) == 4
    place.x = 5.0
    assert same(of, 1.0) == 4

    @sb.kernel
    def again(x: float64) -> float64:
        return place.x + x

    assert same(again, 1.0) == 6


def _of(point: Point) -> Any:
    @sb.kernel
    def of(x: float64) -> float64:
        return point.x + x

    return of


def test_the_cache_tells_constants_apart() -> None:
    first, second, third = _of(Point(1, 2)), _of(Point(1, 3)), _of(Point(1, 2))
    types = (float64.__sb_type__,)
    assert fingerprint(first, types) != fingerprint(second, types)
    assert fingerprint(first, types) == fingerprint(third, types)
    assert described(Point(0.0, 0)) != described(Point(-0.0, 0))
    assert compiled(first, (1.0,), {}) == 2


def test_methods_of_a_constant_are_in_the_cache_s_key() -> None:
    def made(factor: int) -> Any:
        @sb.struct
        class One(sb.Struct):
            x: float64 = 1.0

            def value(self) -> float64:
                return self.x * factor

        one = One()

        @sb.kernel
        def of(x: float64) -> float64:
            return one.value() + x

        return of

    assert same(made(2), 1.0) == 3
    assert same(made(3), 1.0) == 4


@sb.kernel
def write_field(x: float64) -> None:
    HOME.x = x


@sb.kernel
def write_inner(x: float64) -> None:
    SETTINGS.home.x = x


@sb.kernel
def write_by_name(x: float64) -> None:
    p = HOME
    p.x += x


@sb.kernel
def write_element(x: float64) -> None:
    SETTINGS.weights[0] = x


@sb.kernel
def write_struct(x: float64) -> None:
    SETTINGS.way[0].y = x


@sb.kernel
def clear(p: Point) -> None:
    p.x = 0.0


@sb.kernel
def write_by_call(x: float64) -> None:
    clear(HOME)


@sb.kernel
def append(x: int32) -> None:
    NUMBERS.append(x)


@pytest.mark.parametrize(
    "kernel",
    [
        write_field, write_inner, write_by_name, write_element, write_struct, write_by_call, append,
    ],
)  # fmt: skip
def test_a_kernel_that_writes_one_is_refused(kernel: Any) -> None:
    message = str(refusal_of(kernel, 1))
    assert "is a constant from outside the kernel, which no kernel writes" in message
    assert "copy" in message
    with pytest.raises((sb.CompileError, sb.ArgumentError)) as caught:
        kernel.managed(1)
    assert "is a constant from outside the kernel, which no kernel writes" in str(caught.value)
    assert "fix: write to a copy" in str(caught.value) or "fix: copy its" in str(caught.value)
    assert (HOME.x, SETTINGS.weights[0], SETTINGS.way[0].y, len(NUMBERS)) == (3, 0, 0, 3)


FLAGS = sb.table([[True, False, True], [False, True, True]], bool)


@sb.struct
class Flagged(sb.Struct):
    flags: sb.FixedArray[bool, Literal[6]] = sb.zero
    few: sb.FixedArray[bool, Literal[2]] = sb.zero


FLAGGED = Flagged(flags=[True, False, True, True, False, False], few=[False, True])


@sb.kernel
def counted(i: int) -> int:
    n = 0
    for flag in FLAGGED.flags:
        n += int(flag)
    for flag in FLAGS[1]:
        n += 10 * int(flag)
    if FLAGS[0, i] == FLAGGED.flags[i] and FLAGGED.few[1]:
        n += 100
    return n


def test_bools_are_kept_in_tables_and_in_structs_that_are_constants() -> None:
    assert same(counted, 2) == 123
    with pytest.raises(sb.Trap):
        counted(3)


WEIGHTS = sb.table([1.0, 2.0], float64)


@sb.kernel
def write_table_by_name(x: float64) -> None:
    weights = WEIGHTS
    weights[0] = x


@sb.kernel
def write_part_of_table(x: float64) -> None:
    part = WEIGHTS[1:]
    part[0] += x


@pytest.mark.parametrize("kernel", [write_table_by_name, write_part_of_table])
def test_a_table_is_written_by_no_name(kernel: Any) -> None:
    text = "is a constant from outside the kernel, which no kernel writes"
    assert text in str(refusal_of(kernel, 1))
    with pytest.raises(sb.ArgumentError, match=text):
        kernel.managed(1)
    assert list(WEIGHTS) == [1, 2]


def test_a_default_that_is_written_is_refused() -> None:
    @sb.kernel
    def moved(x: float64, start: Point = HOME) -> float64:
        start.x += x
        return start.x

    assert refusal_of(moved, 1.0).fix == (
        "write to a copy, as in `own = start.copy()`, or take the default away"
    )
    with pytest.raises(sb.ArgumentError, match="which no kernel writes"):
        moved.managed(1.0)
    assert HOME.x == 3


def test_a_constant_that_is_returned_is_copied() -> None:
    @sb.kernel
    def home(x: float64) -> Point:
        return HOME

    assert refusal_of(home, 1.0).fix == "return `.copy()` of it"
    assert "the constant itself" in str(refusal_of(home, 1.0))


@sb.struct
class Many(sb.Struct):
    points: sb.FixedArray[Point, Literal[600]] = sb.zero
    numbers: sb.FixedArray[float64, Literal[5000]] = sb.zero


def test_a_constant_of_too_many_structs_is_refused() -> None:
    many = Many()
    many.numbers[4999] = 2.0

    @sb.kernel
    def of(i: int) -> float64:
        return many.numbers[i]

    @sb.kernel
    def first(many: Many) -> float64:
        return many.numbers[4999]

    @sb.kernel
    def of_all(i: int) -> float64:
        return first(many)

    assert same(of, 4999) == 2
    assert "1,200 numbers" in str(refusal_of(of_all, 1))


@sb.struct
class Agent(sb.Struct):
    START = Body(Point(1, 2), 3)
    x: float64 = 0.0

    def begin(self) -> float64:
        return self.START.at.y + Agent.START.mass


@sb.kernel
def begin(agent: Agent) -> float64:
    return agent.begin() + agent.START.at.norm()


def test_a_struct_is_a_constant_of_another_s_class() -> None:
    assert same(begin, Agent()) == 5 + 5**0.5
