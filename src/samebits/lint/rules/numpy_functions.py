"""SB401: NumPy's transcendental functions."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from samebits.lint.kinds import Kinds
from samebits.lint.rule import Confidence, Hit, LintRule

_FUNCTIONS = frozenset(
    f"numpy.{name}" for name in (
        "sin", "cos", "tan", "arcsin", "arccos", "arctan", "arctan2", "asin", "acos", "atan",
        "atan2", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh", "asinh", "acosh", "atanh",
        "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "power", "pow", "float_power",
        "cbrt", "hypot", "logaddexp", "logaddexp2", "sinc", "i0", "angle", "kaiser",
        "hanning", "hamming", "blackman", "logspace", "geomspace",
    )
)  # fmt: skip

_FUSED = frozenset({"numpy.interp"})
"""Functions of plain C loops: NumPy's build for ARM fuses their multiplications and additions
(numpy/numpy#22993)."""


def check(node: ast.Attribute | ast.Name, kinds: Kinds) -> Iterable[Hit]:
    name = kinds.names.qualified(node) or ""
    ours = name in _FUNCTIONS or name.startswith("scipy.special.")
    if name in _FUSED and isinstance(node.ctx, ast.Load):
        what = f"`{name}` computes a*b + c, which compilers fuse for some processors"
        yield node, what, Confidence.MEDIUM
    if ours and isinstance(node.ctx, ast.Load):
        yield node, f"`{name}` uses other instructions on other processors"


NUMPY_FUNCTIONS = LintRule(
    "SB401",
    "numpy-functions",
    "NumPy chooses its loops by the processor, and their last bits differ: with and without "
    "AVX-512, on x86 and ARM, and between versions",
    "use the function of the same name in `samebits.math`: it takes arrays",
    (ast.Attribute, ast.Name),
    check,
)
