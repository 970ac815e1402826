"""SB402: matrix products, and functions made of them."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from samebits.lint.kinds import ARRAYS, Kind, Kinds
from samebits.lint.rule import Hit, LintRule

_FUNCTIONS = frozenset({
    "numpy.dot", "numpy.vdot", "numpy.inner", "numpy.matmul", "numpy.tensordot", "numpy.einsum",
    "numpy.convolve", "numpy.correlate", "numpy.kron", "numpy.polyfit", "numpy.polyval",
    "numpy.cov", "numpy.corrcoef", "numpy.vecdot", "numpy.matvec", "numpy.vecmat",
})  # fmt: skip
_MODULES = ("numpy.linalg.", "numpy.fft.", "scipy.linalg.", "scipy.fft.", "scipy.signal.",
            "scipy.optimize.", "scipy.integrate.", "scipy.sparse.linalg.")  # fmt: skip


def check(node: ast.AST, kinds: Kinds) -> Iterable[Hit]:
    match node:
        case ast.BinOp(op=ast.MatMult(), left=left, right=right):
            if {Kind.INT_ARRAY} != {kinds.of(left), kinds.of(right)}:
                yield node, "`@` is the BLAS library's product"
        case ast.AugAssign(op=ast.MatMult()):
            yield node, "`@=` is the BLAS library's product"
        case ast.Call(func=function):
            name = kinds.names.qualified(function) or ""
            if name in _FUNCTIONS or name.startswith(_MODULES):
                if all(kinds.of(a) is Kind.INT_ARRAY for a in node.args) and node.args:
                    return
                yield node, f"`{name}` adds in an order of the library's choice"
            elif (
                isinstance(function, ast.Attribute)
                and function.attr == "dot"
                and kinds.of(function.value) in ARRAYS
            ):
                yield node, "`.dot` is the BLAS library's product"
        case _:
            pass


NUMPY_PRODUCTS = LintRule(
    "SB402",
    "numpy-products",
    "products and factorisations are the BLAS library's: their order of additions, and fused "
    "operations, depend on the processor, the number of threads and the version",
    "write it as a kernel: `samebits.math.dot` of arrays, `float3x3` and `float4x4` of matrices",
    (ast.BinOp, ast.AugAssign, ast.Call),
    check,
)
