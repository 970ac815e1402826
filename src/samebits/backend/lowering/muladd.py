"""`muladd` and `product_error`: one fused instruction where the target has it, else several.

The bits of the two forms may differ: only code whose results do not depend on that uses these.
"""

from __future__ import annotations

from samebits.backend.lowering.integer import scalar_type
from samebits.backend.text.types import float_constant, scalar
from samebits.backend.text.writer import FunctionWriter, Lowering
from samebits.ir.grammar import Op

_SPLITTER = float_constant(2.0**27 + 1.0)


def _fused(f: FunctionWriter, bits: int, a: str, b: str, c: str) -> str:
    t = "float" if bits == 32 else "double"
    return f.emit(f"call {t} @llvm.fma.f{bits}({t} {a}, {t} {b}, {t} {c})")


def _muladd(f: FunctionWriter, op: Op) -> None:
    t = scalar_type(op.result)
    a, b, c = map(f.operand, op.args)
    if f.target.has_fma:
        f.define(op.result, _fused(f, t.bits, a, b, c))
        return
    product = f.emit(f"fmul {f.fast}{scalar(t)} {a}, {b}")
    f.define(op.result, f.emit(f"fadd {f.fast}{scalar(t)} {product}, {c}"))


def _product_error(f: FunctionWriter, op: Op) -> None:
    t = scalar_type(op.result)
    a, b = map(f.operand, op.args)
    product = f.emit(f"fmul {scalar(t)} {a}, {b}")
    if f.target.has_fma:
        minus = f.emit(f"fneg {scalar(t)} {product}")
        error = _fused(f, t.bits, a, b, minus)
    elif t.bits == 32:
        error = _single_error(f, a, b, product)
    else:
        error = _dekker(f, a, b, product)
    f.define(op.result, error)


def _single_error(f: FunctionWriter, a: str, b: str, product: str) -> str:
    """The product of two binary32 numbers is exact in binary64."""
    x, y, p = (f.emit(f"fpext float {name} to double") for name in (a, b, product))
    exact = f.emit(f"fmul double {x}, {y}")
    return f.emit(f"fptrunc double {f.emit(f'fsub double {exact}, {p}')} to float")


def _halves(f: FunctionWriter, x: str) -> tuple[str, str]:
    """A binary64 number as a sum of two of 26 bits, by Veltkamp's splitting."""
    scaled = f.emit(f"fmul double {_SPLITTER}, {x}")
    high = f.emit(f"fsub double {scaled}, {f.emit(f'fsub double {scaled}, {x}')}")
    return high, f.emit(f"fsub double {x}, {high}")


def _dekker(f: FunctionWriter, a: str, b: str, product: str) -> str:
    """Dekker, "A floating-point technique for extending the available precision", Numerische
    Mathematik 18, 1971: each product of halves and each difference is exact."""
    a1, a2 = _halves(f, a)
    b1, b2 = _halves(f, b)
    rest = product
    for x, y in ((a1, b1), (a2, b1), (a1, b2)):
        rest = f.emit(f"fsub double {rest}, {f.emit(f'fmul double {x}, {y}')}")
    return f.emit(f"fsub double {f.emit(f'fmul double {a2}, {b2}')}, {rest}")


PRODUCT_LOWERINGS: dict[str, Lowering] = {"muladd": _muladd, "product_error": _product_error}
