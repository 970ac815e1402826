"""From a kernel and its parameter types to a linked IR module, callees included."""

from __future__ import annotations

import ast
import hashlib
import weakref
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import cast

from samebits.errors import CompileError, Span
from samebits.frontend import statements
from samebits.frontend.core import own_index
from samebits.frontend.core.context import Callee, Context, Variable, scalars_of, slots_of
from samebits.frontend.core.joins import Joins
from samebits.frontend.core.kernel_source import source_of
from samebits.frontend.core.source import Source
from samebits.frontend.core.warnings import warn_of_tests
from samebits.ir.analysis.carried import carried
from samebits.ir.grammar import Function, Module, Return, TableData, ValueType
from samebits.ir.once import is_library
from samebits.ir.verify import MAX_LOCALS, terminates
from samebits.lang.executions import executions
from samebits.lang.fingerprint import described
from samebits.lang.jobs import JobKernel
from samebits.lang.kernel import Kernel
from samebits.lang.memory.tables import Table
from samebits.lang.stacks import with_room
from samebits.modes import HIGH
from samebits.types import (
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
    name = f"{kernel.function.__module__}.{kernel.__qualname__}"
    if kernel.function.__closure__:
        names = kernel.function.__code__.co_freevars
        values = "\n".join(f"{n} = {described(kernel.captured.get(n))}" for n in names)
        name += f"{{{hashlib.blake2b(values.encode(), digest_size=4).hexdigest()}}}"
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


def compile_kernel(
    kernel: Kernel, types: tuple[Type, ...], stack: tuple[tuple[Kernel, tuple[Type, ...]], ...] = ()
) -> Unit:
    """The unit of `kernel` at `types`, made once. Raises CompileError."""
    unit = kernel.units.get(types)
    if unit is not None:
        return unit
    if stack:
        return _lowered(kernel, types, stack)
    return with_room(lambda: _lowered(kernel, types, stack))


def _lowered(
    kernel: Kernel, types: tuple[Type, ...], stack: tuple[tuple[Kernel, tuple[Type, ...]], ...]
) -> Unit:
    # Literals are folded in floating point: by the pinned rules, whatever the thread's are.
    with nullcontext() if stack else executions.pinned():
        unit = kernel.units[types] = _Lowering(kernel, types, stack).run()
    return unit


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
        stack: tuple[tuple[Kernel, tuple[Type, ...]], ...],
    ) -> None:
        self.kernel = kernel
        self.types = types
        self.stack = (*stack, (kernel, types))
        self.calls: dict[str, Unit] = {}
        self.checked: dict[Span, str] = {}
        self.bodies = 0
        self.source: Source = source_of(kernel)
        self.joins = Joins()

    def run(self) -> Unit:
        """Attempts to lower it, until no name's type grows any more."""
        while True:
            self.calls, self.checked, self.bodies = {}, {}, 0
            self.joins.begin()
            ctx = self._context()
            _check_results(ctx.result or NONE, self._head_span())
            params = self._declare_parameters(ctx)
            try:
                statements.block(ctx, self.source.node.body)
            except CompileError:
                if not self.joins.grown:
                    raise
            if not self.joins.grown:
                return self._unit(ctx, params)

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
        function = self._function(ctx, name, params, scalars, span)
        function.cold = self.kernel.cold
        warn_of_tests(function)
        parameters = tuple(
            (p.name, t) for p, t in zip(self.kernel.parameters, self.types, strict=True)
        )
        callee = Callee(name, parameters, result, frozenset(ctx.written))
        if isinstance(self.kernel, JobKernel) and self.kernel.own is not None:
            function = self._on_its_own(ctx, function, *self.kernel.own)
        return Unit(function, callee, self.calls, dict(ctx.tables), self.checked, self.joins)

    def _outline(
        self, inner: Context, params: Sequence[tuple[str, ValueType]], index: str, span: Span
    ) -> str:
        """The name of the parallel body that `inner` has lowered, a function from now on."""
        self.bodies += 1
        name = f"{symbol_of(self.kernel, self.types)}.prange{self.bodies}"
        function = self._function(inner, name, tuple(params), (), span)
        function = self._on_its_own(inner, function, index, None)
        self.calls[name] = Unit(function, Callee(name, (), NONE, frozenset()), {}, {})
        return name

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
        return Function(
            name=name,
            params=params,
            results=results,
            slots={n: t for n, t in builder.slots.items() if n not in taken},
            locals=dict(builder.locals),
            body=builder.body,
            span=span,
            options=replace(self.kernel.options, precision=HIGH),
        )

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
        if any(k is kernel for k, _ in self.stack):
            chain = " -> ".join([*(k.__name__ for k, _ in self.stack), kernel.__name__])
            raise CompileError(
                f"'{kernel.__name__}' calls itself",
                span=span,
                note=f"the calls are {chain}",
                fix="write a loop; keep a stack in a local array if you need one",
            )
        unit = compile_kernel(kernel, types, self.stack)
        self.calls[unit.function.name] = unit
        return unit.callee


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
