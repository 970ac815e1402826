"""The intrinsics: the functions that every kernel may call and the compiler knows.

Owns their definition over the language's values. A function with the decorator `intrinsic` is a
row of their table: its name, its signature, what it takes, and what it computes of raw values. No
platform libm is used: only IEEE square root and exact integers.
"""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

from samebits.bits import bits_to_float, float_to_bits
from samebits.errors import ArgumentError, Trap
from samebits.lang.executions import executions
from samebits.lang.memory.arrays import ManagedArray, items_of
from samebits.lang.values import rules
from samebits.lang.values.conversions import kind_of, square_root, wrapper
from samebits.lang.values.elementwise import (
    apply,
    check_taken,
    has_array,
    is_half,
    over_arrays,
    refuse_array,
    refuse_halves,
    unified,
    widened,
)
from samebits.lang.values.environment import in_default_environment
from samebits.lang.values.instead import instead_of
from samebits.lang.values.rules import INTRINSICS as INTRINSICS
from samebits.lang.values.rules import intrinsic
from samebits.lang.values.scalars import MAKERS, RAW_OF, type_of_scalar
from samebits.lang.values.thread_state import running
from samebits.lang.values.vectors import Vector, components, vector, vector_class
from samebits.lang.values.weak import Int, checked
from samebits.types import BOOL, FLOAT64, INT, MatrixType, ScalarType, VectorType


@intrinsic("float", rules.same(square_root))
def sqrt(x: Any, /, *, out: Any = None) -> Any:
    """Square root of floats, correctly rounded; NaN below zero."""
    return apply("sqrt", x, out=out)


@intrinsic("number", rules.by_kind(math.fabs, builtins.abs))
def abs(x: Any, /, *, out: Any = None) -> Any:
    """Magnitude; the least integer of a fixed-width type stays itself."""
    if type(x) is Int and out is None:
        return builtins.abs(x)  # whose trap names it
    return apply("abs", x, out=out)


@intrinsic("number", rules.by_kind(rules.least, builtins.min))
def min(a: Any, b: Any, /, *, out: Any = None) -> Any:
    """The least of two; −0 is below +0, and a NaN gives NaN."""
    return apply("min", a, b, out=out)


@intrinsic("number", rules.by_kind(rules.greatest, builtins.max))
def max(a: Any, b: Any, /, *, out: Any = None) -> Any:
    """The greatest of two; −0 is below +0, and a NaN gives NaN."""
    return apply("max", a, b, out=out)


@intrinsic("number")
@in_default_environment
def clamp(x: Any, lo: Any, hi: Any, /, *, out: Any = None) -> Any:
    """min(max(x, lo), hi)."""
    if out is not None or has_array(x, lo, hi):
        return over_arrays("clamp", (x, lo, hi), out)
    if is_half(x) or is_half(lo) or is_half(hi):
        x, lo, hi = widened("clamp", x, lo, hi)
    x, lo, hi = unified("clamp", x, lo, hi)
    return min(max(x, lo), hi)


@intrinsic("float", rules.whole(math.floor))
def floor(x: Any, /, *, out: Any = None) -> Any:
    """Floats rounded down to whole ones; zero keeps its sign."""
    return apply("floor", x, out=out)


@intrinsic("float", rules.whole(math.ceil))
def ceil(x: Any, /, *, out: Any = None) -> Any:
    """Floats rounded up to whole ones; zero keeps its sign."""
    return apply("ceil", x, out=out)


@intrinsic("float", rules.whole(math.trunc))
def trunc(x: Any, /, *, out: Any = None) -> Any:
    """Floats rounded toward zero; zero keeps its sign."""
    return apply("trunc", x, out=out)


@intrinsic("float", rules.whole(builtins.round))
def round(x: Any, /, *, out: Any = None) -> Any:
    """Floats rounded to the nearest whole one, ties to even; zero keeps its sign."""
    return apply("round", x, out=out)


@intrinsic("float", rules.same(rules.sign_copied))
def copysign(a: Any, b: Any, /, *, out: Any = None) -> Any:
    """Float `a` with the sign bit of `b`; a NaN `b` counts as positive."""
    return apply("copysign", a, b, out=out)


@intrinsic("number", rules.by_kind(rules.sign_of_float, rules.sign_of_int))
def sign(x: Any, /, *, out: Any = None) -> Any:
    """−1, 0 or 1 in the type of `x`; a NaN and zeros of either sign stay."""
    return apply("sign", checked(x) if type(x) is int else x, out=out)


@intrinsic()
@in_default_environment
def select(condition: Any, a: Any, b: Any, /) -> Any:
    """`a` where the bool (or bool vector or matrix) `condition` holds, else `b`; both are
    evaluated."""
    if has_array(condition, a, b):
        refuse_array("select")
    a, b = unified("select", a, b)
    if isinstance(condition, Vector):
        t = condition.__sb_type__
        if t.element is not BOOL:
            raise ArgumentError(f"select takes a bool or a bool vector first, got {t}")
        if not isinstance(a, Vector) or a.__sb_type__.of(BOOL) != t:
            found = getattr(a, "__sb_type__", None)
            if isinstance(t, MatrixType) or isinstance(found, MatrixType):
                raise ArgumentError(
                    f"select by {t} of {found or type(a).__name__}: the shapes differ",
                    fix="give a bool, or a bool matrix of that shape",
                )
            raise ArgumentError(
                f"select by {t} takes vectors of {t.length} components",
                fix=f"select between vectors, for example float{t.length}(a)",
            )
        rows = zip(components(condition), components(a), components(b), strict=True)
        return vector(type(a), tuple(x if c else y for c, x, y in rows))
    return a if _bool("select", condition, "a bool first") else b


def _bool(name: str, condition: Any, what: str = "a bool") -> bool:
    if type(condition) not in (bool, np.bool_):
        raise ArgumentError(
            f"{name} takes {what}, got {type(condition).__name__}",
            fix="compare explicitly, for example x != 0",
        )
    return bool(condition)


@intrinsic()
def likely(condition: Any, /) -> bool:
    """The bool `condition`; compiled code is made fast for where it is true. Changes no bit."""
    return _bool("likely", condition)


@intrinsic()
def unlikely(condition: Any, /) -> bool:
    """The bool `condition`; compiled code is made fast for where it is false. Changes no bit."""
    return _bool("unlikely", condition)


@intrinsic()
def expect_vectorized() -> None:
    """In a loop of a kernel: compiling fails unless the loop is vectorised for the target.

    It speaks of the innermost loop that it stands in. The CompileError has the loop's place, what
    LLVM's vectoriser says of it, and what to write instead. A loop that is compiled in several
    copies, as where one copy has checks that the other needs not, is vectorised if one copy is.
    Does nothing in a managed run, in evaluate, without optimisation for speed, and for
    targets without vectors. Raises CompileError at the first call where it stands in no loop.
    """


@intrinsic()
def assume(condition: Any, /) -> None:
    """Say that the bool `condition` always holds: traps "assume" where it does not.

    In a kernel with `bounds_check=False` compiled code does not test it and relies on it: where it
    does not hold, what happens is undefined.
    """
    if not _bool("assume", condition):
        raise Trap("assume")


@intrinsic("float", rules.fused)
def fma(a: Any, b: Any, c: Any, /, *, out: Any = None) -> Any:
    """a×b+c of floats, rounded once."""
    return apply("fma", a, b, c, out=out)


@intrinsic("integer", rules.ones)
def popcount(x: Any, /, *, out: Any = None) -> Any:
    """Number of one bits of an integer, in its type."""
    return apply("popcount", x, out=out)


@intrinsic("integer", rules.leading_zeros)
def clz(x: Any, /, *, out: Any = None) -> Any:
    """Leading zero bits of an integer, in its type; the width for 0."""
    return apply("clz", x, out=out)


@intrinsic("integer", rules.trailing_zeros)
def ctz(x: Any, /, *, out: Any = None) -> Any:
    """Trailing zero bits of an integer, in its type; the width for 0."""
    return apply("ctz", x, out=out)


@intrinsic("integer", rules.rotate_left, counted=True)
def rotl(x: Any, count: Any, /, *, out: Any = None) -> Any:
    """The bits of integer `x` rotated left by `count` modulo the width."""
    return apply("rotl", x, count, out=out)


@intrinsic("integer", rules.rotate_right, counted=True)
def rotr(x: Any, count: Any, /, *, out: Any = None) -> Any:
    """The bits of integer `x` rotated right by `count` modulo the width."""
    return apply("rotr", x, count, out=out)


def _pattern(value: Any, t: ScalarType) -> int:
    if t.is_float:
        return float_to_bits(RAW_OF[t](value), t.bits)
    return int(RAW_OF[t](value)) & ((1 << t.bits) - 1)


def _bitcast_scalar(target: ScalarType, value: Any) -> Any:
    source = type_of_scalar(value)
    if source.weak or target.weak or BOOL in (source, target) or source.size != target.size:
        fix = None
        if source.weak:
            fix = f"give it a type first: {'int64' if source is INT else FLOAT64}(x)"
        raise ArgumentError(f"bitcast of {source} to {target}: both need one fixed size", fix=fix)
    pattern = _pattern(value, source)
    if target.is_float:
        return MAKERS[target](bits_to_float(pattern, target.bits))
    return MAKERS[target](wrapper(target)(pattern))


@intrinsic()
@in_default_environment
def bitcast(target: Any, x: Any, /) -> Any:
    """The bits of `x` (those of the canonical NaN for any NaN) as a type of the same size."""
    t = getattr(target, "__sb_type__", None)
    if has_array(x):
        refuse_array("bitcast")
    if isinstance(x, Vector):
        if isinstance(x.__sb_type__, MatrixType):
            raise ArgumentError(f"bitcast of {x.__sb_type__}", fix="bitcast its columns: m.c0")
        element = t.element if isinstance(t, VectorType) else t
        if not isinstance(element, ScalarType):
            raise ArgumentError(f"bitcast takes a type first, got {target!r}")
        items = tuple(_bitcast_scalar(element, item) for item in x)
        return vector(vector_class(element, len(x)), items)
    if not isinstance(t, ScalarType):
        raise ArgumentError(
            f"bitcast takes a scalar type first, got {target!r}", fix="write bitcast(uint32, x)"
        )
    return _bitcast_scalar(t, x)


def _vectors(name: str, *values: Any) -> None:
    for value in values:
        if not isinstance(value, Vector):
            raise ArgumentError(
                f"{name} takes vectors, got {type(value).__name__}",
                fix=instead_of(name) if has_array(value) else "make one: float3(x, y, z)",
            )
        if is_half(value):
            refuse_halves(name, value)
        if isinstance(value.__sb_type__, MatrixType):
            raise ArgumentError(
                f"{name} takes vectors, got {value.__sb_type__}", fix="give a column: m.c0"
            )
    if len({kind_of(value) for value in values}) != 1:
        found = " and ".join(str(value.__sb_type__) for value in values)
        raise ArgumentError(f"{name} takes vectors of one type, got {found}")


@intrinsic()
@in_default_environment
def dot(a: Any, b: Any, /) -> Any:
    """Sum of products, left to right: ((a.x*b.x + a.y*b.y) + a.z*b.z) + a.w*b.w."""
    _vectors("dot", a, b)
    total = a[0] * b[0]
    for x, y in zip(tuple(a)[1:], tuple(b)[1:], strict=True):
        total = total + x * y
    return total


@intrinsic()
@in_default_environment
def cross(a: Any, b: Any, /) -> Any:
    """Cross product of two vectors of three components."""
    _vectors("cross", a, b)
    if len(a) != 3:
        raise ArgumentError(f"cross takes vectors of three components, got {a.__sb_type__}")
    items = (a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
    return vector(kind_of(a), items)


@intrinsic()
@in_default_environment
def length(a: Any, /) -> Any:
    """sqrt(dot(a, a)) of a float vector."""
    _vectors("length", a)
    check_taken("sqrt", a.__sb_type__.element)
    return sqrt(dot(a, a))


@intrinsic()
@in_default_environment
def normalize(a: Any, /) -> Any:
    """a / length(a), element by element; NaN for a zero vector."""
    _vectors("normalize", a)
    return a / length(a)


def _bools(name: str, a: Any) -> tuple[bool, ...]:
    if not isinstance(a, Vector) or a.__sb_type__.element is not BOOL:
        raise ArgumentError(
            f"{name} takes a bool vector, got {type(a).__name__}",
            fix=instead_of(name)
            if has_array(a)
            else f"write {name}(...) of Python, which takes any items"
            if isinstance(items_of(a), ManagedArray)
            else f"compare first: {name}(v > 0)"
            if isinstance(a, Vector)
            else "of a number write x != 0",
        )
    return components(a)


def _of_array(name: str, a: Any) -> bool | None:
    """The function of an array or a struct with items, in a kernel; None of anything else."""
    is_array = running.managed and isinstance(items_of(a), ManagedArray)
    return executions.reduction(name)(a) if is_array else None


@intrinsic()
def any(a: Any, /) -> bool:
    """Whether some component of a bool vector or matrix is true; in a kernel also of an array."""
    found = _of_array("any", a)
    return True in _bools("any", a) if found is None else found


@intrinsic()
def all(a: Any, /) -> bool:
    """Whether every component of a bool vector or matrix is true; in a kernel also of an array."""
    found = _of_array("all", a)
    return False not in _bools("all", a) if found is None else found
