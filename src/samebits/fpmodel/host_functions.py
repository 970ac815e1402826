"""Functions of this machine for kernels to call: its libraries', and its processor's estimates."""

from __future__ import annotations

import ctypes

from samebits.fpmodel.estimates import x86_estimate
from samebits.fpmodel.libm import function_of
from samebits.fpmodel.parse import FUNCTIONS
from samebits.ir.builder import Builder
from samebits.ir.grammar import HostFunction
from samebits.types import FLOAT32, FLOAT64, UINT32, ScalarType

NAME = "samebits.host."
"""How their names begin."""


def library_function(library: str, name: str, bits: int) -> HostFunction | None:
    """A math function of one of `LIBRARIES` for floats of a width; None where it has none."""
    function = function_of(library, name, bits)
    if function is None:
        return None
    t = FLOAT32 if bits == FLOAT32.bits else FLOAT64
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    return _host(f"{library}.{name}.{t}", t, FUNCTIONS[name], address)


def estimate_function(name: str) -> HostFunction | None:
    """An estimate of float32 by this processor, from bits to bits; None where it has none."""
    estimate = x86_estimate(name)
    return None if estimate is None else _host(name, UINT32, 1, estimate.address)


def _host(name: str, t: ScalarType, arity: int, address: int) -> HostFunction:
    b = Builder(NAME + name, {f"x{i}": t for i in range(arity)}, (t,), file=NAME)
    f = b.ret(b.get("x0"))
    return HostFunction(
        f.name, f.params, f.results, f.slots, f.locals, f.body, f.span, address=address
    )
