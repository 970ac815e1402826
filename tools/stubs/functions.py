"""Stubs of the functions of `samebits` and `samebits.math`: signatures by kind, docs as written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from tools.stubs.text import function

import samebits as sb
from samebits import math

HEAD = """from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar, overload

import numpy as np

from samebits.modes import Precision
from samebits.typed.bases import Matrix, Value, Vector
from samebits.typed.dimensions import Array, ReadOnly
from samebits.typed.values import (
    double3, double3x3, dquaternion, float3, float3x3, half, quaternion,
)

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
"""

Kind = Callable[[str], list[str]]
"""From the names of parameters to the signatures of a function."""

OUT = ", *, out: _Numbers | None = None"


def named(names: str, *types: str) -> str:
    return ", ".join(f"{n}: {t}" for n, t in zip(names.split(), types, strict=True))


def over(names: str, scalars: str, result: str, vectors: str, arrays: str) -> list[str]:
    """The signatures of a function that works component by component, on arrays too.

    `scalars` is the type of each number.
    """
    count = len(names.split())
    found = [f"({named(names, *[scalars] * count)}, /) -> {result}"]
    beside = f"_V | {scalars}"
    found.append(f"({named(names, '_V', *[beside] * (count - 1))}, /) -> {vectors}")
    if count > 1:
        found.append(f"({named(names, *[beside] * (count - 1), '_V')}, /) -> {vectors}")
    for i in range(count):
        types = ["float"] * i + ["_Numbers"] + ["_Numbers | float"] * (count - 1 - i)
        found.append(f"({named(names, *types)}, /{OUT}) -> {arrays}")
    found.append(f"({named(names, *['np.generic | float'] * count)}, /) -> {result}")
    return found


def floats(names: str) -> list[str]:
    return over(names, "float", "float", "_V", "_Numbers")


def numbers(names: str) -> list[str]:
    count = len(names.split())
    return [f"({named(names, *['int'] * count)}, /) -> int", *floats(names)]


def orders(names: str) -> list[str]:
    """Two numbers or vectors, or of a type that a generic kernel does not know."""
    return [*numbers(names), f"({named(names, '_T', '_T')}, /) -> _T"]


def integers(names: str) -> list[str]:
    return over(names, "int", "int", "_V", "_Numbers")


def with_integer(names: str) -> list[str]:
    return [
        f"({named(names, 'float', 'int')}, /) -> float",
        f"({named(names, '_V', 'Any')}, /) -> _V",
        f"({named(names, '_Numbers', '_Numbers | int')}, /{OUT}) -> _Numbers",
        f"({named(names, 'float', '_Numbers')}, /{OUT}) -> _Numbers",
    ]


def tests(names: str) -> list[str]:
    return [
        f"({names}: float, /) -> bool",
        f"({names}: Vector[Any, _B], /) -> _B",
        f"({names}: _Numbers, /{OUT}) -> _Numbers",
    ]


def pairs(second: str, second_vector: str) -> Callable[[str], list[str]]:
    """Two results of one number, or of two."""

    def signatures(names: str) -> list[str]:
        return over(
            names, "float", f"tuple[float, {second}]", f"tuple[_V, {second_vector}]",
            "tuple[_Numbers, _Numbers]",
        )  # fmt: skip

    return signatures


def exponents(names: str) -> list[str]:
    found = over(names, "float", "int", "Any", "_Numbers")
    return [signature.replace("_V", "Value") for signature in found]


def truths(names: str) -> list[str]:
    return [f"({names}: _Truths | ReadOnly[bool], /) -> bool"]


def same(names: str) -> list[str]:
    """Vectors of one type give one."""
    return [f"({named(names, *['_V'] * len(names.split()))}, /) -> _V"]


def to_scalar(names: str) -> list[str]:
    of = ["Vector[_S, Any]"] * len(names.split())
    return [f"({named(names, *of)}, /) -> _S"]


def distances(names: str) -> list[str]:
    return [f"({named(names, 'float', 'float')}, /) -> float", *to_scalar(names)]


def of_array(result: str, scalars: Kind | None = None, names: str = "a b") -> Kind:
    """A function of all elements of arrays; `scalars` is its form for two numbers."""

    def signatures(arrays: str) -> list[str]:
        of = ["ReadOnly[_T]"] * len(arrays.split())
        found = scalars(names) if scalars else []
        return [*found, f"({named(arrays, *of)}, /) -> {result}"]

    return signatures


def loose(names: str) -> list[str]:
    """Signatures that are not spelled out."""
    return [f"({named(names, *['Any'] * len(names.split()))}, /) -> Any"]


def exactly(*signatures: str) -> Callable[[str], list[str]]:
    return lambda _: list(signatures)


INTRINSICS: Mapping[str, tuple[str, Kind]] = {
    **dict.fromkeys(("sqrt", "floor", "ceil", "trunc", "round"), ("x", floats)),
    **dict.fromkeys(("abs", "sign"), ("x", numbers)),
    **dict.fromkeys(("popcount", "clz", "ctz"), ("x", integers)),
    **dict.fromkeys(("rotl", "rotr"), ("x count", integers)),
    **dict.fromkeys(("any", "all"), ("a", truths)),
    "clamp": ("x lo hi", numbers),
    "copysign": ("a b", floats),
    "fma": ("a b c", floats),
    "cross": ("a b", same),
    "normalize": ("a", same),
    "length": ("a", to_scalar),
    "bitcast": ("", exactly("(target: type[_T], x: Any, /) -> _T")),
    "select": ("", exactly(
        "(condition: bool, a: int, b: int, /) -> int",
        "(condition: bool, a: float, b: float, /) -> float",
        "(condition: bool | Vector[bool, Any], a: _V, b: float, /) -> _V",
        "(condition: bool | Vector[bool, Any], a: float, b: _V, /) -> _V",
        "(condition: bool | _Truths, a: _T, b: _T, /) -> _T",
    )),
}  # fmt: skip
"""For each function that both modules have: its parameters, and the kind of its signatures."""

LANGUAGE: Mapping[str, tuple[str, Kind]] = {
    **INTRINSICS,
    "min": ("a b", orders),
    "max": ("a b", orders),
    "dot": ("a b", to_scalar),
    "likely": ("", exactly("(condition: bool, /) -> bool")),
    "unlikely": ("", exactly("(condition: bool, /) -> bool")),
    "assume": ("", exactly("(condition: bool, /) -> None")),
    "expect_vectorized": ("", exactly("() -> None")),
    "f32": ("", exactly("(text: str) -> float")),
    "trace": ("", exactly("(name: str, value: Any, /) -> None")),
}
"""The functions of `samebits` itself."""

FLOATS = (
    "acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt cos cosh cospi degrees erf erfc "
    "exp exp2 exp2m1 exp10 exp10m1 expm1 fract lgamma log log1p log2 log2p1 log10 log10p1 logb "
    "nextdown nextup radians rcp round_half_away rsqrt saturate sin sinh sinpi tan tanh tanpi "
    "tgamma"
)
PAIRS = "chgsign fdim fmod hypot logaddexp nextafter pow powr remainder"
ROTATIONS = "euler_xyz euler_xzy euler_yxz euler_yzx euler_zxy euler_zyx"
MATH: Mapping[str, tuple[str, Kind]] = {
    **INTRINSICS,
    **dict.fromkeys(FLOATS.split(), ("x", floats)),
    **dict.fromkeys(PAIRS.split(), ("x y", floats)),
    **dict.fromkeys(("atan2", "atan2pi"), ("y x", floats)),
    **dict.fromkeys(("fmax", "fmin"), ("a b", floats)),
    **dict.fromkeys(("compound", "ldexp", "pown", "rootn"), ("x n", with_integer)),
    **dict.fromkeys(("isfinite", "isinf", "isnan", "signbit"), ("x", tests)),
    **dict.fromkeys(("ceillog2", "ceilpow2", "floorlog2", "reversebits"), ("x", integers)),
    **dict.fromkeys(("cmax", "cmin", "csum", "lengthsq"), ("v", to_scalar)),
    **dict.fromkeys(("distance", "distancesq"), ("a b", distances)),
    "lerp": ("a b t", floats),
    "mad": ("a b c", floats),
    "remap": ("a b c d x", floats),
    "smoothstep": ("a b x", floats),
    "unlerp": ("a b x", floats),
    "step": ("edge x", floats),
    "ilogb": ("x", exponents),
    "frexp": ("x", pairs("int", "Any")),
    "modf": ("x", pairs("float", "_V")),
    "sincos": ("x", pairs("float", "_V")),
    "remquo": ("x y", pairs("int", "Any")),
    "ispow2": ("", exactly("(x: int, /) -> bool", "(x: Vector[Any, _B], /) -> _B")),
    "sum": ("x", of_array("_T")),
    "mean": ("x", of_array("float")),
    "variance": ("x", of_array("float")),
    "norm": ("x", of_array("float")),
    "exact_sum": ("x", of_array("float")),
    "min": ("x", of_array("_T", orders)),
    "max": ("x", of_array("_T", orders)),
    "argmin": ("x", of_array("int")),
    "argmax": ("x", of_array("int")),
    "dot": ("x y", of_array("_T", to_scalar)),
    "cumsum": ("", exactly(
        "(x: _Numbers, /) -> _Numbers", "(x: ReadOnly[_T], out: Array[_T], /) -> None"
    )),
    "mul": ("", exactly("(a: _Multiplied[_Other, _Result], b: _Other) -> _Result")),
    "transpose": ("", exactly("(a: Matrix[Any, Any, Any, _T]) -> _T")),
    "determinant": ("", exactly("(m: Matrix[_S, Any, Any, Any], /) -> _S")),
    "precision": ("", exactly("(value: Precision) -> AbstractContextManager[None]")),
    "inverse": ("a", same),
    "conjugate": ("q", same),
    "faceforward": ("n i ng", same),
    "project": ("a b", same),
    "reflect": ("i n", same),
    "normalizesafe": ("", exactly("(v: _V, default: _V = ..., /) -> _V")),
    "refract": ("", exactly("(i: _V, n: _V, eta: float, /) -> _V")),
    "nlerp": ("", exactly("(a: _V, b: _V, t: float, /) -> _V")),
    "slerp": ("", exactly("(a: _V, b: _V, t: float, /) -> _V")),
    "rotate": ("", exactly(
        "(q: quaternion, v: float3, /) -> float3", "(q: dquaternion, v: double3, /) -> double3"
    )),
    "angle": ("", exactly("(a: _V, b: _V, /) -> float")),
    **dict.fromkeys(("to_matrix",), ("", exactly(
        "(q: quaternion, /) -> float3x3", "(q: dquaternion, /) -> double3x3"
    ))),
    "to_quaternion": ("", exactly(
        "(m: float3x3, /) -> quaternion", "(m: double3x3, /) -> dquaternion"
    )),
    "axis_angle": ("", exactly(
        "(axis: float3, angle: float, /) -> quaternion",
        "(axis: double3, angle: float, /) -> dquaternion",
    )),
    "look_rotation": ("", exactly(
        "(forward: float3, up: float3, /) -> quaternion",
        "(forward: double3, up: double3, /) -> dquaternion",
    )),
    **dict.fromkeys(ROTATIONS.split(), ("", exactly(
        "(angles: float3, /) -> quaternion", "(angles: double3, /) -> dquaternion"
    ))),
}  # fmt: skip
"""The functions of `samebits.math`; of those that are not here every argument is taken."""


def stubs(names: Iterable[str], rows: Mapping[str, tuple[str, Kind]], module: object) -> list[str]:
    found: list[str] = []
    for name in names:
        value = getattr(module, name)
        if not callable(value):
            continue
        parameters, kind = rows.get(name, ("", exactly("(*args: Any, out: Any = None) -> Any")))
        found.append(function(name, kind(parameters), value))
    return found


def language() -> str:
    """The text of `typed/functions.pyi`."""
    title = '"""The functions of the language, typed. Written by `python -m tools.stubs`."""\n'
    return "\n".join([title, HEAD, *stubs(LANGUAGE, LANGUAGE, sb)])


def mathematics() -> str:
    """The text of `math.pyi`."""
    title = '"""The functions that kernels call, typed. Written by `python -m tools.stubs`."""\n'
    constants = [f"{name}: float" for name in math.__all__ if not callable(getattr(math, name))]
    return "\n".join([title, HEAD, *constants, "", *stubs(math.__all__, MATH, math)])
