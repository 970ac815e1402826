"""Values of a function that wait until the C expression in which they are used is written.

Owns what may wait, and what gets a name of its own because something changes what it reads.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from samebits.errors import Span
from samebits.export.plain_c.c_types import CTypes, Names, scalar_name
from samebits.export.plain_c.expressions import PRIMARY, Expr, Flat, joined
from samebits.export.plain_c.uses import Key, uses_of
from samebits.export.plain_c.widths import Widths
from samebits.ir.grammar import For, Function, Op, Value, ValueType, walk
from samebits.types import RefType, ScalarType

INDENT = "    "


@dataclass(frozen=True)
class Step:
    """What gives a float of some type to a slot, to memory, to a callee or to a caller, and where
    it stands."""

    type: ScalarType
    span: Span


@dataclass(frozen=True)
class Unit:
    """What the functions of one program share: types, their own names in C, and how a call of one
    begins."""

    types: CTypes
    functions: Mapping[str, Function]
    names: Mapping[str, str]
    tables: Mapping[str, str]
    writers: Collection[str]
    """Functions that write memory."""
    widths: Callable[[str], Widths]
    """What of a function's floats has the other width, by its name in IR."""
    c_math: Mapping[str, str]
    """How functions of C's library are called in place of others, with places for arguments."""
    within_loops: bool
    """Whether steps within loops are logged; else what they leave behind the loop is."""
    returns: bool
    """Whether what functions are given and return is logged too."""
    steps: list[Step] | None
    """What gives floats to slots and memory, in the order in which it is written; what it gives is
    logged. None where nothing is."""
    flat: bool
    """Whether components of vectors in arrays are reached as elements of an array of floats."""
    cleared: bool
    """Whether a function's own arrays and structs are cleared where they are declared."""
    called: Callable[[str], str]
    """The callee's text in a call, by a function's name in IR."""

    def results(self, function: Function) -> str:
        """The type that a function returns."""
        return self.types.results(function.results, self.widths(function.name))


@dataclass
class Waiting:
    """The lines of one function so far, and the values that none of them has yet."""

    unit: Unit
    function: Function
    lines: list[str] = field(default_factory=list[str])
    depth: int = 1
    loops: int = 0
    """Loops around what is written now."""
    _pending: dict[Key, Expr] = field(default_factory=dict[Key, Expr])
    _types: dict[Key, ValueType] = field(default_factory=dict[Key, ValueType])

    def __post_init__(self) -> None:
        function = self.function
        self.widths = self.unit.widths(function.name)
        self.names = Names(set(self.unit.types.names.taken))
        self.slots = {
            n: self.names.fresh(n) for n, _ in (*function.params, *function.slots.items())
        }
        self.locals = {name: self.names.fresh(name) for name in function.locals}
        self.uses, self.nested = uses_of(function.body)
        sets = (s for s in walk(function.body) if isinstance(s, Op) and s.opcode == "set")
        self.changed = {str(op.attr) for op in sets}
        self.changed |= {s.slot for s in walk(function.body) if isinstance(s, For)}

    def take(self, value: Value) -> Expr:
        """The expression of a value that is used here."""
        key = value.op, value.index
        expr = self._pending[key]
        self.uses[key] -= 1
        if not self.uses[key]:
            del self._pending[key]
        return expr

    def define(self, value: Value, expr: Expr) -> None:
        """Keep a value until it is used."""
        key = value.op, value.index
        if not self.uses[key]:
            return
        self._pending[key], self._types[key] = expr, value.type
        is_stable = expr.cheap and not expr.reads and not expr.slots & self.changed
        if (self.nested[key] and not is_stable) or (self.uses[key] > 1 and not expr.cheap):
            self.name_it(key)

    def name_it(self, key: Key) -> None:
        """Give a value that waits a name of its own."""
        expr, t = self._pending[key], self._types[key]
        if expr.is_literal:
            return
        name = self.names.fresh("t")
        if isinstance(t, RefType) and expr.flat is not None:
            first = expr.flat
            self.emit(f"{first.type} *{name} = &{first.array}[{first.index}];")
            pointer = f"(({self.unit.types.declared(t, '')}){name})"
            flat = Flat(first.type, name, "0")
            self._pending[key] = Expr(f"(*{pointer})", cheap=True, pointer=pointer, flat=flat)
        elif isinstance(t, RefType):
            self.emit(f"{self.unit.types.declared(t, name)} = {expr.address};")
            self._pending[key] = Expr(f"(*{name})", cheap=True, pointer=name)
        else:
            constant = "const " if isinstance(t, ScalarType) else ""
            declared = self.unit.types.variable(t, name, self.widths)
            self.emit(f"{constant}{declared} = {expr.text};")
            self._pending[key] = Expr(name, cheap=True)

    def before(self, slots: Collection[str] = (), *, writes: bool = False) -> None:
        """Name what waits and would be changed by what follows."""
        for key, expr in list(self._pending.items()):
            if expr.acts or (writes and expr.reads) or any(slot in slots for slot in expr.slots):
                self.name_it(key)

    def log(self, value: Value, span: Span, given: str) -> None:
        """Log a float that a statement has given to a slot, to memory or to a caller, a place in C,
        if somebody asks."""
        steps, t = self.unit.steps, value.type
        if self.loops and not self.unit.within_loops:
            return
        if steps is not None and isinstance(t, ScalarType) and t.is_float:
            self.emit(f"LOG_STEP({len(steps)}, {scalar_name(t)}, {given});")
            steps.append(Step(t, span))

    def logged(self, value: Value, expr: Expr, span: Span) -> Expr:
        """A float that is computed for a callee, once it is logged, where returns are: else what
        the callee returns looks like its own doing."""
        given = isinstance(value.type, ScalarType) and value.type.is_float
        named = expr.cheap and not expr.is_literal
        logs = self.unit.returns and self.unit.steps is not None
        if not (given and logs) or named or (self.loops and not self.unit.within_loops):
            return expr
        name = self.names.fresh("given")
        self.emit(f"__auto_type {name} = {expr.text};")
        self.log(value, span, name)
        return Expr(name, cheap=True)

    def emit(self, text: str) -> None:
        self.lines.append(f"{INDENT * self.depth}{text}")

    def is_live(self, op: Op) -> bool:
        """Whether a result is used."""
        return any(self.uses[result.op, result.index] for result in op.results)

    def place(self, op: Op, text: str, parts: Sequence[Expr], flat: Flat | None = None) -> None:
        """Define a place, which may be written several times if its indices are simple."""
        expr, cheap = joined(text, PRIMARY, parts), all(part.cheap for part in parts)
        self.define(op.result, replace(expr, cheap=cheap, flat=flat))
