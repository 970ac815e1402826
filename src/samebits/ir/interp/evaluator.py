"""The evaluator of IR: the reference interpreter, which defines what a compiled kernel must do.

Owns entry and arguments. Control flow is `steps`, what an operation computes is `semantics`, where
memory lies is `memory`.
"""

from __future__ import annotations

import ctypes
import math
import operator
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from samebits.bits import round_float
from samebits.errors import ArgumentError, IRError, Trap
from samebits.ir.grammar import Attribute, Function, HostFunction, HostTable, Module, Op, ValueType
from samebits.ir.interp.closures import IterationRunner, Listener, Signal, Steps
from samebits.ir.interp.memory import Arena, ArrayView, Ref, array_argument, ref_argument, table
from samebits.ir.interp.semantics import SEMANTICS
from samebits.types import BOOL, ArrayType, RefType, ScalarType

__all__ = [
    "Evaluator",
    "IterationRunner",
    "Listener",
    "array_argument",
    "evaluate",
    "evaluator_of",
    "fold",
    "ref_argument",
]  # fmt: skip


def evaluate(
    module: Module, name: str, args: Sequence[object], listener: Listener | None = None
) -> tuple[Any, ...]:
    """Run function `name` on `args`, one for each parameter slot; its result scalars.

    An argument is a Python (or NumPy) scalar, an `ArrayView` or `Ref`, or a NumPy array for either
    of those; memory is read and written in place. Raises Trap with the op's span; ArgumentError
    where an argument does not fit; IRError where IR that verification rejects, or a wrong
    `unchecked`, shows up on the way.
    """
    evaluator = evaluator_of(module) if listener is None else Evaluator(module, listener)
    return evaluator.run(name, args)


_KEPT: OrderedDict[tuple[Any, ...], Evaluator] = OrderedDict()
_MOST_KEPT = 16


Deeper = Callable[[Callable[[], Any]], Any]
"""Makes a call where there is room for it."""
_LEVELS = 8
"""Recursive calls inside one another for which Python's stack has room in any case."""


def evaluator_of(module: Module, deeper: Deeper = operator.call) -> Evaluator:
    """A plain evaluator of the same functions and tables: a new one, or one that is kept.

    Preparing a function's steps takes longer than most calls, and each call of a kernel links a new
    module of the same functions. None of these may change.
    """
    functions, tables = module.functions, module.tables
    key = (*functions, *map(id, functions.values()), *map(id, tables.values()))
    found = _KEPT.pop(key, None)
    if found is None:
        found = Evaluator(Module(dict(functions), dict(tables)), deeper=deeper)
        if len(_KEPT) >= _MOST_KEPT:
            _KEPT.popitem(last=False)
    _KEPT[key] = found  # what it holds is alive, so that no other object has its identity
    return found


def fold(op: Op, values: Sequence[Attribute]) -> Attribute:
    """The value of a pure scalar op on constant operands; None where it traps or is not one."""
    function: Callable[..., Any] | None = SEMANTICS.get(op.opcode)
    if function is None or not isinstance(op.result.type, ScalarType):
        return None
    try:
        return function(op.result.type, *values)
    except Trap:
        return None


class Evaluator:
    """Evaluates functions of one module, which must not change meanwhile.

    `run_iterations` runs parallel ranges, by calls of `call`; by default their iterations run in
    ascending order. `deeper` makes a call where Python's stack has room for more; without, deep
    recursion raises RecursionError.
    """

    def __init__(
        self,
        module: Module,
        listener: Listener | None = None,
        run_iterations: IterationRunner | None = None,
        deeper: Deeper = operator.call,
    ) -> None:
        self.module = module
        self.listener = listener
        self._deeper = deeper
        self.arena = Arena()
        self._depth = 0
        """How many calls of recursive functions are inside one another now."""
        self._run_iterations = run_iterations
        self.tables = {name: table(data) for name, data in module.tables.items()}
        self._steps: dict[str, Steps] = {}

    def run(self, name: str, args: Sequence[object]) -> tuple[Any, ...]:
        """As `evaluate`."""
        function = self.module.functions.get(name)
        if function is None:
            raise IRError(f"there is no function {name} in the module")
        if len(args) != len(function.params):
            raise ArgumentError(
                f"{name} takes {len(function.params)} arguments, and was given {len(args)}"
            )
        values = [
            _argument(slot, t, arg) for (slot, t), arg in zip(function.params, args, strict=True)
        ]
        return tuple(math.nan if v != v else v for v in self.call(name, values))

    def call(self, name: str, args: list[Any]) -> tuple[Any, ...]:
        """Run function `name` on values as the IR has them."""
        steps = self._steps.get(name)
        if steps is None:
            function = self.module.functions[name]
            if isinstance(function, HostFunction):
                return _host_call(function, args)
            steps = self._steps[name] = self.prepared(function)
        used = self.arena.used
        try:
            if steps.function.recursion:
                result = self._recursive(steps, args)
            else:
                result = steps.run(steps.frame(args))
        finally:
            self.arena.used = used
        if result is None:
            raise IRError(f"{name} ends without a return")
        return result

    def _recursive(self, steps: Steps, args: list[Any]) -> Signal:
        """A call of a recursive function: Python's own stack may be too small for many."""
        self._depth += 1
        try:
            if self._depth % _LEVELS:
                return steps.run(steps.frame(args))
            return self._deeper(lambda: steps.run(steps.frame(args)))
        finally:
            self._depth -= 1

    def prepared(self, function: Function) -> Steps:
        """The steps of a function, made once; a subclass may do more at its operations."""
        return Steps(
            function, self.tables, self.call, self.listener, self._run_iterations, self.arena
        )


def _host_call(function: HostFunction, args: list[Any]) -> tuple[Any, ...]:
    """The one result of a C function of scalars, or the byte of a table."""
    if isinstance(function, HostTable):
        return (ctypes.string_at(function.address + args[0], 1)[0],)
    types = (*function.results, *(t for _, t in function.params))
    scalars = [np.ctypeslib.as_ctypes_type(t.dtype) for t in types if isinstance(t, ScalarType)]
    return (ctypes.CFUNCTYPE(*scalars)(function.address)(*args),)


_ARRAY: type[Any] = np.ndarray
_NUMPY_SCALAR: type[Any] = np.generic


def _argument(slot: str, t: ValueType, given: Any) -> Any:
    value: Any = given.item() if isinstance(given, _NUMPY_SCALAR) else given
    match t:
        case ArrayType():
            if isinstance(value, _ARRAY):
                return array_argument(value, t)
            if isinstance(value, ArrayView) and len(value.lengths) == t.ndim:
                return value
        case RefType():
            if isinstance(value, _ARRAY):
                return ref_argument(value, t.target)
            if isinstance(value, Ref):
                return value
        case ScalarType():
            if isinstance(value, bool):
                if t is BOOL:
                    return value
            elif t.is_float and isinstance(value, int | float):
                if value != value or round_float(float(value), t.bits) == value:
                    return float(value)
            elif t.is_int and isinstance(value, int) and t.minimum <= value <= t.maximum:
                return int(value)
    raise ArgumentError(f"{slot} is {t}, and {given!r} does not fit")
