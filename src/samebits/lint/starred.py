"""The names that `from MODULE import *` imports, for modules that rules know.

Owns the list of these modules; no other is imported, because the checked code is not trusted.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

_KNOWN = frozenset({
    "cmath", "datetime", "glob", "itertools", "locale", "math", "numpy", "numpy.linalg",
    "numpy.random", "os", "random", "statistics", "time",
})  # fmt: skip


@cache
def starred(module: str) -> frozenset[str]:
    """The names that a module exports to `import *`; empty for an unknown one."""
    if module not in _KNOWN:
        return frozenset()
    found = import_module(module)
    public = [name for name in vars(found) if not name.startswith("_")]
    return frozenset(getattr(found, "__all__", public))
