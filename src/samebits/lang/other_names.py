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
