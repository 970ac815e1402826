"""Sites: the expression tree that ends in an IR operation, with IR values as operands.

Owns what belongs to one expression: operations of one region whose value nothing else uses. A wide
site also includes values that pass through a slot or are used elsewhere, as a compiler sees them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from heapq import heappop, heappush
from math import isfinite

import numpy as np

from samebits.bits import CANONICAL_NAN, bits_to_float
from samebits.fpmodel.evaluate import Arithmetic, Evaluator, to_integer
from samebits.fpmodel.libm import OPERATIONS, name_of
from samebits.fpmodel.softfloat import FLOAT32, FLOAT64, Format, from_bits, rounded, to_bits
from samebits.fpmodel.tree import Constant, Node, Operand, Tree
from samebits.ir.analysis.budget import SITE, VARIANT, Budget
from samebits.ir.analysis.reaching import Definitions
from samebits.ir.grammar import Function, Op, Value, ValueType
from samebits.source_lines import written_number
from samebits.types import ScalarType

MOST_OPERATIONS = 32
"""Operations of a site at most; values computed further up are operands."""
_SAME = frozenset({"add", "sub", "mul", "div", "sqrt", "neg", "abs", "min", "max", "fma"})
"""Opcodes that expression trees have under the same names."""
_INTEGERS = {
    "int": "int64", "int32": "int32", "uint32": "uint32", "int64": "int64", "uint64": "uint64",
}  # fmt: skip
"""Integer types that trees convert to, and their names there."""


@dataclass(frozen=True)
class Site:
    """An expression of a function: its tree, and the IR value of each operand and subtree."""

    op: Op
    """The operation that computes the result."""
    tree: Tree
    form: Format
    """The format that it is computed in; a conversion's result has another type."""
    operands: Mapping[str, Value]
    """By their names in the tree: x0, x1 and so on."""
    values: Mapping[Tree, Value]
    """The function's value for each operation inside the tree."""
    wide: bool = False

    @property
    def strict(self) -> Arithmetic:
        """The arithmetic of the function itself."""
        return Arithmetic(self.form, self.form)

    @property
    def result(self) -> ScalarType:
        t = self.op.result.type
        assert isinstance(t, ScalarType)
        return t

    def bits(self, tree: Tree, arithmetic: Arithmetic, given: Mapping[str, int]) -> int:
        """The bit pattern, in the result's type, of an evaluation of this expression.

        `given` holds the operands' patterns. NaN is canonical if the result is a float or the
        arithmetic makes it so.
        """
        values = {name: from_bits(bits, self.form) for name, bits in given.items()}
        evaluator = Evaluator(arithmetic, values)
        t = self.result
        if self.op.opcode == "convert" and t.is_int:
            assert isinstance(tree, Node)
            integer = to_integer(tree.detail, evaluator.value(tree.args[0]))
            return integer & ((1 << t.bits) - 1)
        pattern = evaluator.bits(tree)
        if t.bits != self.form.bits:
            pattern = to_bits(rounded(from_bits(pattern, self.form), FLOAT32), FLOAT32)
        value = bits_to_float(pattern, t.bits)
        if value != value and (t.is_float or arithmetic.nans == "canonical"):
            return CANONICAL_NAN[t.bits]
        return pattern


class Sites:
    """The sites of one function, which must not change meanwhile. `budget` bounds the evaluations
    that are examined if the function comes from another machine."""

    def __init__(self, function: Function, budget: Budget | None = None) -> None:
        self.definitions = Definitions(function)
        self._budget = budget

    def pay(self, operations: int = VARIANT) -> None:
        """Charge the budget for one more evaluation. Raises TraceError once it is spent."""
        if self._budget is not None:
            self._budget.work(operations)

    def at(self, op_id: int, *, wide: bool = False, most: int = MOST_OPERATIONS) -> Site | None:
        """The expression of at most `most` operations that ends in this one; None if its result is
        neither a float computed by an operation that trees have, nor an integer or bits made of
        one."""
        self.pay(SITE)
        op = self.definitions.ops.get(op_id)
        return None if op is None or len(op.results) != 1 else _Growth(self, op, wide, most).site()


@dataclass(frozen=True, slots=True)
class _Part:
    """A tree node before its operands are known."""

    name: str
    args: tuple[Value, ...]
    detail: str = ""


class _Growth:
    """Builds one site, from its last operation upwards."""

    def __init__(self, sites: Sites, op: Op, wide: bool, most: int) -> None:
        self.known = sites.definitions
        self.op = op
        self.wide = wide
        self.most = most
        self.region = self.known.region(op)
        self.width = 0
        self.inner: dict[int, _Part] = {}
        """The operations that belong to the site, by id."""
        self.trees: dict[int, Tree] = {}
        self.names: dict[object, str] = {}
        self.operands: dict[str, Value] = {}

    def site(self) -> Site | None:
        last = self.last()
        if last is None:
            return None
        self.grow(last)
        tree = self.tree(last)
        form = FLOAT32 if self.width == FLOAT32.bits else FLOAT64
        values = {t: self.known.ops[id].result for id, t in self.trees.items()}
        return Site(self.op, tree, form, self.operands, values, self.wide)

    def last(self) -> _Part | None:
        """The last operation as a node; sets `width` to that of its float operands."""
        op = self.op
        part = self.part(op)
        if part is not None:
            self.width = _width(op.result.type)
            return part
        if op.opcode not in ("convert", "bitcast"):
            return None
        made = op.result.type
        self.width = _width(op.args[0].type)
        if not self.width or not isinstance(made, ScalarType):
            return None
        if op.opcode == "bitcast":
            return _Part("bitcast", op.args) if made.is_int else None
        if made.is_int:
            name = _INTEGERS.get(made.name)
            return None if name is None else _Part("convert", op.args, name)
        return _Part("cast", op.args, "float32") if _width(made) < self.width else None

    def part(self, op: Op) -> _Part | None:
        """An operation with a float result, as a node; None if trees have no such operation."""
        if not op.results or not _width(op.result.type):
            return None
        if op.opcode in _SAME:
            return _Part(op.opcode, op.args)
        if op.opcode in OPERATIONS:
            return _Part("call", op.args, op.opcode)
        if op.opcode == "call" and len(op.results) == 1:
            name = name_of(str(op.attr))
            return None if name is None else _Part("call", op.args, name)
        return self.there_and_back(op) if op.opcode == "convert" else None

    def there_and_back(self, op: Op) -> _Part | None:
        """A conversion to another type and back as one node."""
        inner = self.known.ops[op.args[0].op]
        if inner.opcode != "convert" or not self.belongs(inner):
            return None
        given, between, made = inner.args[0].type, inner.result.type, op.result.type
        if _width(given) != _width(made) or not isinstance(between, ScalarType):
            return None
        if between.name in _INTEGERS:
            return _Part("convert", inner.args, _INTEGERS[between.name])
        if 0 < _width(between) < _width(made):
            return _Part("cast", inner.args, "float32")
        return None

    def belongs(self, op: Op) -> bool:
        """Whether an operation that the site uses is part of it."""
        return self.known.region(op) == self.region and (self.wide or self.known.uses[op.id] == 1)

    def source(self, value: Value) -> tuple[Op, Value]:
        """The operation that computed a value, and which of its results it is, looking through
        conversions that change nothing and, in a wide site, through slots set in its region."""
        while True:
            op = self.known.ops[value.op]
            if op.opcode == "convert" and _width(op.result.type) == _width(op.args[0].type) > 0:
                value = op.args[0]
                continue
            version = self.known.read.get(op.id)
            if not self.wide or version is None or version.region != self.region:
                return op, value
            assert version.value is not None
            value = version.value

    def grow(self, last: _Part) -> None:
        """Add operations, the latest first, until the site has as many as it may."""
        paths: dict[int, int] = {}
        """How often each operation would occur in the tree."""
        queue: list[tuple[int, int]] = []
        total = 1

        def reach(part: _Part, times: int) -> None:
            for value in part.args:
                op, _ = self.source(value)
                if op.id not in paths:
                    heappush(queue, (-self.known.position(op), op.id))
                paths[op.id] = paths.get(op.id, 0) + times

        reach(last, 1)
        while queue:
            op = self.known.ops[heappop(queue)[1]]
            if not self.belongs(op) or _width(op.results[0].type) != self.width:
                continue
            part = self.part(op)
            if part is not None and total + paths[op.id] <= self.most:
                total += paths[op.id]
                self.inner[op.id] = part
                reach(part, paths[op.id])

    def tree(self, part: _Part) -> Tree:
        args = tuple([self.operand(value) for value in part.args])
        return args[0] if part.name == "bitcast" else Node(part.name, args, part.detail)

    def operand(self, value: Value) -> Tree:
        op, found = self.source(value)
        if op.id in self.inner:
            if op.id not in self.trees:
                self.trees[op.id] = self.tree(self.inner[op.id])
            return self.trees[op.id]
        if op.opcode == "const" and isinstance(op.attr, float) and isfinite(op.attr):
            return Constant(_written(op, op.attr, self.width))
        name = self.names.setdefault(self.known.identity(found), f"x{len(self.names)}")
        self.operands.setdefault(name, found)
        return Operand(name)


def _width(t: ValueType) -> int:
    """Bits of a float type; 0 of any other."""
    return t.bits if isinstance(t, ScalarType) and t.is_float else 0


def _written(op: Op, value: float, bits: int) -> str:
    """A constant's digits, in float32 those of its source where these are more."""
    span, text = op.span, None
    if bits == FLOAT32.bits and span.line == span.end_line:
        text = written_number(span.file, span.line, (span.column, span.end_column), value)
    return text or _decimal(value, bits)


def _decimal(value: float, bits: int) -> str:
    """The shortest decimal that rounds to a value."""
    text = str(np.float32(value)) if bits == FLOAT32.bits else repr(value)
    return text.removesuffix(".0")
