"""Text of stubs: docstrings, and functions with and without overloads."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Sequence


def docstring(of: object, indent: str = "    ") -> str:
    """The docstring of an object, indented, as a stub's lines."""
    text = inspect.getdoc(of) or ""
    body = textwrap.indent(text, indent).strip().replace("\\", "\\\\")
    ends = "\n" + indent if "\n" in body else ""
    return f'{indent}"""{body}{ends}"""'


def function(name: str, signatures: Sequence[str], of: object) -> str:
    """A function's stub: a signature each, as `(x: float, /) -> float`; the last has the doc."""
    head = "@overload\n" if len(signatures) > 1 else ""
    *others, last = signatures
    lines = [f"{head}def {name}{signature}: ..." for signature in others]
    lines.append(f"{head}def {name}{last}:\n{docstring(of)}")
    return "\n".join(lines) + "\n"
