"""The functions of the language, typed. Written by `python -m tools.stubs`."""

from typing import Any, Protocol, TypeVar, overload

import numpy as np

from samebits.typed.bases import Matrix, Value, Vector
from samebits.typed.dimensions import ReadOnly

_T = TypeVar("_T")
_S = TypeVar("_S")
_B = TypeVar("_B")
_C = TypeVar("_C")
_V = TypeVar("_V", bound=Value)
_Result = TypeVar("_Result", covariant=True)
_Other = TypeVar("_Other", contravariant=True)
_Numbers = np.ndarray[Any, Any]
_Truths = Vector[bool, Any] | Matrix[bool, Any, Any, Any]

class _Multiplied(Protocol[_Other, _Result]):
    def __matmul__(self, other: _Other, /) -> _Result: ...

@overload
def sqrt(x: float, /) -> float: ...
@overload
def sqrt(x: _V, /) -> _V: ...
@overload
def sqrt(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def sqrt(x: np.generic | float, /) -> float:
    """Square root of floats, correctly rounded; NaN below zero."""

@overload
def floor(x: float, /) -> float: ...
@overload
def floor(x: _V, /) -> _V: ...
@overload
def floor(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def floor(x: np.generic | float, /) -> float:
    """Floats rounded down to whole ones; zero keeps its sign."""

@overload
def ceil(x: float, /) -> float: ...
@overload
def ceil(x: _V, /) -> _V: ...
@overload
def ceil(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def ceil(x: np.generic | float, /) -> float:
    """Floats rounded up to whole ones; zero keeps its sign."""

@overload
def trunc(x: float, /) -> float: ...
@overload
def trunc(x: _V, /) -> _V: ...
@overload
def trunc(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def trunc(x: np.generic | float, /) -> float:
    """Floats rounded toward zero; zero keeps its sign."""

@overload
def round(x: float, /) -> float: ...
@overload
def round(x: _V, /) -> _V: ...
@overload
def round(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def round(x: np.generic | float, /) -> float:
    """Floats rounded to the nearest whole one, ties to even; zero keeps its sign."""

@overload
def abs(x: int, /) -> int: ...
@overload
def abs(x: float, /) -> float: ...
@overload
def abs(x: _V, /) -> _V: ...
@overload
def abs(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def abs(x: np.generic | float, /) -> float:
    """Magnitude; the least integer of a fixed-width type stays itself."""

@overload
def sign(x: int, /) -> int: ...
@overload
def sign(x: float, /) -> float: ...
@overload
def sign(x: _V, /) -> _V: ...
@overload
def sign(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def sign(x: np.generic | float, /) -> float:
    """−1, 0 or 1 in the type of `x`; a NaN and zeros of either sign stay."""

@overload
def popcount(x: int, /) -> int: ...
@overload
def popcount(x: _V, /) -> _V: ...
@overload
def popcount(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def popcount(x: np.generic | float, /) -> int:
    """Number of one bits of an integer, in its type."""

@overload
def clz(x: int, /) -> int: ...
@overload
def clz(x: _V, /) -> _V: ...
@overload
def clz(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def clz(x: np.generic | float, /) -> int:
    """Leading zero bits of an integer, in its type; the width for 0."""

@overload
def ctz(x: int, /) -> int: ...
@overload
def ctz(x: _V, /) -> _V: ...
@overload
def ctz(x: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def ctz(x: np.generic | float, /) -> int:
    """Trailing zero bits of an integer, in its type; the width for 0."""

@overload
def rotl(x: int, count: int, /) -> int: ...
@overload
def rotl(x: _V, count: _V | int, /) -> _V: ...
@overload
def rotl(x: _V | int, count: _V, /) -> _V: ...
@overload
def rotl(x: _Numbers, count: _Numbers | float, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def rotl(x: float, count: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def rotl(x: np.generic | float, count: np.generic | float, /) -> int:
    """The bits of integer `x` rotated left by `count` modulo the width."""

@overload
def rotr(x: int, count: int, /) -> int: ...
@overload
def rotr(x: _V, count: _V | int, /) -> _V: ...
@overload
def rotr(x: _V | int, count: _V, /) -> _V: ...
@overload
def rotr(x: _Numbers, count: _Numbers | float, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def rotr(x: float, count: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def rotr(x: np.generic | float, count: np.generic | float, /) -> int:
    """The bits of integer `x` rotated right by `count` modulo the width."""

def any(a: _Truths | ReadOnly[bool], /) -> bool:
    """Whether some component of a bool vector or matrix is true; in a kernel also of an array."""

def all(a: _Truths | ReadOnly[bool], /) -> bool:
    """Whether every component of a bool vector or matrix is true; in a kernel also of an array."""

@overload
def clamp(x: int, lo: int, hi: int, /) -> int: ...
@overload
def clamp(x: float, lo: float, hi: float, /) -> float: ...
@overload
def clamp(x: _V, lo: _V | float, hi: _V | float, /) -> _V: ...
@overload
def clamp(x: _V | float, lo: _V | float, hi: _V, /) -> _V: ...
@overload
def clamp(
    x: _Numbers, lo: _Numbers | float, hi: _Numbers | float, /, *, out: _Numbers | None = None
) -> _Numbers: ...
@overload
def clamp(
    x: float, lo: _Numbers, hi: _Numbers | float, /, *, out: _Numbers | None = None
) -> _Numbers: ...
@overload
def clamp(x: float, lo: float, hi: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def clamp(x: np.generic | float, lo: np.generic | float, hi: np.generic | float, /) -> float:
    """min(max(x, lo), hi)."""

@overload
def copysign(a: float, b: float, /) -> float: ...
@overload
def copysign(a: _V, b: _V | float, /) -> _V: ...
@overload
def copysign(a: _V | float, b: _V, /) -> _V: ...
@overload
def copysign(a: _Numbers, b: _Numbers | float, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def copysign(a: float, b: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def copysign(a: np.generic | float, b: np.generic | float, /) -> float:
    """Float `a` with the sign bit of `b`; a NaN `b` counts as positive."""

@overload
def fma(a: float, b: float, c: float, /) -> float: ...
@overload
def fma(a: _V, b: _V | float, c: _V | float, /) -> _V: ...
@overload
def fma(a: _V | float, b: _V | float, c: _V, /) -> _V: ...
@overload
def fma(
    a: _Numbers, b: _Numbers | float, c: _Numbers | float, /, *, out: _Numbers | None = None
) -> _Numbers: ...
@overload
def fma(
    a: float, b: _Numbers, c: _Numbers | float, /, *, out: _Numbers | None = None
) -> _Numbers: ...
@overload
def fma(a: float, b: float, c: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def fma(a: np.generic | float, b: np.generic | float, c: np.generic | float, /) -> float:
    """a×b+c of floats, rounded once."""

def cross(a: _V, b: _V, /) -> _V:
    """Cross product of two vectors of three components."""

def normalize(a: _V, /) -> _V:
    """a / length(a), element by element; NaN for a zero vector."""

def length(a: Vector[_S, Any], /) -> _S:
    """sqrt(dot(a, a)) of a float vector."""

def bitcast(target: type[_T], x: Any, /) -> _T:
    """The bits of `x` (those of the canonical NaN for any NaN) as a type of the same size."""

@overload
def select(condition: bool, a: int, b: int, /) -> int: ...
@overload
def select(condition: bool, a: float, b: float, /) -> float: ...
@overload
def select(condition: bool | Vector[bool, Any], a: _V, b: float, /) -> _V: ...
@overload
def select(condition: bool | Vector[bool, Any], a: float, b: _V, /) -> _V: ...
@overload
def select(condition: bool | _Truths, a: _T, b: _T, /) -> _T:
    """`a` where the bool (or bool vector or matrix) `condition` holds, else `b`; both are
    evaluated.
    """

@overload
def min(a: int, b: int, /) -> int: ...
@overload
def min(a: float, b: float, /) -> float: ...
@overload
def min(a: _V, b: _V | float, /) -> _V: ...
@overload
def min(a: _V | float, b: _V, /) -> _V: ...
@overload
def min(a: _Numbers, b: _Numbers | float, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def min(a: float, b: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def min(a: np.generic | float, b: np.generic | float, /) -> float: ...
@overload
def min(a: _T, b: _T, /) -> _T:
    """The least of two; −0 is below +0, and a NaN gives NaN."""

@overload
def max(a: int, b: int, /) -> int: ...
@overload
def max(a: float, b: float, /) -> float: ...
@overload
def max(a: _V, b: _V | float, /) -> _V: ...
@overload
def max(a: _V | float, b: _V, /) -> _V: ...
@overload
def max(a: _Numbers, b: _Numbers | float, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def max(a: float, b: _Numbers, /, *, out: _Numbers | None = None) -> _Numbers: ...
@overload
def max(a: np.generic | float, b: np.generic | float, /) -> float: ...
@overload
def max(a: _T, b: _T, /) -> _T:
    """The greatest of two; −0 is below +0, and a NaN gives NaN."""

def dot(a: Vector[_S, Any], b: Vector[_S, Any], /) -> _S:
    """Sum of products, left to right: ((a.x*b.x + a.y*b.y) + a.z*b.z) + a.w*b.w."""

def likely(condition: bool, /) -> bool:
    """The bool `condition`; compiled code is made fast for where it is true. Changes no bit."""

def unlikely(condition: bool, /) -> bool:
    """The bool `condition`; compiled code is made fast for where it is false. Changes no bit."""

def assume(condition: bool, /) -> None:
    """Say that the bool `condition` always holds: traps "assume" where it does not.

    In a kernel with `bounds_check=False` compiled code does not test it and relies on it: where it
    does not hold, what happens is undefined.
    """

def expect_vectorized() -> None:
    """In a loop of a kernel: compiling fails unless the loop is vectorised for the target.

    It speaks of the innermost loop that it stands in. The CompileError has the loop's place, what
    LLVM's vectoriser says of it, and what to write instead. A loop that is compiled in several
    copies, as where one copy has checks that the other needs not, is vectorised if one copy is.
    Does nothing in a managed run, in evaluate, without optimisation for speed, and for
    targets without vectors. Raises CompileError at the first call where it stands in no loop.
    """

def f32(text: str) -> float:
    """The float32 nearest to a decimal number, ties to even: `f32("0.1")`, `f32("-6.02e23")`.

    Digits with an optional sign, point and exponent; what is too small gives a subnormal number
    or a zero of its sign. Raises ArgumentError for any other text, for more than
    400 characters, and for numbers that round beyond the largest float32, 3.4028235e38.
    """

def trace(name: str, value: Any, /) -> None:
    """Keep `value` under `name`, where somebody reads records (`sb.tracing`); else nothing happens.

    In a kernel the name is a text in quotes. The value is a number, a bool, a vector, a matrix or a
    struct of these; a record has it as Python's own numbers, in order, and where the call stands.
    It changes no result, and costs a few nanoseconds where nobody reads. Raises ArgumentError for a
    value of another kind.
    """
