"""Replacements that errors name where a function without an array form gets an array."""

from __future__ import annotations

INSTEAD = {
    "all": "write x.all()",
    "any": "write x.any()",
    "bitcast": "write x.view(np.uint32), which keeps the bits of a NaN",
    "cmax": "write math.max(x)",
    "cmin": "write math.min(x)",
    "csum": "write math.sum(x)",
    "distance": "write math.norm(x - y)",
    "distancesq": "write d = x - y, then math.dot(d, d)",
    "length": "write math.norm(x)",
    "lengthsq": "write math.dot(x, x)",
    "normalize": "write x / math.norm(x)",
    "select": "write np.where(condition, a, b)",
    "transpose": "write x.T",
}
"""By name."""


def instead_of(name: str) -> str:
    """The replacement for `name(x)` of an array x."""
    return INSTEAD.get(name, "call it for each element, in a kernel")
