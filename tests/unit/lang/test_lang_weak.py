"""`Int`, Python's own int as kernels see it: 64 bits, trapping."""

from __future__ import annotations

import itertools
import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samebits.errors import ArgumentError, Trap
from samebits.lang.values.weak import Int

LOW, HIGH = -(2**63), 2**63 - 1
OPERATORS = ["add", "sub", "mul", "floordiv", "mod", "and_", "or_", "xor", "lshift", "rshift"]
EDGES = st.one_of(st.sampled_from([LOW, LOW + 1, -1, 0, 1, 63, 64, HIGH]), st.integers(LOW, HIGH))


def outcome(function, a, b):
    try:
        result = function(a, b)
    except Trap as trap:
        return trap.kind
    assert type(result) is Int
    return int(result)


def expected(name, a, b):
    if name in ("floordiv", "mod") and b == 0:
        return "zero"
    if "shift" in name and b < 0:
        return "shift"
    if name == "lshift":
        exact = a * 2 ** min(b, 200)
    elif name == "rshift":
        exact = a // 2 ** min(b, 200)
    else:
        exact = getattr(operator, name)(a, b)
    return exact if LOW <= exact <= HIGH else "overflow"


@given(EDGES, EDGES, st.sampled_from(OPERATORS))
def test_results_are_pythons_or_a_trap_outside_int64(a, b, name):
    function = getattr(operator, name)
    for x, y in itertools.product((a, Int(a)), (b, Int(b))):
        if type(x) is Int or type(y) is Int:
            assert outcome(function, x, y) == expected(name, a, b)


def test_negation_and_magnitude_of_the_least_trap():
    for function in (operator.neg, operator.abs):
        with pytest.raises(Trap, match="integer overflow"):
            function(Int(LOW))
    assert -Int(3) == -3
    assert ~Int(LOW) == HIGH
    assert type(+Int(3)) is type(~Int(3)) is type(-Int(3)) is type(abs(Int(3))) is Int


def test_with_float_it_is_a_float_and_division_by_zero_traps():
    assert (Int(3) * 0.5, 0.5 + Int(3), Int(1) / 2.0, 1.0 - Int(2)) == (1.5, 3.5, 0.5, -1.0)
    assert type(Int(3) * 0.5) is float
    with pytest.raises(Trap, match="division by zero"):
        Int(1) / 0.0


def test_what_has_no_type_is_refused_with_a_fix():
    refused = [
        lambda: Int(2) ** 2,
        lambda: Int(1 << 60) < 0.5,
        lambda: Int(1) << 2.0, lambda: Int(1) + True, lambda: Int(1) == True,  # noqa: E712
    ]  # fmt: skip
    for call in refused:
        with pytest.raises(ArgumentError):
            call()


def test_it_is_an_index_a_key_and_a_plain_int_elsewhere():
    assert [7, 8][Int(1)] == 8
    assert {3: "x"}[Int(3)] == "x"
    assert list(range(Int(2))) == [0, 1]
    assert f"{Int(5)} {Int(5)!r}" == "5 5"


def test_a_quotient_is_a_float_where_both_ints_are() -> None:
    assert (Int(1) / Int(2), 1 / Int(4), Int(-3) / 2) == (0.5, 0.25, -1.5)
    for call in (lambda: Int(2**53 + 1) / 3, lambda: 1 / Int(2**60)):
        with pytest.raises(Trap, match=r"of an int beyond 2\*\*53"):
            call()
