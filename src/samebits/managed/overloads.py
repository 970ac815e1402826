"""Calls of math functions in a managed run, by the rule of `frontend.operations.overloads`.

Knows no managed run: what makes a kernel ready for it is given (`Runner`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import repeat
from typing import Any, cast

from samebits.errors import ArgumentError
from samebits.frontend.operations.overloads import float_type
from samebits.lang.kernel import Kernel
from samebits.lang.overloads import Overloads, is_fixed
from samebits.lang.values.conversions import kind_of
from samebits.lang.values.elementwise import unified
from samebits.lang.values.fixed.fixed_rules import fit
from samebits.lang.values.scalars import CONVERTERS, int64, type_of_scalar
from samebits.lang.values.storage import implicit
from samebits.lang.values.thread_state import managed_run
from samebits.lang.values.vectors import Vector, as_element, vector, vector_class
from samebits.modes import Precision
from samebits.types import (
    INT64,
    FixedPointType,
    MatrixType,
    QuaternionType,
    ScalarType,
    Type,
    VectorType,
)

Runner = Callable[[Kernel, tuple[Type, ...]], Callable[..., Any]]
"""From a kernel and its parameters' types to what runs it managed with values of these types."""


def call(
    runner: Runner, function: Overloads, precision: Precision, *args: Any, **named: Any
) -> Any:
    """`function(...)` inside a managed run."""
    if named:
        raise ArgumentError("this call takes its arguments by position", fix="drop the names")
    key = (precision, *map(type, args))
    plan = function.plans.get(key)
    if plan is None and any(map(is_fixed, args)):
        plan = function.plans[key] = partial(_fixed_point, runner, function)
    if plan is None:
        plan = function.plans[key] = _plan(runner, function, precision, args)
    return plan(*args)


def _fixed_point(runner: Runner, function: Overloads, *args: Any) -> Any:
    function.check_count(args)
    name, kernel = function.__name__, function.fixed_point
    if kernel is None:
        raise ArgumentError(
            f"{name}() has no version for fixed-point numbers",
            fix="use sqrt, sin, cos, tan, atan2, exp, log or pow",
        )
    args = unified(name, *args)
    if isinstance(args[0], Vector):
        rows = zip(*args, strict=True)
        return vector(type(args[0]), tuple(_fixed_point(runner, function, *row) for row in rows))
    cls: Any = kind_of(args[0])
    t: FixedPointType = cls.__sb_type__
    with managed_run():
        numbers = [int64(x.raw) for x in args]
        types = (INT64,) * (len(args) + 1)
        found: Any = runner(kernel, types)(*numbers, int64(t.fraction))
    steps, excess = cast("tuple[Any, Any]", found if isinstance(found, tuple) else (found, 0))
    return cls.from_raw(fit(int(steps) + (int(excess) << 64), t))


def _plan(
    runner: Runner, function: Overloads, precision: Precision, args: tuple[Any, ...]
) -> Callable[..., Any]:
    """The function that runs a call with arguments of these classes."""
    function.check_count(args)
    vectors = [type(a) for a in args if isinstance(a, Vector)]
    for cls in vectors:
        if isinstance(cls.__sb_type__, (MatrixType, QuaternionType)):
            raise ArgumentError(
                f"{function.__name__}() works on numbers and vectors, got {cls.__sb_type__}"
            )
    if vectors:
        t = vectors[0].__sb_type__
        return lambda *parts: _by_component(runner, function, precision, t, parts)
    types = [type_of_scalar(a) for a in args]
    floats = [t for t, integer in zip(types, function.integers, strict=True) if not integer]
    if any(not (t.is_float or t.weak) for t in floats):
        raise ArgumentError(
            f"{function.__name__}() takes a float, got {' and '.join(map(str, floats))}",
            fix="convert it first, for example float32(x)",
        )
    element = float_type(floats)
    kernel = function.kernel_for(element, precision)
    parameters = kernel.signature.resolve((element,) * function.arity)
    target = runner(kernel, parameters)
    takes: list[Callable[[Any], Any]] = []
    for n, (a, t, integer) in enumerate(zip(args, parameters, function.integers, strict=True)):
        assert isinstance(t, ScalarType)
        place = f"argument {n + 1} of {function.__name__}()"
        takes.append(
            (lambda v, t=t, place=place: implicit(v, t, place))
            if integer
            else CONVERTERS[t][kind_of(a)]
        )
    if len(takes) == 1:
        return _of_one(target, takes[0])
    return lambda *values: target(*(take(v) for take, v in zip(takes, values, strict=True)))


def _of_one(target: Callable[..., Any], take: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: target(take(x))


def _by_component(
    runner: Runner,
    function: Overloads,
    precision: Precision,
    first: VectorType,
    parts: tuple[Any, ...],
) -> Any:
    """The results of one call for each component; scalars repeat."""
    name, n = function.__name__, first.length
    rows = list(zip(parts, function.integers, strict=True))
    cls: Any = next((type(p) for p, integer in rows if not integer and isinstance(p, Vector)), None)
    columns: list[Any] = []
    for part, integer in rows:
        if isinstance(part, Vector):
            if part.__sb_type__.length != n or not (integer or type(part) is cls):
                raise ArgumentError(f"{name}() of {first} and {part.__sb_type__}")
            columns.append(part)
        elif integer or cls is None:
            columns.append(repeat(part, n))
        else:
            columns.append(repeat(as_element(part, cls, name), n))
    results = [call(runner, function, precision, *row) for row in zip(*columns, strict=True)]
    if isinstance(results[0], tuple):
        return tuple(map(_vector, zip(*results, strict=True)))
    return _vector(tuple(results))


def _vector(items: tuple[Any, ...]) -> Any:
    return vector(vector_class(type_of_scalar(items[0]), len(items)), items)
