"""Names that Python's `math` or NumPy have for functions of `samebits.math`."""

from __future__ import annotations

OTHER_NAMES = {
    "arccos": "acos", "arccosh": "acosh", "arcsin": "asin", "arcsinh": "asinh", "arctan": "atan",
    "arctan2": "atan2", "arctanh": "atanh", "power": "pow", "fabs": "abs", "absolute": "abs",
    "rint": "round", "minimum": "min", "maximum": "max", "deg2rad": "radians",
    "rad2deg": "degrees", "clip": "clamp", "where": "select", "fsum": "exact_sum",
    "var": "variance", "gamma": "tgamma",
}  # fmt: skip
"""The name here, by the other name."""

HOSTS = ("math", "numpy")
_SAME_TEXT = """
abs acos acosh all any argmax argmin asin asinh atan atan2 atanh cbrt ceil copysign cos cosh cross
cumsum degrees dot erf erfc exp exp2 expm1 floor fma fmax fmin fmod frexp hypot isfinite isinf
isnan ldexp lgamma log log10 log1p log2 logaddexp max mean min modf nextafter pow radians remainder
round sign signbit sin sinh sqrt sum tan tanh trunc
"""
SAME_NAMES = frozenset(_SAME_TEXT.split())
"""The names that are the same here."""


def samebits_name(called: object) -> str | None:
    """The name in samebits.math of a function of Python's `math` or NumPy; None of any other."""
    module = str(getattr(called, "__module__", None) or type(called).__module__)
    if module.partition(".")[0] not in HOSTS:
        return None
    name = str(getattr(called, "__name__", ""))
    return name if name in SAME_NAMES else OTHER_NAMES.get(name)
