"""Functions of Python's `math` and of NumPy that a kernel is sometimes written with, and what
stands for them here."""

from __future__ import annotations

from samebits.lang.other_names import OTHER_NAMES

_HOSTS = ("math", "numpy")
_NAMES = """
abs acos acosh argmax argmin asin asinh atan atan2 atanh cbrt ceil copysign cos cosh cross cumsum
degrees dot erf erfc exp exp2 expm1 floor fma fmax fmin fmod frexp hypot isfinite isinf isnan ldexp
lgamma log log10 log1p log2 logaddexp max mean min modf nextafter pow radians remainder round sign
signbit sin sinh sqrt sum tan tanh trunc
"""
_SAME = frozenset(_NAMES.split())


def ours(called: object) -> str | None:
    """The function of samebits.math that stands for one of Python's `math` or of NumPy."""
    module = str(getattr(called, "__module__", None) or type(called).__module__)
    if module.partition(".")[0] not in _HOSTS:
        return None
    name = str(getattr(called, "__name__", ""))
    return name if name in _SAME else OTHER_NAMES.get(name)
