"""The fixed-point classes: what kernels import, over Python's own integers.

Owns the classes, their constructors and operators. What an operation computes is in
`fixed_rules`, how numbers are written in `decimals`.
"""

# ruff: noqa: N801  (the names are the language's)

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, ClassVar, NoReturn

from samebits import decimals
from samebits.bits import round_scaled
from samebits.errors import ArgumentError, SamebitsError, folding, hide
from samebits.lang.values.conversions import ValueClass, kind_of, saturate_int
from samebits.lang.values.fixed import fixed_rules
from samebits.lang.values.fixed.fixed_text import parse
from samebits.lang.values.powers import NO_POWER
from samebits.lang.values.scalars import CONVERTERS, MAKERS, RAW_OF, SCALAR_CLASSES, TYPE_OF
from samebits.lang.values.weak import refuse_bool
from samebits.types import BOOL, FIXED_POINT, FLOAT, INT, FixedPointType, ScalarType


class FixedPoint(metaclass=ValueClass):
    """Base of all fixed-point scalars: a number that is a whole count of steps of 2^-fraction.

    Made from an integer, from another fixed-point number, from decimal text (`fix32("0.1")`, the
    nearest step) or from a Python float that is a whole count of steps. Other floats are converted
    by name: `fix32.from_float(x)`. Products, quotients and conversions are rounded to the nearest
    step, ties to even. A result out of range raises Trap "overflow", is held at the range's end
    (`_sat`) or wraps (`_wrap`), as the type says; division by zero raises Trap "zero".
    """

    __slots__ = ("_raw",)
    __sb_type__: ClassVar[FixedPointType]
    __samebits_namespace__: ClassVar[bool] = True
    __array_ufunc__ = None  # NumPy's scalars leave the operator to this class
    from_float: ClassVar[FromFloat]
    _raw: int

    @folding
    def __new__(cls, value: Any = 0) -> Any:
        t = cls.__sb_type__
        if type(value) is str:
            return new(cls, text_steps(value, t))
        rule = CONVERTERS[t].get(kind_of(value))
        if rule is None:
            raise ArgumentError(
                f"{t} takes one number, got {type(value).__name__}",
                fix=f'write {t}(n) for an integer, or {t}("0.1")',
            )
        return rule(value)

    @property
    def raw(self) -> int:
        """The count of steps."""
        return self._raw

    @classmethod
    @folding
    def from_raw(cls, raw: int) -> Any:
        """The number that is `raw` steps. Raises ArgumentError outside the type's range.

        In a kernel, `bitcast` makes a number of an int32 or int64.
        """
        t = cls.__sb_type__
        if not t.minimum <= operator.index(raw) <= t.maximum:
            raise ArgumentError(f"{raw} steps do not fit {t} ({t.minimum} to {t.maximum})")
        return new(cls, operator.index(raw))

    def exact(self) -> str:
        """All decimal digits of the number."""
        return decimals.exact(self._raw, self.__sb_type__.fraction)

    def __str__(self) -> str:
        return decimals.shortest(self._raw, self.__sb_type__.fraction)

    def __repr__(self) -> str:
        return f"{self.__sb_type__}('{self}')"

    def __float__(self) -> float:
        return round_scaled(self._raw, -self.__sb_type__.fraction, 64)

    def __int__(self) -> int:
        return fixed_rules.truncated(self._raw, self.__sb_type__)

    def __hash__(self) -> int:
        return hash((self.__sb_type__.name, self._raw))

    @folding
    def __bool__(self) -> NoReturn:
        raise ArgumentError("a fixed-point number is no condition", fix="write `x != 0`")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_raw, (self._raw,)

    def __pos__(self) -> Any:
        return self


class fix16(FixedPoint):
    """Q16.16: 32 bits, steps of 2^-16, -32768 to 32767.9999; overflow traps."""


class fix16_sat(FixedPoint):
    """`fix16` that saturates."""


class fix16_wrap(FixedPoint):
    """`fix16` that wraps."""


class fix32(FixedPoint):
    """Q32.32: 64 bits, steps of 2^-32, -2147483648 to 2147483647.9999; overflow traps."""


class fix32_sat(FixedPoint):
    """`fix32` that saturates."""


class fix32_wrap(FixedPoint):
    """`fix32` that wraps."""


class fix48(FixedPoint):
    """Q48.16: 64 bits, steps of 2^-16, -2^47 to 2^47 - 2^-16; overflow traps."""


class fix48_sat(FixedPoint):
    """`fix48` that saturates."""


class fix48_wrap(FixedPoint):
    """`fix48` that wraps."""


_new = object.__new__
_set_raw: Callable[[Any, int], None] = FixedPoint.__dict__["_raw"].__set__


def new(cls: type[Any], raw: int) -> Any:
    """The number of `cls` that is `raw` steps, which are in range."""
    result = _new(cls)
    _set_raw(result, raw)
    return result


class FromFloat:
    """The conversion from float32, float64 and Python's float, asked for by name."""

    def __init__(self, cls: type[FixedPoint]) -> None:
        self.type = cls.__sb_type__
        self._class = cls
        self.__name__ = f"{self.type}.from_float"

    @folding
    def __call__(self, value: Any) -> Any:
        """Of a float or a half: the nearest step, ties to even. An infinity overflows; a NaN traps,
        and where the type does not trap it gives 0, as an infinity that wraps does."""
        source = TYPE_OF.get(kind_of(value))
        if source is None or not source.is_ieee:
            raise ArgumentError(
                f"{self.__name__} takes a float, got {source or type(value).__name__}",
                fix=f"write {self.type}(x)",
            )
        return new(self._class, fixed_rules.from_float(float(value), self.type))


def text_steps(text: str, t: FixedPointType) -> int:
    """The steps of decimal text. Raises ArgumentError where it is none or out of range."""
    steps = parse(text, t.fraction)
    if not t.minimum <= steps <= t.maximum:
        low, high = (decimals.shortest(n, t.fraction) for n in (t.minimum, t.maximum))
        raise ArgumentError(f"{text} does not fit {t} ({low} to {high})", fix="use a wider type")
    return steps


def inexact(value: float, t: FixedPointType) -> tuple[str, str]:
    """The message and fix for a float that `t` does not hold exactly."""
    return f"the float {value!r} is not exact in {t}", f'write {t}("{value!r}")'


BY_NAME = "unless asked for by name"


def not_implicit(source: ScalarType, t: FixedPointType) -> tuple[str, str]:
    """The message and fix for a float or another fixed-point type beside `t`."""
    if source.is_ieee:
        return f"{source} is not {t} {BY_NAME}", f"write {t}.from_float(x)"
    return f"{source} and {t} are different types", f"write {t}(x)"


def _exact(t: FixedPointType, cls: type[FixedPoint]) -> Callable[[Any], Any]:
    def convert(value: float) -> Any:
        steps = fixed_rules.exact_float(value, t)
        if steps is None:
            message, fix = inexact(value, t)
            raise ArgumentError(message, fix=fix)
        return new(cls, steps)

    return convert


def refused(message: str, fix: str) -> Callable[[Any], NoReturn]:
    """The conversion where there is none."""

    def convert(value: Any) -> NoReturn:
        raise ArgumentError(message, fix=fix)

    return convert


def _into(cls: type[FixedPoint], source: ScalarType) -> Callable[[Any], Any]:
    """The conversion that calling `cls` does, from values of `source`."""
    t = cls.__sb_type__
    if source == t:
        return lambda value: value
    if isinstance(source, FixedPointType):
        return lambda value: new(cls, fixed_rules.from_fixed(value.raw, source, t))
    if source is FLOAT:
        return _exact(t, cls)
    if source.is_float:
        return refused(*not_implicit(source, t))
    return lambda value: new(cls, fixed_rules.from_int(int(value), t))


def _out_of(t: FixedPointType, target: ScalarType) -> Callable[[Any], Any]:
    """The conversion that calling `target` does, from values of `t`: to integers toward zero and
    saturating, to floats rounded once."""
    make = MAKERS[target]
    if target.is_float:
        return lambda value: make(round_scaled(value.raw, -t.fraction, target.bits))
    if target is BOOL:
        return lambda value: value.raw != 0
    return lambda value: make(saturate_int(fixed_rules.truncated(value.raw, t), target))


def _operand(cls: type[FixedPoint], value: Any, symbol: str) -> Any:
    """The steps of an operand beside one of `cls`; NotImplemented where it is no scalar."""
    if kind_of(value) is cls:
        return value.raw
    source = TYPE_OF.get(kind_of(value))
    if source is None:
        return NotImplemented
    if source is BOOL:
        raise refuse_bool(symbol)
    t = cls.__sb_type__
    if source in (INT, FLOAT):
        return CONVERTERS[t][kind_of(value)](value).raw
    message, fix = not_implicit(source, t)
    raise ArgumentError(f"'{symbol}': {message}", fix=fix)


def _binary(cls: type[FixedPoint], stem: str, symbol: str, *, reflected: bool) -> Any:
    rule = fixed_rules.BINARY[stem](cls.__sb_type__)

    def method(self: Any, other: Any) -> Any:
        try:
            steps = _operand(cls, other, symbol)
            if steps is NotImplemented:
                return steps
            pair = (steps, self.raw) if reflected else (self.raw, steps)
            return new(cls, rule(*pair))
        except SamebitsError as error:
            hide(error)
            raise

    return method


def _compare(cls: type[FixedPoint], stem: str, symbol: str) -> Any:
    rule: Any = getattr(operator, stem)

    def method(self: Any, other: Any) -> Any:
        try:
            steps = _operand(cls, other, symbol)
        except SamebitsError as error:
            hide(error)
            raise
        return steps if steps is NotImplemented else rule(self.raw, steps)

    return method


def _unary(cls: type[FixedPoint], stem: str) -> Any:
    rule = fixed_rules.FUNCTIONS[stem](cls.__sb_type__)

    @folding
    def method(self: Any) -> Any:
        return new(cls, rule(self.raw))

    return method


def _refused(message: str, fix: str) -> Any:
    @folding
    def method(self: Any, other: Any = None) -> NoReturn:
        raise ArgumentError(message.format(self.__sb_type__), fix=fix)

    return method


_SYMBOLS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "mod": "%"}
_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_REFUSED = {
    "floordiv": ("'//' is not there for {}", "write floor(a / b)"),
    "pow": NO_POWER,
    "divmod": ("'divmod' is not there for {}", "write floor(a / b) and a % b"),
}


def _operators(cls: type[FixedPoint]) -> None:
    for stem, symbol in _SYMBOLS.items():
        setattr(cls, f"__{stem}__", _binary(cls, stem, symbol, reflected=False))
        setattr(cls, f"__r{stem}__", _binary(cls, stem, symbol, reflected=True))
    for stem, symbol in _COMPARISONS.items():
        setattr(cls, f"__{stem}__", _compare(cls, stem, symbol))
    for stem in ("neg", "abs"):
        setattr(cls, f"__{stem}__", _unary(cls, stem))
    for stem, (message, fix) in _REFUSED.items():
        setattr(cls, f"__{stem}__", _refused(message, fix))
        setattr(cls, f"__r{stem}__", _refused(message, fix))
    cls.__hash__ = FixedPoint.__hash__


def _install() -> None:
    others = set(TYPE_OF.values())
    classes = FixedPoint.__subclasses__()
    for cls in classes:
        t = cls.__sb_type__ = FIXED_POINT[cls.__name__]
        SCALAR_CLASSES[t] = cls
        TYPE_OF[cls] = t
        MAKERS[t] = lambda raw, cls=cls: new(cls, raw)
        RAW_OF[t] = lambda value: value.raw
        cls.from_float = FromFloat(cls)
        _operators(cls)
    for cls in classes:
        t = cls.__sb_type__
        CONVERTERS[t] = {kind: _into(cls, source) for kind, source in TYPE_OF.items()}
        for target in others:
            CONVERTERS[target][cls] = _out_of(t, target)


_install()
