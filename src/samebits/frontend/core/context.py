"""The state of one function's lowering: its names, what is assigned, and its errors."""

from __future__ import annotations

import ast
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NoReturn, TypeVar

from samebits.errors import CompileError, Span
from samebits.frontend.core.builder import Builder
from samebits.frontend.core.filled import Filling, filled
from samebits.frontend.core.fixed_outcomes import Fixed
from samebits.frontend.core.joins import Joins
from samebits.frontend.core.math_name import named_as_in
from samebits.frontend.core.narrow_sums import NarrowSums
from samebits.frontend.core.operands import MemoryOperand, Operand, Scalar, Tuple, Vector, View
from samebits.frontend.core.source import Source
from samebits.ir.grammar import MAX_NESTING, Region, Value, ValueType
from samebits.lang.constants import unwritten
from samebits.lang.kernel import Kernel
from samebits.lang.memory.tables import Table
from samebits.types import (
    ArrayType,
    FixedArrayType,
    RefType,
    ScalarType,
    StructType,
    TupleType,
    Type,
    VectorType,
)

DISCARD = "_"
"""The name that takes values of any type and keeps none, unless it is a parameter."""


@dataclass(slots=True)
class Variable:
    """A Python name. `local` is the memory that it owns; `roots` where a reference may lead."""

    name: str
    type: Type
    local: str | None = None
    roots: frozenset[str] = frozenset()
    readonly: bool = False
    parameter: bool = False
    counts: bool = False
    """Whether a loop counts it, or draws it from what it runs over."""


@dataclass(slots=True)
class LoopArrays:
    """What a loop that is being lowered makes of arrays and structs."""

    before: frozenset[str] | None
    """The names certainly assigned where an iteration begins."""
    made: set[str] = field(default_factory=set[str])
    """The names of the arrays that it makes."""
    owned: set[str] = field(default_factory=set[str])
    """The names whose own memory gets new objects in it: structs, and arrays of constant sizes."""
    allocates: bool = False
    keeps: bool = False
    """Whether a later iteration may use what an earlier one has made."""


@dataclass(frozen=True, slots=True)
class Callee:
    """A compiled kernel as its callers see it. `written` are parameters whose memory it writes."""

    symbol: str
    parameters: tuple[tuple[str, Type], ...]
    result: Type
    written: frozenset[str]
    depth: int = 0
    """How many calls may be inside one another, of a kernel that recurses with the caller: its last
    parameter is then how many are. 0 of any other."""


@dataclass(slots=True)
class Context:
    """The state of one function's lowering."""

    source: Source
    result: Type | None
    kernel: Kernel
    compile_callee: Callable[[object, tuple[Type, ...], Span], Callee]
    outline: Callable[[Context, Sequence[tuple[str, ValueType]], str, Span], str]
    """Makes a function of a parallel body, with these parameters and the slot of its own index;
    the function's name."""
    typevars: Mapping[TypeVar, Type]
    builder: Builder = field(default_factory=Builder)
    joins: Joins = field(default_factory=Joins)
    narrow: NarrowSums = field(default_factory=NarrowSums)
    fixed: list[Fixed] = field(default_factory=list[Fixed])
    """Comparisons of which no operation is made."""
    variables: dict[str, Variable] = field(default_factory=dict[str, Variable])
    assigned: frozenset[str] | None = frozenset()
    """Names certainly assigned here; None in unreachable code."""
    breaks: list[list[frozenset[str]]] = field(default_factory=list[list[frozenset[str]]])
    wanted: list[bool] = field(default_factory=list[bool])
    """For each enclosing loop, whether it must be vectorised."""
    loops: list[LoopArrays] = field(default_factory=list[LoopArrays])
    """The enclosing loops."""
    written: set[str] = field(default_factory=set[str])
    local_names: frozenset[str] = frozenset()
    """Every name that the function assigns, parameters included."""
    first_use: dict[str, ast.Name] = field(default_factory=dict[str, ast.Name])
    types: dict[ast.expr, Type] = field(default_factory=dict[ast.expr, Type])
    """The types of the expressions that are lowered, for advice."""
    tables: dict[str, Table] = field(default_factory=dict[str, Table])
    calls: int = 1
    """Depth of nested lowerings of kernels, this one included."""
    is_parallel: bool = False
    """Whether it is the body of a parallel range."""
    private: set[str] = field(default_factory=set[str])
    """Names that bodies of parallel ranges assign."""
    exempt: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])
    """References, by op and index, to which the own-index rule does not apply."""

    def span(self, node: ast.AST) -> Span:
        return self.source.span(node)

    def fail(
        self, node: ast.AST, message: str, *, note: str | None = None, fix: str | None = None
    ) -> NoReturn:
        """Raise a CompileError at `node`."""
        raise self._error(node, message, note, fix)

    def fail_unless_grown(
        self, node: ast.AST, message: str, *, note: str | None = None, fix: str | None = None
    ) -> None:
        """Raise a CompileError at `node` once all is lowered, if by then no name's type grows."""
        if self.joins.refused is None:
            self.joins.refused = self._error(node, message, note, fix)

    def _error(
        self, node: ast.AST, message: str, note: str | None, fix: str | None
    ) -> CompileError:
        if fix is not None:
            fix = named_as_in(self.kernel.function.__globals__, fix, self.source.node)
        return CompileError(message, span=self.span(node), note=note, fix=fix)

    def text(self, node: ast.AST) -> str:
        return self.source.text(node)

    def filled(self, text: str, at: ast.AST | None = None, **parts: Filling) -> str:
        """Advice with its places `{name}` filled; its code stands in place of `at`, if given."""
        return filled(text, parts, at=at, within=self.source.node)

    def are_integers(self, *nodes: ast.expr) -> bool:
        """Whether expressions, which have been lowered, are integers."""
        return all(_is_integer(self.types.get(node)) for node in nodes)

    @contextmanager
    def region(self, node: ast.AST) -> Generator[Region]:
        """Statements made inside go to the yielded region; refuses to nest deeper than IR may."""
        if self.builder.depth >= MAX_NESTING:
            self.fail(
                node,
                f"this is nested more than {MAX_NESTING} deep",
                note="each if, elif, else, loop, ternary, `and` and `or` inside another counts",
                fix="move the inner part into a kernel of its own, or use a table",
            )
        with self.builder.nested() as region:
            yield region

    def call(self, kernel: Kernel, args: tuple[Value, ...], span: Span) -> tuple[Value, ...]:
        """The results of a library kernel that takes and returns scalars."""
        types = tuple(value.type for value in args if isinstance(value.type, ScalarType))
        callee = self.compile_callee(kernel, types, span)
        return self.builder.op("call", args, scalars_of(callee.result), span, callee.symbol)

    # Names -------------------------------------------------------------------------------

    def read(
        self, name: str, node: ast.AST
    ) -> Scalar | Vector | Tuple | View | MemoryOperand | None:
        """The value of a local name; None if the function has no such name."""
        variable = self.variables.get(name)
        if variable is None and name not in self.local_names:
            return None
        if variable is None and name == DISCARD:
            self.fail(
                node,
                f"'{DISCARD}' takes what nobody reads, and keeps nothing",
                fix="give the value a name",
            )
        if variable is None and name not in self.first_use and self._is_global(name):
            self.fail(
                node,
                f"'{name}' is assigned in this kernel, so that it is a name of its own here, which "
                "has no value yet",
                note="it is in any Python function: what is outside has the same name, and is not "
                "meant",
                fix=f"give what is assigned another name than '{name}'",
            )
        if variable is None or (self.assigned is not None and name not in self.assigned):
            private = name in self.private
            self.fail(
                node,
                f"'{name}' may be unassigned here",
                note="it belongs to each iteration of a parallel range, and is gone after it"
                if private
                else "it is assigned on some of the paths that lead here, not on all",
                fix="keep it in an array, written at the iteration's own index"
                if private
                else f"assign '{name}' before the branch or loop",
            )
        span = self.span(node)
        match variable.type:
            case ScalarType() | VectorType() | TupleType() as t:
                return self._held(name, t, span)
            case ArrayType() as t:
                return View(self.builder.get(name, span), t, variable.roots)
            case StructType() | FixedArrayType() as t:
                if variable.local is not None:
                    ref = self.builder.local_ref(variable.local, span)
                else:
                    ref = self.builder.get(name, span)
                return MemoryOperand(ref, t, variable.roots, variable.readonly)
            case _:
                raise AssertionError(variable.type)

    def _held(
        self, name: str, t: ScalarType | VectorType | TupleType, span: Span
    ) -> Scalar | Vector | Tuple:
        """What the slots of a name hold: a number, a vector, or a tuple of these."""
        match t:
            case ScalarType():
                return Scalar(self.builder.get(name, span), t)
            case VectorType():
                slots = component_slots(name, t)
                return Vector(tuple(self.builder.get(slot, span) for slot in slots), t)
            case TupleType():
                parts = (
                    self._held(item_slot(name, k), held_type(item), span)
                    for k, item in enumerate(t.items)
                )
                return Tuple(tuple(parts))

    def _is_global(self, name: str) -> bool:
        """Whether the module has something of this name."""
        return name in self.kernel.function.__globals__

    def declare(self, variable: Variable) -> None:
        """Make the slots or the memory of a new name."""
        self.variables[variable.name] = variable
        if variable.local is not None:
            assert isinstance(variable.type, StructType | FixedArrayType)
            self.builder.locals[variable.local] = variable.type
        else:
            self.builder.slots.update(slots_of(variable.name, variable.type))

    def references(self) -> set[str]:
        """The names that refer to structs and arrays in memory which they do not own."""
        return {
            v.name
            for v in self.variables.values()
            if isinstance(v.type, StructType | FixedArrayType)
            and v.local is None
            and not v.parameter
        }

    def value_parameters(self) -> list[str]:
        """The parameters that are numbers and vectors."""
        return [
            v.name
            for v in self.variables.values()
            if v.parameter and isinstance(v.type, ScalarType | VectorType)
        ]

    def mark_assigned(self, name: str) -> None:
        if self.assigned is not None:
            self.assigned = self.assigned | {name}

    def is_outer(self, place: MemoryOperand | View) -> bool:
        """Whether it is memory of a constant from outside the kernel."""
        readonly = place.readonly if isinstance(place, MemoryOperand) else place.type.readonly
        return readonly and not any(root in self.variables for root in place.roots)

    def mark_written(self, place: MemoryOperand | View, node: ast.AST) -> None:
        """Note a store through `place`; refuse one into read-only memory."""
        readonly = place.readonly if isinstance(place, MemoryOperand) else place.type.readonly
        where = ", ".join(sorted(place.roots)) or "it"
        outer = sorted(root for root in place.roots if root not in self.variables)
        if readonly and outer:
            where = ", ".join(outer)
        if readonly and (outer or self.is_outer(place)):
            is_struct = isinstance(place, MemoryOperand) and isinstance(place.type, StructType)
            message, note, fix = unwritten(where, is_struct)
            self.fail(node, message, note=note, fix=fix)
        if readonly:
            self.fail(
                node,
                f"'{where}' is read-only here",
                note="the parameter is annotated sb.ReadOnly",
                fix="annotate it sb.Array[...], or write to another array",
            )
        for root in sorted(place.roots & self._struct_defaults()):
            self.fail(
                node,
                f"'{root}' has a struct as its default, and is written",
                note="in Python the next call without it would begin with what this one leaves",
                fix=f"write to a copy, as in `own = {root}.copy()`, or take the default away",
            )
        self.written |= place.roots

    def _struct_defaults(self) -> frozenset[str]:
        """The parameters that have structs as defaults."""
        return frozenset(
            p.name
            for p in self.kernel.parameters
            if isinstance(getattr(p.default, "__sb_type__", None), StructType)
        )


def _is_integer(t: Type | None) -> bool:
    return isinstance(t, ScalarType) and t.is_int


def component_slots(name: str, t: VectorType) -> tuple[str, ...]:
    """The slots that hold the components of the vector `name`."""
    return tuple(f"{name}.{path}" for path in t.components)


def item_slot(name: str, k: int) -> str:
    """The slot, or the beginning of the slots, of item `k` of the tuple `name`."""
    return f"{name}.{k}"


def held_type(t: Type) -> ScalarType | VectorType | TupleType:
    """The type of an item of a tuple that has a name."""
    assert isinstance(t, ScalarType | VectorType | TupleType)
    return t


def slots_of(name: str, t: Type) -> tuple[tuple[str, ValueType], ...]:
    """The slots of a variable that owns no memory, and what each holds."""
    match t:
        case ScalarType():
            return ((name, t.storage),)
        case VectorType():
            return tuple((slot, t.element.storage) for slot in component_slots(name, t))
        case TupleType():
            parts = (slots_of(item_slot(name, k), item) for k, item in enumerate(t.items))
            return tuple(slot for part in parts for slot in part)
        case ArrayType():
            return ((name, t),)
        case StructType() | FixedArrayType():
            return ((name, RefType(t)),)
        case _:
            raise AssertionError(t)


def scalars_of(result: Type) -> tuple[ScalarType, ...]:
    """The scalars that IR returns for a result: all but its structs."""
    scalars: list[ScalarType] = []
    for t in result.items if isinstance(result, TupleType) else (result,):
        if isinstance(t, VectorType):
            scalars += [t.element.storage] * t.length
        elif isinstance(t, ScalarType):
            scalars.append(t.storage)
    return tuple(scalars)


def merge(a: frozenset[str] | None, b: frozenset[str] | None) -> frozenset[str] | None:
    """The names assigned on both of two paths."""
    if a is None or b is None:
        return b if a is None else a
    return a & b


def values_of(operand: Scalar | Vector | Tuple | View | MemoryOperand) -> tuple[Value, ...]:
    """The IR values that make up a scalar, vector, tuple or reference."""
    if isinstance(operand, Tuple):
        parts = (values_of(part_of_name(item)) for item in operand.items)
        return tuple(value for part in parts for value in part)
    return operand.items if isinstance(operand, Vector) else (operand.value,)


def part_of_name(item: Operand) -> Scalar | Vector | Tuple:
    """An item of a tuple that has a name."""
    assert isinstance(item, Scalar | Vector | Tuple)
    return item


def of_values(items: tuple[Value, ...], t: ScalarType | VectorType) -> Scalar | Vector:
    """The scalar or vector of type `t` that IR values make up."""
    return Vector(items, t) if isinstance(t, VectorType) else Scalar(items[0], t)


def element_of(t: ScalarType | VectorType) -> ScalarType:
    """The type of a vector's components; a scalar itself."""
    return t.element if isinstance(t, VectorType) else t


def element_type(operand: Operand) -> Type:
    """The type of a vector's components; that of anything else."""
    return operand.type.element if isinstance(operand, Vector) else operand.type
