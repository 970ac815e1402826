"""The meanings of Python's builtins and operators in a managed run, where CPython's own are others.

Tables by the builtin and by the operator; and what a rewritten tree calls for `assert`, `in`, the
items of a tuple and characters in comparisons.
"""

from __future__ import annotations

import ast
import builtins
import operator
from collections.abc import Callable, Iterable, Sequence
from functools import partial, reduce
from typing import Any, cast

import numpy as np

from samebits.bits import round_scaled
from samebits.errors import ArgumentError, Trap
from samebits.frontend.core.characters import NO_INTEGER, ORD_TAKES
from samebits.frontend.core.joins import ItemTypes
from samebits.lang import intrinsics, iteration
from samebits.lang.calls.kernel_parameters import mean
from samebits.lang.executions import executions
from samebits.lang.memory.arrays import checked_index
from samebits.lang.values.conversions import kind_of
from samebits.lang.values.fixed.fixed_point import FixedPoint
from samebits.lang.values.flushing import flushed_weak
from samebits.lang.values.scalars import TYPE_OF
from samebits.lang.values.storage import implicit
from samebits.lang.values.vectors import Vector
from samebits.lang.values.weak import Int, checked
from samebits.types import FLOAT, FLOAT16, INT
from samebits.value_text import shown, trapped


def _len(array: Any) -> Int:
    if not hasattr(array, "__len__"):
        raise ArgumentError(f"len() of {type(array).__name__}", fix="give an array")
    return Int(array.__len__())


def _int(value: Any) -> Int:
    if isinstance(value, float | np.floating):
        number = float(cast("Any", value))
        if not -(2.0**63) <= number < 2.0**63:  # nor where it is NaN
            t = getattr(cast("Any", value), "__sb_type__", FLOAT)
            raise trapped("overflow", "narrow", shown(number, t), more=INT)
        return Int(int(number))
    try:
        return checked(operator.index(value))
    except TypeError:
        name = type(value).__name__
        raise ArgumentError(
            f"int() takes a bool, an integer or a float, but this is {name}",
            fix="convert it in the Python code that calls",
        ) from None


def _float(value: Any) -> float:
    if isinstance(value, str):
        raise ArgumentError("float() takes a number", fix="write math.inf or math.nan")
    try:
        return float(value)
    except OverflowError:  # of a constant int, which rounds as it does beside a float64
        return round_scaled(value, 0, FLOAT.bits)


def require(condition: bool, message: str | None = None) -> None:
    """An `assert`. Raises Trap."""
    if not condition:
        raise Trap("assert", detail=message)


def product(a: Any, b: Any) -> Any:
    """One product of a power."""
    return a * b


def flushed_product(a: Any, b: Any) -> Any:
    """The same in a kernel that flushes."""
    return flushed_weak(a * b)


def _checked_quotient(divide: Any) -> Callable[[Any, Any], Any]:
    """A division whose trap names the operands, which CPython's own error does not."""

    def quotient(a: Any, b: Any) -> Any:
        try:
            return divide(a, b)
        except ZeroDivisionError:
            raise trapped("zero", "div", float(a), float(b)) from None

    return quotient


DIVISIONS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Div: _checked_quotient(cast("Any", operator).truediv),
    ast.FloorDiv: _checked_quotient(cast("Any", operator).floordiv),
    ast.Mod: _checked_quotient(cast("Any", operator).mod),
}
"""Divisions by the operator."""


def _divmod(a: Any, b: Any) -> tuple[Any, Any]:
    if isinstance(a, int) and isinstance(b, int):
        a, b = (checked(x) if type(x) is int else x for x in (a, b))
    return DIVISIONS[ast.FloorDiv](a, b), DIVISIONS[ast.Mod](a, b)


def _flushed_divmod(a: Any, b: Any) -> tuple[Any, Any]:
    quotient, rest = _divmod(a, b)
    return flushed_weak(quotient), flushed_weak(rest)


def _round(value: Any) -> Any:
    if type(value) is int:  # a constant beyond int64
        return checked(value)
    whole = issubclass(type(value), int | np.integer)
    return value if whole else intrinsics.round(value)


def _abs(value: Any) -> Any:
    return abs(checked(value) if type(value) is int else value)


def truth(value: Any) -> bool:
    """`bool(value)`. Raises ArgumentError for any but a bool or a number that computes."""
    if TYPE_OF.get(kind_of(value)) in (None, FLOAT16) or isinstance(value, FixedPoint):
        raise ArgumentError(f"bool() takes a bool or a number, got {type(value).__name__}")
    return bool(value)


def integer(value: Any) -> Any:
    """A number that is compared with a character. Raises ArgumentError for any but an integer."""
    t = TYPE_OF.get(kind_of(value))
    if t is None or not t.is_int:
        raise ArgumentError(NO_INTEGER, fix="compare with a number")
    return value


def beside(value: Any, number: int | float) -> Any:
    """What is compared with a number that uint64 has and int64 has not. Raises Trap "overflow" of
    a Python int: a uint64 was meant."""
    if TYPE_OF.get(kind_of(value)) is INT and isinstance(number, int):
        checked(number)
    return value


def items_as(items: Sequence[Any], types: ItemTypes) -> tuple[Any, ...]:
    """A tuple's items in the types that a loop over it gives them."""
    if isinstance(types, tuple):
        rows = (zip(row, types, strict=True) for row in items)
        return tuple(tuple(_item_as(item, t) for item, t in row) for row in rows)
    return tuple(_item_as(item, types) for item in items)


def _item_as(item: Any, t: ItemTypes) -> Any:
    if isinstance(t, tuple):
        return tuple(map(_item_as, item, t))
    if t is None:
        return checked(item) if type(item) is int else item
    return implicit(item, t, "an item")


def item(items: Sequence[Any], index: Any) -> Any:
    """An item of an outer tuple by a variable. Raises Trap "index", of a negative index too, and
    ArgumentError where the items are no numbers of one type, nor rows of such."""
    k = checked_index(index, len(items))
    if not _alike(items):
        raise ArgumentError("a tuple of items of several types is indexed by constants")
    return _item_as(items[k], None)


def _alike(items: Sequence[Any]) -> bool:
    if all(isinstance(item, tuple) for item in items):
        rows = cast("Sequence[tuple[Any, ...]]", items)
        return len(set(map(len, rows))) == 1 and all(map(_alike, zip(*rows, strict=True)))
    kinds: set[object] = {Int if type(item) is int else type(item) for item in items}
    return len(kinds) == 1


def among(x: Any, items: Iterable[Any]) -> bool:
    """Whether a number equals one of the items, by comparisons alone: a NaN is not among them."""
    found = [x == item for item in items]
    if any(isinstance(each, Vector) for each in found):
        raise ArgumentError("`in` compares numbers", fix="write `sb.all(a == b)` for each")
    return any(found)


def _ord(*_: Any) -> Any:
    raise ArgumentError(ORD_TAKES, fix='write ord("a")')


def _sum(*values: Any) -> Any:
    return executions.reduction("sum")(*values)


def _extreme(function: Callable[..., Any], *values: Any) -> Any:
    of_array = executions.reduction(function.__name__) if len(values) == 1 else None
    if of_array is not None:
        return of_array(*values)
    found = reduce(function, values)
    if all(isinstance(value, int) for value in values):
        for value in values:  # a constant beyond int64
            if type(value) is int:
                checked(value)
    return found


BUILTINS: dict[object, object] = {
    builtins.range: iteration.range,
    builtins.enumerate: iteration.enumerate,
    builtins.zip: iteration.zip,
    builtins.reversed: iteration.reversed,
    builtins.len: mean(_len, builtins.len),
    builtins.int: mean(_int, builtins.int),
    builtins.float: mean(_float, builtins.float),
    builtins.sum: mean(_sum, builtins.sum),
    builtins.min: mean(partial(_extreme, intrinsics.min), builtins.min),
    builtins.max: mean(partial(_extreme, intrinsics.max), builtins.max),
    builtins.abs: mean(_abs, builtins.abs),
    builtins.divmod: mean(_divmod, builtins.divmod),
    builtins.round: mean(_round, builtins.round),
    builtins.ord: mean(_ord, builtins.ord),
    builtins.any: intrinsics.any,
    builtins.all: intrinsics.all,
}
"""Meanings by the builtin."""

FLUSHED_DIVMOD = mean(_flushed_divmod, builtins.divmod)
"""That of `divmod` in a kernel that flushes."""
