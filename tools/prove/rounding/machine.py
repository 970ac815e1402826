"""A run of a kernel's IR over a cell of inputs: floats as `Number`s, integers as themselves.

Owns what each operation does to them. Where the cell does not decide a comparison or a table's
index, it raises UndecidedError, and the cell is to be cut.
"""

from __future__ import annotations

import math
import operator
import struct
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from flint import arb
from tools.prove.rounding.expansions import Ball, Expansion, UnitError, magnitude, product_range
from tools.prove.rounding.numbers import (
    ONE,
    Atom,
    Form,
    Number,
    ball,
    combined,
    constant,
    error_atom,
    expanded,
    exponent,
    fraction,
    interval,
    unit_of,
)
from tools.prove.rounding.rounding_rules import (
    BINARY32,
    BINARY64,
    Format,
    is_absorbed,
    is_exact_sum,
    is_two_difference,
    is_two_sum,
    rounding_bound,
)

from samebits.ir.grammar import Function, If, Module, Op, Region, Return
from samebits.types import FLOAT32, ScalarType

LACKING = BINARY64.digits - BINARY32.digits
"""Last digits of a float64 that a float32 lacks."""
TIE = 1 << LACKING - 1
"""These digits of a number half way between two float32."""


class UndecidedError(Exception):
    """What a cell does not decide."""


class Unknown:
    """A bool that the cell does not decide."""


UNKNOWN = Unknown()
UNCLEAR = object()
"""What follows from what the cell does not decide: to be cut off before it matters."""
DECISIVE = {"and": False, "or": True}
"""The bool that decides an operation, whatever the other is."""


@dataclass(frozen=True)
class RoundingTest:
    """y != other of y = s + (low - margin) and other = s + (low + margin): where they are the same,
    all between them round to it."""

    s: Number
    low: Number
    below: Number
    """low - margin as computed."""
    above: Number
    margin: Number


@dataclass(frozen=True)
class SidesTest:
    """y32 != other32 of the float32 nearest to `below` and to `above`: where they are the same, all
    between them round to it."""

    below: Number
    above: Number


@dataclass(frozen=True)
class TieTest:
    """Whether `of`, a float64, is `margin` units in its last place or more from every tie of
    float32: on the side away from 0 of one, or more than that on the other."""

    of: Number
    margin: int


Test = RoundingTest | SidesTest | TieTest


@dataclass(frozen=True)
class Bits:
    """The bits of a positive float, plus `added`, as an unsigned integer."""

    of: Number
    added: int = 0
    format: Format = BINARY64


@dataclass(frozen=True)
class LowBits:
    """The last `count` of a pattern."""

    of: Bits
    count: int


@dataclass(frozen=True)
class First:
    """What a slot holds the first time that it is set, and not later."""

    value: Any


class Firsts(dict[Any, Any]):
    """As `reached`: what slots hold the first time that they are set."""

    def __setitem__(self, slot: Any, value: Any) -> None:
        self.setdefault(slot, value)


@dataclass
class Machine:
    """`discharged` counts the operations that were shown to round nothing, by rule, and `rounded`
    those that were not. `cuts` are slots, by function's and by own name, and what they hold in this
    cell instead of what was computed, which `reached` keeps."""

    module: Module
    cuts: Mapping[tuple[str, str], Any] = field(default_factory=dict[tuple[str, str], Any])
    reached: dict[tuple[str, str], Any] = field(default_factory=dict[tuple[str, str], Any])
    tests: list[Test] = field(default_factory=list[Test])
    discharged: Counter[str] = field(default_factory=Counter[str])
    rounded: int = 0

    def __post_init__(self) -> None:
        self._products: dict[tuple[int, int], Number] = {}
        self._kept: list[Number] = []
        self._format = BINARY64

    # Functions

    def test(self, name: str, args: list[Any]) -> Test:
        """Run a function as far as its rounding test."""
        try:
            self.call(name, args)
        except UndecidedError:
            if not self.tests:
                raise
        return self.tests[0]

    def reach(self, name: str, args: list[Any], slots: Sequence[tuple[str, str]]) -> None:
        """Run a function as far as these slots are set."""
        try:
            self.call(name, args)
        except UndecidedError:
            if not all(slot in self.reached for slot in slots):
                raise

    def call(self, name: str, args: list[Any]) -> tuple[Any, ...]:
        function = self.module.functions[name]
        slots: dict[str, Any] = {}
        for (slot, _), arg in zip(function.params, args, strict=True):
            slots[slot] = self._set(function, slot, arg)
        found = self._region(function, function.body, slots, {})
        assert found is not None, f"{name} does not return"
        return found

    def _set(self, function: Function, slot: str, value: Any) -> Any:
        place = function.name.rpartition(".")[2], slot
        cut = self.cuts.get(place, value)
        if isinstance(cut, First):
            cut = value if place in self.reached else cut.value
        self.reached[place] = value
        return cut

    def _region(
        self, function: Function, region: Region, slots: dict[str, Any], values: dict[Any, Any]
    ) -> tuple[Any, ...] | None:
        for statement in region:
            match statement:
                case Op():
                    args = [values[arg.op, arg.index] for arg in statement.args]
                    if statement.opcode == "set":
                        slot = str(statement.attr)
                        slots[slot] = self._set(function, slot, args[0])
                        continue
                    results = self._op(statement, args, slots)
                    for result, value in zip(statement.results, results, strict=True):
                        values[result.op, result.index] = value
                case Return(found):
                    return tuple(values[v.op, v.index] for v in found)
                case If():
                    condition = values[statement.condition.op, statement.condition.index]
                    if condition is UNKNOWN or condition is UNCLEAR:
                        raise UndecidedError(f"{statement.span}: a branch")
                    taken = statement.then if condition else statement.orelse
                    found = self._region(function, taken, slots, values)
                    if found is not None:
                        return found
                case _:
                    raise NotImplementedError(type(statement).__name__)
        return None

    def _op(self, op: Op, args: list[Any], slots: dict[str, Any]) -> tuple[Any, ...]:
        known = op.opcode == "call" or (op.opcode == "select" and isinstance(args[0], bool))
        if (decisive := DECISIVE.get(op.opcode)) is not None:
            known = any(arg is decisive for arg in args)
        if UNCLEAR in args and not known:
            return tuple(UNCLEAR for _ in op.results)
        try:
            return self._known_op(op, args, slots)
        except (UndecidedError, UnitError):
            if not op.results or op.opcode == "call":
                raise
            return tuple(UNCLEAR for _ in op.results)

    def _known_op(self, op: Op, args: list[Any], slots: dict[str, Any]) -> tuple[Any, ...]:
        match op.opcode:
            case "get":
                return (slots[str(op.attr)],)
            case "call":
                return self.call(str(op.attr), args)
            case "table":
                return (self.module.tables[str(op.attr)].values,)
            case "element":
                return ((args[0], args[1]),)
            case "load":
                table, index = args[0]
                if not isinstance(index, int):
                    raise UndecidedError(f"{op.span}: an index")
                return (self._const(table[index], op),)
            case "index" | "length" | "assert" | "assume" | "local":
                return tuple(None for _ in op.results)
            case "const":
                return (self._const(op.attr, op),)
            case _:
                pass
        result = op.results[0].type
        assert isinstance(result, ScalarType)
        operand = op.args[0].type
        self._format = BINARY32 if FLOAT32 in (result, operand) else BINARY64
        if isinstance(operand, ScalarType) and operand.is_float:
            if op.opcode == "convert" and result.is_float and result.bits == 64:
                return (args[0],)  # a literal, or a float32, which is one of float64 too
            if any(isinstance(arg, float) for arg in args):
                return (_with_special(op.opcode, args),)
            handler = getattr(self, f"_{op.opcode}", None)
            if handler is None:
                raise NotImplementedError(op.opcode)
            return (handler(*args),)
        return (self._integer(op, args, result),)

    def _const(self, value: Any, op: Op) -> Any:
        t = op.results[0].type
        assert isinstance(t, ScalarType)
        if t.is_float:
            return constant(value) if math.isfinite(value) else float(value)
        return int(value)

    # Sums

    def _add(self, a: Number, b: Number) -> Number:
        if (of := is_two_sum(a, b)) is not None and of.error is not None:
            self.discharged["two-sum"] += 1
            return Number(combined({}, {of.error: Fraction(1)}, Fraction(-1)), min(a.grid, b.grid))
        return self._sum(a, b, 1)

    def _sub(self, a: Number, b: Number) -> Number:
        if (of := is_two_difference(a, b)) is not None and of.error is not None:
            self.discharged["two-sum"] += 1
            return Number(combined({}, {of.error: Fraction(1)}, Fraction(-1)), min(a.grid, b.grid))
        return self._sum(a, b, -1)

    def _sum(self, a: Number, b: Number, sign: int) -> Number:
        if b.value == 0:
            self.discharged["zero"] += 1
            return a
        if a.value == 0:
            self.discharged["zero"] += 1
            return b if sign > 0 else self._neg(b)
        if unit_of(a.form) != unit_of(b.form):
            raise UnitError("a sum of different units")
        made = ("add" if sign > 0 else "sub", a, b)
        if is_absorbed(self._format, a, b):
            self.discharged["absorbed"] += 1
            return self._number(a.form, a.grid, made, None, a.range, a.ends)
        if sign > 0 and is_absorbed(self._format, b, a):
            self.discharged["absorbed"] += 1
            return self._number(b.form, b.grid, made, None, b.range, b.ends)
        form = combined(a.form, b.form, Fraction(sign))
        whole = expanded(form)
        range_ = whole.range()
        if a.limit is not None or b.limit is not None:
            range_ = range_.intersection(a.range + sign * b.range)
        between = interval(form, whole)
        ends = self._format.rounded(range_, between)
        size = min(magnitude(range_), magnitude(ball(max(map(abs, between)))))
        grid = min(a.grid, b.grid)
        rule = is_exact_sum(self._format, a, b, form, size, sign)
        if rule is not None:
            self.discharged[rule] += 1
            return self._number(form, grid, made, None, range_, ends, whole)
        bound = rounding_bound(self._format, size, a, b)
        name = f"{made[0]} {self.rounded}"
        error = error_atom(bound, name, is_float=True, unit=unit_of(form))
        return self._rounded(form, grid, made, error, range_, ends, whole)

    def _number(
        self,
        form: Form,
        grid: int,
        made: tuple[object, ...],
        error: Atom | None,
        range_: Ball,
        ends: tuple[float, float] | None = None,
        whole: Expansion | None = None,
    ) -> Number:
        """`whole` is the form's expansion, where that is known."""
        ends = ends or self._format.rounded(range_)
        found = Number(form, grid, made, error, range_, ends)
        if whole is not None:
            found.expand(whole)
        if ends is not None and ends[0] == ends[1] and (not unit_of(form).power or not ends[0]):
            one = constant(ends[0])
            return Number(one.form, one.grid, made, ends=one.ends)
        if found.size < arb(2) ** grid:  # a multiple of that, so nothing else
            return constant(0.0)
        if found.least is not None:
            grid = max(grid, self._format.spacing(found.least))
        return found.on(max(grid, self._format.least))

    def _rounded(
        self,
        form: Form,
        grid: int,
        made: tuple[object, ...],
        error: Atom,
        exact: Ball,
        ends: tuple[float, float] | None = None,
        before: Expansion | None = None,
    ) -> Number:
        """`before` is the form's expansion, where that is known."""
        self.rounded += 1
        before = expanded(form) if before is None else before
        whole = {**form, error: Fraction(1)}
        bound = magnitude(error.expansion.range())
        ends = ends or self._format.rounded(exact)
        after = before + error.expansion
        found = self._number(whole, grid, made, error, exact + arb(0, 1) * bound, ends, after)
        if (value := found.value) is None:
            return found
        # One number all over the cell: what it is off, other operations still ask for.
        lost = Atom(Expansion.constant(ball(value)) - before, error.name, error.is_float)
        return Number(found.form, found.grid, made, lost, ends=found.ends)

    # Products

    def _mul(self, a: Number, b: Number) -> Number:
        key = min(id(a), id(b)), max(id(a), id(b))
        if key not in self._products:
            self._kept += (a, b)  # identities are not given anew
            self._products[key] = self._product(a, b)
        return self._products[key]

    def _exact_product(self, a: Number, b: Number) -> tuple[Form, Ball]:
        for x, y in ((a, b), (b, a)):
            if (factor := x.value) is not None:
                return combined({}, y.form, factor), ball(factor) * y.range
        expansion = a.expansion * b.expansion
        range_ = expansion.range().intersection(product_range(a.range, b.range))
        if a is b:
            range_ = range_.intersection(arb(0).union(arb(a.size) ** 2))
        return {Atom(expansion, "product"): Fraction(1)}, range_

    def _product(self, a: Number, b: Number) -> Number:
        form, range_ = self._exact_product(a, b)
        size, grid = magnitude(range_), a.grid + b.grid
        made = ("mul", a, b)
        ends = self._product_ends(a, b)
        if rule := self._exact_rule(a, b, size, grid):
            self.discharged[rule] += 1
            return self._number(form, grid, made, None, range_, ends)
        least = Number(form, grid, limit=range_).least
        whole = grid >= self._format.least or (
            least is not None and least - 2 * self._format.digits >= self._format.least
        )
        bound = rounding_bound(self._format, size)
        error = error_atom(bound, f"mul {self.rounded}", is_float=whole, unit=unit_of(form))
        return self._rounded(form, grid, made, error, range_, ends)

    def _product_ends(self, a: Number, b: Number) -> tuple[float, float] | None:
        if a.ends is None or b.ends is None:
            return None
        pairs = [(x, y) for x in a.ends for y in b.ends]
        if a is b:
            has_zero = a.ends[0] <= 0 <= a.ends[1]
            pairs = [pairs[0], pairs[3], *([(0.0, 0.0)] if has_zero else [])]
        if self._format is BINARY64:  # Python's product is rounded to this format
            products = [x * y + 0.0 for x, y in pairs]
            low, high = min(products), max(products)
            return (low, high) if math.isfinite(low) and math.isfinite(high) else None
        exact = [Fraction(x) * Fraction(y) for x, y in pairs]
        return self._format.rounded_ends(min(exact), max(exact))

    def _exact_rule(self, a: Number, b: Number, size: Ball, grid: int) -> str | None:
        """By which rule a product rounds nothing."""
        if grid < self._format.least:
            return None
        if any(_is_power_of_two(x.value) for x in (a, b)):
            return "power of two"
        return "few digits" if exponent(size) <= self._format.digits + grid else None

    def _product_error(self, a: Number, b: Number) -> Number:
        product = self._mul(a, b)
        if product.error is None:
            return constant(0.0)
        largest = exponent(a.size), exponent(b.size)
        assert max(largest) <= (995 if self._format is BINARY64 else 127), "product_error overflows"
        form = combined({}, {product.error: Fraction(1)}, Fraction(-1))
        size = magnitude(product.error.expansion.range())
        if product.error.is_float:
            return Number(form, max(self._format.least, a.grid + b.grid), limit=arb(0, 1) * size)
        bound = arb(2) ** (self._format.least + self._format.digits + 2)
        lost = error_atom(bound, "underflow", unit=unit_of(form))
        return self._rounded(form, self._format.least, ("product_error",), lost, arb(0, 1) * size)

    def _muladd(self, a: Number, b: Number, c: Number) -> Number:
        """Rounded once or twice: what is said holds for both."""
        form, range_ = self._exact_product(a, b)
        size, grid = magnitude(range_), a.grid + b.grid
        if rule := self._exact_rule(a, b, size, grid):
            self.discharged[rule] += 1
            product = self._number(form, grid, ("mul", a, b), None, range_)
            return self._sum(product, c, 1)
        bound, unit = rounding_bound(self._format, size), unit_of(form)
        between = error_atom(bound, f"muladd {self.rounded}", unit=unit)
        form = combined(form, {between: Fraction(1)}, Fraction(1))
        form = combined(form, c.form, Fraction(1))
        range_ = range_ + arb(0, 1) * bound + c.range
        range_ = range_.intersection(expanded(form).range())
        bound = rounding_bound(self._format, magnitude(range_))
        error = error_atom(bound, f"muladd {self.rounded}", unit=unit)
        return self._rounded(form, self._format.least, ("muladd",), error, range_)

    def _div(self, a: Number, b: Number) -> Number:
        if not (b.range > 0 or b.range < 0):
            raise UndecidedError("a divisor may be 0")
        inverse = 1 / b.value if b.value is not None and _is_power_of_two(b.value) else 0
        if 2.0**-1022 <= abs(inverse) <= 2.0**1022:
            return self._mul(a, constant(float(inverse)))
        expansion = a.expansion * b.expansion.inverse()
        return self._of_atom(expansion, a.range / b.range, ("div", a, b))

    def _sqrt(self, a: Number) -> Number:
        if a.value == 0:
            return constant(0.0)
        if not a.range > 0:
            raise UndecidedError("a root of what may not be positive")
        return self._of_atom(a.expansion.root(), a.range.sqrt(), ("sqrt", a))

    def _of_atom(self, expansion: Any, range_: Ball, made: tuple[object, ...]) -> Number:
        range_ = range_.intersection(expansion.range())
        if not range_.is_finite():
            raise UndecidedError(f"a {made[0]} of what is known too little")
        bound = rounding_bound(self._format, magnitude(range_))
        error = error_atom(bound, f"{made[0]} {self.rounded}", unit=expansion.unit)
        form: Form = {Atom(expansion, str(made[0])): Fraction(1)}
        return self._rounded(form, self._format.least, made, error, range_)

    # Signs and choices

    def _neg(self, a: Number) -> Number:
        ends = None if a.ends is None else (-a.ends[1], -a.ends[0])
        form = combined({}, a.form, Fraction(-1))
        return Number(form, a.grid, ("neg", a), limit=-a.range, ends=ends)

    def _abs(self, a: Number) -> Number:
        if a.range >= 0 or (a.ends is not None and a.ends[0] >= 0):
            return a
        if a.range <= 0 or (a.ends is not None and a.ends[1] <= 0):
            return self._neg(a)
        if unit_of(a.form).power:
            raise UndecidedError("the sign of a length")
        half = a.size / 2
        atom = Atom(error_atom(half, "abs").expansion, "abs")
        return Number(
            {atom: Fraction(1), ONE: fraction(half)}, a.grid, ("abs", a), limit=arb(0).union(a.size)
        )

    def _copysign(self, a: Number, b: Number) -> Number:
        size = self._abs(a)
        if b.range > 0:
            return size
        if b.range < 0:
            return self._neg(size)
        raise UndecidedError("a sign")

    def _bitcast(self, a: Number) -> Bits | int:
        if a.value and a.ends is not None:  # 0 has two patterns
            return _pattern(a.ends[0], self._format)
        return Bits(a, format=self._format)

    def _convert(self, a: Number) -> Number:
        """To float32."""
        ends = None if a.ends is None else self._format.rounded_ends(*map(Fraction, a.ends))
        made = ("convert", a)
        if exponent(a.size) <= self._format.digits + a.grid and a.grid >= self._format.least:
            self.discharged["few digits"] += 1
            return self._number(a.form, a.grid, made, None, a.range, ends)
        bound = rounding_bound(self._format, a.size)
        error = error_atom(bound, f"convert {self.rounded}", unit=unit_of(a.form))
        return self._rounded(a.form, self._format.least, made, error, a.range, ends)

    def _ne(self, a: Number, b: Number) -> Any:
        """A rounding test is noted."""
        for one, other in ((a, b), (b, a)):
            if not (_is(one, "add") and _is(other, "add") and one.made[1] is other.made[1]):
                continue
            below, above = one.made[2], other.made[2]
            if _is(below, "sub") and _is(above, "add") and below.made[1:] == above.made[1:]:
                low, margin = below.made[1:]
                self.tests.append(RoundingTest(one.made[1], low, below, above, margin))
            elif _is(below, "neg") and below.made[1] is above:  # of 0 a margin is left
                low = constant(0.0)
                self.tests.append(RoundingTest(one.made[1], low, below, above, above))
        if _is(a, "convert") and _is(b, "convert"):
            self.tests.append(SidesTest(a.made[1], b.made[1]))  # type: ignore[arg-type]
        return UNKNOWN

    def _eq(self, a: Number, b: Number) -> Any:
        self._ne(a, b)
        if self._less(a, b) is True or self._less(b, a) is True:
            return False
        return True if a.value is not None and a.value == b.value else UNKNOWN

    def _less(self, a: Number, b: Number) -> Any:
        if a.ends is not None and b.ends is not None:
            if a.ends[1] < b.ends[0]:
                return True
            if a.ends[0] >= b.ends[1]:
                return False
        gap = a.range - b.range
        if unit_of(a.form) == unit_of(b.form):
            gap = gap.intersection(expanded(combined(a.form, b.form, Fraction(-1))).range())
        if gap < 0:
            return True
        if gap >= 0:
            return False
        return UNKNOWN

    def _lt(self, a: Number, b: Number) -> Any:
        return self._less(a, b)

    def _gt(self, a: Number, b: Number) -> Any:
        return self._less(b, a)

    def _ge(self, a: Number, b: Number) -> Any:
        return _not(self._less(a, b))

    def _le(self, a: Number, b: Number) -> Any:
        return _not(self._less(b, a))

    # Integers

    def _integer(self, op: Op, args: list[Any], result: ScalarType) -> Any:
        bits = (1 << result.bits) - 1 if result.bits else 0
        if any(isinstance(arg, Number) for arg in args) and op.opcode != "select":
            return self._of_known_integer(op, args, result)
        tested = op.opcode in ("ge", "ne", "select")
        if not tested and any(isinstance(arg, LowBits) for arg in args):
            raise UndecidedError("low bits of a pattern")
        match op.opcode:
            case "select":
                if args[0] is UNKNOWN:
                    raise UndecidedError(f"{op.span}: a choice")
                return args[1] if args[0] else args[2]
            case "bitcast" if result.is_float:
                return self.float_of(args[0], BINARY32 if result.bits == 32 else BINARY64)
            case "convert" if result.is_float:
                value = float(args[0])
                return constant(BINARY32.round(Fraction(value)) if result.bits == 32 else value)
            case "convert" | "narrow":
                return args[0] if isinstance(args[0], Bits) else _wrapped(args[0], result)
            case "or" | "and" if result.bits == 1:
                decisive = DECISIVE[op.opcode]
                if decisive in args:
                    return decisive
                return UNKNOWN if UNKNOWN in args else not decisive
            case "not" if result.bits == 1:
                return _not(args[0])
            case "or":
                return args[0] | args[1]
            case "and":
                if isinstance(args[0], Bits):
                    return self._masked(args[0], args[1])
                return args[0] & args[1]
            case "not":
                return _wrapped(~args[0], result)
            case "shr":
                if isinstance(args[0], Bits) and result.is_signed:
                    return _shifted(args[0], args[1], result)
                if isinstance(args[0], Bits):
                    return self._masked(args[0], bits & ~((1 << args[1]) - 1)) >> args[1]
                return args[0] >> args[1]
            case "shl":
                if isinstance(args[0], Bits):
                    raise UndecidedError("a pattern shifted up")
                return _wrapped(args[0] << args[1], result)
            case "add" | "sub":
                sign = 1 if op.opcode == "add" else -1
                a, b = args
                if isinstance(a, Bits):
                    if isinstance(b, Bits) and a.of is b.of and sign < 0:
                        return _wrapped(a.added - b.added, result)
                    if isinstance(b, Bits):
                        raise UndecidedError("two patterns")
                    return Bits(a.of, a.added + sign * b, a.format)
                if isinstance(b, Bits):
                    raise UndecidedError("a pattern taken away")
                return _wrapped(a + sign * b, result)
            case "mul":
                return _wrapped(args[0] * args[1], result)
            case "max":
                return max(args)
            case "min":
                return min(args)
            case "ge" if isinstance(args[0], LowBits):
                return self._near_tie(args[0], args[1])
            case "ne" if isinstance(args[0], LowBits):
                return self._is_no_tie(args[0], args[1])
            case "eq" | "ne" | "lt" | "le" | "gt" | "ge":
                if any(isinstance(arg, Bits | LowBits) for arg in args):
                    raise UndecidedError("a pattern compared")
                return getattr(args[0], f"__{op.opcode}__")(args[1])
            case _:
                raise NotImplementedError(op.opcode)

    def _of_known_integer(self, op: Op, args: list[Any], result: ScalarType) -> Number:
        """Of an integer of which only a range is known."""
        operand = op.args[0].type
        assert isinstance(operand, ScalarType)
        if op.opcode != "convert" or not result.is_float:
            raise UndecidedError(f"{op.span}: {op.opcode} of an integer")
        if operand.bits > 32 and not magnitude(args[0].range) <= 2.0**BINARY64.digits:
            raise UndecidedError(f"{op.span}: an integer that a float64 may not hold")
        return args[0] if result.bits == 64 else self._convert(args[0])

    def _near_tie(self, low: LowBits, limit: int) -> Any:
        """A test whether a float64 is next to where float32 round up is noted."""
        margin = TIE + low.of.added
        if low.count == LACKING and limit == 2 * margin:
            self.tests.append(TieTest(low.of.of, margin))
        return UNKNOWN

    def _is_no_tie(self, low: LowBits, digits: int) -> Any:
        if low.count == LACKING and digits == TIE and not low.of.added:
            self.tests.append(TieTest(low.of.of, 0))
        return UNKNOWN

    def _masked(self, pattern: Bits, mask: int) -> int | LowBits:
        whole = (1 << 64) - 1 if pattern.format is BINARY64 else (1 << 32) - 1
        low, high = ((n + pattern.added) & whole for n in _ends(pattern))
        if low == high:
            return low & mask
        if mask & (mask + 1) == 0:
            return LowBits(pattern, mask.bit_length())
        if low & mask != high & mask or mask + (mask & -mask) != whole + 1:
            raise UndecidedError("bits of a pattern")
        return low & mask

    def float_of(self, pattern: Any, format: Format = BINARY64) -> Any:
        """The float with these bits."""
        if isinstance(pattern, int):
            value = _of_pattern(pattern, format)
            return constant(value) if math.isfinite(value) else value
        if pattern.format is not format:
            raise UndecidedError("bits of another type")
        whole = 64 if format is BINARY64 else 32
        added = (pattern.added + (1 << whole - 1)) % (1 << whole) - (1 << whole - 1)
        power, rest = divmod(added, 1 << format.digits - 1)
        if rest:
            raise UndecidedError("bits added to a significand")
        factor = Fraction(2) ** power
        of = pattern.of
        if power and format is BINARY32:
            low, high = (abs(Fraction(x)) * factor for x in _known(of))
            if not (min(low, high) >= Fraction(2) ** -126 and max(low, high) < Fraction(2) ** 128):
                raise UndecidedError("an exponent beyond the normal numbers")
            if of.least is None or of.least < -126:
                raise UndecidedError("the bits of a subnormal number")
        return Number(combined({}, of.form, factor), of.grid + power, ("scale", of),
                      limit=of.range * ball(factor))  # fmt: skip


def _pattern(value: float, format: Format) -> int:
    to, of = ("<Q", "<d") if format is BINARY64 else ("<I", "<f")
    return struct.unpack(to, struct.pack(of, value))[0]


def _of_pattern(pattern: int, format: Format) -> float:
    to, of, mask = ("<Q", "<d", 64) if format is BINARY64 else ("<I", "<f", 32)
    return struct.unpack(of, struct.pack(to, pattern & ((1 << mask) - 1)))[0]


def _shifted(pattern: Bits, by: int, t: ScalarType) -> int:
    low, high = (_wrapped(n + pattern.added, t) for n in _ends(pattern))
    if low > high or low >> by != high >> by:
        raise UndecidedError("bits of a pattern")
    return low >> by


def _with_special(opcode: str, args: list[Any]) -> Any:
    """What comes of infinities and NaN, which are Python's, beside finite numbers."""
    if opcode == "neg":
        return -args[0]
    if opcode not in ("eq", "ne", "lt", "le", "gt", "ge"):
        raise UndecidedError(f"{opcode} of an infinity or NaN")
    if any(isinstance(arg, Number) and arg.ends is None for arg in args):
        raise UndecidedError("a number that may be infinite")
    return getattr(operator, opcode)(*(a if isinstance(a, float) else 0.0 for a in args))


def _is_power_of_two(value: Fraction | None) -> bool:
    if not value:
        return value is not None
    top, bottom = abs(value.numerator), value.denominator
    return top & (top - 1) == 0 and bottom & (bottom - 1) == 0


def _is(n: object, opcode: str) -> bool:
    return isinstance(n, Number) and bool(n.made) and n.made[0] == opcode


def _not(a: Any) -> Any:
    return UNKNOWN if a is UNKNOWN else not a


def _known(n: Number) -> tuple[float, float]:
    if n.ends is None:
        raise UndecidedError("bits of a number whose ends are unknown")
    low, high = n.ends
    if not (0 < low <= high or low <= high < 0):
        raise UndecidedError("bits of a number that may be 0")
    return low, high


def _ends(pattern: Bits) -> tuple[int, int]:
    """The least and the greatest pattern of a magnitude, in order of the numbers."""
    low, high = _known(pattern.of)
    return _pattern(low, pattern.format), _pattern(high, pattern.format)


def _wrapped(n: int, t: ScalarType) -> int:
    n &= (1 << t.bits) - 1
    return n - (1 << t.bits) if t.is_signed and n >> (t.bits - 1) else n
