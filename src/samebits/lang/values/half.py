"""The class `float16`, alias `half`: a number kept in 16 bits, which converts and nothing else.

Owns the class, its vectors, its conversions and its refusals. Outside the language its raw value
is its bits.
"""

# ruff: noqa: N801  (the names are the language's)

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NoReturn

import numpy as np

from samebits.bits import bits_to_float, float_to_bits, round_scaled
from samebits.errors import ArgumentError, folding
from samebits.lang.values.conversions import kind_of, narrow_float
from samebits.lang.values.fixed.fixed_point import not_implicit, refused
from samebits.lang.values.scalars import CONVERTERS, MAKERS, RAW_OF, SCALAR_CLASSES, TYPE_OF
from samebits.lang.values.thread_state import running
from samebits.lang.values.vectors import PlainVector
from samebits.types import FLOAT16, FLOAT32, FixedPointType, Kind, ScalarType


class float16(np.float16):
    """IEEE binary16 as storage: in arrays, fields, parameters, results and locals.

    `float16(x)` rounds a number once, ties to even, and 65,520 and more to an infinity;
    `float32(h)` and `float64(h)` are exact. It has no arithmetic: convert, compute, convert back.
    """

    __slots__ = ()
    __sb_type__: ClassVar[ScalarType] = FLOAT16

    @folding
    def __new__(cls, value: Any = 0) -> Any:
        rule = CONVERTERS[FLOAT16].get(kind_of(value))
        if rule is None:
            raise ArgumentError(
                f"float16 takes one scalar, got {type(value).__name__}",
                fix="write float16(x) for a number x",
            )
        return rule(value)

    def __repr__(self) -> str:
        return f"float16({self!s})"

    def __reduce__(self) -> tuple[Any, ...]:
        return float16, (self.item(),)


half = float16
"""The name that engines and shading languages have for it."""

_new = np.float16.__new__


def refusal(what: str, text: str = "h", length: int = 1) -> tuple[str, str]:
    """The message and fix for `what` of a half or of a vector of so many."""
    name, wide = ("float16", "float32") if length == 1 else (f"half{length}", f"float{length}")
    return f"{what} of {name}, which only keeps numbers", f"write {wide}({text}) instead"


def not_of_fixed(source: ScalarType, text: str = "x") -> tuple[str, str]:
    """Why `float16(x)` takes no fixed-point number, and what to write."""
    return f"float16() of {source} would round twice", f"write float16(float64({text}))"


def _made(word: int) -> Any:
    """The half of 16 bits; any NaN is the canonical one."""
    return _new(float16, bits_to_float(word, 16))


def _word(value: Any) -> int:
    return float_to_bits(float(value), 16)


def _into(source: ScalarType) -> Callable[[Any], Any]:
    """The conversion that calling `float16` does, from values of `source`."""
    if source.kind is Kind.FIXED:
        return refused(*not_of_fixed(source))
    if source.is_ieee:
        return lambda value: _new(float16, narrow_float(float(value), 16))
    return lambda value: _new(float16, round_scaled(int(value), 0, 16))


def _out_of(target: ScalarType) -> Callable[[Any], Any]:
    """The conversion that calling `target` does, from halves: as from the float32 they are."""
    if isinstance(target, FixedPointType):
        return refused(*not_implicit(FLOAT16, target))
    if target.is_float:
        make = MAKERS[target]
        return lambda value: make(float(value))
    rule, widened = CONVERTERS[target][SCALAR_CLASSES[FLOAT32]], MAKERS[FLOAT32]
    return lambda value: rule(widened(float(value)))


_REFUSED = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%",
    "divmod": "divmod", "pow": "**", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "neg": "-",
    "pos": "+", "abs": "abs()",
}  # fmt: skip
_ALONE = ("lt", "le", "gt", "ge", "neg", "pos", "abs")
"""The operators without a method for the operand on the right."""


def _refused(symbol: str) -> Callable[..., NoReturn]:
    @folding
    def method(self: Any, *_: Any) -> NoReturn:
        message, fix = refusal(f"`{symbol}`")
        raise ArgumentError(message, fix=fix)

    return method


def _equality(symbol: str, in_python: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """In plain Python halves can be looked up and compared, as NumPy's; in a kernel they can't."""

    @folding
    def method(self: Any, other: Any) -> Any:
        if running.managed:
            message, fix = refusal(f"`{symbol}`")
            raise ArgumentError(message, fix=fix)
        return in_python(self, other)

    return method


def _install() -> None:
    for stem, symbol in _REFUSED.items():
        setattr(float16, f"__{stem}__", _refused(symbol))
        if stem not in _ALONE:
            setattr(float16, f"__r{stem}__", _refused(symbol))
    equal: Any = _equality("==", np.float16.__eq__)
    unequal: Any = _equality("!=", np.float16.__ne__)
    float16.__eq__, float16.__ne__, float16.__hash__ = equal, unequal, np.float16.__hash__
    others = set(TYPE_OF.values())
    SCALAR_CLASSES[FLOAT16] = float16
    TYPE_OF[float16] = TYPE_OF[np.float16] = FLOAT16
    MAKERS[FLOAT16], RAW_OF[FLOAT16] = _made, _word
    CONVERTERS[FLOAT16] = {cls: _into(source) for cls, source in TYPE_OF.items()}
    CONVERTERS[FLOAT16][float16] = lambda value: value
    for target in others:
        rule = _out_of(target)
        CONVERTERS[target][float16] = CONVERTERS[target][np.float16] = rule


_install()


class half2(PlainVector):
    """Two float16."""


class half3(PlainVector):
    """Three float16."""


class half4(PlainVector):
    """Four float16."""
