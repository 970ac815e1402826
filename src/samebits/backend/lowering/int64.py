"""Division and conversion of 64-bit integers: by the target's instructions, or by helper functions.

Owns the choice. An object must not call a library to compute.
"""

from __future__ import annotations

from samebits.backend.text.writer import FunctionWriter
from samebits.types import ScalarType


def needs_help(f: FunctionWriter, t: ScalarType) -> bool:
    """Whether the target has no instruction for conversions between floats and `t`. Where it has
    none for 64-bit integers, it has none for unsigned 32-bit ones either."""
    return not f.target.has_int64 and (t.bits == 64 or (t.bits == 32 and not t.is_signed))


def wide_to_float(f: FunctionWriter, name: str, source: ScalarType, target: ScalarType) -> str:
    """An integer register that `needs_help` as a float, rounded once."""
    if source.bits == 32:
        name = f.emit(f"zext i32 {name} to i64")
    kind = "s" if source.is_signed else "u"
    symbol = f.module.helper(f"{kind}itofp.f{target.bits}")
    t = "float" if target.bits == 32 else "double"
    return f.emit(f"call {f.target.convention}{t} {symbol}(i64 {name})")


def float_to_wide(f: FunctionWriter, name: str, source: ScalarType, target: ScalarType) -> str:
    """A float register as an integer that `needs_help`: truncated, saturated, NaN gives 0."""
    if source.bits == 32:
        name = f.emit(f"fpext float {name} to double")
    kind = "s" if target.is_signed else "u"
    symbol = f.module.helper(f"fpto{kind}i.f64")
    result = f.emit(f"call {f.target.convention}i64 {symbol}(double {name})")
    if target.bits == 64:
        return result
    result = f.emit(f"call i64 @llvm.umin.i64(i64 {result}, i64 {(1 << 32) - 1})")
    return f.emit(f"trunc i64 {result} to i32")


def _has_division(f: FunctionWriter, bits: int) -> bool:
    return f.target.has_int64 if bits == 64 else f.target.has_divide


def _call_division(f: FunctionWriter, bits: int, a: str, b: str) -> str:
    t = f"i{bits}"
    symbol = f.module.helper(f"udiv.{t}")
    return f.emit(f"call {f.target.convention}{t} {symbol}({t} {a}, {t} {b})")


def unsigned_quotient(f: FunctionWriter, bits: int, a: str, b: str) -> str:
    """`a` / `b` of unsigned integers, `b` not 0."""
    if _has_division(f, bits):
        return f.emit(f"udiv i{bits} {a}, {b}")
    if bits in (32, 64):
        return _call_division(f, bits, a, b)
    a, b = (f.emit(f"zext i{bits} {x} to i32") for x in (a, b))
    return f.emit(f"trunc i32 {_call_division(f, 32, a, b)} to i{bits}")


def unsigned_remainder(f: FunctionWriter, bits: int, a: str, b: str) -> str:
    """`a` modulo `b` of unsigned integers, `b` not 0."""
    if _has_division(f, bits):
        return f.emit(f"urem i{bits} {a}, {b}")
    return _rest(f, bits, a, b, unsigned_quotient(f, bits, a, b))


def signed_quotient(f: FunctionWriter, bits: int, a: str, b: str) -> str:
    """`a` / `b` truncated, of signed integers, `b` neither 0 nor -1."""
    if _has_division(f, bits):
        return f.emit(f"sdiv i{bits} {a}, {b}")
    t = f"i{bits}"
    sizes = [f.emit(f"call {t} @llvm.abs.{t}({t} {x}, i1 false)") for x in (a, b)]
    size = unsigned_quotient(f, bits, *sizes)
    opposed = f.emit(f"icmp slt {t} {f.emit(f'xor {t} {a}, {b}')}, 0")
    return f.emit(f"select i1 {opposed}, {t} {f.emit(f'sub {t} 0, {size}')}, {t} {size}")


def signed_remainder(f: FunctionWriter, bits: int, a: str, b: str) -> str:
    """The rest of `signed_quotient`, with the sign of `a`."""
    if _has_division(f, bits):
        return f.emit(f"srem i{bits} {a}, {b}")
    return _rest(f, bits, a, b, signed_quotient(f, bits, a, b))


def _rest(f: FunctionWriter, bits: int, a: str, b: str, quotient: str) -> str:
    return f.emit(f"sub i{bits} {a}, {f.emit(f'mul i{bits} {quotient}, {b}')}")
