"""Helper functions for 64-bit integers on 32-bit targets, in place of a compiler's library.

Division, signed multiplication with overflow, and conversions between 64-bit integers and floats,
each rounded once. They are plain integer code and basic float operations, all exact but the last.
"""

from __future__ import annotations

from samebits.backend.lowering.soft_fma import Text, product
from samebits.backend.text.types import float_constant

_PURE = "#0 noinline mustprogress willreturn memory(none)"
"""Attributes of helpers, which are not inlined: that would double the code and its compile time."""


def _divide(bits: int) -> str:
    """Quotient of two unsigned integers, the divisor not 0: one iteration for each of its bits."""
    t = f"i{bits}"
    return f"""\
define internal {t} @sb.udiv.{t}({t} %a, {t} %b) {_PURE} {{
entry:
  %less = icmp ult {t} %a, %b
  br i1 %less, label %nothing, label %start
nothing:
  ret {t} 0
start:
  %zeros.a = call {t} @llvm.ctlz.{t}({t} %a, i1 false)
  %zeros.b = call {t} @llvm.ctlz.{t}({t} %b, i1 false)
  %shift = sub {t} %zeros.b, %zeros.a
  %top = shl {t} %b, %shift
  br label %loop
loop:
  %left = phi {t} [ %shift, %start ], [ %left.next, %loop ]
  %divisor = phi {t} [ %top, %start ], [ %divisor.next, %loop ]
  %rest = phi {t} [ %a, %start ], [ %rest.next, %loop ]
  %quotient = phi {t} [ 0, %start ], [ %quotient.next, %loop ]
  %fits = icmp uge {t} %rest, %divisor
  %taken = select i1 %fits, {t} %divisor, {t} 0
  %rest.next = sub {t} %rest, %taken
  %bit = zext i1 %fits to {t}
  %doubled = shl {t} %quotient, 1
  %quotient.next = or {t} %doubled, %bit
  %divisor.next = lshr {t} %divisor, 1
  %left.next = sub {t} %left, 1
  %last = icmp eq {t} %left, 0
  br i1 %last, label %done, label %loop
done:
  ret {t} %quotient.next
}}"""


def _define(head: str, e: Text, result: str) -> str:
    lines = "\n".join(e.lines)
    return f"define internal {head} {_PURE} {{\n{lines}\n  ret {result}\n}}"


def _multiply() -> str:
    """Product modulo 2^64, and whether it leaves int64: the high half is no sign extension."""
    e = Text()
    high, low = product(e, "%a", "%b")
    for one, other in (("%a", "%b"), ("%b", "%a")):
        negative = e(f"icmp slt i64 {one}, 0")
        high = e(f"sub i64 {high}, {e.either(negative, 'i64', other, '0')}")
    sign = e(f"ashr i64 {low}, 63")
    overflow = e(f"icmp ne i64 {high}, {sign}")
    pair = e(f"insertvalue {{ i64, i1 }} poison, i64 {low}, 0")
    pair = e(f"insertvalue {{ i64, i1 }} {pair}, i1 {overflow}, 1")
    return _define("{ i64, i1 } @sb.smulo.i64(i64 %a, i64 %b)", e, f"{{ i64, i1 }} {pair}")


def _library_multiply() -> str:
    """The function that LLVM calls for the high half of a product that it recognised in code."""
    e = Text()
    high, low = product(e, "%a", "%b")
    crossed = e(f"add i64 {e('mul i64 %a, %b.high')}, {e('mul i64 %a.high, %b')}")
    high = e(f"add i64 {high}, {crossed}")
    place = e("getelementptr i8, ptr %result, i32 8")
    lines = "\n".join(e.lines)
    return f"""\
@llvm.compiler.used = appending global [1 x ptr] [ptr @__multi3], section "llvm.metadata"

define linkonce_odr hidden void @__multi3(
    ptr %result, i64 %a, i64 %a.high, i64 %b, i64 %b.high) #0 {{
{lines}
  store i64 {low}, ptr %result, align 8
  store i64 {high}, ptr {place}, align 8
  ret void
}}"""


def _to_float64(e: Text, value: str, signed: bool) -> str:
    """An integer as binary64: high and low halves become exact floats, from patterns of
    2^84 + high·2^32 and 2^52 + low; their sum is the only rounding."""
    low = e(f"or i64 {e(f'and i64 {value}, {(1 << 32) - 1}')}, {0x433 << 52}")
    low = e(f"fsub double {e(f'bitcast i64 {low} to double')}, {float_constant(2.0**52)}")
    high = e(f"lshr i64 {value}, 32")
    if signed:
        high = e(f"xor i64 {high}, {1 << 31}")
    high = e(f"bitcast i64 {e(f'or i64 {high}, {0x453 << 52}')} to double")
    bias = 2.0**84 + (2.0**63 if signed else 0.0)
    return e(f"fadd double {e(f'fsub double {high}, {float_constant(bias)}')}, {low}")


def _int_to_float(signed: bool, bits: int) -> str:
    """Integer to float. Binary32 goes through binary64: 2^53 and more are first rounded to odd at
    bit 11, which the rounding to binary32 sees as a sticky bit only."""
    e = Text()
    value = "%a"
    if bits == 32:
        if signed:
            moved = e(f"add i64 %a, {1 << 53}")
            large = e(f"icmp ugt i64 {moved}, {1 << 54}")
        else:
            large = e(f"icmp ugt i64 %a, {1 << 53}")
        carry = e(f"add i64 {e('and i64 %a, 2047')}, 2047")
        odd = e(f"and i64 {e(f'or i64 {carry}, %a')}, -2048")
        value = e.either(large, "i64", odd, "%a")
    result = _to_float64(e, value, signed)
    t = "float" if bits == 32 else "double"
    if bits == 32:
        result = e(f"fptrunc double {result} to float")
    kind = "s" if signed else "u"
    return _define(f"{t} @sb.{kind}itofp.f{bits}(i64 %a)", e, f"{t} {result}")


def _float_to_int(signed: bool) -> str:
    """Float to integer: truncates and saturates; NaN gives 0. Binary32 is widened first,
    exactly."""
    e = Text()
    pattern = e("bitcast double %a to i64")
    exponent = e(f"and i64 {e(f'lshr i64 {pattern}, 52')}, 2047")
    whole = e(f"or i64 {e(f'and i64 {pattern}, {(1 << 52) - 1}')}, {1 << 52}")
    right = e(f"call i64 @llvm.usub.sat.i64(i64 1075, i64 {exponent})")
    right = e(f"call i64 @llvm.umin.i64(i64 {right}, i64 63)")
    left = e(f"call i64 @llvm.usub.sat.i64(i64 {exponent}, i64 1075)")
    left = e(f"call i64 @llvm.umin.i64(i64 {left}, i64 63)")
    size = e(f"shl i64 {e(f'lshr i64 {whole}, {right}')}, {left}")
    negative = e(f"icmp slt i64 {pattern}, 0")
    if signed:
        large = e(f"icmp uge i64 {exponent}, {1023 + 63}")
        result = e.either(negative, "i64", e(f"sub i64 0, {size}"), size)
        limit = e.either(negative, "i64", str(-(1 << 63)), str((1 << 63) - 1))
    else:
        large = e(f"icmp uge i64 {exponent}, {1023 + 64}")
        result = e.either(negative, "i64", "0", size)
        limit = e.either(negative, "i64", "0", "-1")
    result = e.either(large, "i64", limit, result)
    unordered = e(f"fcmp uno double %a, {float_constant(0.0)}")
    result = e.either(unordered, "i64", "0", result)
    return _define(f"i64 @sb.fpto{'s' if signed else 'u'}i.f64(double %a)", e, f"i64 {result}")


WIDE_HELPERS = {
    "udiv.i32": _divide(32),
    "udiv.i64": _divide(64),
    "smulo.i64": _multiply(),
    "sitofp.f32": _int_to_float(True, 32),
    "uitofp.f32": _int_to_float(False, 32),
    "sitofp.f64": _int_to_float(True, 64),
    "uitofp.f64": _int_to_float(False, 64),
    "fptosi.f64": _float_to_int(True),
    "fptoui.f64": _float_to_int(False),
}
"""Definitions by name; the symbol of `x` is `@sb.x`."""


def _divisions(bits: int, functions: dict[str, str]) -> str:
    """LLVM text of library functions, by name, and of the division that they call."""
    texts = [text.replace("{t}", f"i{bits}").replace("NAME", n) for n, text in functions.items()]
    return "".join([_divide(bits), *texts, "\nattributes #0 = { nounwind }\n"])


_QUOTIENT = """
define weak_odr hidden {t} @NAME({t} %a, {t} %b) #0 {
  %q = call {t} @sb.udiv.{t}({t} %a, {t} %b)
  ret {t} %q
}"""
_REST = """
define weak_odr hidden {t} @NAME({t} %a, {t} %b) #0 {
  %q = call {t} @sb.udiv.{t}({t} %a, {t} %b)
  %p = mul {t} %q, %b
  %r = sub {t} %a, %p
  ret {t} %r
}"""
_BOTH = """
define weak_odr hidden { {t}, {t} } @NAME({t} %a, {t} %b) #0 {
  %q = call {t} @sb.udiv.{t}({t} %a, {t} %b)
  %p = mul {t} %q, %b
  %r = sub {t} %a, %p
  %one = insertvalue { {t}, {t} } poison, {t} %q, 0
  %two = insertvalue { {t}, {t} } %one, {t} %r, 1
  ret { {t}, {t} } %two
}"""


DIVISIONS: dict[tuple[str, int], str] = {
    ("i686", 64): _divisions(64, {"__udivdi3": _QUOTIENT, "__umoddi3": _REST}),
    ("armv7", 64): _divisions(64, {"__aeabi_uldivmod": _BOTH}),
    ("armv7", 32): _divisions(32, {"__aeabi_uidiv": _QUOTIENT, "__aeabi_uidivmod": _BOTH}),
}
"""By architecture and width, the functions of a compiler's library that LLVM calls to divide
unsigned integers. Emitted text has no such division, but LLVM's passes may add one to compute a
trip count."""

LIBRARY = {"wasm32": _library_multiply()}
"""By architecture, functions of a compiler's library that LLVM calls by name in code that
multiplies 64-bit integers. Linkers drop unused ones."""
