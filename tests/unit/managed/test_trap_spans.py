"""Every trap points at the same piece of source in managed, evaluated and compiled runs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from tests.support.executions import same, trap_of

import samebits as sb
from samebits import float32, float64, int3, int8, int32, uint8, uint32

Case = tuple[Callable[..., Any], tuple[Any, ...], str, str]
CASES: list[Case] = []
BIG = 1 << 62


def case(*args: Any, kind: str, at: str) -> Callable[[Callable[..., Any]], Any]:
    """Register a kernel that traps with `kind` at the source text `at`."""

    def register(function: Callable[..., Any]) -> Any:
        kernel = sb.kernel(function)
        CASES.append((kernel, args, kind, at))
        return kernel

    return register


@sb.struct
class Ship:
    hp: int8
    tags: sb.FixedArray[int32, 3]

    def add(self, n: int8) -> int8:
        return self.hp + n

    def tag(self, i: int32) -> int32:
        return self.tags[i]


@sb.kernel
def small(x: int8, y: int8 = 3) -> int8:
    return x + y


@sb.kernel
def divide(a: int32, b: int32) -> int32:
    return a // b


@case(BIG, kind="overflow", at="n + n")
def add(n: int) -> int:
    return 1 + (n + n)


@case(-BIG, kind="overflow", at="n * 3 - BIG")
def subtract(n: int) -> int:
    n = n // 2
    return n * 3 - BIG


@case(BIG, kind="overflow", at="n * n")
def multiply(n: int) -> int:
    return (n * n) // n


@case(-(1 << 63), kind="overflow", at="-n")
def negate(n: int) -> int:
    return 1 + -n


@case(-(1 << 63), kind="overflow", at="sb.abs(n)")
def magnitude(n: int) -> int:
    return sb.abs(n)


@case(-(1 << 63), kind="overflow", at="n // -1")
def least_by_minus_one(n: int) -> int:
    return n // -1


@case(BIG, kind="overflow", at="n << 2")
def shift_out(n: int) -> int:
    return n << 2


@case(-1, kind="shift", at="1 << n")
def shift_left_negative(n: int) -> int:
    return 1 << n


@case(-1, kind="shift", at="8 >> n")
def shift_right_negative(n: int) -> int:
    return 8 >> n


@case(0, kind="zero", at="5 // n")
def floor_divide(n: int) -> int:
    return 5 // n


@case(0, kind="zero", at="a % b")
def strong_modulo(b: int32) -> int32:
    a = int32(3)
    return a % b


@case(0, kind="zero", at="v // int3(1, n, 2)")
def vector_divide(n: int32) -> int32:
    v = int3(1, 2, 3)
    return (v // int3(1, n, 2)).x


@case(0.0, kind="zero", at="1.0 / x")
def weak_float_divide(x: float) -> float:
    return 1.0 / x


@case(kind="zero", at="1.0 / 0.0")
def literal_divide() -> float:
    return 1.0 / 0.0


@case(300, kind="overflow", at="x + n")
def narrowed_operand(n: int) -> int8:
    x = int8(1)
    return x + n


@case(300, kind="overflow", at="x < n")
def narrowed_comparison(n: int) -> bool:
    x = int8(1)
    return x < n


@case(300, kind="overflow", at="sb.min(x, n)")
def narrowed_intrinsic(n: int) -> int8:
    x = int8(1)
    return sb.min(x, n)


@case(300, kind="overflow", at="int8(n)")
def conversion(n: int) -> int8:
    return int8(n)


# fmt: off
@case(BIG, kind="overflow", at="n += ( n )")
def augmented_name(n: int) -> int:
    n += (
        n
    )
    return n
# fmt: on


@case(0, kind="zero", at="a[1] //= n")
def augmented_element(n: int32) -> int32:
    a = sb.zeros(3, int32)
    a[1] //= n
    return a[1]


@case(0, kind="zero", at="s.hp %= n")
def augmented_field(n: int8) -> int8:
    s = Ship()
    s.hp %= n
    return s.hp


@case(np.zeros(3, np.int32), 3, kind="index", at="a[i]")
def load(a: sb.ReadOnly[int32], i: int) -> int32:
    return 1 + a[i] * 2


@case(np.zeros(3, np.int32), -1, kind="index", at="a[i]")
def negative_index(a: sb.ReadOnly[int32], i: int) -> int32:
    return a[i]


@case(np.zeros(3, np.int32), (1 << 64) - 1, kind="index", at="a[i]")
def huge_index(a: sb.ReadOnly[int32], i: sb.uint64) -> int32:
    return a[i]


@case(np.zeros(3, np.int32), 3, kind="index", at="a[i]")
def store(a: sb.Array[int32], i: int) -> None:
    a[i] = a[0] + 1


@case(np.zeros(3, np.int32), 3, kind="index", at="a[i]")
def augmented_store(a: sb.Array[int32], i: int) -> None:
    a[i] += a[0]


@case(np.zeros((3, 4), np.float32), 4, kind="index", at="g[1, i]")
def two_dimensions(g: sb.Array[float32, 2], i: int) -> None:
    g[0, 0] = 1
    g[1, i] = 2


@sb.kernel
def first(a: sb.ReadOnly[float32], i: int) -> float32:
    return a[i]


@case(np.zeros((3, 4), np.float32), 3, kind="index", at="g[i]")
def row(g: sb.ReadOnly[float32, 2], i: int) -> float32:
    return first(g[i], 0)


@case(np.zeros(3, np.float32), 7, kind="index", at="a[i]")
def in_a_called_kernel(a: sb.ReadOnly[float32], i: int) -> float32:
    return first(a, i - 7) + first(a, i)


@case(5, kind="index", at="self.tags[i]")
def in_a_method(i: int32) -> int32:
    return Ship().tag(0) + Ship().tag(i)


@case(0, kind="zero", at="a // b")
def nested_call(n: int32) -> int32:
    return divide(1, divide(1, n))


@case(300, kind="overflow", at="small(n)")
def argument(n: int) -> int8:
    return small(1) + small(n)


@case(300, kind="overflow", at="small(1, y=n)")
def keyword_argument(n: int) -> int8:
    return small(1, y=n)


# fmt: off
@case(300, kind="overflow", at="s.add( n )")
def method_argument(n: int) -> int8:
    s = Ship()
    return s.add(
        n
    )
# fmt: on


# fmt: off
@case(300, kind="overflow", at="(s .add(n))"[1:-1])
def method_on_a_later_line(n: int) -> int8:
    s = Ship()
    return (s
            .add(n))
# fmt: on


# fmt: off
@case(300, kind="overflow", at="s .hp")
def field_on_a_later_line(n: int) -> None:
    s = Ship()
    (s
     .hp) = n
# fmt: on


@case(300, kind="overflow", at="Ship(hp=n)")
def constructor(n: int) -> int8:
    return Ship(hp=n).hp


@case(BIG, kind="overflow", at="int3(1, n, 2)")
def component(n: int) -> int3:
    return int3(1, n, 2)


@case(300, kind="overflow", at="s.hp")
def stored_field(n: int) -> None:
    s = Ship()
    s.hp = n


@case(np.zeros(3, np.int8), 300, kind="overflow", at="a[1]")
def stored_element(a: sb.Array[int8], n: int) -> None:
    a[1] = n


@case(np.zeros(3, np.int8), 300, kind="index", at="a[9]")
def index_comes_before_conversion(a: sb.Array[int8], n: int) -> None:
    a[0], a[9] = 5, n


@case(300, 5, kind="overflow", at="first")
def name_twice_in_a_tuple(n: int, m: int) -> uint8:
    first = uint8(0)
    first, first = n, m
    return first


@case(np.zeros(3, np.int8), 300, kind="overflow", at="t")
def conversion_comes_before_what_is_behind_it(a: sb.Array[int8], n: int) -> uint8:
    t = uint8(0)
    t, a[int(t)] = n, 7
    return t


@case(300, kind="overflow", at="return 1, n")
def returned(n: int) -> tuple[int8, int8]:
    return 1, n


@case(3, kind="assert", at='assert n == 4, "four"')
def assertion(n: int) -> int:
    assert n == 4, "four"
    return n


@case(0, kind="zero", at="7 // n")
def second_side_of_and(n: int) -> bool:
    return n == 0 and 7 // n > 0


@case(0, kind="zero", at="7 // n")
def ternary(n: int) -> int:
    return 7 // n if n < 1 else n


@case(0, kind="zero", at="1 // n")
def while_head(n: int) -> int:
    while 1 // n > 0:
        n -= 1
    return n


@case(0, kind="zero", at="1 // n")
def range_bound(n: int) -> int:
    total = 0
    for i in range(1 // n):
        total += i
    return total


@case(0, kind="zero", at="größe // n")
def after_wide_characters(n: int) -> int:
    größe = 3
    return größe + größe // n


@pytest.mark.parametrize("entry", CASES, ids=lambda entry: entry[0].__name__)
def test_a_trap_points_at_the_operation_in_every_execution(entry: Case) -> None:
    kernel, args, kind, at = entry
    assert trap_of(kernel, *args) == (kind, at)


@sb.kernel
def stores_around(a: sb.Array[int8], n: int, m: int) -> uint8:
    t = u = uint8(0)
    (t, a[0]), u, a[1] = (m, 5), n, 9
    return t + u


@pytest.mark.parametrize(("n", "m", "expected"), [(300, 3, [5, 0]), (3, 300, [0, 0])])
def test_what_stands_before_a_trap_in_a_tuple_is_assigned_alone(
    n: int, m: int, expected: list[int]
) -> None:
    for run in (stores_around, stores_around.managed, partial(sb.evaluate, stores_around)):
        a = np.zeros(2, np.int8)
        with pytest.raises(sb.Trap):
            run(a, n, m)
        assert a.tolist() == expected
    assert same(stores_around, np.zeros(2, np.int8), 3, 4) == 7


@sb.kernel
def whole(n: int32, x: float64, bits: uint32) -> float64:
    return x / (n // int32(bits))


def test_no_trap_hides_behind_float_division_by_zero() -> None:
    assert trap_of(whole, 1, 1.0, 0) == ("zero", "n // int32(bits)")
    assert whole(0, 1.0, 1) == np.inf
