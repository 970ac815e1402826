"""The managed run: the kernel's own source in CPython, over the language's values.

The function is compiled by CPython from its own syntax tree, with three changes that plain
Python can't express: literal ints trap outside int64, what it captures is frozen as for the
compiler, and a returned literal takes the declared type. Positions stay those of the source.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Mapping
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from types import FunctionType, ModuleType, TracebackType
from typing import Any, TypeVar, cast

import numpy as np

from samebits.errors import Span, Trap
from samebits.frontend.compile import compile_kernel
from samebits.frontend.core.kernel_source import source_of
from samebits.frontend.core.operands import Literal
from samebits.frontend.core.source import Source, blank, syntax, too_deep
from samebits.frontend.operations import operators
from samebits.lang.annotations import class_of_type
from samebits.lang.arguments import naming, unwrap, wrap
from samebits.lang.dispatch import types_for
from samebits.lang.executions import executions
from samebits.lang.jobs import JobKernel
from samebits.lang.kernel import Kernel
from samebits.lang.overloads import Overloads
from samebits.lang.parallel import own_index, prange
from samebits.lang.values.flushing import flushed, flushed_weak
from samebits.lang.values.scalars import SCALAR_CLASSES
from samebits.lang.values.storage import implicit, implicit_vector
from samebits.lang.values.thread_state import flushing, managed_run, running
from samebits.lang.values.weak import Int
from samebits.managed import overloads as managed_overloads
from samebits.types import (
    INT,
    INT64,
    ScalarType,
    Type,
    VectorType,
)

_SOURCE = "__sb_source"
"""The global name of a managed function's Source. Code objects of different files may be equal."""


def _range(*bounds: Any) -> Any:
    return map(Int, range(*(bound.__index__() for bound in bounds)))


def _len(array: Any) -> Int:
    return Int(len(array))


def _int(value: Any) -> Int:
    return Int(value.__index__())


def _assert(condition: bool, message: str | None = None) -> None:
    if not condition:
        raise Trap("assert", detail=message)


_BUILTINS: dict[object, object] = {builtins.range: _range, builtins.len: _len, builtins.int: _int}


class _Rewrite(ast.NodeTransformer):
    """Puts checked ints for literals, frozen objects for outer names, calls for `assert`."""

    def __init__(
        self,
        kernel: Kernel,
        typevars: Mapping[TypeVar, Type],
        local: set[str],
        accesses: Mapping[Span, str],
        source: Source,
    ) -> None:
        self.kernel = kernel
        self.accesses = accesses
        self.source = source
        self.turn: str | None = None
        """The loop variable of the parallel range that is being rewritten, or a job's index."""
        self.count: str | None = None
        """The name of how many indices are the turn's own; None for one."""
        self.typevars = typevars
        self.local = local
        self.names: dict[str, object] = {
            "__sb_assert": _assert,
            "__sb_flushed": flushed_weak,
            "__sb_own": own_index,
        }
        self.flush = flushes(kernel)
        self.functions: dict[Overloads, Callable[..., Any]] = {}
        """The math functions that it calls, at its precision."""

    def _named(self, node: ast.AST, value: object) -> ast.expr:
        name = next((name for name, known in self.names.items() if known is value), "")
        if not name:
            name = f"__sb_{len(self.names)}"
            self.names[name] = value
        return ast.copy_location(ast.Name(name, ast.Load()), node)

    def value(self, node: ast.AST, value: object) -> ast.expr:
        """An expression for a captured object; numbers stay constants, to be folded."""
        if isinstance(value, TypeVar):
            t = self.typevars.get(value)
            if t is not None:
                return self._named(node, class_of_type(t))
        if type(value) is int or type(value) is float:
            return ast.copy_location(ast.Constant(value), node)
        return self._named(node, self.frozen(value))

    def frozen(self, value: object) -> object:
        """A captured object as the managed run sees it."""
        if isinstance(value, Overloads):
            return self.functions.setdefault(
                value, partial(call_math, value, self.kernel.precision)
            )
        with suppress(TypeError):  # of what has no hash, such as a vector
            value = _BUILTINS.get(value, value)
        return flushed(value) if self.flush else value

    def outer(self, node: ast.expr) -> tuple[bool, object]:
        """Whether `node` is an outer name or an attribute of an outer module, and its value."""
        if isinstance(node, ast.Name) and node.id not in self.local:
            try:
                return True, self.kernel.lookup(node.id)
            except LookupError:
                return False, None
        if isinstance(node, ast.Attribute):
            found, base = self.outer(node.value)
            if found and (isinstance(base, ModuleType) or hasattr(base, "__samebits_namespace__")):
                return True, self.kernel.attribute(base, node.attr)
        return False, None

    def finish(self, node: ast.expr) -> ast.expr:
        """A folded subtree in its final form: ints become checked ones."""
        value = node.value if isinstance(node, ast.Constant) else None
        if type(value) is int and INT64.minimum <= value <= INT64.maximum:
            return self._named_int(node, value)
        if self.flush:
            if type(value) is float:
                return ast.copy_location(ast.Constant(flushed(value)), node)
            if isinstance(node, ast.BinOp):  # of Python's own floats, which nobody else flushes
                return self._call("__sb_flushed", node, node)
        return node

    def _call(self, name: str, at: ast.AST, *arguments: ast.expr) -> ast.Call:
        function = ast.copy_location(ast.Name(name, ast.Load()), at)
        return ast.copy_location(ast.Call(function, [*arguments], []), at)

    def _named_int(self, node: ast.AST, value: int) -> ast.expr:
        name = f"__sb_int_{value}".replace("-", "m")
        self.names[name] = Int(value)
        return ast.copy_location(ast.Name(name, ast.Load()), node)

    def fold(self, node: ast.expr) -> ast.expr:
        """Literals folded as the front end folds them; other parts rewritten."""
        found, value = self.outer(node)
        if found:
            return self.value(node, value)
        match node:
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() | ast.Invert()):
                operand = self.fold(node.operand)
                number = _number(operand)
                if number is not None:
                    folded = operators.fold_unary(node.op, number)
                    if folded is not None:
                        return ast.copy_location(ast.Constant(folded.value), node)
                node.operand = self.finish(operand)
                return node
            case ast.BinOp():
                left, right = self.fold(node.left), self.fold(node.right)
                a, b = _number(left), _number(right)
                row = operators.BINARY.get(type(node.op))
                if a is not None and b is not None and row is not None:
                    folded = operators.fold(row, a, b)
                    if folded is not None:
                        return ast.copy_location(ast.Constant(folded.value), node)
                node.left, node.right = self.finish(left), self.finish(right)
                return node
            case ast.Compare(ops=[op], comparators=[right]):
                left, right = self.fold(node.left), self.fold(right)
                a, b = _number(left), _number(right)
                row = operators.COMPARE.get(type(op))
                if a is not None and b is not None and row is not None:
                    return ast.copy_location(ast.Constant(row[2](a.value, b.value)), node)
                node.left, node.comparators = self.finish(left), [self.finish(right)]
                return node
            case ast.Constant():
                return node
            case _:
                return cast("ast.expr", self.generic_visit(node))

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.expr) and not isinstance(getattr(node, "ctx", None), ast.Store):
            return self.finish(self.fold(node))
        return super().visit(node)

    def visit_For(self, node: ast.For) -> ast.stmt:
        outer = self.turn
        if self.turn is None and _is_prange(self, node) and isinstance(node.target, ast.Name):
            self.turn = node.target.id
        self.generic_visit(node)
        self.turn = outer
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        name = self.accesses.get(self.source.span(node)) if self.accesses else None
        super().generic_visit(node)
        if name is not None and self.turn is not None and isinstance(node, ast.Subscript):
            turn = ast.Name(self.turn, ast.Load())
            count = ast.Name(self.count, ast.Load()) if self.count else ast.Constant(1)
            arguments = [_copy(node.value), node.slice, turn, count, ast.Constant(name)]
            call = ast.Call(ast.Name("__sb_own", ast.Load()), arguments, [])
            node.slice = ast.copy_location(call, node)
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        arguments = [self.visit(node.test)]
        if node.msg is not None:
            arguments.append(node.msg)
        return ast.copy_location(ast.Expr(self._call("__sb_assert", node, *arguments)), node)

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        if node.value is not None:
            node.value = self._call("__sb_return", node, self.visit(node.value))
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        if not self.flush or not isinstance(node.target, ast.Name):
            return self.generic_visit(node)
        read = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
        value = ast.copy_location(ast.BinOp(read, node.op, self.visit(node.value)), node)
        return ast.copy_location(ast.Assign([node.target], self.finish(value)), node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        return ast.copy_location(ast.Assign([node.target], self.visit(node.value)), node)

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        if isinstance(node.value, ast.Constant):
            return node
        node.value = self.visit(node.value)
        return node


def flushes(kernel: Kernel) -> bool:
    """Whether the kernel's own operations flush subnormal numbers."""
    return kernel.options.denormals == "flush"


def _is_prange(rewrite: _Rewrite, node: ast.For) -> bool:
    return isinstance(node.iter, ast.Call) and rewrite.outer(node.iter.func)[1] is prange


def _number(node: ast.expr) -> Literal | None:
    value = node.value if isinstance(node, ast.Constant) else None
    return Literal(value) if type(value) is int or type(value) is float else None


@dataclass(slots=True)
class _Managed:
    """One instance of a kernel for the managed run."""

    function: Callable[..., Any]
    types: tuple[Type, ...]
    takes: tuple[Callable[[Any], Any], ...]
    flush: bool

    def run(self, *values: Any) -> Any:
        """Call it with values of its parameters' types, from whatever kernel runs."""
        if running.flush or self.flush:
            return self._switched(values)
        return self.function(*values)

    def _switched(self, values: tuple[Any, ...]) -> Any:
        """A call into or out of a kernel that flushes: what passes the border is flushed."""
        with flushing(self.flush):
            result = self.function(*(flushed(values) if self.flush else values))
        return flushed(result) if running.flush else result


def _taker(t: Type, name: str) -> Callable[[Any], Any]:
    """Converts an argument of a call between kernels, as the compiler converts it."""
    place = f"parameter '{name}'"
    match t:
        case ScalarType():
            cls = SCALAR_CLASSES.get(t, {INT: Int}.get(t, float if t.is_float else bool))
            return lambda v: v if type(v) is cls else implicit(v, t, place)
        case VectorType():
            return lambda v: implicit_vector(v, t, place)
        case _:
            return lambda v: wrap(v, t, name)


def instance(kernel: Kernel, types: tuple[Type, ...]) -> _Managed:
    """The managed function of `kernel` at `types`, made once."""
    found = kernel.managed_functions.get(types)
    if found is None:
        found = kernel.managed_functions[types] = _build(kernel, types)
    return found


def _runner(kernel: Kernel, types: tuple[Type, ...]) -> Callable[..., Any]:
    return instance(kernel, types).run


call_math = partial(managed_overloads.call, _runner)
"""A call of a math function inside a managed run: the function, the precision, its arguments."""


def _build(kernel: Kernel, types: tuple[Type, ...]) -> _Managed:
    try:
        return _built(kernel, types)
    except RecursionError:
        source = source_of(kernel)
        raise too_deep(source.span(source.node)) from None


def _copy(node: ast.AST) -> Any:
    """A copy of a syntax tree, with few of Python's frames for each level."""
    result = blank(node)
    for name, value in vars(node).items():
        if isinstance(value, ast.AST):
            value = _copy(value)
        elif isinstance(value, list):
            parts: list[object] = []
            for part in cast("list[object]", value):
                parts.append(_copy(part) if isinstance(part, ast.AST) else part)
            value = parts
        setattr(result, name, value)
    return result


def _built(kernel: Kernel, types: tuple[Type, ...]) -> _Managed:
    source = source_of(kernel)
    node = _copy(source.node)
    local = {a.arg for a in node.args.args}
    local |= {
        n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    rewrite = _Rewrite(kernel, kernel.typevars(types), local, {}, source)
    if any(isinstance(n, ast.For) and _is_prange(rewrite, n) for n in ast.walk(node)):
        rewrite.accesses = compile_kernel(kernel, types).checked
    if isinstance(kernel, JobKernel) and kernel.own is not None:
        rewrite.accesses = compile_kernel(kernel, types).checked
        rewrite.turn, rewrite.count = kernel.own
    node.body = [rewrite.visit(statement) for statement in node.body]
    node.decorator_list = []
    node.returns = None
    node.args.defaults = []
    for argument in node.args.args:
        argument.annotation = None
    tree = ast.fix_missing_locations(ast.Module([node], []))
    scope: dict[str, Any] = {**rewrite.names, _SOURCE: source}
    result = kernel.result_type(types)

    def returned(value: Any) -> Any:
        return value if result is None else unwrap(value, result, "the result")

    scope["__sb_return"] = returned
    with syntax():
        code = compile(tree, source.file, "exec", dont_inherit=True)
    exec(code, scope)
    function = scope[node.name]
    assert isinstance(function, FunctionType)
    takes = tuple(_taker(t, p.name) for p, t in zip(kernel.parameters, types, strict=True))
    return _Managed(function, types, takes, flushes(kernel))


def call(kernel: Kernel, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """A managed run from Python: arguments are checked and wrapped, traps get their span."""
    # What NumPy says of errors is of a context, and of a copy no trace is left, whatever raises.
    return copy_context().run(_call, kernel, args, kwargs)


def _call(kernel: Kernel, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    bound = kernel.bind(args, kwargs)
    types = types_for(kernel, bound)
    with executions.pinned(), managed_run(), np.errstate(all="ignore"):
        target = instance(kernel, types)
        with naming(kernel.__name__):
            values = [
                wrap(value, t, p.name)
                for value, t, p in zip(bound, types, kernel.parameters, strict=True)
            ]
        try:
            return _for_python(target.run(*values))
        except Trap as trap:
            raise _located(trap, trap.__traceback__) from None
        except ZeroDivisionError as error:
            raise _located(Trap("zero"), error.__traceback__) from None


def _for_python(result: Any) -> Any:
    """A result as a compiled call gives it: weak ints are Python's own."""
    if type(result) is Int:
        return int(result)
    if type(result) is tuple:
        return tuple([_for_python(item) for item in cast("tuple[Any, ...]", result)])
    return result


def call_inner(kernel: Kernel, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """A call from one kernel to another inside a managed run."""
    bound = kernel.bind(args, kwargs)
    types = kernel.fixed_types
    target = instance(kernel, types if types is not None else types_for(kernel, bound))
    return target.run(*[take(v) for take, v in zip(target.takes, bound, strict=True)])


def _located(trap: Trap, traceback: TracebackType | None) -> Trap:
    """The trap with the span of the innermost kernel operation on the traceback."""
    if trap.span is not None:
        return trap
    span: Span | None = None
    while traceback is not None:
        source = traceback.tb_frame.f_globals.get(_SOURCE)
        if source is not None:
            span = _position(source, traceback)
        traceback = traceback.tb_next
    return trap.at(span)


def _position(source: Source, traceback: TracebackType) -> Span:
    positions = list(traceback.tb_frame.f_code.co_positions())
    line, end_line, column, end_column = positions[traceback.tb_lasti // 2]
    line = line or source.node.lineno
    place = (line, column or 0, end_line or line, end_column or 0)
    return source.span(_moved(source).get(place) or _at(place))


_Place = tuple[int, int, int, int]
"""Where a piece of source starts and ends: line and UTF-8 column, twice."""


def _at(place: _Place) -> ast.AST:
    line, column, end_line, end_column = place
    return ast.Pass(lineno=line, col_offset=column, end_lineno=end_line, end_col_offset=end_column)


def _moved(source: Source) -> dict[_Place, ast.expr]:
    """Attributes on a later line than their base, and calls of them, by CPython's place.

    CPython lets their instructions start at the attribute's name, for its tracebacks.
    """
    found: dict[_Place, ast.expr] = {}
    for node in ast.walk(source.node):
        attribute = node.func if isinstance(node, ast.Call) else node
        if isinstance(attribute, ast.Attribute) and attribute.lineno != attribute.end_lineno:
            assert isinstance(node, ast.expr)
            line, end = attribute.end_lineno or 0, attribute.end_col_offset or 0
            start = end - len(attribute.attr.encode())
            for last in (node.end_col_offset or 0, end):
                found[line, start, node.end_lineno or 0, last] = node
    return found
