"""The vector classes: two to four scalars of one type, immutable, with element-wise operators.

Owns construction, swizzles and broadcasting. What happens to one element is the scalars' matter.
"""

# ruff: noqa: N801  (the names are the language's)

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from functools import cache
from itertools import repeat
from typing import Any, ClassVar, NoReturn

import numpy as np

from samebits.errors import ArgumentError, SamebitsError, folding, hide
from samebits.lang.values import operators
from samebits.lang.values.conversions import ValueClass, kind_of
from samebits.lang.values.powers import MOST, NO_POWER, by_products
from samebits.lang.values.scalars import CONVERTERS, RAW_OF, TYPE_OF, convert, type_of_scalar
from samebits.lang.values.thread_state import running
from samebits.lang.values.weak import Int, counted, divided, reflected_divided
from samebits.types import (
    BOOL,
    COMPONENTS,
    COMPOSITES,
    Kind,
    MatrixType,
    ScalarType,
    VectorType,
    vector_of,
)
from samebits.value_text import trapped

COMPOSITE_CLASSES: dict[VectorType, type[Vector]] = {}
"""The class of each type of several scalars; complete where `values.classes` is imported."""


class Vector:
    """Base of all vectors. A value: no component can be assigned.

    Built from as many scalars as it has components, from one scalar for all of them, from
    shorter vectors and scalars side by side, from a vector or a one-dimensional ndarray of its
    length. Each element is converted as calling the element's type does.
    """

    __slots__ = ("_items",)
    __sb_type__: ClassVar[VectorType]
    __sb_converters__: ClassVar[dict[type, Callable[[Any], Any]]]
    __sb_implicit__: ClassVar[dict[type, Callable[[Any], Any]]]
    __sb_product__: ClassVar[Callable[[Any, Any], Any]]
    """What `@` computes; of samebits.lang.values.classes."""
    __array_ufunc__ = None  # NumPy's scalars leave the operator to this class
    __hash__ = None  # type: ignore[assignment]  # `==` is element-wise
    _items: tuple[Any, ...]

    def __init_subclass__(cls) -> None:
        """Make the first class with the name of a type that type's class."""
        t = COMPOSITES.get(cls.__name__)
        if t is None or t in COMPOSITE_CLASSES:
            return
        COMPOSITE_CLASSES[t] = cls
        cls.__sb_type__ = t
        cls.__sb_converters__ = CONVERTERS[t.element]
        cls.__sb_implicit__ = implicit_table(t.element)
        for index, name in enumerate(t.components):
            if name.isidentifier():
                setattr(cls, name, _component(index))

    def __new__(cls, *parts: Any) -> Any:
        rules = cls.__sb_converters__
        try:
            try:
                items = [rules[kind_of(part)](part) for part in parts]
            except KeyError:
                return cls._joined(parts)
            t = cls.__sb_type__
            if len(items) == 1:
                items *= t.length
            if len(items) != t.length:
                raise _wrong_length(t, len(items))
        except SamebitsError as error:
            hide(error)
            raise
        return vector(cls, tuple(items))

    @classmethod
    def _joined(cls, parts: tuple[Any, ...]) -> Any:
        items: list[Any] = []
        for part in parts:
            if isinstance(part, Vector) and isinstance(part.__sb_type__, MatrixType):
                raise ArgumentError(
                    f"{cls.__sb_type__} is not made of a {part.__sb_type__}",
                    fix="give its columns: m.c0",
                )
            if isinstance(part, (Vector, np.ndarray)):
                items.extend(_elements(part))
            else:
                items.append(part)
        t = cls.__sb_type__
        if len(items) != t.length:
            raise _wrong_length(t, len(items))
        element = t.element
        return vector(cls, tuple(convert(item, element) for item in items))

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        t = self.__sb_type__
        others = ", ".join(f"v.{c}" if c != name else "value" for c in COMPONENTS[: t.length])
        try:
            raise ArgumentError(f"{t} is immutable", fix=f"make a new one: v = {t}({others})")
        except ArgumentError as error:
            hide(error)
            raise

    def __getattr__(self, name: str) -> Any:
        getter = _swizzle(type(self), name)
        if getter is None:
            text = f"{self.__sb_type__} has no component or swizzle {name!r}"
            try:
                raise AttributeError(text, name=name, obj=self)
            except AttributeError as error:
                hide(error)
                raise
        return getter(self)

    def __getitem__(self, index: Any) -> Any:
        length = len(self._items)
        try:
            i = operator.index(index) if running.managed else counted(index, length)
            if not 0 <= i < length:
                raise trapped("index", "index", i, length)
        except (SamebitsError, IndexError, TypeError) as error:
            hide(error)
            raise
        return self._items[i]

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __repr__(self) -> str:
        return f"{self.__sb_type__}({', '.join(map(str, self._items))})"

    @folding
    def __bool__(self) -> NoReturn:
        raise ArgumentError("a vector is neither true nor false", fix="write any(v) or all(v)")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        element = self.__sb_type__.element
        raw = np.array(list(map(RAW_OF[element], self._items)), element.storage.dtype)
        items = raw.view(element.dtype)
        return items if dtype is None else items.astype(dtype)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._items

    @folding
    def __matmul__(self, other: Any) -> Any:
        if not isinstance(other, Vector):
            return NotImplemented
        return self.__sb_product__(other)


class PlainVector(Vector, metaclass=ValueClass):
    """Base of the vectors themselves."""


_new = object.__new__
_set_items: Callable[[Any, tuple[Any, ...]], None] = Vector.__dict__["_items"].__set__


def vector(cls: type[Any], items: tuple[Any, ...]) -> Any:
    """A vector of `cls` from components that already have its element's class."""
    result = _new(cls)
    _set_items(result, items)
    return result


def components(value: Vector) -> tuple[Any, ...]:
    """The scalars of a vector, matrix or quaternion, in memory order."""
    return value._items  # pyright: ignore[reportPrivateUsage]


def vector_class(element: ScalarType, length: int) -> type[Vector]:
    """The vector class of an element type. Raises ArgumentError if there is none."""
    try:
        return COMPOSITE_CLASSES[vector_of(element, length)]
    except KeyError:
        raise ArgumentError(
            f"there is no vector of {length} {element}", fix="write it component by component"
        ) from None


def _wrong_length(t: VectorType, found: int) -> ArgumentError:
    return ArgumentError(
        f"{t} has {t.length} components, got {found}",
        fix=f"write {t}({', '.join(COMPONENTS[: t.length])}), or {t}(s) for all alike",
    )


def _elements(part: Any) -> Any:
    if isinstance(part, Vector):
        return part._items  # pyright: ignore[reportPrivateUsage]
    if part.ndim != 1:
        raise ArgumentError(
            f"a vector is built from one dimension, got an array of shape {part.shape}",
            fix="pass one row, for example float3(a[i])",
        )
    return part


@cache
def _swizzle(cls: type[Vector], name: str) -> Callable[[Any], Any] | None:
    t = cls.__sb_type__
    letters = COMPONENTS[: t.length]
    if not 2 <= len(name) <= 4 or any(c not in letters for c in name):
        return None
    get = operator.itemgetter(*(letters.index(c) for c in name))
    result = vector_class(t.element, len(name))
    return lambda v: vector(result, get(v._items))


def takes(source: ScalarType, target: ScalarType) -> bool:
    """Whether a value of type `source` is accepted as one of type `target` unconverted."""
    if source == target:
        return True
    if not source.weak or target is BOOL:
        return False
    # Of a fixed-point type the conversion refuses a float that it does not hold exactly.
    return target.is_ieee or source.is_int or target.kind is Kind.FIXED


@cache
def implicit_table(t: ScalarType) -> dict[type, Callable[[Any], Any]]:
    """The conversions to a `t` that are made unasked, by the exact class of the value."""
    return {cls: CONVERTERS[t][cls] for cls, source in TYPE_OF.items() if takes(source, t)}


def as_element(value: Any, cls: type[Vector], symbol: str) -> Any:
    """A scalar that stands beside a vector of `cls`, in the element's class.

    Weak literals take the element's type. Raises ArgumentError for any other type than the
    element's, Trap "overflow" where a weak int does not fit.
    """
    rule = cls.__sb_implicit__.get(kind_of(value))
    if rule is not None:
        return rule(value)
    t = cls.__sb_type__
    raise ArgumentError(
        f"'{symbol}' of {t} and {type_of_scalar(value)}: the element types differ",
        fix=f"convert the scalar: {t.element}(s)",
    )


_BOOL_OPERATORS = ("and", "or", "xor", "eq", "ne")


def _check(t: VectorType, stem: str, symbol: str) -> None:
    if t.element is BOOL and stem not in _BOOL_OPERATORS:
        raise ArgumentError(
            f"'{symbol}' takes numbers, got {t}", fix="combine bool vectors with & | ^ ~"
        )


def _binary(stem: str, rule: operators.Rule, *, reflected: bool) -> Any:
    function: Any = getattr(operator, stem if stem not in ("and", "or") else f"{stem}_")
    symbol = rule.symbol
    results: dict[type, Any] = {}

    def others_of(cls: type[Vector], other: Any) -> Any:
        if isinstance(other, Vector):
            if kind_of(other) is not cls:
                a, b = cls.__sb_type__, other.__sb_type__
                what, fix = operators.no_common(symbol, a, b)
                raise ArgumentError(f"'{symbol}' of {a} and {b}: {what}", fix=fix)
            return other._items  # pyright: ignore[reportPrivateUsage]
        return repeat(as_element(other, cls, symbol)) if kind_of(other) in TYPE_OF else None

    def method(self: Any, other: Any) -> Any:
        cls: type[Vector] = kind_of(self)
        try:
            others = others_of(cls, other)
            if others is None:
                return NotImplemented
            if cls not in results:
                _check(cls.__sb_type__, stem, symbol)
                element = cls.__sb_type__.element
                result = element if element is BOOL else rule.result(element)
                same = result == cls.__sb_type__.element
                results[cls] = cls if same else COMPOSITE_CLASSES[cls.__sb_type__.of(result)]
            pair = (others, self._items) if reflected else (self._items, others)
            return vector(results[cls], tuple(map(function, *pair)))
        except SamebitsError as error:
            hide(error)
            raise

    return method


def _unary(stem: str, symbol: str) -> Any:
    function: Any = getattr(operator, stem)

    def method(self: Any) -> Any:
        t = self.__sb_type__
        if t.element is BOOL and stem == "invert":
            return vector(kind_of(self), tuple(not item for item in self._items))
        try:
            _check(t, stem, symbol)
        except SamebitsError as error:
            hide(error)
            raise
        return vector(kind_of(self), tuple(map(function, self._items)))

    return method


@folding
def _power(self: Any, n: Any, modulus: Any = None) -> Any:
    """`self ** n` by products, element by element, n from 1 to `MOST` as in kernels."""
    if type(n) not in (int, Int) or not 1 <= n <= MOST or modulus is not None:
        message, fix = NO_POWER
        raise ArgumentError(message, fix=fix)
    return by_products(operator.mul, self, int(n))


def _component(index: int) -> property:
    return property(lambda self: self._items[index])


def _install() -> None:
    for stem, rule in operators.BINARY.items():
        setattr(Vector, f"__{stem}__", _binary(stem, rule, reflected=False))
        if rule.takes != "order":
            setattr(Vector, f"__r{stem}__", _binary(stem, rule, reflected=True))
    Vector.__pow__ = _power  # type: ignore[attr-defined]
    Vector.__divmod__ = divided  # type: ignore[attr-defined]
    Vector.__rdivmod__ = reflected_divided  # type: ignore[attr-defined]
    for stem, symbol in (("neg", "-"), ("pos", "+"), ("invert", "~"), ("abs", "abs")):
        setattr(Vector, f"__{stem}__", _unary(stem, symbol))


_install()


class float2(PlainVector):
    """Two float32."""


class float3(PlainVector):
    """Three float32."""


class float4(PlainVector):
    """Four float32."""


class double2(PlainVector):
    """Two float64."""


class double3(PlainVector):
    """Three float64."""


class double4(PlainVector):
    """Four float64."""


class int2(PlainVector):
    """Two int32."""


class int3(PlainVector):
    """Three int32."""


class int4(PlainVector):
    """Four int32."""


class uint2(PlainVector):
    """Two uint32."""


class uint3(PlainVector):
    """Three uint32."""


class uint4(PlainVector):
    """Four uint32."""


class bool2(PlainVector):
    """Two bools."""


class bool3(PlainVector):
    """Three bools."""


class bool4(PlainVector):
    """Four bools."""
