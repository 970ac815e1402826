"""`sbmath.h`: every function of the library with what it computes."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from samebits.export.math_library.arrays import array_declaration
from samebits.export.math_library.functions import C_TYPES, WIDTHS, MathFunction
from samebits.export.templates import render
from samebits.types import ScalarType
from samebits.version import __version__

_COLUMNS = 96


def declaration(function: MathFunction, t: ScalarType) -> str:
    """The C prototype of a function of numbers, without a semicolon."""
    given = [f"{C_TYPES[p.name]} {name}" for name, p in function.parameters(t)]
    results = function.results(t)
    through = results if function.all_by_pointer else results[1:]
    given += [f"{C_TYPES[r.name]} *{n}" for r, n in zip(through, function.outs, strict=True)]
    kind = "void" if function.all_by_pointer else C_TYPES[results[0].name]
    return f"{kind} {function.symbol(t)}({', '.join(given)})"


def header_text(functions: Sequence[MathFunction]) -> str:
    """The header of a library of `functions`."""
    return render(
        "math/header.h",
        VERSION=__version__,
        FUNCTIONS="\n\n".join(_functions_text(function) for function in functions),
    )


_ASCII = str.maketrans({
    "−": "-", "·": "*", "×": "*", "π": "pi", "Γ": "Gamma", "∞": "inf", "±": "+-", "≤": "<=",
    "≥": ">=", "²": "^2", "√": "sqrt ",
})  # fmt: skip
"""Compilers that take files for another code page warn about more than ASCII."""


def _functions_text(function: MathFunction) -> str:
    summary = function.summary.translate(_ASCII)
    comment = textwrap.wrap(
        f"{summary}\0*/", _COLUMNS, initial_indent="/* ", subsequent_indent="   "
    )
    lines = [f"SBMATH_API {declaration(function, t)};" for t in WIDTHS]
    lines += [f"SBMATH_API {array_declaration(function, t)};" for t in WIDTHS]
    return "\n".join([*comment, *lines]).replace("\0", " ")
