"""The functions of samebits.math as they are proven: signature, and reference.

A row adds a function.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One function. `like` names the rows of functions.py that its results are compared with, in
    order; where it is empty NumPy's function of this name decides bit by bit.
    """

    name: str
    like: tuple[str, ...]
    signature: str = "x->x"


def _own(name: str, signature: str = "x->x") -> Row:
    return Row(name, (name,), signature)


ROWS = (
    *map(_own, ("exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p")),
    *map(_own, ("exp2m1", "exp10m1", "log2p1", "log10p1")),
    *map(_own, ("sin", "cos", "tan")),
    Row("sincos", ("sin", "cos"), "x->xx"),
    *map(_own, ("sinpi", "cospi", "asin", "acos", "atan")),
    _own("atan2", "xx->x"),
    *map(_own, ("tanpi", "asinpi", "acospi", "atanpi")),
    _own("atan2pi", "xx->x"),
    *map(_own, ("sinh", "cosh", "tanh", "asinh", "acosh", "atanh")),
    _own("pow", "xx->x"),
    _own("powr", "xx->x"),
    _own("logaddexp", "xx->x"),
    *map(_own, ("erf", "erfc", "tgamma", "lgamma")),
    *(_own(name, "xi->x") for name in ("pown", "rootn", "compound")),
    _own("cbrt"),
    _own("hypot", "xx->x"),
    _own("rsqrt"),
    _own("fmod", "xx->x"),
    _own("remainder", "xx->x"),
    Row("frexp", (), "x->xi"),
    Row("ldexp", (), "xi->x"),
    Row("modf", (), "x->xx"),
)
NAMED = {row.name: row for row in ROWS}
