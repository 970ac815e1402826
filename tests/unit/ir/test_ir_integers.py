"""Integer and bool operations against NumPy, and against digits in binary."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.support.programs.ir_ops import INTEGERS, alike, integer_samples, run

from samebits.errors import Trap
from samebits.ir.grammar import OPS
from samebits.ir.interp.closures import FRAME
from samebits.ir.interp.memory import MEMORY
from samebits.ir.interp.semantics import SEMANTICS
from samebits.types import BOOL, INT, INT8, INT32, INT64, UINT8, UINT32, UINT64, ScalarType

NUMPY: dict[str, Callable[..., Any]] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "floordiv": np.floor_divide,
    "mod": np.remainder, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and,
    "or": np.bitwise_or, "xor": np.bitwise_xor, "shl": np.left_shift, "shr": np.right_shift,
}  # fmt: skip
COMPARISONS: dict[str, Callable[..., Any]] = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal,
    "gt": np.greater, "ge": np.greater_equal,
}  # fmt: skip


def expected(function: Callable[..., Any], t: ScalarType, *args: int) -> int:
    with np.errstate(all="ignore"):
        return int(function(*(np.array(a, t.dtype) for a in args)))


def digits(t: ScalarType, value: int) -> str:
    return np.binary_repr(value, t.bits)


def from_digits(t: ScalarType, text: str) -> int:
    return int(np.array(int(text, 2), f"u{t.size}").view(t.dtype))


def test_every_opcode_has_exactly_one_definition() -> None:
    tables = [*SEMANTICS, *MEMORY, *FRAME]
    assert sorted(tables) == sorted(OPS)


@pytest.mark.parametrize("t", INTEGERS, ids=str)
@pytest.mark.parametrize("opcode", NUMPY)
def test_fixed_width_integers_are_numpys(opcode: str, t: ScalarType) -> None:
    for a, b in itertools.product(integer_samples(t), repeat=2):
        if b == 0 and opcode in ("floordiv", "mod"):
            continue
        assert alike(opcode, t, a, b) == expected(NUMPY[opcode], t, a, b), (a, b)


@pytest.mark.parametrize("t", [INT8, UINT8], ids=str)
@pytest.mark.parametrize("opcode", ["floordiv", "mod", "shl", "shr"])
def test_all_pairs_of_bytes_are_numpys(opcode: str, t: ScalarType) -> None:
    values = np.arange(t.minimum, t.maximum + 1).astype(t.dtype)
    with np.errstate(all="ignore"):
        table = NUMPY[opcode](values[:, None], values[None, :])
    for (i, a), (j, b) in itertools.product(enumerate(values.tolist()), repeat=2):
        if b != 0 or opcode in ("shl", "shr"):
            assert SEMANTICS[opcode](t, a, b) == table[i, j], (a, b)


@pytest.mark.parametrize("t", INTEGERS, ids=str)
@pytest.mark.parametrize("opcode", COMPARISONS)
def test_integer_comparisons_are_numpys(opcode: str, t: ScalarType) -> None:
    for a, b in itertools.product(integer_samples(t), repeat=2):
        result = alike(opcode, t, a, b, result=BOOL)
        assert result is bool(expected(COMPARISONS[opcode], t, a, b))


@pytest.mark.parametrize("t", [*INTEGERS, INT], ids=str)
def test_division_by_zero_traps(t: ScalarType) -> None:
    for opcode in ("floordiv", "mod"):
        with pytest.raises(Trap) as trap:
            alike(opcode, t, 1, 0)
        assert trap.value.kind == "zero"


@pytest.mark.parametrize("t", INTEGERS, ids=str)
def test_one_operand_operations_are_those_of_the_binary_digits(t: ScalarType) -> None:
    for a in integer_samples(t):
        text = digits(t, a)
        assert alike("not", t, a) == expected(np.invert, t, a)
        assert alike("neg", t, a) == expected(np.negative, t, a)
        assert alike("abs", t, a) == expected(np.abs, t, a)
        assert alike("popcount", t, a) == text.count("1")
        assert alike("clz", t, a) == t.bits - len(text.lstrip("0"))
        assert alike("ctz", t, a) == t.bits - len(text.rstrip("0"))


@pytest.mark.parametrize("t", INTEGERS, ids=str)
def test_rotation_moves_the_binary_digits_modulo_the_width(t: ScalarType) -> None:
    for a, b in itertools.product(integer_samples(t), repeat=2):
        text, n = digits(t, a), b % t.bits
        assert alike("rotl", t, a, b) == from_digits(t, text[n:] + text[:n])
        back = t.bits - n
        assert alike("rotr", t, a, b) == from_digits(t, text[back:] + text[:back])


@pytest.mark.parametrize("opcode", ["add", "sub", "mul", "neg", "abs", "floordiv", "mod", "shl"])
def test_weak_int_traps_exactly_when_the_result_leaves_64_bits(opcode: str) -> None:
    exact: dict[str, Callable[..., int]] = {
        "add": int.__add__, "sub": int.__sub__, "mul": int.__mul__, "neg": int.__neg__,
        "abs": int.__abs__, "floordiv": int.__floordiv__, "mod": int.__mod__, "shl": int.__lshift__,
    }  # fmt: skip
    n = OPS[opcode].operands
    assert n is not None
    for args in itertools.product(integer_samples(INT), repeat=n):
        if opcode in ("floordiv", "mod") and args[1] == 0:
            continue
        if opcode == "shl" and not 0 <= args[1] <= 200:
            continue
        value = exact[opcode](*args)
        if -(2**63) <= value < 2**63:
            assert alike(opcode, INT, *args) == value
        else:
            with pytest.raises(Trap) as trap:
                alike(opcode, INT, *args)
            assert trap.value.kind == "overflow", args


def test_weak_shifts_trap_on_a_negative_count_and_on_overflow_only() -> None:
    for opcode in ("shl", "shr"):
        with pytest.raises(Trap) as trap:
            alike(opcode, INT, 0, -1)
        assert trap.value.kind == "shift"
    assert alike("shl", INT, 0, 2**62) == 0
    assert alike("shr", INT, -5, 2**62) == -1
    assert alike("shr", INT, 5, 64) == 0
    assert alike("shl", INT, -1, 63) == -(2**63)
    with pytest.raises(Trap, match="integer overflow"):
        alike("shl", INT, 1, 2**62)


def test_bools_have_logic() -> None:
    for a, b in itertools.product([False, True], repeat=2):
        assert alike("and", BOOL, a, b) is (a and b)
        assert alike("or", BOOL, a, b) is (a or b)
        assert alike("xor", BOOL, a, b) is (a is not b)
        assert alike("eq", BOOL, a, b) is (a is b)
        assert alike("ne", BOOL, a, b) is (a is not b)
        assert alike("not", BOOL, a) is (not a)
        assert run("select", (BOOL, INT8, INT8), INT8, a, 3, -4) == (3 if a else -4)


@pytest.mark.parametrize("source", [*INTEGERS, INT], ids=str)
@pytest.mark.parametrize("target", [*INTEGERS, INT], ids=str)
def test_integer_conversions_wrap_as_numpys_casts(source: ScalarType, target: ScalarType) -> None:
    for a in integer_samples(source):
        cast = np.array(a, source.dtype).astype(target.dtype)
        assert run("convert", (source,), target, a) == int(cast)
    assert run("convert", (BOOL,), target, True) == 1


@pytest.mark.parametrize("t", INTEGERS, ids=str)
def test_narrow_traps_unless_the_value_fits(t: ScalarType) -> None:
    for a in integer_samples(INT):
        if np.iinfo(t.dtype).min <= a <= np.iinfo(t.dtype).max:
            assert run("narrow", (INT,), t, a) == a
        else:
            with pytest.raises(Trap) as trap:
                run("narrow", (INT,), t, a)
            assert trap.value.kind == "overflow"


def test_bitcast_between_integers_keeps_the_bits() -> None:
    assert run("bitcast", (INT32,), UINT32, -1) == 2**32 - 1
    assert run("bitcast", (UINT64,), INT64, 2**63) == -(2**63)
