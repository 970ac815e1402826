"""The name by which a file calls samebits' `math`, so that advice can be pasted into it."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping
from types import ModuleType

from samebits.frontend.core.source import FunctionNode

_WRITTEN = re.compile(r"(?<![\w.])math\.([A-Za-z]\w*)")


def math_in(scope: Mapping[str, object]) -> str:
    """How a file with these names writes samebits' math."""
    for module, ending in (("samebits.math", ""), ("samebits", ".math")):
        for name, value in scope.items():
            if isinstance(value, ModuleType) and value.__name__ == module:
                return name + ending
    return "samebits.math"


def named_as_in(scope: Mapping[str, object], fix: str, within: FunctionNode) -> str:
    """A fix that names functions of `math`, by their names in a file where `math` is Python's, or
    another, or none at all. What the function itself reads of its `math` stays as it is written,
    Python's functions aside, which no kernel calls."""
    named = scope.get("math")
    if "math." not in fix or getattr(named, "__name__", "") == "samebits.math":
        return fix
    kept = {
        part.attr for part in ast.walk(within)
        if isinstance(part, ast.Attribute)
        and isinstance(part.value, ast.Name) and part.value.id == "math"
        and not (named is math and callable(getattr(math, part.attr, len)))
    }  # fmt: skip
    called = math_in(scope)
    return _WRITTEN.sub(lambda m: m[0] if m[1] in kept else f"{called}.{m[1]}", fix)
