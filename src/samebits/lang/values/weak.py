"""`Int`: Python's own int as kernels see it, 64 bits wide and trapping on overflow."""

from __future__ import annotations

import operator
from typing import Any, ClassVar

from samebits.errors import ArgumentError
from samebits.lang.values.conversions import kind_of
from samebits.lang.values.powers import NO_POWER
from samebits.types import INT, ScalarType
from samebits.value_text import trapped

_LIMIT = 1 << 63
EXACT = 1 << 53
"""Greatest int up to which every int is a binary64, so that comparing as floats is exact."""
_new = int.__new__


def refuse_bool(symbol: str) -> ArgumentError:
    return ArgumentError(
        f"arithmetic on bool: '{symbol}' takes numbers",
        fix="convert it first, for example int32(flag)",
    )


class Int(int):
    """A 64-bit signed integer without a fixed type of its own: it takes that of what it meets.

    Results outside int64 raise Trap "overflow"; division by zero raises Trap "zero".
    """

    __slots__ = ()
    __sb_type__: ClassVar[ScalarType] = INT

    def __neg__(self) -> Int:
        return checked(-int(self), "neg", self)

    def __pos__(self) -> Int:
        return self

    def __abs__(self) -> Int:
        return checked(abs(int(self)), "abs", self)

    def __invert__(self) -> Int:
        return _new(Int, ~int(self))


class FromEnd(Int):
    """A negative constant index, which counts from the end of what it indexes."""

    __slots__ = ()

    def of(self, length: int) -> int:
        """The index in what has this length."""
        return length + int(self)


def checked(value: int, operation: str = "narrow", a: int | None = None, b: int = 0) -> Int:
    """`value` as an Int. Raises Trap "overflow" outside int64, which names the operands `a` and `b`
    of the operation."""
    if -_LIMIT <= value < _LIMIT:
        return _new(Int, value)
    raise trapped("overflow", operation, value if a is None else a, b, INT)


def _add(a: int, b: int) -> Int:
    value = int.__add__(a, b)
    return _new(Int, value) if -_LIMIT <= value < _LIMIT else checked(value, "add", a, b)


def _sub(a: int, b: int) -> Int:
    value = int.__sub__(a, b)
    return _new(Int, value) if -_LIMIT <= value < _LIMIT else checked(value, "sub", a, b)


def _mul(a: int, b: int) -> Int:
    value = int.__mul__(a, b)
    return _new(Int, value) if -_LIMIT <= value < _LIMIT else checked(value, "mul", a, b)


def _floordiv(a: int, b: int) -> Int:
    if b == 0:
        raise trapped("zero", "floordiv", a, b)
    return checked(int.__floordiv__(a, b), "floordiv", a, b)


def _mod(a: int, b: int) -> Int:
    if b == 0:
        raise trapped("zero", "mod", a, b)
    return _new(Int, int.__mod__(a, b))


def _lshift(a: int, b: int) -> Int:
    if int.__lt__(b, 0):
        raise trapped("shift", "shl", a, b)
    if int.__gt__(b, 63):
        return checked(0 if a == 0 else _LIMIT, "shl", a, b)
    return checked(int.__lshift__(a, b), "shl", a, b)


def _rshift(a: int, b: int) -> Int:
    if int.__lt__(b, 0):
        raise trapped("shift", "shr", a, b)
    return _new(Int, int.__rshift__(a, b))


def _and(a: int, b: int) -> Int:
    return _new(Int, int.__and__(a, b))


def _or(a: int, b: int) -> Int:
    return _new(Int, int.__or__(a, b))


def _xor(a: int, b: int) -> Int:
    return _new(Int, int.__xor__(a, b))


def _truediv(a: int, b: int) -> Any:
    if not (-EXACT <= int(a) <= EXACT and -EXACT <= int(b) <= EXACT):
        raise trapped("overflow", "div", a, b)
    x, y = float(a), float(b)
    if y == 0:
        raise trapped("zero", "div", x, y)
    return x / y


def _power(a: int, b: int) -> Any:
    message, fix = NO_POWER
    raise ArgumentError(message, fix=fix)


OPERATIONS = {
    "add": ("+", _add),
    "sub": ("-", _sub),
    "mul": ("*", _mul),
    "floordiv": ("//", _floordiv),
    "mod": ("%", _mod),
    "lshift": ("<<", _lshift),
    "rshift": (">>", _rshift),
    "and": ("&", _and),
    "or": ("|", _or),
    "xor": ("^", _xor),
    "truediv": ("/", _truediv),
    "pow": ("**", _power),
}
"""Binary operators by the stem of their method's name."""

_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


def divided(a: Any, b: Any) -> Any:
    """`divmod` of the language's values, by their own operators."""
    return a // b, a % b


def reflected_divided(a: Any, b: Any) -> Any:
    return divided(b, a)


def counted(index: Any, length: int, axis: int | None = None) -> int:
    """An index as Python code gives it, counted from 0: from the end where it is negative, which
    traps in a kernel. Raises IndexError outside the length, TypeError for no integer."""
    given = operator.index(index)
    if not -length <= given < length:
        kind = "index" if axis is None else "axis"
        raise IndexError(trapped("index", kind, given, length, axis).message)
    return given + length * (given < 0)


def _with_float(name: str, symbol: str, a: float, b: float) -> Any:
    """The result of an operator of Python's int and float, if the language has it."""
    match name:
        case "add":
            return a + b
        case "sub":
            return a - b
        case "mul":
            return a * b
        case "truediv" | "floordiv" | "mod":
            if b == 0:
                raise trapped("zero", "div", a, b)
            return a / b if name == "truediv" else a // b if name == "floordiv" else a % b
        case _:
            raise ArgumentError(f"'{symbol}' of int and float is not in the language")


def _method(name: str, symbol: str, operation: Any, *, reflected: bool) -> Any:
    def method(self: Int, other: Any) -> Any:
        kind = kind_of(other)
        if kind is int:  # a constant beyond int64, or what Python code gives
            checked(other)
            kind = Int
        if kind is Int:
            return operation(other, self) if reflected else operation(self, other)
        if kind is float:
            pair = (other, float(self)) if reflected else (float(self), other)
            return _with_float(name, symbol, *pair)
        if kind is bool:
            raise refuse_bool(symbol)
        return NotImplemented

    return method


def _comparison(name: str) -> Any:
    compare = getattr(int, f"__{name}__")
    compare_floats = getattr(float, f"__{name}__")

    def method(self: Int, other: Any) -> Any:
        kind = kind_of(other)
        if kind is Int or kind is int:
            return compare(self, other)
        if kind is float:
            if -EXACT <= int(self) <= EXACT:
                return compare_floats(float(self), other)
            raise ArgumentError(
                "CPython compares an int with a float exactly; a kernel does not",
                fix="convert one: `float64(n) < x`",
            )
        if kind is bool:
            raise refuse_bool(name)
        return NotImplemented

    return method


def _install() -> None:
    for name, (symbol, operation) in OPERATIONS.items():
        setattr(Int, f"__{name}__", _method(name, symbol, operation, reflected=False))
        setattr(Int, f"__r{name}__", _method(name, symbol, operation, reflected=True))
    for name in _COMPARISONS:
        setattr(Int, f"__{name}__", _comparison(name))
    Int.__divmod__, Int.__rdivmod__ = divided, reflected_divided  # type: ignore[method-assign]
    Int.__hash__ = int.__hash__


_install()
