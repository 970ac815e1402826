"""Application of element-wise intrinsics: one common type, vectors component by component.

Owns the typing of the intrinsics' operands. What they compute is in `rules`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import repeat
from typing import Any, NoReturn, cast

import numpy as np

from samebits.errors import ArgumentError
from samebits.importing import is_default
from samebits.lang.executions import executions
from samebits.lang.values.conversions import kind_of
from samebits.lang.values.enums import fix_of_enum, plain_number
from samebits.lang.values.environment import pinned
from samebits.lang.values.fixed.fixed_rules import FUNCTIONS
from samebits.lang.values.half import refusal
from samebits.lang.values.instead import instead_of
from samebits.lang.values.rules import INTRINSICS, Takes
from samebits.lang.values.scalars import CONVERTERS, MAKERS, RAW_OF, TYPE_OF, type_of_scalar
from samebits.lang.values.thread_state import running
from samebits.lang.values.vectors import Vector, as_element, components, vector
from samebits.types import (
    BOOL,
    FLOAT,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    INT,
    FixedPointType,
    ScalarType,
    VectorType,
    operands_type,
)

_FIXES: dict[Takes, str] = {
    "float": "convert it first, for example float32(x)",
    "integer": "convert it first, for example int32(x)",
    "number": "convert it first, for example int32(flag)",
}


def _common(name: str, types: tuple[ScalarType, ...]) -> ScalarType:
    """The common type of all operands. Raises ArgumentError if there is none."""
    common = operands_type(types)
    if common is None:
        raise ArgumentError(
            f"{name} of {' and '.join(map(str, types))} has no common type",
            fix="convert them to one that has the numbers that come, for example int64(x)",
        )
    return common


def check_taken(name: str, t: ScalarType) -> ScalarType:
    """The type at which the intrinsic `name` is computed of a `t`. Raises ArgumentError where it
    takes none."""
    takes = INTRINSICS[name].takes
    assert takes is not None
    if takes == "float" and t is INT:
        return FLOAT
    if isinstance(t, FixedPointType):
        if name in FUNCTIONS:
            return t
        raise ArgumentError(f"{name} is not there for {t}", fix=f"use {', '.join(FUNCTIONS)}")
    fits = {"float": t.is_float, "integer": t.is_int, "number": t.is_float or t.is_int}[takes]
    if not fits:
        article = "an" if takes == "integer" else "a"
        raise ArgumentError(f"{name} takes {article} {takes}, got {t}", fix=_FIXES[takes])
    return t


def _resolve(name: str, kinds: tuple[type, ...]) -> Callable[..., Any]:
    sources = tuple(TYPE_OF[kind] for kind in kinds)
    if INTRINSICS[name].counted:
        targets = tuple(check_taken(name, t) for t in sources)
    else:
        targets = (check_taken(name, _common(name, sources)),) * len(sources)
    first, make = targets[0], MAKERS[targets[0]]
    if isinstance(first, FixedPointType):
        rule: Callable[..., Any] = FUNCTIONS[name](first)
    else:
        of_type = INTRINSICS[name].rule
        assert of_type is not None
        rule = of_type(first)
    raws = tuple(RAW_OF[target] for target in targets)
    if sources == targets:
        if len(raws) == 1:
            return _of_one(rule, raws[0], make)
        return lambda *values: make(rule(*(raw(v) for raw, v in zip(raws, values, strict=True))))
    into = [CONVERTERS[target][kind] for target, kind in zip(targets, kinds, strict=True)]
    steps = tuple(zip(into, raws, strict=True))
    return lambda *values: make(
        rule(*(raw(step(v)) for (step, raw), v in zip(steps, values, strict=True)))
    )


def _of_one(
    rule: Callable[..., Any], raw: Callable[[Any], Any], make: Callable[[Any], Any]
) -> Callable[[Any], Any]:
    return lambda x: make(rule(raw(x)))


_SEQUENCES: tuple[Any, ...] = (list, tuple)


def over_arrays(function: Any, args: tuple[Any, ...], out: Any) -> Any:
    """A call from Python with arrays among the arguments, or with `out`: of an intrinsic by its
    name, a kernel of one number, or a family that has some."""
    if running.managed:
        name: str = function if isinstance(function, str) else function.__name__
        refuse_array(name)
    return executions.mapped_elementwise(function, args, out)


def has_array(*values: Any) -> bool:
    return any(isinstance(value, np.ndarray) for value in values)


_resolved: dict[tuple[Any, ...], Callable[..., Any]] = {}


def apply(name: str, *values: Any, out: Any = None) -> Any:
    """The intrinsic `name` of scalars or vectors, or of NumPy arrays.

    Weak operands take the strong ones' type, scalars beside a vector its element's. Raises
    ArgumentError where the types do not fit, Trap "overflow" where a weak int does not.
    """
    if out is not None:
        return over_arrays(name, values, out)
    key: tuple[Any, ...] = (name, kind_of(values[0]))
    if len(values) != 1:
        key = (name, *map(type, values))
    function = _resolved.get(key)
    if function is None:
        function = _resolved[key] = _choose(name, tuple(map(type, values)), values)
    if is_default():
        return function(*values)
    with pinned():
        return function(*values)


def _choose(name: str, kinds: tuple[type, ...], values: tuple[Any, ...]) -> Callable[..., Any]:
    if has_array(*values):
        return lambda *given: over_arrays(name, given, None)
    if any(plain_number(value) is not value and kind_of(value) not in TYPE_OF for value in values):
        return lambda *given: apply(name, *map(plain_number, given))
    if any(map(is_half, values)):
        return lambda *given: apply(name, *widened(name, *given))
    if any(isinstance(value, Vector) for value in values):
        return lambda *parts: _apply_vector(name, parts)
    _check_scalars(name, values)
    if INTRINSICS[name].takes == "float" and any(map(_is_integer, values)):
        return lambda *given: _of_floats(name, given)
    if any(type_of_scalar(value) is FLOAT for value in values):
        return lambda *given: _beside_floats(name, given)
    return _resolve(name, kinds)


def _is_integer(value: Any) -> bool:
    """Whether a number is an integer of a width, or a bool."""
    t = type_of_scalar(value)
    return (t.is_int and not t.weak) or t == BOOL


def _of_floats(name: str, values: tuple[Any, ...]) -> Any:
    """A function of floats with integers among its operands: from Python these count as floats, as
    in arrays. Raises ArgumentError in a kernel."""
    if running.managed:
        wrong = next(type_of_scalar(x) for x in values if _is_integer(x))
        raise ArgumentError(f"{name} takes a float, got {wrong}", fix=_FIXES["float"])
    values = tuple(_as_float(x) if _is_integer(x) else x for x in values)
    return _resolve(name, tuple(map(type, values)))(*values)


def _beside_floats(name: str, values: tuple[Any, ...]) -> Any:
    """A function with a Python float among its operands. Raises ArgumentError in a kernel where
    the others are integers; from Python they count as floats, as in arrays."""
    _refuse_float_beside_integers(name, values)
    return _resolve(name, tuple(map(type, values)))(*values)


def _refuse_float_beside_integers(name: str, values: Iterable[Any]) -> None:
    types = list(map(type_of_scalar, values))
    strong = [t for t in types if not t.weak]
    if running.managed and strong and FLOAT in types and all(t.is_int for t in strong):
        raise ArgumentError(
            f"{name}() on {strong[0]} and a Python float",
            fix="convert the integer, for example float64(n), or write a whole number",
        )


def _as_float(value: Any) -> Any:
    """An integer of 8 or 16 bits or a bool as float32, a wider one as float64, rounded once."""
    t = FLOAT32 if type_of_scalar(value).size <= 2 else FLOAT64
    return CONVERTERS[t][kind_of(value)](value)


def is_half(value: Any) -> bool:
    """Whether a value is a half or a vector of them."""
    t = value.__sb_type__ if isinstance(value, Vector) else TYPE_OF.get(kind_of(value))
    return (t.element if isinstance(t, VectorType) else t) == FLOAT16


def widened(name: str, *values: Any) -> tuple[Any, ...]:
    """`values` for a function that computes: from Python a half counts as the float32 it is.

    Raises ArgumentError in a kernel, and of a vector.
    """
    for value in values:
        if is_half(value) and (running.managed or isinstance(value, Vector)):
            refuse_halves(name, value)
    widen = CONVERTERS[FLOAT32]
    return tuple(widen[kind_of(v)](v) if is_half(v) else v for v in values)


def refuse_halves(name: str, value: Any) -> NoReturn:
    """Raise ArgumentError: the function takes no half, nor a vector of them."""
    many = isinstance(value, Vector)
    message, fix = refusal(f"{name}()", "v" if many else "h", len(value) if many else 1)
    raise ArgumentError(message, fix=fix)


def _check_scalars(name: str, values: tuple[Any, ...]) -> None:
    for value in values:
        kind = kind_of(value)
        if kind not in TYPE_OF:
            fix = f"give a number, such as math.{name}(float32(x))"
            if isinstance(value, _SEQUENCES):
                wide = "int64" if INTRINSICS[name].takes == "integer" else "float64"
                fix = f"write math.{name}(np.array(x, np.{wide}))"
            elif isinstance(value, np.ndarray):
                refuse_array(name)
            elif isinstance(value, Iterable) and not isinstance(value, str):
                fix = "call it for each element, in a kernel"
            fix = fix_of_enum(cast("object", value)) or fix
            raise ArgumentError(
                f"{name}() takes numbers, vectors and arrays, got {kind.__name__}", fix=fix
            )


def refuse_array(name: str) -> NoReturn:
    """Raise ArgumentError: the function takes no arrays."""
    raise ArgumentError(f"{name}() takes numbers and vectors, got an array", fix=instead_of(name))


def _vector_class(name: str, values: tuple[Any, ...]) -> type[Vector]:
    classes = {type(value): None for value in values if isinstance(value, Vector)}
    if len(classes) != 1:
        found = " and ".join(str(cls.__sb_type__) for cls in classes)
        raise ArgumentError(f"{name} of {found}: the types differ")
    return next(iter(classes))


def _apply_vector(name: str, values: tuple[Any, ...]) -> Any:
    cls = _vector_class(name, values)
    t = cls.__sb_type__
    check_taken(name, t.element)
    columns = [
        components(value)
        if isinstance(value, Vector)
        else repeat(as_element(value, cls, name), t.length)
        for value in values
    ]
    return vector(cls, tuple(apply(name, *items) for items in zip(*columns, strict=True)))


_unions: dict[tuple[type, ...], tuple[Callable[[Any], Any], ...]] = {}


def unified(name: str, *values: Any) -> tuple[Any, ...]:
    """`values` in their common class: that of the vectors if there are any.

    Raises ArgumentError where there is none.
    """
    if any(isinstance(value, Vector) for value in values):
        cls = _vector_class(name, values)
        t = cls.__sb_type__
        return tuple(
            value
            if isinstance(value, Vector)
            else vector(cls, (as_element(value, cls, name),) * t.length)
            for value in values
        )
    kinds = tuple(map(kind_of, values))
    rules = _unions.get(kinds)
    if rules is None:
        values = tuple(v if kind_of(v) in TYPE_OF else plain_number(v) for v in values)
        kinds = tuple(map(kind_of, values))
        _check_scalars(name, values)
    if running.managed:
        _refuse_float_beside_integers(name, values)
    if rules is None:
        common = _common(name, tuple(map(type_of_scalar, values)))
        rules = _unions[kinds] = tuple(CONVERTERS[common][kind] for kind in kinds)
    return tuple(rule(value) for rule, value in zip(rules, values, strict=True))
