"""The operators of the strong scalar classes: result types by promotion, then one exact rule.

Owns which operator takes which types and what it computes. The classes come as a `Scalars`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from samebits.errors import ArgumentError, SamebitsError, folding, hide
from samebits.lang.executions import executions
from samebits.lang.values.conversions import Raw, converter, divide, kind_of
from samebits.lang.values.enums import plain_number, refuse_enum
from samebits.lang.values.powers import NO_POWER
from samebits.lang.values.rules import same
from samebits.lang.values.thread_state import running
from samebits.lang.values.weak import divided, reflected_divided, refuse_bool
from samebits.types import (
    BOOL,
    FLOAT,
    FLOAT64,
    INT,
    INT64,
    Kind,
    MatrixType,
    QuaternionType,
    ScalarType,
    VectorType,
    promote,
)
from samebits.value_text import trapped


@dataclass(frozen=True, slots=True)
class Scalars:
    """The classes of the language, and the ways into and out of them."""

    type_of: dict[type, ScalarType]
    classes: dict[ScalarType, type]
    makers: dict[ScalarType, Callable[[Any], Any]]
    raw_of: dict[ScalarType, Callable[[Any], Raw]]


def _floor_divide(a: int, b: int) -> int:
    if b == 0:
        raise trapped("zero", "floordiv", a, b)
    return a // b


def _modulo(a: int, b: int) -> int:
    if b == 0:
        raise trapped("zero", "mod", a, b)
    return a % b


def _shift_left(t: ScalarType) -> Callable[[Any, Any], Any]:
    width = t.bits
    return lambda a, b: a << b if 0 <= b < width else 0


def _shift_right(t: ScalarType) -> Callable[[Any, Any], Any]:
    width = t.bits
    return lambda a, b: a >> (b if 0 <= b < width else width)


@dataclass(frozen=True, slots=True)
class Rule:
    """A binary operator: its symbol, what it takes, and its rule on raw values of a type.

    `takes` is "number", "integer" or, for comparisons, "order"; `result` maps the operands'
    common type to the result's.
    """

    symbol: str
    takes: str
    rule: Callable[[ScalarType], Callable[[Any, Any], Any]]
    result: Callable[[ScalarType], ScalarType] = lambda t: t


def _quotient(t: ScalarType) -> ScalarType:
    return t if t.is_float or t.kind is Kind.FIXED else FLOAT64


def _truth(t: ScalarType) -> ScalarType:
    return BOOL


BINARY: dict[str, Rule] = {
    "add": Rule("+", "number", same(operator.add)),
    "sub": Rule("-", "number", same(operator.sub)),
    "mul": Rule("*", "number", same(operator.mul)),
    "truediv": Rule("/", "number", same(divide), _quotient),
    "floordiv": Rule("//", "integer", same(_floor_divide)),
    "mod": Rule("%", "integer", same(_modulo)),
    "and": Rule("&", "integer", same(int.__and__)),
    "or": Rule("|", "integer", same(int.__or__)),
    "xor": Rule("^", "integer", same(int.__xor__)),
    "lshift": Rule("<<", "integer", _shift_left),
    "rshift": Rule(">>", "integer", _shift_right),
    "eq": Rule("==", "order", same(operator.eq), _truth),
    "ne": Rule("!=", "order", same(operator.ne), _truth),
    "lt": Rule("<", "order", same(operator.lt), _truth),
    "le": Rule("<=", "order", same(operator.le), _truth),
    "gt": Rule(">", "order", same(operator.gt), _truth),
    "ge": Rule(">=", "order", same(operator.ge), _truth),
}
"""Binary operators by the stem of their method's name."""

REFUSED = {
    "pow": NO_POWER,
    "matmul": ("'@' is for matrices and vectors", "write a * b"),
}
"""Operators of NumPy's scalars that the language has not on any two of them: message and fix. In
plain Python, outside managed runs, `**` gives what it gives there."""


def common_type(rule: Rule, a: ScalarType, b: ScalarType) -> ScalarType:
    """The type in which `rule` works on `a` and `b`. Raises ArgumentError if there is none."""
    if BOOL in (a, b):
        raise refuse_bool(rule.symbol)
    common = promote(a, b)
    if common is None:
        raise ArgumentError(
            f"'{rule.symbol}' of {a} and {b} has no common type",
            fix=f"convert one of them, for example {a}(y)",
        )
    if rule.takes == "integer" and not common.is_int:
        raise ArgumentError(
            f"'{rule.symbol}' takes integers, got {a} and {b}",
            fix="convert to one integer type first, for example uint32(x)",
        )
    signs = {t.kind for t in (a, b) if not t.weak}
    if rule.takes == "order" and signs == {Kind.SIGNED, Kind.UNSIGNED} and common.is_float:
        raise ArgumentError(
            f"'{rule.symbol}' of {a} and {b} would round both",
            fix=f"convert one of them, for example {a}(y)",
        )
    return common


def resolve(
    scalars: Scalars, rule: Rule, a: ScalarType, b: ScalarType
) -> Callable[[Any, Any], Any]:
    """The function that `rule` is on values of types `a` and `b`."""
    common = common_type(rule, a, b)
    make, compute = scalars.makers[rule.result(common)], rule.rule(common)
    if a == b == common and rule.result(common) in (common, BOOL):
        raw = scalars.raw_of[common]
        if rule.takes == "order":
            return lambda x, y: compute(raw(x), raw(y))
        return lambda x, y: make(compute(raw(x), raw(y)))
    if rule.takes == "order" and common is INT64 and INT in (a, b):
        left, right = scalars.raw_of[a], scalars.raw_of[b]  # of any size: it has an outcome
        return lambda x, y: make(compute(left(x), right(y)))
    if common.is_int and rule.result(common) is FLOAT64:
        common = FLOAT64  # a quotient's operands need not fit the integer type that they share
    left, right = _operand(scalars, a, common), _operand(scalars, b, common)
    return lambda x, y: make(compute(left(x), right(y)))


def _operand(scalars: Scalars, source: ScalarType, common: ScalarType) -> Callable[[Any], Any]:
    """The conversion of a value of type `source` to the raw value that it has in `common`."""
    raw = scalars.raw_of[source]
    if source == common:
        return raw
    rule = converter(source, common)
    return rule if source is FLOAT else lambda value: rule(raw(value))


def _binary(cls: Any, scalars: Scalars, rule: Rule, *, reflected: bool) -> Any:
    own: ScalarType = cls.__sb_type__
    table: dict[type, Callable[[Any, Any], Any]] = {}
    of_floats = rule.symbol in ("%", "//")

    def function_for(other: Any) -> Callable[[Any, Any], Any]:
        t = scalars.type_of[kind_of(other)]
        pair = (t, own) if reflected else (own, t)
        if of_floats and (common := _floats(*pair)):
            return _remainder(scalars, rule.symbol, common, *pair)
        return resolve(scalars, rule, *pair)

    def method(self: Any, other: Any) -> Any:
        try:
            function = table.get(kind_of(other))
            if function is None:
                if kind_of(other) not in scalars.type_of:
                    number = plain_number(other)
                    if number is not other:
                        return method(self, number)
                    refuse_enum(f"'{rule.symbol}'", other)
                    return NotImplemented
                function = table[kind_of(other)] = function_for(other)
            return function(other, self) if reflected else function(self, other)
        except SamebitsError as error:
            hide(error)
            raise

    return method


def _remainder(
    scalars: Scalars, symbol: str, common: ScalarType, a: ScalarType, b: ScalarType
) -> Callable[[Any, Any], Any]:
    left, right = _operand(scalars, a, common), _operand(scalars, b, common)
    make = scalars.makers[common]
    return lambda x, y: executions.remainder(symbol)(make(left(x)), make(right(y)))


def _floats(a: ScalarType, b: ScalarType) -> ScalarType | None:
    """The type that two numbers have together, one of which is a float."""
    common = promote(a, b) if a.is_float or b.is_float else None
    return common if common is not None and common.is_float else None


def _power(scalars: Scalars, a: Any, b: Any) -> Any:
    """`a ** b` in plain Python: of floats `math.pow`, with the same bits everywhere."""
    pair = (scalars.type_of.get(kind_of(a)), scalars.type_of.get(kind_of(b)))
    if None in pair:
        return NotImplemented
    left, right = cast("tuple[ScalarType, ScalarType]", pair)
    common = None if BOOL in pair else promote(left, right)
    if common is None:
        raise ArgumentError(
            f"'**' of {left} and {right} has no common type",
            fix=f"convert one of them, for example {left}(y)",
        )
    make = scalars.makers[common]
    if common.is_float:
        return executions.power(make(a), make(b))
    if b < 0:
        raise ValueError("an integer has no negative integer power")  # as NumPy's
    return make(pow(int(a), int(b), 1 << 64))


def _refusal(scalars: Scalars, stem: str, *, reflected: bool) -> Any:
    message, fix = REFUSED[stem]
    in_python = _power if stem == "pow" else None

    @folding
    def method(self: Any, other: Any, modulus: Any = None) -> Any:
        if in_python is None or running.managed or modulus is not None:
            raise ArgumentError(message, fix=fix)
        return in_python(scalars, *((other, self) if reflected else (self, other)))

    return method


def _float_hot(cls: Any, make: Any, stem: str, general: Any) -> Any:
    """The three most frequent operators of a float class on itself, without the table."""

    def add(self: Any, other: Any) -> Any:
        if type(other) is cls:
            return make(float(self) + float(other))
        return general(self, other)

    def sub(self: Any, other: Any) -> Any:
        if type(other) is cls:
            return make(float(self) - float(other))
        return general(self, other)

    def mul(self: Any, other: Any) -> Any:
        if type(other) is cls:
            return make(float(self) * float(other))
        return general(self, other)

    return {"add": add, "sub": sub, "mul": mul}[stem]


def _unary(t: ScalarType, make: Callable[[Any], Any]) -> dict[str, Any]:
    def negate(self: Any) -> Any:
        return make(-float(self) if t.is_float else -int(self))

    def magnitude(self: Any) -> Any:
        return make(math.fabs(float(self)) if t.is_float else abs(int(self)))

    @folding
    def complement(self: Any) -> Any:
        if t.is_float:
            raise ArgumentError("'~' takes integers", fix="write ~bitcast(uint32, x)")
        return make(~int(self))

    def itself(self: Any) -> Any:
        return self

    return {"neg": negate, "abs": magnitude, "invert": complement, "pos": itself}


def install(cls: Any, scalars: Scalars) -> None:
    """Give the scalar class `cls` every operator of the tables above."""
    make = scalars.makers[cls.__sb_type__]
    for stem, rule in BINARY.items():
        method = _binary(cls, scalars, rule, reflected=False)
        if cls.__sb_type__.is_float and stem in ("add", "sub", "mul"):
            method = _float_hot(cls, make, stem, method)
        setattr(cls, f"__{stem}__", method)
        if rule.takes != "order":
            setattr(cls, f"__r{stem}__", _binary(cls, scalars, rule, reflected=True))
    cls.__divmod__, cls.__rdivmod__ = divided, reflected_divided
    for stem in REFUSED:
        setattr(cls, f"__{stem}__", _refusal(scalars, stem, reflected=False))
        setattr(cls, f"__r{stem}__", _refusal(scalars, stem, reflected=True))
    for stem, function in _unary(cls.__sb_type__, make).items():
        setattr(cls, f"__{stem}__", function)
    cls.__hash__ = cls.__base__.__hash__


def no_common(symbol: str, a: VectorType, b: VectorType) -> tuple[str, str]:
    """The message and fix for an operator between vectors whose types have no common one."""
    whole = (MatrixType, QuaternionType)
    if isinstance(a, whole) or isinstance(b, whole):
        if symbol == "*" and any(isinstance(t, QuaternionType) for t in (a, b)):
            return "the types differ", "write `q @ v`, the vector turned"
        if symbol == "*":
            return "the types differ", "write `a @ b`, their product"
        return "the types differ", "compute with columns or components: m.c0, q.xyz"
    if a.element == b.element:
        return "the lengths differ", "take components, such as v.xy"
    return "the types differ", f"convert one of them, for example {a}(v)"
