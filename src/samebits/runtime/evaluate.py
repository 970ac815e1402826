"""`sb.evaluate`: a kernel's IR in the reference interpreter, operation by operation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from samebits.errors import ArgumentError, fold
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.grammar import Module
from samebits.ir.interp.evaluator import Evaluator, Listener, evaluator_of
from samebits.lang.annotations import class_of_type
from samebits.lang.arguments import naming, wrap
from samebits.lang.calls.copied_arguments import are_copied, around
from samebits.lang.calls.kernel_parameters import taken
from samebits.lang.dispatch import types_for
from samebits.lang.executions import executions
from samebits.lang.kernel import Kernel
from samebits.lang.signal_safe import own_environment
from samebits.lang.values.classes import COMPOSITE_CLASSES
from samebits.lang.values.scalars import RAW_OF, result_maker
from samebits.lang.values.vectors import components, vector
from samebits.passes.semantics.float_modes import lower_float_modes
from samebits.printed import one_call
from samebits.types import (
    ArrayType,
    ScalarType,
    StructType,
    TupleType,
    Type,
    VectorType,
)


def evaluate(kernel: Kernel, /, *args: Any, **kwargs: Any) -> Any:
    """Run `kernel` in the reference interpreter, as a call runs it compiled; return its result.

    Arrays and structs are changed in place. The bits are those of every other execution. Slow: some
    microseconds an operation. Raises what the call raises: Trap, ArgumentError, CompileError.
    """
    given: Any = kernel
    try:
        if not isinstance(given, Kernel):
            fix = "evaluate(kernel, argument, ...), of an @sb.kernel"
            raise ArgumentError(f"{kernel!r:.60} is no kernel", fix=fix)
        with own_environment():
            return evaluate_call(kernel, args, kwargs)
    except Exception as error:
        fold(error)
        raise


def evaluate_call(
    kernel: Kernel,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any] | None = None,
    listener: Listener | None = None,
    make: Callable[[Module], Evaluator] | None = None,
) -> Any:
    """Run `kernel` in the reference interpreter; arrays and structs are changed in place.

    `listener(op, operands, results)` is called once for each operation; `make` makes another
    interpreter than the plain one. Raises Trap, and ArgumentError as a compiled call does.
    """
    kernel, bound = taken(kernel, args, kwargs or {})
    types = types_for(kernel, bound)
    if are_copied(bound, types):
        names = [p.name for p in kernel.parameters]

        def run(*plain: Any) -> Any:
            named = dict(zip(names, plain, strict=True))
            return evaluate_call(kernel, (), named, listener, make)

        return around(run, bound, types, names, kernel.__name__)
    unit = compile_kernel(kernel, types)
    result = unit.callee.result
    items = result.items if isinstance(result, TupleType) else (result,)
    made = [class_of_type(t)() for t in items if isinstance(t, StructType)]
    values: list[Any] = [_memory(value) for value in made]
    for value, t, p in zip(bound, types, kernel.parameters, strict=True):
        with naming(kernel.__name__):
            values += _ir_arguments(wrap(value, t, p.name), t)
    with executions.pinned():
        module = lower_float_modes(link(unit))
        if make is None and listener is None:
            evaluator = evaluator_of(module, executions.deeper)
        else:
            evaluator = (
                Evaluator(module, listener, deeper=executions.deeper)
                if make is None
                else make(module)
            )
        with one_call():
            scalars = evaluator.run(unit.function.name, values)
    results = tuple(_results(items, iter(scalars), iter(made)))
    if isinstance(result, TupleType):
        return results
    return results[0] if results else None


def _memory(struct: Any) -> np.ndarray[Any, Any]:
    return struct.memory.reshape(1)


def _ir_arguments(value: Any, t: Type) -> list[Any]:
    match t:
        case ScalarType():
            return [RAW_OF[t](value)]
        case VectorType():
            return [RAW_OF[t.element](item) for item in components(value)]
        case ArrayType():
            return [value.memory]
        case _:
            return [_memory(value)]


def _results(items: tuple[Type, ...], scalars: Iterator[Any], made: Iterator[Any]) -> Iterator[Any]:
    for t in items:
        match t:
            case ScalarType():
                yield result_maker(t)(next(scalars))
            case VectorType():
                make = result_maker(t.element)
                parts = tuple(make(next(scalars)) for _ in range(t.length))
                yield vector(COMPOSITE_CLASSES[t], parts)
            case StructType():
                yield next(made)
            case _:
                pass
