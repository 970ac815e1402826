"""The math libraries of this machine, beside samebits' own: C's, NumPy's, and the vector one that
GCC calls. Each gives a function as a C function of floats, for Python and for compiled code."""

from __future__ import annotations

import ctypes
import ctypes.util
from collections.abc import Callable, Mapping
from contextvars import copy_context
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from samebits.backend.llvm import engine as llvm
from samebits.fpmodel.softfloat import FLOAT32

_NAMES = (
    "acos acosh asin asinh atan atanh atan2 cbrt cos cosh erf erfc exp exp2 exp10 expm1 fdim fmax "
    "fmin fmod hypot lgamma log log1p log2 log10 pow remainder sin sinh tan tanh tgamma"
)
LIBRARY_FUNCTIONS = frozenset(_NAMES.split())
"""The functions that C libraries have under the same names."""
_TWO = frozenset({"atan2", "fdim", "fmax", "fmin", "fmod", "hypot", "pow", "remainder"})
_EXACT = frozenset({"fdim", "fmax", "fmin", "fmod", "remainder"})

_NUMPY = {
    "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan",
    "atanh": "arctanh", "atan2": "arctan2", "pow": "power",
}  # fmt: skip
"""NumPy's names where they are not C's."""


@dataclass(frozen=True, slots=True)
class Library:
    """`find(name, bits)` is a function for float32 or float64, or None where it has none."""

    note: str
    find: Callable[[str, int], Any]


def function_of(library: str, name: str, bits: int) -> Any:
    """A C function of a library of `LIBRARIES`, by C's name for float64; None where it has none."""
    return LIBRARIES[library].find(name, bits) if name in LIBRARY_FUNCTIONS else None


@cache
def _c_library() -> Any:
    name = ctypes.util.find_library("m") or ctypes.util.find_library("ucrtbase")
    try:
        return ctypes.CDLL(name)
    except OSError:
        return None


def _prototype(name: str, bits: int) -> Any:
    kind = ctypes.c_float if bits == FLOAT32.bits else ctypes.c_double
    return ctypes.CFUNCTYPE(kind, *[kind] * (2 if name in _TWO else 1))


def _symbol(name: str, bits: int) -> str:
    return name + ("f" if bits == FLOAT32.bits else "")


@cache
def _of_c(name: str, bits: int) -> Any:
    try:
        return _prototype(name, bits)((_symbol(name, bits), _c_library()))
    except (AttributeError, TypeError):
        return None


@cache
def _of_numpy(name: str, bits: int) -> Any:
    ufunc = getattr(np, _NUMPY.get(name, name), None)
    if name in _EXACT or ufunc is None:
        return None
    dtype = np.float32 if bits == FLOAT32.bits else np.float64

    def quiet(args: tuple[float, ...]) -> float:
        np.seterr(all="ignore")
        return float(ufunc(*(np.array([x], dtype) for x in args))[0])

    def one(*args: float) -> float:
        # What NumPy says of errors is of a context, and of a copy no trace is left.
        return copy_context().run(quiet, args)

    return _prototype(name, bits)(one)


_THUNK = """\
target triple = "{triple}"
define {t} @thunk({parameters}) #0 {{
{splats}
  %r = call <{n} x {t}> inttoptr (i64 {address} to ptr)({arguments})
  %x = extractelement <{n} x {t}> %r, i32 0
  ret {t} %x
}}
attributes #0 = {{ "min-legal-vector-width"="512" }}
"""


def _of_vectors(letter: str, width: int, level: int) -> Callable[[str, int], Any]:
    """Functions of glibc's libmvec (named as in the x86-64 vector function ABI) for vectors of
    `width` bits, where this process can run that level of x86-64."""

    @cache
    def find(name: str, bits: int) -> Any:
        target = llvm.host_target()
        if target.architecture != "x86_64" or target.level < level:
            return None
        arity = 2 if name in _TWO else 1
        symbol = f"_ZGV{letter}N{width // bits}{'v' * arity}_{_symbol(name, bits)}"
        try:
            found = getattr(ctypes.CDLL("libmvec.so.1"), symbol)
        except (OSError, AttributeError):
            return None
        t, n = ("float" if bits == FLOAT32.bits else "double"), width // bits
        vector, splats = f"<{n} x {t}>", list[str]()
        for k in range(arity):
            splats.append(f"  %one{k} = insertelement {vector} poison, {t} %a{k}, i32 0")
            splats.append(
                f"  %all{k} = shufflevector {vector} %one{k}, {vector} poison, "
                f"<{n} x i32> zeroinitializer"
            )
        text = _THUNK.format(
            triple=target.triple, t=t, n=n, splats="\n".join(splats),
            address=ctypes.cast(found, ctypes.c_void_p).value,
            parameters=", ".join(f"{t} %a{k}" for k in range(arity)),
            arguments=", ".join(f"{vector} %all{k}" for k in range(arity)),
        )  # fmt: skip
        loaded = llvm.load(llvm.compile_text(text, target), ["thunk"])
        function = _prototype(name, bits)(loaded.addresses["thunk"])
        function.code = loaded  # which goes with it
        return function

    return find


def _vectors(width: int, letter: str, level: int) -> Library:
    note = f"glibc's vectors of {width} bits, which GCC calls where it may reorder (-Ofast)"
    return Library(note, _of_vectors(letter, width, level))


LIBRARIES: Mapping[str, Library] = {
    "libm": Library("this machine's C library; others round other arguments differently", _of_c),
    "numpy": Library(
        f"this machine's NumPy, {np.__version__}, which has other loops on other processors",
        _of_numpy,
    ),
    "libmvec128": _vectors(128, "b", 2),
    "libmvec256": _vectors(256, "d", 3),
    "libmvec512": _vectors(512, "e", 4),
}
"""By the prefix that their functions have in expressions. Adding one is adding a row."""
