"""The walk that all lowerings share: each subtree is lowered once, leaves first.

It also has the writer of the operations that replace one operation.

Owns how min, max, conversions, ULP steps and calls are made of a few primitives, which each
lowering has in its own representation of numbers.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from samebits.fpmodel.evaluate import Arithmetic, constant
from samebits.fpmodel.libm import OPERATIONS, estimate_function, kernel_of, library_function
from samebits.fpmodel.soft import FLUSHES, KERNELS, ROUNDINGS
from samebits.fpmodel.softfloat import FLOAT32 as FORMAT32
from samebits.fpmodel.softfloat import FORMATS, Flush, Format, Number, Rounding
from samebits.fpmodel.tree import Constant, Node, Operand, Tree
from samebits.frontend.compile import Unit, compile_kernel
from samebits.ir.grammar import Function, HostFunction, Op, Value
from samebits.ir.rewrite import ValueWriter
from samebits.lang.kernel import Kernel
from samebits.types import BOOL, FLOAT32, FLOAT64, INT32, UINT32, UINT64, ScalarType, Type

Held = TypeVar("Held")
"""The representation of a number between operations."""
Wide = tuple[Value, Value, Value]
"""A wide value (`samebits.fpmodel.soft.wide`): mantissa, exponent and kind."""

ROUNDED = frozenset({"add", "sub", "mul", "div", "sqrt", "fma"})
"""The operations whose result is rounded to the working format."""
SIGN_ONLY = frozenset({"neg", "abs"})
_BITS = {32: UINT32, 64: UINT64}


def type_of(form: Format) -> ScalarType:
    """The IR's type for values of the expression."""
    return FLOAT32 if form is FORMAT32 else FLOAT64


class CannotLower(Exception):
    """An evaluation needs something that IR lacks; the message says what."""


class Code(ValueWriter):
    """Appends operations with the span of `result`, the operation whose value they compute."""

    def __init__(self, result: Op, ids: Iterator[int]) -> None:
        super().__init__([], result.span, ids)
        self.units: dict[str, Unit] = {}
        """The called kernels, by their functions' names."""
        self.hosts: dict[str, HostFunction] = {}
        """The called host functions, by name."""
        self._result = result
        self._constants: dict[tuple[ScalarType, str], Value] = {}

    def const(self, t: ScalarType, value: bool | int | float) -> Value:
        key = t, repr(value)  # repr distinguishes the zeros
        if key not in self._constants:
            self._constants[key] = self.constant(value, t)
        return self._constants[key]

    def alike(self, opcode: str, *args: Value) -> Value:
        """An operation whose result has its operands' type."""
        return self.op(opcode, args[0].type, *args)

    def test(self, opcode: str, a: Value, b: Value) -> Value:
        return self.op(opcode, BOOL, a, b)

    def is_nan(self, x: Value) -> Value:
        return self.test("ne", x, x)

    def select(self, condition: Value, then: Value, otherwise: Value) -> Value:
        return self.op("select", then.type, condition, then, otherwise)

    def convert(self, x: Value, t: ScalarType) -> Value:
        return x if x.type == t else self.op("convert", t, x)

    def call(self, kernel: Kernel, types: tuple[Type, ...], *args: Value) -> tuple[Value, ...]:
        """Call a kernel; every scalar that it returns."""
        unit = compile_kernel(kernel, types)
        self.units[unit.function.name] = unit
        return self._called(unit.function, args)

    def soft(self, name: str, *args: Value) -> tuple[Value, ...]:
        """Call a kernel of `samebits.fpmodel.soft`."""
        kernel = KERNELS[name]
        return self.call(kernel, kernel.signature.resolve(()), *args)

    def wide(self, name: str, *args: Value) -> Wide:
        """Call a soft kernel whose result is a wide value."""
        mantissa, exponent, kind = self.soft(name, *args)
        return mantissa, exponent, kind

    def from_float(self, x: Value) -> Wide:
        return self.wide("from_float32" if x.type == FLOAT32 else "from_float64", x)

    def to_float(
        self, x: Wide, t: ScalarType, rounding: Rounding = "nearest", flush: Flush = "no"
    ) -> Value:
        name = "to_float32" if t == FLOAT32 else "to_float64"
        manner = (self.const(INT32, n) for n in (ROUNDINGS[rounding], FLUSHES[flush]))
        return self.soft(name, *x, *manner)[0]

    def host(self, function: HostFunction, *args: Value) -> Value:
        """Call a host function; its result."""
        self.hosts[function.name] = function
        return self._called(function, args)[0]

    def _called(self, function: Function, args: tuple[Value, ...]) -> tuple[Value, ...]:
        return self.emit("call", *args, attr=function.name, types=function.results).results

    def finished(self, value: Value) -> tuple[Op, ...]:
        """All operations, `value` being the result: the last one has the id of `result`."""
        t = self._result.result.type
        assert isinstance(t, ScalarType)
        last = self.region[-1] if self.region else None
        if not isinstance(last, Op) or last.results != (value,) or value.type != t:
            last = self.emit("convert", value, types=[t])
        last = replace(last, id=self._result.id, results=self._result.results)
        return *[s for s in self.region[:-1] if isinstance(s, Op)], last


@dataclass(eq=False)
class Walk(ABC, Generic[Held]):
    """Lowers trees under one arithmetic. `known` has the values of subtrees that exist already."""

    code: Code
    arithmetic: Arithmetic
    operands: Mapping[str, Value]
    known: Mapping[Tree, Value]

    def __post_init__(self) -> None:
        self.form = type_of(self.arithmetic.form)
        self._held: dict[Tree, Held] = {}

    def held(self, tree: Tree) -> Held:
        """The tree's value, between operations."""
        if tree not in self._held:
            self._held[tree] = self._computed(tree)
        return self._held[tree]

    def _computed(self, tree: Tree) -> Held:
        if isinstance(tree, Operand):
            return self.operand(self.operands[tree.name])
        if isinstance(tree, Constant):
            return self.number(constant(tree, self.arithmetic.form))
        if tree in self.known:
            return self.operand(self.known[tree])
        return self.apply(tree, [self.held(arg) for arg in tree.args])

    @abstractmethod
    def operand(self, value: Value) -> Held:
        """A float of the expression's type."""

    @abstractmethod
    def number(self, number: Number) -> Held:
        """A constant."""

    def apply(self, op: Node, args: list[Held]) -> Held:
        """One operation. Raises CannotLower."""
        if op.name in SIGN_ONLY:
            return self.signed(op.name, args[0])
        args = [self.read(arg) for arg in args]
        if op.name in ROUNDED:
            return self.rounded(op.name, args)
        x, *others = args
        match op.name:
            case "min" | "max":
                return self._extreme(op.name, op.detail, x, others[0])
            case "ulps":
                near = stepped(self.code, self.as_float(x, self.form), int(op.detail))
                return self.operand(near)
            case "convert":
                return self.from_integer(self.integer(op.detail, x))
            case "cast":
                return self.cast(FORMATS[op.detail], x)
            case "call":
                single = self.arithmetic.working.precision <= FORMAT32.precision
                t = FLOAT32 if single else FLOAT64
                given = [self.as_float(arg, t) for arg in (x, *others)]
                return self.from_function(called(self.code, op.detail, given, t))
            case _:
                form, working = self.arithmetic.form, self.arithmetic.working
                if working.limit > form.limit:
                    raise CannotLower(
                        f"{op.detail} takes a {form.name}, and intermediate results are "
                        f"{working.name}"
                    )
                return self.operand(estimated(self.code, op.detail, self.as_float(x, self.form)))

    def _extreme(self, name: str, rule: str, x: Held, y: Held) -> Held:
        if rule == "lt":
            return self.select(self.precedes(name, x, y), x, y)
        if rule == "gt":
            return self.select(self.precedes(name, y, x), y, x)
        found = self.extreme(name, x, y)
        if not rule:
            return found
        either = self.select(self.is_nan(y), x, found)
        return self.select(self.is_nan(x), y, either)

    @abstractmethod
    def rounded(self, name: str, args: list[Held]) -> Held:
        """The result of an operation, rounded once."""

    @abstractmethod
    def signed(self, name: str, x: Held) -> Held:
        """The result of an operation on the sign bit alone."""

    def read(self, x: Held) -> Held:
        """The operand of an operation other than those on the sign bit alone."""
        return x

    @abstractmethod
    def select(self, condition: Value, then: Held, otherwise: Held) -> Held:
        """One of two numbers, by a bool."""

    @abstractmethod
    def is_nan(self, x: Held) -> Value:
        """Whether a number is NaN."""

    @abstractmethod
    def precedes(self, name: str, x: Held, y: Held) -> Value:
        """Whether x < y for `min`, or x > y for `max`; false for NaN and equal numbers."""

    @abstractmethod
    def extreme(self, name: str, x: Held, y: Held) -> Held:
        """min or max by the IR's rule: −0 is below 0, NaN wins."""

    @abstractmethod
    def as_float(self, x: Held, t: ScalarType) -> Value:
        """A number as a float of a type, rounded to nearest."""

    @abstractmethod
    def cast(self, form: Format, x: Held) -> Held:
        """A number rounded to a format."""

    @abstractmethod
    def from_integer(self, value: Value) -> Held:
        """An integer, rounded to the working format."""

    @abstractmethod
    def from_function(self, value: Value) -> Held:
        """The result of a math function, rounded to nearest."""

    @abstractmethod
    def stored(self, held: Held) -> Value:
        """A result, rounded to the expression's type."""

    @abstractmethod
    def integer(self, detail: str, held: Held) -> Value:
        """A result as an integer of a type, by a rule."""


def stepped(code: Code, x: Value, steps: int) -> Value:
    """A float moved by `steps` ULPs, away from zero if positive."""
    form = x.type
    assert isinstance(form, ScalarType)
    t = _BITS[form.bits]
    pattern = code.op("bitcast", t, x)
    negative = code.alike("and", pattern, code.const(t, 1 << form.bits - 1))
    magnitude = code.alike("xor", pattern, negative)
    distance = code.const(t, abs(steps))
    moved = code.alike("add" if steps > 0 else "sub", magnitude, distance)
    near = code.op("bitcast", form, code.alike("or", moved, negative))
    infinity = code.op("bitcast", t, code.const(form, math.inf))
    able = code.test("lt", magnitude, infinity)
    if steps < 0:
        able = code.alike("and", able, code.test("ge", magnitude, distance))
    return code.select(able, near, x)


def called(code: Code, name: str, args: list[Value], t: ScalarType) -> Value:
    """A math function of floats of one type. Raises CannotLower."""
    if name in OPERATIONS:
        return code.alike(name, *args)
    where, _, function = name.rpartition(".")
    if where == "libm64":
        wide = [code.convert(x, FLOAT64) for x in args]
        return code.convert(called(code, f"libm.{function}", wide, FLOAT64), t)
    if where:
        host = library_function(where, function, t.bits)
        if host is None:
            raise CannotLower(f"this machine's {where} has no {function}")
        return code.host(host, *args)
    found = kernel_of(name, t.bits)
    if found is None:
        raise CannotLower(f"{name} is not a function of the library")
    return code.call(*found, *args)[0]


def estimated(code: Code, detail: str, x: Value) -> Value:
    """A processor's estimate for a float, of its type. Raises CannotLower."""
    t = x.type
    assert isinstance(t, ScalarType)
    if detail in KERNELS:
        return code.to_float(code.wide(detail, *code.from_float(x)), t)
    function = estimate_function(detail)
    if function is None or t != FLOAT32:
        raise CannotLower(f"this machine has no {detail}")
    return code.op("bitcast", t, code.host(function, code.op("bitcast", UINT32, x)))
