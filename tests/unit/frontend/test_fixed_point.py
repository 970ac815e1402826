"""Fixed-point arithmetic is exact, rounded once and kept in range as stated, in every execution."""

import itertools
import operator
import random
from fractions import Fraction
from typing import TypeVar

import numpy as np
import pytest

import samebits as sb
from samebits.runtime.evaluate import evaluate_call
from samebits.types import Overflow

TYPES = [
    sb.fix16, sb.fix16_sat, sb.fix16_wrap,
    sb.fix32, sb.fix32_sat, sb.fix32_wrap,
    sb.fix48, sb.fix48_sat, sb.fix48_wrap,
]  # fmt: skip
TRAPPING = [cls for cls in TYPES if cls.__sb_type__.overflow is Overflow.TRAP]
T = TypeVar("T")


def everywhere(kernel, *args):
    """The one answer of the managed run, the reference interpreter and compiled code."""
    answers = []
    for run in (kernel.managed, lambda *a: evaluate_call(kernel, a), kernel):
        try:
            answers.append(run(*args))
        except sb.Trap as trap:
            answers.append((trap.kind, trap.span.line - kernel.function.__code__.co_firstlineno))
    assert all(answer == answers[0] and type(answer) is type(answers[0]) for answer in answers)
    return answers[0]


def value_of(x):
    return Fraction(x.raw, 1 << x.__sb_type__.fraction)


def expected(cls, value):
    """The raw number nearest to an exact value, or "overflow"."""
    t = cls.__sb_type__
    raw = round(value * (1 << t.fraction))  # Fraction rounds ties to even
    if t.minimum <= raw <= t.maximum:
        return raw
    if t.overflow is Overflow.TRAP:
        return "overflow"
    if t.overflow is Overflow.SATURATE:
        return t.maximum if raw > 0 else t.minimum
    return (raw - t.minimum) % (1 << t.bits) + t.minimum


def exact_modulo(a, b):
    return a - b * (a // b)


EXACT = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "%": exact_modulo,
}  # fmt: skip
MANAGED = EXACT | {"%": operator.mod}


def numbers(cls, count, seed):
    """Raw integers of every size, and the ends, halves and ones."""
    t, r = cls.__sb_type__, random.Random(seed)
    one = 1 << t.fraction
    special = [0, 1, -1, one, -one, one // 2, one + one // 2, 3, t.minimum, t.maximum,
               t.minimum + 1, t.maximum - 1, 5 * one // 2]  # fmt: skip
    sizes = [r.randrange(1, t.bits) for _ in range(count)]
    return special + [r.randrange(-(1 << n), 1 << n) for n in sizes]


def pairs(cls, count):
    a, b = numbers(cls, count, 1), numbers(cls, count, 2)
    random.Random(3).shuffle(b)
    return [*zip(a, b, strict=True), *itertools.product(a[:13], a[:13])]


def kernels(F):  # noqa: N803
    """One loop over arrays for each operator."""

    @sb.kernel
    def add(a: sb.ReadOnly[F], b: sb.ReadOnly[F], out: sb.Array[F]) -> None:
        for i in range(len(a)):
            out[i] = a[i] + b[i]

    @sb.kernel
    def sub(a: sb.ReadOnly[F], b: sb.ReadOnly[F], out: sb.Array[F]) -> None:
        for i in range(len(a)):
            out[i] = a[i] - b[i]

    @sb.kernel
    def mul(a: sb.ReadOnly[F], b: sb.ReadOnly[F], out: sb.Array[F]) -> None:
        for i in range(len(a)):
            out[i] = a[i] * b[i]

    @sb.kernel
    def div(a: sb.ReadOnly[F], b: sb.ReadOnly[F], out: sb.Array[F]) -> None:
        for i in range(len(a)):
            out[i] = a[i] / b[i]

    @sb.kernel
    def mod(a: sb.ReadOnly[F], b: sb.ReadOnly[F], out: sb.Array[F]) -> None:
        for i in range(len(a)):
            out[i] = a[i] % b[i]

    return {"+": add, "-": sub, "*": mul, "/": div, "%": mod}


@pytest.mark.parametrize("cls", TYPES, ids=str)
def test_compiled_and_managed_arithmetic_is_the_exact_value_rounded_once(cls):
    t = cls.__sb_type__
    for sign, kernel in kernels(cls).items():
        rows = []
        for a, b in pairs(cls, 800):
            if b == 0 and sign in "/%":
                continue
            one = 1 << t.fraction
            want = expected(cls, EXACT[sign](Fraction(a, one), Fraction(b, one)))
            if want != "overflow":
                rows.append((a, b, want))
        a, b, want = (np.array(column, t.dtype) for column in zip(*rows, strict=True))
        out = np.zeros_like(a)
        kernel(a, b, out)
        assert out.tolist() == want.tolist(), sign
        for x, y, z in rows[:: len(rows) // 100]:
            assert MANAGED[sign](cls.from_raw(x), cls.from_raw(y)).raw == z
    sb.assert_same_bits(kernel, a[::400].copy(), b[::400].copy(), out[::400].copy())


@sb.kernel
def added(a: T, b: T) -> T:
    return a + b


@sb.kernel
def subtracted(a: T, b: T) -> T:
    return a - b


@sb.kernel
def multiplied(a: T, b: T) -> T:
    return a * b


@sb.kernel
def divided(a: T, b: T) -> T:
    return a / b


@sb.kernel
def remainder(a: T, b: T) -> T:
    return a % b


@sb.kernel
def negated(a: T) -> T:
    return -a


@sb.kernel
def magnitude(a: T) -> T:
    return sb.abs(a)


@sb.kernel
def raised(a: T) -> T:
    return sb.ceil(a)


OPERATORS = {"+": added, "-": subtracted, "*": multiplied, "/": divided, "%": remainder}


@pytest.mark.parametrize("cls", TRAPPING, ids=str)
def test_an_overflow_traps_with_the_kernels_own_line_in_every_execution(cls):
    t = cls.__sb_type__
    least, most = cls.from_raw(t.minimum), cls.from_raw(t.maximum)
    cases = [
        (added, (most, cls.from_raw(1))), (added, (least, cls.from_raw(-1))),
        (subtracted, (least, cls.from_raw(1))), (multiplied, (most, most)),
        (multiplied, (least, cls(-1))), (divided, (most, cls.from_raw(1))),
        (divided, (least, cls(-1))), (negated, (least,)), (magnitude, (least,)), (raised, (most,)),
    ]  # fmt: skip
    for kernel, args in cases:
        assert everywhere(kernel, *args) == ("overflow", 2)


@pytest.mark.parametrize("cls", TYPES, ids=str)
def test_division_by_zero_traps_whatever_the_policy(cls):
    for kernel in (divided, remainder):
        assert everywhere(kernel, cls(1), cls(0)) == ("zero", 2)


@pytest.mark.parametrize("cls", TYPES, ids=str)
def test_the_ends_of_the_range_behave_alike_in_every_execution(cls):
    t = cls.__sb_type__
    ends = [cls.from_raw(n) for n in (t.minimum, t.minimum + 1, -1, 0, 1, t.maximum)]
    ends += [cls(-1), cls(1)]
    for sign, kernel in OPERATORS.items():
        for a, b in itertools.product(ends[:: 1 if sign in "*/" else 2], ends):
            if b.raw or sign not in "/%":
                want = expected(cls, EXACT[sign](value_of(a), value_of(b)))
                if want != "overflow":
                    assert everywhere(kernel, a, b).raw == want


def whole_numbers(F):  # noqa: N803
    @sb.kernel
    def whole(a: F) -> tuple[F, F, F, F, F]:
        return sb.floor(a), sb.trunc(a), sb.sign(a), sb.min(a, F(2)), sb.clamp(a, F(-1), F(1))

    @sb.kernel
    def upper(a: F) -> tuple[F, F, F, F]:
        return sb.ceil(a), sb.round(a), sb.abs(a), -a

    @sb.kernel
    def order(a: F, b: F) -> tuple[bool, bool, bool, bool, bool, bool]:
        return a < b, a <= b, a == b, a != b, a > b, a >= b

    return whole, upper, order


@pytest.mark.parametrize("cls", TYPES, ids=str)
def test_whole_numbers_and_order_are_those_of_the_exact_value(cls):
    whole, upper, order = whole_numbers(cls)
    one = Fraction(1)
    for raw in numbers(cls, 60, 7):
        x = cls.from_raw(raw)
        v = value_of(x)
        sign = (v > 0) - (v < 0)
        want = [v // 1, int(v), sign, min(v, 2), min(max(v, -one), one)]
        assert [value_of(y) for y in whole(x)] == want
        values = [-(-v // 1), round(v), abs(v), -v]
        limits = [expected(cls, value) for value in values]
        if "overflow" in limits:
            with pytest.raises(sb.Trap):
                upper(x)
        else:
            assert [y.raw for y in upper(x)] == limits
        assert order(x, cls(1)) == (v < 1, v <= 1, v == 1, v != 1, v > 1, v >= 1)
    for raw in numbers(cls, 4, 8):
        everywhere(whole, cls.from_raw(raw))
        everywhere(order, cls.from_raw(raw), cls(1))


def conversions(F, G, N):  # noqa: N803
    @sb.kernel
    def between(a: F) -> G:
        return G(a)

    @sb.kernel
    def of_int(n: N) -> F:
        return F(n)

    @sb.kernel
    def to_numbers(a: F) -> tuple[N, sb.float32, sb.float64]:
        return N(a), sb.float32(a), sb.float64(a)

    @sb.kernel
    def of_float(x: sb.float64) -> F:
        return F.from_float(x)

    return between, of_int, to_numbers, of_float


@pytest.mark.parametrize("cls", TYPES, ids=str)
@pytest.mark.parametrize("integer", [sb.int8, sb.int64, sb.uint32, sb.uint64], ids=str)
def test_conversions_round_once_and_follow_the_targets_policy(cls, integer):
    other = TYPES[(TYPES.index(cls) + 4) % len(TYPES)]
    between, of_int, to_numbers, _ = conversions(cls, other, integer)
    i = np.iinfo(integer.__base__)
    for k, raw in enumerate(numbers(cls, 40, 11)):
        x = cls.from_raw(raw)
        v = value_of(x)
        check = everywhere if k % 10 == 0 else lambda *args: None
        want = expected(other, v)
        if want == "overflow":
            with pytest.raises(sb.Trap):
                between(x)
        else:
            check(between, x)
            assert between(x).raw == want == other(x).raw
        n, _, double = to_numbers(x)
        assert int(n) == min(max(int(v), int(i.min)), int(i.max))
        assert float(double) == v.numerator / v.denominator
        check(to_numbers, x)
        value = raw * (int(i.max) - int(i.min)) // (1 << cls.__sb_type__.bits) if k > 2 else k
        value = min(max(value, int(i.min)), int(i.max))
        want = expected(cls, Fraction(value))
        if want == "overflow":
            with pytest.raises(sb.Trap):
                of_int(integer(value))
        else:
            check(of_int, integer(value))
            assert of_int(integer(value)).raw == want == cls(integer(value)).raw


FLOATS = [0.0, -0.0, 0.1, -0.1, 2.5**-17, 1.5 * 2.0**-17, 5e-324, 32767.99999, 32768.0, -32768.0,
          2.0**31, -(2.0**31), 2.0**47, 2.0**63, -(2.0**63), 2.0**64 + 4096, 1e300, -1e300,
          123456.789, -3.7, 0.5 * 2.0**-32, 1.5 * 2.0**-32]  # fmt: skip


@pytest.mark.parametrize("cls", TYPES, ids=str)
def test_a_float_asked_for_by_name_gives_the_nearest_step(cls):
    of_float = conversions(cls, cls, sb.int32)[3]
    for x in FLOATS:
        want = expected(cls, Fraction(x))
        if want == "overflow":
            assert everywhere(of_float, x) == ("overflow", 2)
        else:
            assert everywhere(of_float, x).raw == want == cls.from_float(x).raw
    ends = [0, cls.__sb_type__.maximum, cls.__sb_type__.minimum]
    for x, end in zip((float("nan"), float("inf"), float("-inf")), ends, strict=True):
        answer = everywhere(of_float, x)
        match cls.__sb_type__.overflow:
            case Overflow.TRAP:
                assert answer == ("overflow", 2)
            case Overflow.SATURATE:
                assert answer.raw == end
            case Overflow.WRAP:
                assert answer.raw == 0


@sb.kernel
def literals(a: sb.fix32) -> sb.fix32:
    return sb.fix32("0.1") + 2 * a - 0.25 + sb.fix32(7)


def test_literals_are_exact_and_text_is_the_nearest_step():
    sb.assert_same_bits(literals, sb.fix32("1.5"))
    tenth = round(Fraction(1, 10) * (1 << 32))
    assert literals(sb.fix32("1.5")).raw == tenth + (3 << 32) - (1 << 30) + (7 << 32)


def refused(body):
    """The message of a kernel that does not compile."""
    with pytest.raises(sb.CompileError) as caught:
        body()
    return str(caught.value)


def test_what_is_not_fixed_point_is_refused_and_the_message_says_what_to_write():
    @sb.kernel
    def inexact(a: sb.fix32) -> sb.fix32:
        return a * 0.1

    assert 'fix: write fix32("0.1")' in refused(lambda: inexact(1))

    @sb.kernel
    def a_float(a: sb.fix32, x: sb.float64) -> sb.fix32:
        return a + x

    assert "fix: write fix32.from_float(x)" in refused(lambda: a_float(1, 2))

    @sb.kernel
    def called(x: sb.float32) -> sb.fix32:
        return sb.fix32(x)

    assert "fix: write fix32.from_float(x)" in refused(lambda: called(1))

    @sb.kernel
    def policies(a: sb.fix32, b: sb.fix32_sat) -> sb.fix32:
        return a + b

    assert "fix: write fix32(x)" in refused(lambda: policies(1, 1))

    @sb.kernel
    def compared(a: sb.fix32, b: sb.fix16) -> bool:
        return a < b

    assert "fix32" in refused(lambda: compared(1, 1))

    @sb.kernel
    def floored(a: sb.fix32) -> sb.fix32:
        return a // a

    assert "fix: write `floor(a / b)`" in refused(lambda: floored(1))

    @sb.kernel
    def too_large(a: sb.fix16) -> sb.fix16:
        return a + 40000

    assert "does not fit fix16" in refused(lambda: too_large(1))
    with pytest.raises(sb.ArgumentError, match="from_float"):
        sb.fix32(np.float64(1.5))
    with pytest.raises(sb.ArgumentError, match="not exact"):
        literals(0.1)
