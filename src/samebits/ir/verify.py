"""The verifier of IR: a module's names, scopes, control flow and, through `rules`, operations.

Every pass takes legal IR and leaves legal IR, so that evaluation and back ends need no checks.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NoReturn

from samebits.errors import IRError, Span
from samebits.ir.analysis.carried import local_bytes
from samebits.ir.grammar import (
    JOINS,
    MAX_LANES,
    MAX_NESTING,
    OPS,
    Break,
    Continue,
    For,
    Function,
    If,
    Lanes,
    Module,
    Op,
    Region,
    Return,
    Statement,
    Value,
    ValueType,
    While,
    walk,
)
from samebits.ir.rules import ATTRIBUTED, CHECKS, Surroundings, fits
from samebits.modes import MAX_RECURSION
from samebits.types import BOOL, INT, ScalarType

MAX_LOCALS = 1 << 20
"""Most bytes of one function's locals: compiled code keeps them on the stack."""


def verify(module: Module) -> None:
    """Raises IRError naming the function, the statement and the rule that it breaks."""
    for name, table in module.tables.items():
        if table.type.count != len(table.values):
            raise IRError(f"illegal table {name}: {len(table.values)} values for {table.type}")
        for value in table.values:
            if not fits(value, table.element):
                raise IRError(f"illegal table {name}: {value!r} is not a value of {table.element}")
    before: dict[str, Function] = {}
    recursive = {name: f for name, f in module.functions.items() if f.recursion}
    for name, function in module.functions.items():
        if name != function.name:
            raise IRError(f"function {function.name} is filed under the name {name}")
        known = {**recursive, **before} if function.recursion else before
        _Verifier(function, module, known).function()
        before[name] = function


def terminates(region: Region) -> bool:
    """Whether control cannot fall off the end: the last statement returns, breaks, continues,
    or is an `if` both of whose regions do."""
    last = region[-1] if region else None
    if isinstance(last, If):
        return terminates(last.then) and terminates(last.orelse)
    return isinstance(last, Return | Break | Continue)


def _is_count(lanes: int) -> bool:
    return 2 <= lanes <= MAX_LANES and lanes & (lanes - 1) == 0


def _own(body: Region) -> Iterator[Statement]:
    """The statements of a loop whose `break` and `continue` are that loop's."""
    for statement in body:
        yield statement
        match statement:
            case If():
                yield from _own(statement.then)
                yield from _own(statement.orelse)
            case For() | While():
                yield from _own(statement.orelse)
            case _:
                pass


class _Verifier:
    """Checks one function, which may call those in `before`."""

    def __init__(self, function: Function, module: Module, before: dict[str, Function]) -> None:
        self.it = function
        self.ids: set[int] = set()
        self.scope: dict[tuple[int, int], ValueType] = {}
        self.around = Surroundings(
            {**dict(function.params), **function.slots}, function.locals, module.tables, before
        )

    def fail(self, what: str, rule: str, span: Span | None = None) -> NoReturn:
        raise IRError(f"illegal IR in {self.it.name}: {what}: {rule}", span=span)

    def function(self) -> None:
        it = self.it
        names = [name for name, _ in it.params] + [*it.slots]
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            self.fail(f"slot {twice!r}", "each slot has a name of its own", it.span)
        if local_bytes(it) > MAX_LOCALS:
            self.fail("locals", f"they take at most {MAX_LOCALS} bytes", it.span)
        scalars = len(it.results) == 1 and all(isinstance(t, ScalarType) for _, t in it.params)
        if not 0 <= it.recursion <= MAX_RECURSION or (it.recursion and it.cold):
            self.fail(
                "recursion", f"it is 0 to {MAX_RECURSION}, and not of a cold function", it.span
            )
        if it.cold and not scalars:
            self.fail("cold", "it takes scalars and gives one", it.span)
        self.region(it.body, loop=False, level=0)
        if not terminates(it.body):
            self.fail("the end", "every path ends with a return", it.span)

    def region(self, region: Region, *, loop: bool, level: int) -> None:
        """Check a region; what it defines is in scope until its end."""
        known = len(self.scope)
        for statement in region:
            self.statement(statement, loop=loop, level=level)
        self.forget(known)

    def statement(self, statement: Statement, *, loop: bool, level: int) -> None:
        if level > MAX_NESTING:
            self.fail("nesting", f"at most {MAX_NESTING} regions inside one another")
        match statement:
            case Op():
                self.op(statement)
            case If():
                what = self.new_id("if", statement.id, statement.span)
                self.condition(what, statement.condition, statement.span)
                self.region(statement.then, loop=loop, level=level + 1)
                self.region(statement.orelse, loop=loop, level=level + 1)
            case While():
                what = self.new_id("while", statement.id, statement.span)
                self.head(what, statement, level + 1)
                self.region(statement.body, loop=True, level=level + 1)
                self.region(statement.orelse, loop=loop, level=level + 1)
            case For():
                what = self.new_id("for", statement.id, statement.span)
                self.counted_loop(what, statement)
                if statement.lanes is not None:
                    self.lanes(what, statement, statement.lanes)
                self.region(statement.body, loop=True, level=level + 1)
                self.region(statement.orelse, loop=loop, level=level + 1)
            case Break() | Continue():
                if not loop:
                    what = type(statement).__name__.lower()
                    self.fail(what, "it stands in a loop's body", statement.span)
            case Return():
                self.returns(statement)

    def new_id(self, what: str, number: int, span: Span) -> str:
        """`what` with its id, which no other statement may have."""
        what = f"{what} (op {number})"
        if number in self.ids or number < 0:
            self.fail(what, "each id is natural and used once in a function", span)
        self.ids.add(number)
        return what

    def forget(self, known: int) -> None:
        """Take all but the first `known` values out of scope."""
        while len(self.scope) > known:
            self.scope.popitem()

    def use(self, what: str, value: Value, span: Span) -> None:
        t = self.scope.get((value.op, value.index))
        if t is None or (t is not value.type and t != value.type):
            name = f"%{value.op}.{value.index}: {value.type}"
            self.fail(what, f"{name} is not defined before, in this region or around it", span)

    def condition(self, what: str, value: Value, span: Span) -> None:
        self.use(what, value, span)
        if value.type != BOOL:
            self.fail(what, f"its condition is {value.type}, where a bool is due", span)

    def head(self, what: str, statement: While, level: int) -> None:
        """The condition may come from the head, whose values reach no further."""
        known = len(self.scope)
        for inner in walk(statement.head):
            if isinstance(inner, Return):
                self.fail(what, "its head only computes the condition", inner.span)
        for inner in statement.head:
            self.statement(inner, loop=False, level=level)
        self.condition(what, statement.condition, statement.span)
        self.forget(known)

    def counted_loop(self, what: str, statement: For) -> None:
        for value in (statement.start, statement.stop):
            self.use(what, value, statement.span)
            if value.type != INT:
                self.fail(what, f"start or stop is {value.type}, where int is due", statement.span)
        if statement.step == 0 or not INT.minimum <= statement.step <= INT.maximum:
            self.fail(what, "its step is a constant other than 0", statement.span)
        if self.around.slots.get(statement.slot) != INT:
            self.fail(what, f"{statement.slot!r} is not a slot of type int", statement.span)

    def lanes(self, what: str, statement: For, lanes: Lanes) -> None:
        counts, slots = lanes.counts, [slot for slot, _ in lanes.slots]
        descending = all(a > b for a, b in pairwise(counts))
        if not (counts and descending and all(_is_count(n) for n in counts)):
            self.fail(what, f"its lanes are {counts}, no descending powers of two", statement.span)
        if len(set(slots)) != len(slots) or not slots or statement.slot in slots:
            self.fail(what, "its lanes belong to different slots, not its own", statement.span)
        for slot, join in lanes.slots:
            t = self.around.slots.get(slot)
            if not (isinstance(t, ScalarType) and t.is_float) or join not in JOINS:
                self.fail(what, f"{slot!r} cannot have lanes that {join} joins", statement.span)
        if any(isinstance(inner, Break) for inner in _own(statement.body)):
            self.fail(what, "no break leaves a loop with lanes", statement.span)

    def returns(self, statement: Return) -> None:
        for value in statement.values:
            self.use("return", value, statement.span)
        found = tuple(value.type for value in statement.values)
        if found != self.it.results:
            given, due = (", ".join(map(str, types)) for types in (found, self.it.results))
            self.fail("return", f"it gives ({given}), where ({due}) is due", statement.span)

    def op(self, op: Op) -> None:
        what = self.new_id(op.opcode, op.id, op.span)
        rule = OPS.get(op.opcode)
        if rule is None:
            self.fail(what, "there is no such operation", op.span)
        if rule.operands is not None and len(op.args) != rule.operands:
            self.fail(what, f"it has {len(op.args)} operands, not {rule.operands}", op.span)
        for value in op.args:
            self.use(what, value, op.span)
        if any((v.op, v.index) != (op.id, i) for i, v in enumerate(op.results)):
            self.fail(what, "its results are numbered as its own", op.span)
        if op.attr is not None and op.opcode not in ATTRIBUTED:
            self.fail(what, f"it has no attribute such as {op.attr!r}", op.span)
        if op.unchecked and rule.trap is None:
            self.fail(what, "only an operation that can trap is marked unchecked", op.span)
        complaint = CHECKS[op.opcode](op, self.around)
        if complaint is not None:
            self.fail(what, complaint, op.span)
        for i, value in enumerate(op.results):
            self.scope[op.id, i] = value.type
