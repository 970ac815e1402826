"""From a kernel and its parameter types to a linked IR module, callees included."""

from __future__ import annotations

import ast
import hashlib
import weakref
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import NoReturn, cast

from samebits.errors import CompileError, Span
from samebits.frontend import recursion, statements
from samebits.frontend.aliases import overwritten, unseen
from samebits.frontend.core import fixed_outcomes, narrow_sums, own_index
from samebits.frontend.core.context import Callee, Context, Variable, scalars_of, slots_of
from samebits.frontend.core.joins import Joins
from samebits.frontend.core.kernel_source import source_of
from samebits.frontend.core.source import Source
from samebits.frontend.core.warnings import warn, warn_of_tests
from samebits.frontend.operations import run_time_arrays
from samebits.ir.analysis.carried import carried
from samebits.ir.analysis.frames import RECURSION_BYTES, frame_bytes
from samebits.ir.grammar import Function, Module, Return, TableData, ValueType
from samebits.ir.once import callees, is_library
from samebits.ir.verify import MAX_LOCALS, terminates
from samebits.lang.calls.kernel_parameters import GivenKernel
from samebits.lang.executions import executions
from samebits.lang.fingerprint import described
from samebits.lang.jobs import JobKernel
from samebits.lang.kernel import Kernel
from samebits.lang.memory.tables import Table
from samebits.lang.stacks import with_room
from samebits.modes import DEFAULTS, HIGH
from samebits.types import (
    INT,
    NONE,
    ArrayType,
    Kind,
    NoneType,
    RefType,
    ScalarType,
    StructType,
    TupleType,
    Type,
    VectorType,
)


@dataclass(slots=True)
class Unit:
    """One compiled function: its IR, how callers see it, and the units that it calls."""

    function: Function
    callee: Callee
    calls: dict[str, Unit]
    tables: dict[str, Table]
    checked: dict[Span, str] = field(default_factory=dict[Span, str])
    """Accesses of its parallel bodies that have an `own` check, and their array's name."""
    joins: Joins = field(default_factory=Joins)
    deep: Unit | None = None
    """The function with a depth that this one begins, of a recursive kernel."""
    open: set[object] = field(default_factory=set[object])
    """The lowerings under way of kernels that it recurses with."""
    group: object = None
    """What it shares with the kernels that it recurses with, and with no other."""

    @property
    def written(self) -> frozenset[int]:
        """The positions of the parameters whose memory it writes."""
        return frozenset(
            k
            for k, (slot, _) in enumerate(self.function.params)
            if slot in self.callee.written or slot.startswith("return.")
        )


_TARGETS = {"target", "targets", "optional_vars"}
"""The fields of a syntax node that hold assigned names."""
_HOLDERS = (ast.stmt, ast.ExceptHandler, ast.match_case, ast.withitem)
"""Nodes that can hold such fields: expressions of the language assign nothing."""

_ZERO = {Kind.BOOL: False, Kind.SIGNED: 0, Kind.UNSIGNED: 0, Kind.FLOAT: 0.0}

_symbols: weakref.WeakValueDictionary[str, Kernel] = weakref.WeakValueDictionary()


def symbol_of(kernel: Kernel, types: tuple[Type, ...]) -> str:
    """A name for one instance of a kernel; the same in every process.

    Kernels of the user's that share one, as of a source loaded twice, are numbered as they come.
    """
    name = _name_of(kernel)
    if kernel.fixed_types is None:
        bound = kernel.signature.typevars(types)
        name += f"<{', '.join(f'{n.__name__}={t}' for n, t in bound.items())}>"
    elif is_library(name) and "<locals>" in name:
        # The library makes kernels for one type after another: which is compiled first must not
        # give them their names.
        name += f"<{', '.join(map(str, types))}>"
    base, count = name, 1
    while _symbols.setdefault(name, kernel) is not kernel:
        count += 1
        name = f"{base}#{count}"
    return name


def _name_of(kernel: Kernel) -> str:
    """A kernel's name with what it captures of functions around it, and what it is given."""
    name = f"{kernel.function.__module__}.{kernel.__qualname__}"
    if kernel.function.__closure__:
        names = kernel.function.__code__.co_freevars
        values = "\n".join(f"{n} = {described(kernel.captured.get(n))}" for n in names)
        name += f"{{{hashlib.blake2b(values.encode(), digest_size=4).hexdigest()}}}"
    if isinstance(kernel, GivenKernel):
        name += f"<{', '.join(f'{n}={_name_of(g)}' for n, g in kernel.kernels.items())}>"
    return name


def compile_kernel(kernel: Kernel, types: tuple[Type, ...]) -> Unit:
    """The unit of `kernel` at `types`, made once. Raises CompileError."""
    unit = kernel.units.get(types)
    return with_room(lambda: _lowered(kernel, types, (), {})) if unit is None else unit


_Stack = tuple["_Lowering", ...]
_Pending = dict[tuple[Kernel, tuple[Type, ...]], Unit]
"""The units of kernels that recurse with one whose lowering is under way."""


def _lowered(kernel: Kernel, types: tuple[Type, ...], stack: _Stack, pending: _Pending) -> Unit:
    unit = kernel.units.get(types) or pending.get((kernel, types))
    if unit is not None:
        return unit
    kernel.check_given(types)
    before = {*pending}
    # Literals are folded in floating point: by the pinned rules, whatever the thread's are.
    lowering = _Lowering(kernel, types, stack, pending)
    with nullcontext() if stack else executions.pinned():
        unit = lowering.run()
    pending[kernel, types] = unit
    made = {key: part for key, part in pending.items() if key not in before}
    for part in made.values():
        if lowering in part.open:  # whoever recurses with it does so with those that it is open to
            part.open = part.open - {lowering} | unit.open
    if not unit.open:
        for key in made:
            del pending[key]
        if kernel.recursion:
            _check_frames(kernel, unit, [k for k, _ in made])
        for (member, its_types), its_unit in made.items():
            its_unit.open.clear()
            its_unit.group = unit.deep
            member.units[its_types] = its_unit
    return unit


def _check_frames(kernel: Kernel, unit: Unit, group: list[Kernel]) -> None:
    """Refuse a recursion that may not fit the stack."""
    functions = link(unit).functions
    bound = max(member.recursion for member in group)
    frame = max(frame_bytes(f, functions.get) for f in functions.values() if f.recursion)
    if frame * bound > RECURSION_BYTES:
        raise CompileError(
            f"recursion={bound} of '{kernel.__name__}' may not fit the stack",
            span=unit.function.span,
            note=f"a call takes up to {frame:,} bytes, and all inside one another may take "
            f"{RECURSION_BYTES:,}",
            fix=f"write recursion={max(1, RECURSION_BYTES // frame)}, or pass large structs and "
            "arrays as parameters",
        )


def link(unit: Unit) -> Module:
    """The module with `unit` and all that it calls, callees first."""
    module = Module()
    inside = [(unit, iter(unit.calls.values()))]  # units may call one another as deep as they like
    met = {unit.function.name}
    while inside:
        part, calls = inside[-1]
        for callee in calls:
            if callee.function.name not in met:
                met.add(callee.function.name)
                inside.append((callee, iter(callee.calls.values())))
                break
        else:
            inside.pop()
            for name, table in part.tables.items():
                module.tables[name] = _data(table)
            module.functions[part.function.name] = part.function
    return module


_tables: weakref.WeakKeyDictionary[Table, TableData] = weakref.WeakKeyDictionary()


def _data(table: Table) -> TableData:
    found = _tables.get(table)
    if found is None:
        shape = table.raw.shape if table.raw.ndim > 1 else ()
        found = _tables[table] = TableData(table.element, tuple(table.raw.ravel().tolist()), shape)
    return found


class _Lowering:
    """Lowers one function and, on the way, its callees."""

    def __init__(
        self,
        kernel: Kernel,
        types: tuple[Type, ...],
        stack: _Stack,
        pending: _Pending,
    ) -> None:
        self.kernel = kernel
        self.types = types
        self.stack = (*stack, self)
        self.pending = pending
        self.known = {*pending}
        self.open: set[object] = set()
        """Those of the stack that the kernel recurses with."""
        self.deep: Unit | None = None
        self.assumed: frozenset[str] = frozenset()
        """The parameters whose memory a recursive call is taken to write."""
        self.calls: dict[str, Unit] = {}
        self.checked: dict[Span, str] = {}
        self.bodies = 0
        self.source: Source = source_of(kernel)
        self.joins = Joins()
        self.doubts: list[narrow_sums.Doubt] = []

    def run(self) -> Unit:
        """Attempts to lower it, until no name's type grows any more."""
        while True:
            self.calls, self.checked, self.bodies, self.open = {}, {}, 0, set()
            for key in [key for key in self.pending if key not in self.known]:
                del self.pending[key]  # what was lowered with this one's last attempt
            self.joins.begin()
            self.doubts.clear()
            ctx = self._context()
            _check_results(ctx.result or NONE, self._head_span())
            params = self._declare_parameters(ctx)
            if self.kernel.recursion:
                params = self._begin_recursion(ctx, params)
            try:
                statements.block(ctx, self.source.node.body)
            except CompileError as error:
                if not self.joins.grown:
                    raise self.joins.refused or error from None
            if not self.joins.grown:
                if self.joins.refused is not None:
                    raise self.joins.refused
                unit = self._unit(ctx, params)
                self.doubts += overwritten.doubts(ctx.references(), self.source)
                if self.kernel.fixed_types is not None:
                    self.doubts += fixed_outcomes.beyond(ctx.fixed)
                self.doubts += unseen.doubts(ctx.value_parameters(), self.source)
                if self.deep is None or ctx.written <= self.assumed:
                    for warning, span in self.doubts:
                        warn(warning, span)
                    return unit
                self.assumed = frozenset(ctx.written)

    def _context(self) -> Context:
        return Context(
            source=self.source,
            result=self.kernel.signature.result_type(self.types),
            kernel=self.kernel,
            compile_callee=self._callee,
            outline=self._outline,
            typevars=self.kernel.signature.typevars(self.types),
            local_names=_assigned_names(self.source.node),
            calls=len(self.stack),
            is_parallel=isinstance(self.kernel, JobKernel) and self.kernel.form.parallel,
            joins=self.joins,
        )

    def _unit(self, ctx: Context, params: tuple[tuple[str, ValueType], ...]) -> Unit:
        """What the attempt `ctx` has lowered."""
        span = self._head_span()
        result = ctx.result or NONE
        scalars = scalars_of(result)
        if ctx.assigned is not None:
            if ctx.result not in (None, NONE):
                ctx.fail(
                    self.source.node.body[-1],
                    f"'{self.kernel.__name__}' may end without a return",
                    note=f"it is declared to return {ctx.result}",
                    fix="return a value on every path",
                )
            ctx.builder.append(Return((), span))
        elif not terminates(ctx.builder.body):
            # Control can't come here, as after `while True`; IR still ends with a return.
            zeros = [ctx.builder.const(_ZERO[t.kind], t, span) for t in scalars]
            ctx.builder.append(Return(tuple(zeros), span))
        name = symbol_of(self.kernel, self.types)
        if self.deep is not None:
            return self._recursive_unit(ctx, self.deep, name, params)
        function = self._function(ctx, name, params, scalars, span)
        function.cold = self.kernel.cold
        warn_of_tests(function)
        callee = Callee(name, self._typed(), result, frozenset(ctx.written))
        if isinstance(self.kernel, JobKernel) and self.kernel.own is not None:
            function = self._on_its_own(ctx, function, *self.kernel.own)
        if isinstance(self.kernel, JobKernel):
            run_time_arrays.refuse_in_parallel(self._called(function), span)
        return Unit(function, callee, self.calls, dict(ctx.tables), self.checked, self.joins)

    def _begin_recursion(
        self, ctx: Context, params: tuple[tuple[str, ValueType], ...]
    ) -> tuple[tuple[str, ValueType], ...]:
        """The parameters with the depth; what recursive calls know of the kernel."""
        params = (*params, (ctx.builder.slot(recursion.DEPTH, INT), INT))
        name = symbol_of(self.kernel, self.types) + recursion.SUFFIX
        result, span = ctx.result or NONE, self._head_span()
        callee = Callee(name, self._typed(), result, self.assumed, self.kernel.recursion)
        function = Function(name, params, scalars_of(result), {}, {}, [], span)
        self.deep = Unit(function, callee, {}, {})
        return params

    def _recursive_unit(
        self, ctx: Context, deep: Unit, name: str, params: tuple[tuple[str, ValueType], ...]
    ) -> Unit:
        """The function with a depth, complete, and the unit of the one that begins it."""
        span = self._head_span()
        function = self._function(ctx, deep.function.name, params, deep.function.results, span)
        function.recursion = self.kernel.recursion
        warn_of_tests(function)
        deep.function, deep.calls, deep.tables = function, self.calls, dict(ctx.tables)
        begin = recursion.beginning(function, name, span)
        callee = Callee(name, self._typed(), deep.callee.result, frozenset(ctx.written))
        deep.callee = replace(deep.callee, written=callee.written)
        return Unit(
            begin, callee, {function.name: deep}, {}, self.checked, self.joins, deep, self.open
        )

    def _typed(self) -> tuple[tuple[str, Type], ...]:
        """The parameters and their types."""
        return tuple((p.name, t) for p, t in zip(self.kernel.parameters, self.types, strict=True))

    def _outline(
        self, inner: Context, params: Sequence[tuple[str, ValueType]], index: str, span: Span
    ) -> str:
        """The name of the parallel body that `inner` has lowered, a function from now on."""
        self.bodies += 1
        name = f"{symbol_of(self.kernel, self.types)}.prange{self.bodies}"
        function = self._function(inner, name, tuple(params), (), span)
        function = self._on_its_own(inner, function, index, None)
        run_time_arrays.refuse_in_parallel(self._called(function), span)
        self.calls[name] = Unit(function, Callee(name, (), NONE, frozenset()), {}, {})
        return name

    def _called(self, function: Function) -> Iterator[Function]:
        """The functions that a parallel part calls, through others too."""
        for name in callees(function):
            if name in self.calls:
                yield from link(self.calls[name]).functions.values()

    def _function(
        self,
        ctx: Context,
        name: str,
        params: tuple[tuple[str, ValueType], ...],
        results: tuple[ScalarType, ...],
        span: Span,
    ) -> Function:
        """The IR function that `ctx` has lowered."""
        self._check_locals(ctx)
        taken, builder = {name for name, _ in params}, ctx.builder
        function = Function(
            name=name,
            params=params,
            results=results,
            slots={n: t for n, t in builder.slots.items() if n not in taken},
            locals=dict(builder.locals),
            body=builder.body,
            span=span,
            options=replace(self.kernel.options, precision=HIGH, arena=DEFAULTS.arena),
        )
        self.doubts += narrow_sums.doubts(ctx.narrow, function, self.source)
        if self.kernel.fixed_types is not None:  # of a type variable another type has others
            self.doubts += fixed_outcomes.doubts(function, self.source)
        return function

    def _on_its_own(
        self, ctx: Context, function: Function, first: str, count: str | None
    ) -> Function:
        """A parallel body under the own-index rule."""
        roots = {v.name: v.roots for v in ctx.variables.values() if v.roots}
        own = own_index.OwnRange(first, count, roots)
        function, checked = own_index.enforce(
            function, own, lambda symbol: self.calls[symbol].written, frozenset(ctx.exempt)
        )
        self.checked |= checked
        return function

    def _check_locals(self, ctx: Context) -> None:
        builder = ctx.builder
        once = carried(builder.body)
        total = sum(t.size for name, t in builder.locals.items() if name not in once)
        if total <= MAX_LOCALS:
            return
        largest = max(builder.local_spans, key=lambda name: builder.locals[name].size)
        raise CompileError(
            f"the local memory of '{self.kernel.__name__}' does not fit the stack",
            span=builder.local_spans[largest],
            note=f"it takes {total:,} bytes, this its largest part; the most is {MAX_LOCALS:,}",
            fix="pass large structs and arrays as parameters",
        )

    def _head_span(self) -> Span:
        node = self.source.node
        whole = self.source.span(node)
        text = self.source.lines[node.lineno - 1].rstrip()
        return Span(whole.file, whole.function, node.lineno, whole.column, node.lineno, len(text))

    def _declare_parameters(self, ctx: Context) -> tuple[tuple[str, ValueType], ...]:
        params: list[tuple[str, ValueType]] = []
        result = ctx.result
        items = result.items if isinstance(result, TupleType) else (result,)
        for i, t in enumerate(t for t in items if isinstance(t, StructType)):
            slot = ctx.builder.slot(f"return.{i}", RefType(t))
            params.append((slot, RefType(t)))
        for p, t in zip(self.kernel.parameters, self.types, strict=True):
            if not isinstance(t, (ScalarType, VectorType, ArrayType, StructType)):
                raise CompileError(
                    f"parameter '{p.name}' can't be {t}",
                    span=self._head_span(),
                    fix="annotate a scalar, vector, struct or sb.Array[...]",
                )
            memory = isinstance(t, (ArrayType, StructType))
            roots = frozenset({p.name}) if memory else frozenset[str]()
            ctx.declare(Variable(p.name, t, roots=roots, parameter=True))
            ctx.mark_assigned(p.name)
            params += slots_of(p.name, t)
        return tuple(params)

    def _callee(self, kernel: object, types: tuple[Type, ...], span: Span) -> Callee:
        assert isinstance(kernel, Kernel)
        for n, lowering in enumerate(self.stack):
            if lowering.kernel is kernel:
                return self._again(lowering, types, self.stack[n:], span)
        unit = _lowered(kernel, types, self.stack, self.pending)
        if not unit.open:
            self.calls[unit.function.name] = unit
            return unit.callee
        assert unit.deep is not None
        if not self.kernel.recursion:
            self._refuse_recursion([self.kernel], kernel, span)
        self.open |= unit.open - {self}
        self.calls[unit.deep.function.name] = unit.deep
        return unit.deep.callee

    def _again(
        self, lowering: _Lowering, types: tuple[Type, ...], cycle: _Stack, span: Span
    ) -> Callee:
        """A call of a kernel whose lowering is under way, `cycle` from it to this one."""
        unbound = [part.kernel for part in cycle if not part.kernel.recursion]
        if unbound or lowering.deep is None:
            self._refuse_recursion(unbound, lowering.kernel, span)
        if lowering.types != types:
            given, known = (", ".join(map(str, row)) for row in (types, lowering.types))
            raise CompileError(
                f"'{lowering.kernel.__name__}' calls itself with other types",
                span=span,
                note=f"({given}) inside ({known})",
                fix="convert the arguments, or write a kernel for each",
            )
        self.open |= {lowering} - {self}
        self.calls[lowering.deep.function.name] = lowering.deep
        return lowering.deep.callee

    def _refuse_recursion(self, unbound: list[Kernel], kernel: Kernel, span: Span) -> NoReturn:
        chain = " -> ".join([*(part.kernel.__name__ for part in self.stack), kernel.__name__])
        names = " and ".join(f"'{k.__name__}'" for k in dict.fromkeys(unbound))
        raise CompileError(
            f"'{kernel.__name__}' calls itself",
            span=span,
            note=f"the calls are {chain}",
            fix=f"give {names} a bound, @sb.kernel(recursion=64), or write a loop",
        )


def _assigned_names(node: ast.FunctionDef) -> frozenset[str]:
    names = {a.arg for a in node.args.args}
    waiting: list[ast.AST] = [node]
    while waiting:
        inner = waiting.pop()
        for name in inner._fields:
            value = getattr(inner, name, None)
            if name in _TARGETS:
                names.update(_stored(value))
            elif isinstance(value, list):
                holders = cast("list[object]", value)
                waiting += [v for v in holders if isinstance(v, _HOLDERS)]
    return frozenset(names)


def _stored(target: object) -> Iterator[str]:
    """The names that are assigned in a target, or in a list of them."""
    if isinstance(target, list):
        for one in cast("list[object]", target):
            yield from _stored(one)
    elif isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, ast.Tuple | ast.List):
        yield from _stored(target.elts)
    elif isinstance(target, ast.Starred):
        yield from _stored(target.value)


def _check_results(result: Type, span: Span) -> None:
    for t in result.items if isinstance(result, TupleType) else (result,):
        if not isinstance(t, (ScalarType, VectorType, StructType, NoneType)):
            raise CompileError(
                f"a kernel can't return {t}",
                span=span,
                note="a result is a scalar, a vector, a struct, or a tuple of these",
                fix="write into a parameter",
            )
