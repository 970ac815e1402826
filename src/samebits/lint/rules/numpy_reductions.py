"""SB403: sums over NumPy's arrays."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from samebits.lint.kinds import Kind, Kinds
from samebits.lint.rule import Confidence, Hit, LintRule

_NAMES = frozenset({
    "sum", "mean", "std", "var", "prod", "average", "nansum", "nanmean", "nanstd", "nanvar",
    "nanprod", "trapz", "trapezoid",
})  # fmt: skip
_FUNCTIONS = frozenset(f"numpy.{name}" for name in _NAMES)
_METHODS = frozenset({"sum", "mean", "std", "var", "prod", "trace"})
_REDUCED = frozenset({"numpy.add.reduce", "numpy.multiply.reduce", "numpy.add.reduceat"})


def check(node: ast.Call, kinds: Kinds) -> Iterable[Hit]:
    name = kinds.names.qualified(node.func) or ""
    if name in _FUNCTIONS or name in _REDUCED:
        whole = kinds.of(node.args[0]) if node.args else Kind.UNKNOWN
        of_integers = whole in (Kind.INT_ARRAY, Kind.INTS)
        if not (of_integers and name in ("numpy.sum", "numpy.prod", "numpy.add.reduce")):
            yield node, f"`{name}` adds in an order of NumPy's choice"
    elif isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS:
        owner = kinds.of(node.func.value)
        if owner is Kind.ARRAY or (owner is Kind.INT_ARRAY and node.func.attr in ("mean", "std")):
            yield node, f"`.{node.func.attr}` adds in an order of NumPy's choice"


NUMPY_REDUCTIONS = LintRule(
    "SB403",
    "numpy-reductions",
    "the order of additions follows the array's layout in memory and NumPy's version, and so do "
    "the last bits",
    "use `samebits.math.sum`, `mean` or `exact_sum`, which add in one order everywhere",
    (ast.Call,),
    check,
    Confidence.MEDIUM,
)
