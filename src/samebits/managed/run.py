"""The managed run: the kernel's own source in CPython, over the language's values.

Owns one call: binding, building the function (`rewrite`), running it, and traps with their spans.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from types import FunctionType
from typing import Any, cast

import numpy as np

from samebits.errors import CompileError, Trap
from samebits.frontend.compile import compile_kernel
from samebits.frontend.core.kernel_source import source_of
from samebits.frontend.core.source import syntax, too_deep
from samebits.ir.own_code import is_own_code
from samebits.lang.arguments import naming, unwrap, wrap
from samebits.lang.calls import recursion
from samebits.lang.calls.adapted import AdaptedKernel
from samebits.lang.calls.copied_arguments import are_copied, around
from samebits.lang.calls.kernel_parameters import taken
from samebits.lang.dispatch import types_for
from samebits.lang.executions import executions
from samebits.lang.jobs import JobKernel
from samebits.lang.kernel import Kernel
from samebits.lang.memory import arena
from samebits.lang.memory.arrays import items_of, zeros
from samebits.lang.values.flushing import flushed
from samebits.lang.values.scalars import SCALAR_CLASSES
from samebits.lang.values.storage import implicit, implicit_vector
from samebits.lang.values.thread_state import flushing, managed_run, running
from samebits.lang.values.weak import Int
from samebits.managed import overloads
from samebits.managed.alike import refuse_alike
from samebits.managed.positions import IS_OWN_CODE, SOURCE, located
from samebits.managed.rewrite import Rewrite, copied, flushes, is_prange
from samebits.printed import one_call
from samebits.types import INT, ArrayType, ScalarType, Type, VectorType


@dataclass(slots=True)
class _Managed:
    """One instance of a kernel for the managed run."""

    function: Callable[..., Any]
    types: tuple[Type, ...]
    takes: tuple[Callable[[Any], Any], ...]
    flush: bool
    bound: int = 0
    """How many calls may be inside one another, of a recursive kernel."""
    group: object = None
    """The kernels that it recurses with."""
    allocates: bool = False
    """Whether it makes arrays of run-time sizes."""

    def run(self, *values: Any) -> Any:
        """Call it with values of its parameters' types, from whatever kernel runs."""
        if not self.allocates:
            return self._call(values)
        before = arena.used()
        try:
            return self._call(values)
        finally:
            arena.release(before)

    def _call(self, values: tuple[Any, ...]) -> Any:
        if self.bound:
            with recursion.called(self.group, self.function.__name__, self.bound):
                return _with_room(lambda: self._run(values))
        return self._run(values)

    def _run(self, values: tuple[Any, ...]) -> Any:
        if running.flush or self.flush:
            return self._switched(values)
        return self.function(*values)

    def _switched(self, values: tuple[Any, ...]) -> Any:
        """A call into or out of a kernel that flushes: what passes the border is flushed."""
        with flushing(self.flush):
            result = self.function(*(flushed(values) if self.flush else values))
        return flushed(result) if running.flush else result


def _with_room(call: Callable[[], Any]) -> Any:
    """A call of a recursive kernel: where many are inside one another, in another thread."""
    if not recursion.is_deep():
        return call()
    flush, inside = running.flush, recursion.carried(arena.carried(call))

    def there() -> Any:
        with managed_run(), flushing(flush), np.errstate(all="ignore"):
            return inside()

    return executions.deeper(there)


def _taker(t: Type, name: str) -> Callable[[Any], Any]:
    """The conversion of an argument of a call between kernels, as the compiler converts it."""
    place = f"parameter '{name}'"
    match t:
        case ScalarType():
            cls = SCALAR_CLASSES.get(t, {INT: Int}.get(t, float if t.is_float else bool))
            return lambda v: v if type(v) is cls else implicit(v, t, place)
        case VectorType():
            return lambda v: implicit_vector(v, t, place)
        case ArrayType():
            return lambda v: wrap(items_of(v), t, name)
        case _:
            return lambda v: wrap(v, t, name)


def instance(kernel: Kernel, types: tuple[Type, ...]) -> _Managed:
    """The managed function of `kernel` at `types`, made once."""
    found = kernel.managed_functions.get(types)
    if found is None:
        try:
            found = kernel.managed_functions[types] = _built(kernel, types)
        except RecursionError:
            source = source_of(kernel)
            raise too_deep(source.span(source.node)) from None
        except AttributeError:
            compile_kernel(kernel, types)  # refuses a name that a module does not have
            raise
    return found


call_math = partial(overloads.call, lambda kernel, types: instance(kernel, types).run)
"""A call of a math function inside a managed run: the function, the precision, its arguments."""


def _built(kernel: Kernel, types: tuple[Type, ...]) -> _Managed:
    kernel.check_given(types)
    if isinstance(kernel, AdaptedKernel):
        try:
            compile_kernel(kernel, types)
        except CompileError as error:
            raise kernel.refusal(error) from None
    source = source_of(kernel)
    node = copied(source.node)
    refuse_alike(kernel, types)
    local = {a.arg for a in node.args.args}
    local |= {
        n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    rewrite = Rewrite(kernel, kernel.signature.typevars(types), local, {}, source, call_math)
    loops = (n for n in ast.walk(node) if isinstance(n, ast.For))
    if isinstance(kernel, JobKernel) and kernel.own is not None:
        rewrite.iteration, rewrite.count = kernel.own
    if rewrite.iteration is not None or any(is_prange(rewrite, loop) for loop in loops):
        rewrite.accesses = compile_kernel(kernel, types).checked
    group: object = None
    if kernel.recursion or any(value is kernel for value in kernel.captured.values()):
        group = compile_kernel(kernel, types).group  # or a refusal
    if _may_join(node) or any(type(value) is tuple for value in kernel.captured.values()):
        with suppress(CompileError):  # a managed run refuses by its own operations
            joins = compile_kernel(kernel, types).joins
            rewrite.joined, rewrite.items = joins.places, joins.items
    if _makes_arrays(rewrite, node):
        joins = compile_kernel(kernel, types).joins  # or a refusal
        rewrite.allocations, rewrite.freeing = joins.allocations, joins.freeing
    node.body = rewrite.block(node.body)
    node.decorator_list = []
    node.returns = None
    node.args.defaults = []
    for argument in node.args.args:
        argument.annotation = None
    tree = ast.fix_missing_locations(ast.Module([node], []))
    scope: dict[str, Any] = {**rewrite.names, SOURCE: source}
    scope[IS_OWN_CODE] = is_own_code(f"{kernel.function.__module__}.")
    result = kernel.signature.result_type(types)

    def returned(value: Any) -> Any:
        return value if result is None else unwrap(value, result, "the result")

    scope["__sb_return"] = returned
    with syntax():
        code = compile(tree, source.file, "exec", dont_inherit=True)
    exec(code, scope)
    function = scope[node.name]
    assert isinstance(function, FunctionType)
    takes = tuple(_taker(t, p.name) for p, t in zip(kernel.parameters, types, strict=True))
    return _Managed(
        function, types, takes, flushes(kernel), kernel.recursion, group, bool(rewrite.allocations)
    )


def _makes_arrays(rewrite: Rewrite, node: ast.AST) -> bool:
    """Whether there may be an array of a run-time size."""
    return any(
        isinstance(part, ast.Call)
        and rewrite.outer(part.func)[1] is zeros
        and not all(isinstance(n, ast.Constant) for n in _lengths(part))
        for part in ast.walk(node)
    )


def _lengths(call: ast.Call) -> list[ast.expr]:
    shape = call.args[0] if call.args else call
    return shape.elts if isinstance(shape, ast.Tuple) else [shape]


def _may_join(node: ast.AST) -> bool:
    """Whether there is a ternary, a loop over a tuple, a name with a type, or one that is assigned
    more than once."""
    stored: set[str] = set()
    for part in ast.walk(node):
        if isinstance(part, ast.IfExp | ast.AnnAssign):
            return True
        if isinstance(part, ast.For) and any(map(_is_written_out, ast.walk(part.iter))):
            return True
        if isinstance(part, ast.arg) or (
            isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
        ):
            name = part.arg if isinstance(part, ast.arg) else part.id
            if name in stored:
                return True
            stored.add(name)
    return False


def _is_written_out(node: ast.AST) -> bool:
    return isinstance(node, ast.Tuple | ast.List)


def call(kernel: Kernel, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """A managed run from Python: arguments are checked and wrapped, traps get their span."""
    # What NumPy says of errors is of a context, and of a copy no trace is left, whatever raises.
    return copy_context().run(_call, kernel, args, kwargs)


def _call(kernel: Kernel, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    kernel, bound = taken(kernel, args, kwargs)
    types = types_for(kernel, bound)
    if are_copied(bound, types):
        names = [p.name for p in kernel.parameters]
        return around(
            lambda *plain: _run(kernel, types, plain), bound, types, names, kernel.__name__
        )
    return _run(kernel, types, bound)


def _run(kernel: Kernel, types: tuple[Type, ...], bound: tuple[Any, ...]) -> Any:
    with executions.pinned(), managed_run(), np.errstate(all="ignore"):
        target = instance(kernel, types)
        with naming(kernel.__name__):
            values = [
                wrap(value, t, p.name)
                for value, t, p in zip(bound, types, kernel.parameters, strict=True)
            ]
        try:
            with one_call():
                return _for_python(target.run(*values))
        except Trap as trap:
            raise _located(trap, trap) from None
        except ZeroDivisionError as error:
            raise _located(Trap("zero"), error) from None


def _located(trap: Trap, caught: BaseException) -> Trap:
    """The trap at the line where `caught` was raised, with that one's traceback."""
    return located(trap, caught.__traceback__).with_traceback(caught.__traceback__)


def _for_python(result: Any) -> Any:
    """A result as a compiled call returns it: weak ints are Python's own."""
    if type(result) is Int:
        return int(result)
    if type(result) is tuple:
        return tuple([_for_python(item) for item in cast("tuple[Any, ...]", result)])
    return result


def call_inner(kernel: Kernel, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """A call from one kernel to another inside a managed run."""
    kernel, bound = taken(kernel, args, kwargs)
    types = kernel.fixed_types
    target = instance(kernel, types if types is not None else types_for(kernel, bound))
    return target.run(*[take(v) for take, v in zip(target.takes, bound, strict=True)])
