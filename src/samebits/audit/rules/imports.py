"""The functions of other libraries whose results differ, by rule.

Exact functions are left out: sqrt, fma, floor, fmod, ldexp and their like have one result.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_LIBM = (
    "sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|asinh|acosh|atanh|exp|exp2|exp10|expm1|pow10"
    "|log|log2|log10|log1p|pow|cbrt|hypot|erf|erfc|tgamma|lgamma|gamma|sincos|j0|j1|jn|y0|y1|yn"
    "|sinpi|cospi|tanpi|c(?:abs|arg|sqrt|exp|log|pow|sin|cos|tan|asin|acos|atan|sinh|cosh|tanh"
    "|asinh|acosh|atanh)"
)
_MATH = rf"(?:{_LIBM})[fl]?(?:_r)?"

IMPORTS: tuple[tuple[str, str], ...] = (
    ("AU301", _MATH),
    ("AU301", rf"__(?:{_LIBM})[fl]?_finite|__(?:sincos|sincospi|sinpi|cospi|tanpi|exp10)f?_stret"),
    ("AU301", rf"__(?:{_LIBM})[fl]?|(?:{_LIBM})[fl]?(?:32|64|128)x?"),
    ("AU301", r"_(?:CI|_libm_sse2_)\w+|_libm_\w+|__libm_\w+|__(?:muldc3|divdc3|mulsc3|divsc3)"),
    ("AU301", r"_ZNSt\w*(?:riemann_zeta|beta|ellint|legendre|cyl_bessel)\w*"),
    ("AU302", r"_ZGV[a-zA-Z_]\w+|__svml_\w+|amd_vr[sd]\d_\w+|Sleef_\w+"),
    ("AU302", r"vv\w{2,12}|vDSP_\w+|vml[sd]\w+"),
    ("AU302", r"cblas_\w+|[sdcz](?:gemm|gemv|dot|axpy|nrm2|trsm|getrf|gesv)_?"),
    ("AU303", r"fesetround|fesetenv|feupdateenv|feholdexcept|fesetmode|fesetexceptflag"),
    ("AU303", r"_?_?control(?:87|fp)(?:_2|_s)?|_?fpreset|_set_controlfp"),
    ("AU303", r"fpset(?:round|mask|prec)"),
    ("AU304", r"s?rand|rand_r|s?random|random_r|initstate|setstate|rand_s"),
    ("AU304", r"[delmnjs]?rand48|srand48|seed48|lcong48|arc4random(?:_\w+)?|getrandom|getentropy"),
    ("AU304", r"BCryptGenRandom|SystemFunction036|RtlGenRandom|CryptGenRandom|ProcessPrng"),
    ("AU304", r"_ZNSt(?:3__1)?13random_device\w*|SecRandomCopyBytes|RAND_bytes|random_get"),
    ("AU305", r"time|_?_time(?:32|64)|clock|_?_?clock_gettime(?:64)?|_ftime\w*"),
    ("AU305", r"gettimeofday|timespec_get"),
    ("AU305", r"QueryPerformanceCounter|GetTickCount(?:64)?|GetSystemTime\w*|timeGetTime"),
    ("AU305", r"mach_(?:absolute|continuous)_time|emscripten_get_now|_emscripten_date_now"),
    ("AU305", r"_ZNSt\w*(?:steady|system|high_resolution)_clock3nowEv|clock_time_get"),
    ("AU306", r"_?qsort(?:_[rs])?|heapsort|mergesort_b"),
    ("AU307", r"__(?:add|sub|mul|div|neg|fix|float|extend|trunc)\w*[tx]f\w*"),
    ("AU307", r"__(?:eq|ne|lt|gt|le|ge|unord)[tx]f2|__gcc_q\w+|__(?:mul|div)[tx]c3"),
    ("AU307", r"strtold\w*|(?:fma|sqrt|floor|ceil|fmod|round|trunc)l"),
)  # fmt: skip
"""Patterns of whole names, without the underscore that macOS and 32-bit Windows put before them."""

_COMPILED = tuple((code, re.compile(pattern)) for code, pattern in IMPORTS)
_DEFINED = re.compile(
    rf"{_MATH}|__(?:{_LIBM})f?_(?:fma4?|avx2?|sse2|sse4_?1|power\w*|z\w+|finite)|__(?:{_LIBM})f?"
)
_COMMON = frozenset({"log", "exp", "gamma", "tan", "cos", "sin", "carg", "cabs"})
"""Names that a program's own function may well have."""

CORRECTLY_ROUNDED = "sb_math_fingerprint"
"""A function of samebits' own math library: where it is linked, `sin` is that library's."""


def rule_of_import(name: str) -> str | None:
    """The rule that an imported function breaks, if any; `name` without version or decoration."""
    for code, pattern in _COMPILED:
        if pattern.fullmatch(name):
            return code
    return None


def linked_math(defined: Iterable[str]) -> list[str]:
    """Those of a file's functions that are a libm's, by name, sorted; none where samebits' own
    library is linked, and none that stands for one of that, `sin` for `sb_sin`. One name that a
    program may use itself is none."""
    names = set(defined)
    if any(name.lstrip("_") == CORRECTLY_ROUNDED for name in names):
        return []
    found = sorted(name for name in names if _DEFINED.fullmatch(name) and f"sb_{name}" not in names)
    return [] if len(found) == 1 and found[0] in _COMMON else found
