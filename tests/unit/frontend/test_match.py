"""`match` on numbers, bools and enums: what CPython's own `match` gives, in every execution."""

from __future__ import annotations

from enum import IntEnum

import pytest
from tests.support.executions import refusal_of, same, trap_of

import samebits as sb
from samebits import float3, float64, int32, uint8


class Cell(IntEnum):
    FREE = 1
    WALL = 2


class Rules:
    LIVES = 7


@sb.struct
class State:
    cell: int32
    seen: int32

    def bump(self) -> int32:
        self.seen += 1
        return self.seen


@sb.kernel
def kind(x: int32, flag: bool) -> int32:
    match x:
        case 0:
            return 10
        case Cell.FREE | Cell.WALL:
            return 11
        case -3 | 4 if flag:
            return 12
        case 4:
            return 13
        case Rules.LIVES:
            found = int32(14)
        case n if n > 100:
            return n - 100
        case n:
            found = n
    return found


@pytest.mark.parametrize("flag", [True, False])
def test_it_gives_what_cpythons_gives(flag: bool) -> None:
    for x in (0, 1, 2, 3, 4, -3, 7, 101, 100, -(2**31), 2**31 - 1):
        assert same(kind, x, flag) == kind.function(x, flag), x


@sb.kernel
def truth(flag: bool, n: int) -> int:
    match flag:
        case True:
            total = 1
        case False:
            total = 2
    match n:
        case 1:
            return total
        case _:
            pass
    return n


@sb.kernel
def nested(x: int32, n: int, real: float64) -> int32:
    total = int32(0)
    for i in range(n):
        match x + int32(i):
            case 2:
                continue
            case 5:
                break
            case k:
                match real:
                    case 1 | 1.5:
                        total += k
                    case _:
                        total -= k
    else:
        total += 1000
    return total


def test_in_loops_and_inside_one_another() -> None:
    for x, n, real in ((0, 4, 1.5), (0, 9, 1.0), (3, 1, 2.0), (5, 2, float("nan"))):
        assert same(nested, x, n, real) == nested.function(x, n, real)


@sb.kernel
def subject_once(state: State) -> int32:
    match state.bump():
        case 5 | 1:
            return state.seen
        case n if state.bump() == n:
            return -1
        case 2 as n:
            return n * 100
        case other:
            return other


def test_the_subject_is_evaluated_once() -> None:
    assert [same(subject_once, State(seen=n)) for n in (0, 1, 2)] == [1, 200, 3]


@sb.kernel
def bools(flag: bool) -> int32:
    match flag:
        case True:
            return 1
        case _:
            return 2


def test_bools() -> None:
    assert [same(bools, True), same(bools, False)] == [1, 2]


@sb.kernel
def trapping(x: uint8, n: int32) -> int32:
    match x:
        case 1 if n // (n - 3) > 0:
            return 1
        case _:
            return 0


def test_guards_are_evaluated_where_the_pattern_fits() -> None:
    assert (same(trapping, 2, 3), same(trapping, 1, 4)) == (0, 1)
    assert trap_of(trapping, 1, 3) == ("zero", "n // (n - 3)")


@sb.kernel
def named_and_guarded(x: int32, least: int32, state: State) -> int32:
    q = int32(0)
    match x:
        case 1 | 2 as q if q > least:
            return 10 + q
        case 2 | 3 as n if state.bump() + n == 4:
            return 20 + n
        case 1 | 2 | 3:
            return 100 + q
        case 5 as x if least < 0:
            pass
        case n if n < least:
            q = -n
    return 200 + q + x


def test_a_name_is_bound_where_its_guard_does_not_hold_too() -> None:
    """And the cases after it are tried, as in CPython."""
    for x in (-1, 1, 2, 3, 4, 5):
        for least in (-1, 0, 1, 2, 9):
            mine, pythons = State(), State()
            found = same(named_and_guarded, x, least, mine)
            assert found == named_and_guarded.function(x, least, pythons), (x, least)
            assert mine.seen == pythons.seen, (x, least)


@sb.kernel
def only_named(x: int32) -> int32:
    match x:
        case 1 | 2 as n if x > 1:
            pass
        case _:
            n = int32(7)
    return n


@sb.kernel
def guarded_trap(x: int32, n: int32) -> int32:
    match x:
        case 1 as one if one // n > 0:
            return 1
        case _:
            return 0


def test_guards_beside_as_run_where_the_pattern_fits() -> None:
    assert [same(only_named, x) for x in (1, 2, 3)] == [7, 2, 7]
    assert (same(guarded_trap, 2, 0), same(guarded_trap, 1, 1)) == (0, 1)
    assert trap_of(guarded_trap, 1, 0) == ("zero", "one // n")


@sb.kernel
def sequence(v: float3) -> int32:
    match v:
        case [_, _, _]:
            return 1
        case _:
            return 0


@sb.kernel
def of_class(x: int32) -> int32:
    match x:
        case int32():
            return 1
        case _:
            return 0


@sb.kernel
def of_text(x: int32) -> int32:
    match x:
        case 1 | "ab":
            return 1
        case _:
            return 0


@sb.kernel
def no_number(x: float3) -> int32:
    match x:
        case 1:
            return 1
        case _:
            return 0


@sb.kernel
def number_of_bool(x: bool) -> int32:
    match x:
        case 1:
            return 1
        case _:
            return 0


@sb.kernel
def not_all(x: int32) -> int32:
    match x:
        case 1:
            return 1


@pytest.mark.parametrize("kernel", [sequence, of_class, of_text])
def test_other_patterns_are_refused_alike(kernel) -> None:  # type: ignore[no-untyped-def]
    given = (1, 2, 3) if kernel is sequence else 1
    error = refusal_of(kernel, given)
    numbers = "`match` takes numbers, texts of one character, True and False, IntEnum"
    assert error.message.startswith(numbers)
    with pytest.raises(sb.CompileError) as caught:
        kernel.managed(given)
    assert (caught.value.message, caught.value.span) == (error.message, error.span)


def test_what_is_no_number_is_refused() -> None:
    assert "a condition is a bool, but this is bool3" in refusal_of(no_number, (1, 2, 3)).message
    assert "a bool is not a number here" in refusal_of(number_of_bool, True).message
    assert "may end without a return" in refusal_of(not_all, 1).message
