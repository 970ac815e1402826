"""Defaults, constants, operators, properties and static methods of structs, in every execution."""

from __future__ import annotations

import typing

import numpy as np
import pytest
from tests.support.executions import refusal_of, same, trap_of

import samebits as sb
from samebits import float3, float32, float64, int32


@sb.struct
class Inner:
    a: int32 = 7
    h: float32


@sb.struct
class Vec:
    LIMIT: typing.ClassVar[int] = 3
    SCALE = 2.5
    UP = float3(0, 0, 1)
    x: float64 = 1.5
    n: int32
    pos: float3 = float3(1, 2, 3)
    inner: Inner = Inner(h=2.0)
    tags: sb.FixedArray[int32, 3] = (4, 5, 6)  # type: ignore[assignment]

    def __add__(self, o: Vec) -> Vec:
        return Vec(self.x + o.x, self.n + o.n)

    def __mul__(self, k: float64) -> Vec:
        return Vec(self.x * k, self.n)

    def __rmul__(self, k: float64) -> Vec:
        return Vec(k * self.x + 1, self.n)

    def __rsub__(self, o: Inner) -> float32:
        return o.h - 1

    def __neg__(self) -> Vec:
        return Vec(-self.x, -self.n)

    def __eq__(self, o: Vec) -> bool:  # type: ignore[override]
        return self.x == o.x

    def __lt__(self, o: Vec) -> bool:
        return self.x < o.x

    def __getitem__(self, i: int32) -> int32:
        return self.tags[i]

    def __setitem__(self, i: int32, v: int32) -> None:
        self.tags[i] = v

    @property
    def double(self) -> float64:
        return self.x * 2

    @staticmethod
    def make(x: float64) -> "Vec":  # noqa: UP037  (as is written without the future's annotations)
        return Vec(x)


@sb.kernel
def started() -> tuple[float64, int32, float3, int32, float32, int32]:
    v = Vec(n=2)
    return v.x, v.n, v.pos, v.inner.a, v.inner.h, v.tags[2]


@sb.kernel
def whole() -> Vec:
    return Vec()


def test_fields_that_are_not_given_have_their_default() -> None:
    found = same(started)
    assert (found[:2], tuple(found[2]), found[3:]) == ((1.5, 2), (1, 2, 3), (7, 2, 6))
    assert same(whole).memory.tobytes() == Vec().memory.tobytes()
    assert np.zeros(1, Vec.dtype)["x"][0] == 0  # memory from elsewhere is as it is


@sb.kernel
def constants(v: Vec) -> tuple[float64, float3, int, float64]:
    return v.SCALE * Vec.SCALE * v.x, Vec.UP, v.LIMIT + Vec.LIMIT, v.x**Vec.LIMIT


def test_constants_are_read_of_the_class_and_of_its_values() -> None:
    found = same(constants, Vec())
    assert (found[0], found[2], found[3]) == (9.375, 6, 3.375)
    assert (Vec.LIMIT, Vec().LIMIT, type(Vec.LIMIT)) == (3, 3, int)


@sb.kernel
def operators(a: Vec, b: Vec) -> tuple[float64, float64, float64, float64]:
    c = a + b * 2.0
    c += a
    return c.x, (3 * a).x, (-a).x, (a * 2).x


@sb.kernel
def compared(a: Vec, b: Vec) -> tuple[bool, bool, bool, bool, bool]:
    return a == b, a != b, a < b, a > b, a == a


@sb.kernel
def reflected(a: Inner, b: Vec) -> float32:
    return a - b


def test_operators_call_the_method_that_cpython_would() -> None:
    assert same(operators, Vec(3), Vec(4)) == (14, 10, -3, 6)
    assert same(compared, Vec(3), Vec(4)) == (False, True, True, False, True)
    assert same(reflected, Inner(h=3), Vec()) == 2
    assert ((Vec(1) + Vec(2)).x, (2 * Vec(1)).x, Vec(1) == Vec(1), Vec(2) != Vec(2)) == (
        3, 3, True, False,
    )  # fmt: skip


@sb.kernel
def items(a: Vec, i: int32) -> int32:
    a[0] = 9
    a[1] += a[0]
    return a[i]


def test_items_are_what_the_methods_give() -> None:
    assert [same(items, Vec(), i) for i in range(3)] == [9, 14, 6]
    assert trap_of(items, Vec(), 3) == ("index", "self.tags[i]")
    assert Vec()[1] == 5


@sb.kernel
def made(a: Vec) -> tuple[float64, float64, float64]:
    return a.double, Vec.make(2.0).x, a.make(4.0).double


def test_properties_and_static_methods() -> None:
    assert same(made, Vec()) == (3, 2, 8)
    assert (Vec(2).double, Vec.make(3.0).x) == (4, 3)


@sb.kernel
def no_add(a: Inner, b: Inner) -> Inner:
    return a + b  # type: ignore[operator]


@sb.kernel
def no_equality(a: Inner, b: Inner) -> bool:
    return a == b


@sb.kernel
def no_items(a: Inner) -> int32:
    return a[0]  # type: ignore[index]


def test_what_has_no_method_is_refused_with_the_method_to_define() -> None:
    pair = (Inner(), Inner())
    assert "define `__add__` in Inner" in str(refusal_of(no_add, *pair).fix)
    assert "define `__eq__` in Inner" in str(refusal_of(no_equality, *pair).fix)
    assert "define `__getitem__` in Inner" in str(refusal_of(no_items, Inner()).fix)
    with pytest.raises(sb.ArgumentError):
        no_equality.managed(*pair)


def test_fixed_arrays_take_sequences_from_python() -> None:
    @sb.struct
    class Board:
        row: sb.FixedArray[float64, 4]
        grid: sb.FixedArray[int32, 2, 2]

    board = Board(row=[1, 2, 3, 4], grid=((1, 2), (3, 4)))
    assert board.memory["row"].tolist() == [1, 2, 3, 4]
    assert board.memory["grid"].tolist() == [[1, 2], [3, 4]]
    board.row = np.ones(4)  # type: ignore[assignment]
    assert board.row[3] == 1
    for wrong in ([1, 2, 3], np.ones(5)):
        with pytest.raises(sb.ArgumentError, match=r"got [35] elements"):
            board.row = wrong  # type: ignore[assignment]
    with pytest.raises(sb.ArgumentError, match="of other lengths"):
        board.grid = ((1, 2), (3,))  # type: ignore[assignment]


def test_changed_defaults_and_constants_change_the_fingerprint() -> None:
    from samebits.lang.fingerprint import fingerprint

    def of(limit: int, start: int) -> str:
        @sb.struct
        class Part:
            LIMIT = limit
            x: int32 = start

        @sb.kernel
        def first() -> int32:
            return Part().x + Part.LIMIT

        return fingerprint(first, ())

    assert of(1, 2) == of(1, 2)
    assert len({of(1, 2), of(1, 3), of(2, 2)}) == 3
