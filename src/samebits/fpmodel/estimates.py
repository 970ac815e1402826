"""Processors' estimates of reciprocals and reciprocal square roots.

ARM's are computed as the Arm Architecture Reference Manual defines them (RecipEstimate and
RecipSqrtEstimate). x86's differ between vendors: this host's are executed, and a model represents
the others. Roots by integer arithmetic, which no processor has, are estimates too.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from samebits.fpmodel.softfloat import (
    FLOAT32,
    NAN,
    Format,
    Number,
    divided,
    from_bits,
    infinity,
    rounded,
    square_root,
    to_bits,
    zero,
)

Estimate = Callable[[Number, Format], Number]
_ONE = Number(False, 1)


def _leading(x: Number, bits: int) -> tuple[int, int]:
    """The first `bits` bits of the mantissa, and the exponent of the first of them."""
    length = x.mantissa.bit_length()
    shift = length - bits
    top = x.mantissa >> shift if shift >= 0 else x.mantissa << -shift
    return top, x.exponent + length - 1


def _with_edges(estimate: Estimate, root: bool) -> Estimate:
    """An estimate for all operands, of one for those that are finite and, of a root, positive."""

    def complete(x: Number, form: Format) -> Number:
        if x.is_nan:
            return NAN
        if x.is_zero:
            return infinity(x.negative)
        if root and x.negative:
            return NAN
        return zero(x.negative) if x.kind == "infinite" else estimate(x, form)

    return complete


def _frecpe(x: Number, form: Format) -> Number:
    """AArch64's FRECPE: nine bits."""
    scaled, exponent = _leading(x, 9)
    if exponent < -form.limit:
        return infinity(x.negative)
    estimate = ((1 << 19) // (scaled * 2 + 1) + 1) // 2
    return Number(x.negative, estimate, -9 - exponent)


def _frsqrte(x: Number, form: Format) -> Number:
    """AArch64's FRSQRTE: nine bits."""
    top, exponent = _leading(x, 9)
    if exponent % 2:
        scaled, half = ((top >> 1 << 1) + 1) * 2, (exponent + 1) // 2
    else:
        scaled, half = (top >> 1) * 2 + 1, (exponent + 2) // 2
    estimate = 512
    while scaled * (estimate + 1) ** 2 < 1 << 28:
        estimate += 1
    return Number(False, (estimate + 1) // 2, -8 - half)


def _model(root: bool, precision: int) -> Estimate:
    short = Format("", precision, -(1 << 20), 1 << 20)

    def estimate(x: Number, form: Format) -> Number:
        denominator = square_root(x) if root else x
        return rounded(rounded(divided(_ONE, denominator), short), form)

    return _with_edges(estimate, root)


_TEXT = """
define i32 @{name}(i32 %bits) {{
  %x = bitcast i32 %bits to float
  %v = insertelement <4 x float> zeroinitializer, float %x, i32 0
  %r = call <4 x float> @llvm.x86.{intrinsic}(<4 x float> %v{more})
  %y = extractelement <4 x float> %r, i32 0
  %out = bitcast float %y to i32
  ret i32 %out
}}
declare <4 x float> @llvm.x86.{intrinsic}(<4 x float>{types})
"""
_MERGED = (", <4 x float> %v, <4 x float> zeroinitializer, i8 -1", ", <4 x float>, <4 x float>, i8")
_X86 = {
    "rcpss": ("sse.rcp.ss", "", ""),
    "rsqrtss": ("sse.rsqrt.ss", "", ""),
    "vrcp14ss": ("avx512.rcp14.ss", *_MERGED),
    "vrsqrt14ss": ("avx512.rsqrt14.ss", *_MERGED),
}


X86_ESTIMATES = tuple(_X86)
"""The estimates that this processor itself gives, where it has them."""


@dataclass(frozen=True)
class HostEstimate:
    """This processor's own estimate instruction, from bits to bits."""

    address: int
    """The address of a C function that executes it."""
    _function: Callable[[int], int]
    _code: object

    def __call__(self, bits: int) -> int:
        return int(self._function(bits))


@cache
def x86_estimate(name: str) -> HostEstimate | None:
    """This processor's own instruction of a name; None if it has none."""
    from samebits.backend.llvm.engine import compile_text, host_target, load
    from samebits.errors import TargetError

    try:
        target = host_target()
    except TargetError:
        return None
    if not target.name.startswith("x86-64"):
        return None
    if "14" in name and not target.name.endswith("v4"):
        return None
    intrinsic, more, types = _X86[name]
    symbol = f"samebits_{name}"
    text = _TEXT.format(name=symbol, intrinsic=intrinsic, more=more, types=types)
    loaded = load(compile_text(text, target), [symbol])
    address = loaded.addresses[symbol]
    function = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_uint32)(address)
    return HostEstimate(address, function, loaded)


def _magic(constant: int, constant64: int) -> Estimate:
    """A root by integers: the halved pattern taken from a constant (Lomont 2003), whatever it is
    of."""

    def estimate(x: Number, form: Format) -> Number:
        wide = form.bits == 64
        pattern = to_bits(rounded(x, form), form) if not x.is_nan else to_bits(NAN, form)
        mask = (1 << form.bits) - 1
        return from_bits(((constant64 if wide else constant) - (pattern >> 1)) & mask, form)

    return estimate


MAGIC_ROOTS: dict[str, Estimate] = {
    "magic_5f3759df": _magic(0x5F3759DF, 0x5FE6EB50C7B537A9),
    "magic_5f375a86": _magic(0x5F375A86, 0x5FE6EC85E7DE30DA),
    "magic_5f37642f": _magic(0x5F37642F, 0x5FE6EB50C7AA19F9),
}
"""The fast inverse square roots that programs copy, by the float32 constant."""


def _host(name: str) -> Estimate:
    def estimate(x: Number, form: Format) -> Number:
        function = x86_estimate(name)
        if function is None:
            return NAN
        return from_bits(function(to_bits(rounded(x, FLOAT32), FLOAT32)), FLOAT32)

    return estimate


ESTIMATES: dict[str, Estimate] = {
    "frecpe": _with_edges(_frecpe, False),
    "frsqrte": _with_edges(_frsqrte, True),
    "rcp12": _model(False, 12),
    "rsqrt12": _model(True, 12),
    **{name: _host(name) for name in _X86},
    **MAGIC_ROOTS,
}
"""By the instruction's name; `rcp12` and `rsqrt12` are correctly rounded to twelve bits."""
