"""Math functions as tree operations: samebits' own, C's, NumPy's, and GCC's vector functions.

Owns each function as a C function of floats for Python and for compiled code, the kernel that one
of samebits' own is, and the result of a call in a format. Of samebits' functions those at HIGH
precision count alone: they are what `samebits.math` gives from Python.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import struct
from collections.abc import Callable, Mapping
from contextvars import copy_context
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np

import samebits.math
from samebits.backend.llvm import engine
from samebits.fpmodel import softfloat
from samebits.fpmodel.estimates import x86_estimate
from samebits.fpmodel.parse import FUNCTIONS
from samebits.fpmodel.softfloat import NAN, Format, Number, from_bits, rounded, to_bits
from samebits.frontend.compile import symbol_of
from samebits.ir.builder import Builder
from samebits.ir.grammar import HostFunction
from samebits.ir.once import is_library
from samebits.lang.kernel import Kernel
from samebits.lang.overloads import Overloads
from samebits.lang.values.scalars import float32, float64, int32
from samebits.lang.values.thread_state import managed_run
from samebits.types import FLOAT32, FLOAT64, UINT32, ScalarType, Type

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
    """A math library. `find(name, bits)` is its function for float32 or float64, or None."""

    note: str
    find: Callable[[str, int], Any]


def function_of(library: str, name: str, bits: int) -> Any:
    """A library's C function, by its float64 name in C; None if it has none."""
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
        # NumPy's error state belongs to the context; a copied one leaves it unchanged.
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
        target = engine.host_target()
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
        loaded = engine.load(engine.compile_text(text, target), ["thunk"])
        function = _prototype(name, bits)(loaded.addresses["thunk"])
        function.code = loaded  # keeps the code alive
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
"""The libraries by the prefix of their functions in expressions; a new one is a row here."""


_TYPES: dict[int, tuple[str, Any]] = {32: ("<f", float32), 64: ("<d", float64)}
_MOST_KEPT = 8192
"""Results that are cached: variants evaluate one operation on the same operands many times."""


@lru_cache(maxsize=_MOST_KEPT)
def call(detail: str, args: tuple[Number, ...], form: Format) -> Number:
    """A math function's result, for arguments and a result in one format.

    `detail` is a name in `samebits.math`, with an integer behind it where the function takes one,
    as in `pown 3`; with the prefix of one of `LIBRARIES`, that library's
    function; with `libm64.` the C library's float64 function, then rounded.
    """
    where, _, name = detail.rpartition(".")
    if where == "libm64":
        return rounded(call(f"libm.{name}", args, softfloat.FLOAT64), form)
    if where:
        function = function_of(where, name, form.bits)
        values = [_as_float(x, form) for x in args]
        return _as_number(float("nan") if function is None else function(*values), form)
    make = _TYPES[form.bits][1]
    name, *integers = name.split()
    function = getattr(samebits.math, name)
    with managed_run():
        given = [make(_as_float(x, form)) for x in args]
        result = float(function(*given, *(int32(int(n)) for n in integers)))
    return NAN if result != result else _as_number(result, form)


def _as_float(x: Number, form: Format) -> float:
    code = _TYPES[form.bits][0]
    return struct.unpack(code, to_bits(x, form).to_bytes(form.bits // 8, "little"))[0]


def _as_number(value: float, form: Format) -> Number:
    return from_bits(int.from_bytes(struct.pack(_TYPES[form.bits][0], value), "little"), form)


OPERATIONS = frozenset({"ceil", "copysign", "floor", "round", "trunc"})
"""The functions that are IR operations under the same names."""


def kernel_of(name: str, bits: int) -> tuple[Kernel, tuple[Type, ...]] | None:
    """The kernel of a math function for floats of a width, and its parameters' types."""
    function = getattr(samebits.math, name) if name in FUNCTIONS else None
    if not isinstance(function, Overloads):
        return None
    t = FLOAT32 if bits == FLOAT32.bits else FLOAT64
    kernel = function.kernel_for(t)
    return kernel, kernel.signature.resolve((t,) * function.arity)


@cache
def _by_symbol() -> dict[str, str]:
    kernels = ((name, kernel_of(name, bits)) for name in FUNCTIONS for bits in _TYPES)
    return {symbol_of(*kernel): name for name, kernel in kernels if kernel is not None}


def name_of(symbol: str) -> str | None:
    """The name of the math function that an IR function implements; None if it is none."""
    return _by_symbol().get(symbol) if is_library(symbol) else None


NAME = "samebits.host."
"""The prefix of host functions' names."""


def library_function(library: str, name: str, bits: int) -> HostFunction | None:
    """A library's math function for floats of a width, callable from IR; None if it has none."""
    function = function_of(library, name, bits)
    if function is None:
        return None
    t = FLOAT32 if bits == FLOAT32.bits else FLOAT64
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    return _host(f"{library}.{name}.{t}", t, FUNCTIONS[name], address)


def estimate_function(name: str) -> HostFunction | None:
    """This processor's float32 estimate, from bits to bits; None if it has none."""
    estimate = x86_estimate(name)
    return None if estimate is None else _host(name, UINT32, 1, estimate.address)


def _host(name: str, t: ScalarType, arity: int, address: int) -> HostFunction:
    b = Builder(NAME + name, {f"x{i}": t for i in range(arity)}, (t,), file=NAME)
    f = b.ret(b.get("x0"))
    return HostFunction(
        f.name, f.params, f.results, f.slots, f.locals, f.body, f.span, address=address
    )
