"""Fused multiply-add for targets without the instruction, exact for every input.

Binary32 goes through binary64: the product is exact there, the sum is rounded to odd, and
rounding that to binary32 is then the only visible rounding (Boldo & Melquiond, "Emulation of
FMA and correctly rounded sums", IEEE Trans. Computers 57(4), 2008: 53 >= 2*24 + 2 bits).
Binary64 is done in integers: a 126-bit sum with a sticky bit, rounded once.
"""

from __future__ import annotations

_F32 = """\
define internal float @sb.fma.f32(float %a, float %b, float %c) #0 {
  %x = fpext float %a to double
  %y = fpext float %b to double
  %z = fpext float %c to double
  %p = fmul double %x, %y
  %s = fadd double %p, %z
  %t0 = fsub double %s, %p
  %t1 = fsub double %s, %t0
  %t2 = fsub double %p, %t1
  %t3 = fsub double %z, %t0
  %error = fadd double %t2, %t3
  %pattern = bitcast double %s to i64
  %last = and i64 %pattern, 1
  %even = icmp eq i64 %last, 0
  %inexact = fcmp one double %error, 0.0
  %adjust = and i1 %even, %inexact
  %up = fcmp ogt double %error, 0.0
  %positive = fcmp ogt double %s, 0.0
  %apart = xor i1 %up, %positive
  %step = select i1 %apart, i64 -1, i64 1
  %delta = select i1 %adjust, i64 %step, i64 0
  %odd = add i64 %pattern, %delta
  %sum = bitcast i64 %odd to double
  %r = fptrunc double %sum to float
  ret float %r
}"""


class Text:
    """Appends instructions with numbered names."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def __call__(self, text: str) -> str:
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = {text}")
        return name

    def either(self, condition: str, t: str, a: str, b: str) -> str:
        return self(f"select i1 {condition}, {t} {a}, {t} {b}")


def _unpack(e: Text, pattern: str) -> tuple[str, str, str]:
    """Sign bit, exponent and 53-bit significand of a finite non-zero binary64: the value is
    significand * 2^exponent, with the significand's bit 52 set."""
    field = e(f"and i64 {e(f'lshr i64 {pattern}, 52')}, 2047")
    fraction = e(f"and i64 {pattern}, {(1 << 52) - 1}")
    subnormal = e(f"icmp eq i64 {field}, 0")
    zeros = e(f"sub i64 {e(f'call i64 @llvm.ctlz.i64(i64 {fraction}, i1 false)')}, 11")
    shift = e.either(subnormal, "i64", e(f"and i64 {zeros}, 63"), "0")
    whole = e.either(subnormal, "i64", fraction, e(f"or i64 {fraction}, {1 << 52}"))
    exponent = e.either(subnormal, "i64", "1", field)
    exponent = e(f"sub i64 {e(f'sub i64 {exponent}, 1075')}, {shift}")
    return e(f"lshr i64 {pattern}, 63"), exponent, e(f"shl i64 {whole}, {shift}")


def _pair(e: Text, high: str, low: str) -> str:
    """A 128-bit integer of two halves. It is only added and shifted by 64, which every target does
    in line."""
    wide = e(f"shl i128 {e(f'zext i64 {high} to i128')}, 64")
    return e(f"or i128 {wide}, {e(f'zext i64 {low} to i128')}")


def product(e: Text, a: str, b: str) -> tuple[str, str]:
    """High and low half of the product of two unsigned 64-bit integers, from 32 x 32 bit ones."""
    mask = (1 << 32) - 1
    a0, a1 = e(f"and i64 {a}, {mask}"), e(f"lshr i64 {a}, 32")
    b0, b1 = e(f"and i64 {b}, {mask}"), e(f"lshr i64 {b}, 32")
    low, high = e(f"mul i64 {a0}, {b0}"), e(f"mul i64 {a1}, {b1}")
    middle = e(f"add i64 {e(f'mul i64 {a0}, {b1}')}, {e(f'lshr i64 {low}, 32')}")
    part = e(f"and i64 {middle}, {mask}")
    middle2 = e(f"add i64 {e(f'mul i64 {a1}, {b0}')}, {part}")
    high = e(f"add i64 {high}, {e(f'lshr i64 {middle}, 32')}")
    high = e(f"add i64 {high}, {e(f'lshr i64 {middle2}, 32')}")
    low = e(f"or i64 {e(f'shl i64 {middle2}, 32')}, {e(f'and i64 {low}, {mask}')}")
    return high, low


def _shift_sticky(e: Text, high: str, low: str, count: str) -> tuple[str, str]:
    """A 128-bit integer shifted right by `count` (any non-negative i64); bits lost set bit 0."""
    capped = e(f"call i64 @llvm.umin.i64(i64 {count}, i64 127)")
    by_word = e(f"icmp uge i64 {capped}, 64")
    inside = e(f"and i64 {capped}, 63")
    lost_word = e.either(by_word, "i64", low, "0")
    low = e.either(by_word, "i64", high, low)
    high = e.either(by_word, "i64", "0", high)
    shifted = e(f"call i64 @llvm.fshr.i64(i64 {high}, i64 {low}, i64 {inside})")
    kept = e(f"shl i64 {e(f'lshr i64 {low}, {inside}')}, {inside}")
    lost = e(f"or i64 {e(f'xor i64 {kept}, {low}')}, {lost_word}")
    sticky = e(f"zext i1 {e(f'icmp ne i64 {lost}, 0')} to i64")
    return e(f"lshr i64 {high}, {inside}"), e(f"or i64 {shifted}, {sticky}")


def _rounded(e: Text, negative: str, exponent: str, high: str, low: str) -> str:
    """sign * (high:low) * 2^exponent, not zero, as a binary64 pattern."""
    # The leading one to bit 63 of `top`; all that is below `top` becomes its bit 0.
    top_empty = e(f"icmp eq i64 {high}, 0")
    first = e.either(top_empty, "i64", low, high)
    second = e.either(top_empty, "i64", "0", low)
    zeros = e(f"call i64 @llvm.ctlz.i64(i64 {first}, i1 false)")
    top = e(f"call i64 @llvm.fshl.i64(i64 {first}, i64 {second}, i64 {zeros})")
    rest = e(f"shl i64 {second}, {e(f'and i64 {zeros}, 63')}")
    lost = e(f"icmp ne i64 {rest}, 0")
    top = e(f"or i64 {top}, {e(f'zext i1 {lost} to i64')}")
    leading = e(f"sub i64 {e.either(top_empty, 'i64', '63', '127')}, {zeros}")
    field = e(f"add i64 {e(f'add i64 {exponent}, {leading}')}, 1023")
    # Subnormal results lose 1 - field more bits.
    below = e(f"sub i64 1, {field}")
    extra = e(f"call i64 @llvm.smax.i64(i64 {below}, i64 0)")
    extra = e(f"call i64 @llvm.umin.i64(i64 {extra}, i64 60)")
    cut = e(f"lshr i64 {top}, {extra}")
    lost = e(f"icmp ne i64 {e(f'shl i64 {cut}, {extra}')}, {top}")
    cut = e(f"or i64 {cut}, {e(f'zext i1 {lost} to i64')}")
    whole, tail = e(f"lshr i64 {cut}, 11"), e(f"and i64 {cut}, 2047")
    # Ties to even: up where tail + (whole's last bit) exceeds one half.
    tipped = e(f"add i64 {tail}, {e(f'and i64 {whole}, 1')}")
    up = e(f"zext i1 {e(f'icmp ugt i64 {tipped}, 1024')} to i64")
    base = e(f"call i64 @llvm.smax.i64(i64 {e(f'sub i64 {field}, 1')}, i64 0)")
    base = e(f"call i64 @llvm.umin.i64(i64 {base}, i64 2046)")
    pattern = e(f"add i64 {e(f'shl i64 {base}, 52')}, {e(f'add i64 {whole}, {up}')}")
    infinity = 0x7FF << 52
    pattern = e(f"call i64 @llvm.umin.i64(i64 {pattern}, i64 {infinity})")
    pattern = e.either(e(f"icmp sgt i64 {field}, 2046"), "i64", str(infinity), pattern)
    return e(f"or i64 {pattern}, {e(f'shl i64 {negative}, 63')}")


def _f64() -> str:
    e = Text()
    plain = _plain_case(e)
    a, b, c = (e(f"bitcast double %{name} to i64") for name in "abc")
    sign_a, exponent_a, ma = _unpack(e, a)
    sign_b, exponent_b, mb = _unpack(e, b)
    sign_c, exponent_c, mc = _unpack(e, c)
    sign_p = e(f"xor i64 {sign_a}, {sign_b}")
    # Both at the top of 126 bits: the product moves up by 20, the addend by 73.
    high, low = product(e, ma, mb)
    high_p = e(f"call i64 @llvm.fshl.i64(i64 {high}, i64 {low}, i64 20)")
    low_p = e(f"shl i64 {low}, 20")
    high_c = e(f"shl i64 {mc}, 9")
    exponent_p = e(f"sub i64 {e(f'add i64 {exponent_a}, {exponent_b}')}, 20")
    exponent_c = e(f"sub i64 {exponent_c}, 73")
    exponent = e(f"call i64 @llvm.smax.i64(i64 {exponent_p}, i64 {exponent_c})")
    high_p, low_p = _shift_sticky(e, high_p, low_p, e(f"sub i64 {exponent}, {exponent_p}"))
    high_c, low_c = _shift_sticky(e, high_c, "0", e(f"sub i64 {exponent}, {exponent_c}"))
    factors, addend = _pair(e, high_p, low_p), _pair(e, high_c, low_c)
    opposed = e(f"icmp ne i64 {sign_p}, {sign_c}")
    total = e.either(
        opposed, "i128", e(f"sub i128 {factors}, {addend}"), e(f"add i128 {factors}, {addend}")
    )
    flipped = e(f"icmp slt i128 {total}, 0")
    magnitude = e.either(flipped, "i128", e(f"sub i128 0, {total}"), total)
    negative = e(f"xor i64 {sign_p}, {e(f'zext i1 {flipped} to i64')}")
    high = e(f"trunc i128 {e(f'lshr i128 {magnitude}, 64')} to i64")
    low = e(f"trunc i128 {magnitude} to i64")
    pattern = _rounded(e, negative, exponent, high, low)
    nothing = e(f"icmp eq i128 {magnitude}, 0")
    exact = e(f"bitcast i64 {e.either(nothing, 'i64', '0', pattern)} to double")
    condition, value = plain
    e.lines.append(f"  ret double {e.either(condition, 'double', value, exact)}")
    lines = "\n".join(e.lines)
    return f"define internal double @sb.fma.f64(double %a, double %b, double %c) #0 {{\n{lines}\n}}"


def _plain_case(e: Text) -> tuple[str, str]:
    """Whether the unfused operations give the result, and that result: if an operand is zero,
    infinite or NaN. A zero addend must not turn a product that underflows to -0 into +0, and a
    product that overflows must not meet an infinite addend."""
    infinity = "0x7FF0000000000000"
    size = {x: e(f"call double @llvm.fabs.f64(double %{x})") for x in "abc"}
    finite = {x: e(f"fcmp olt double {size[x]}, {infinity}") for x in "abc"}
    zero = {x: e(f"fcmp oeq double {size[x]}, 0.0") for x in "abc"}
    factors = e(f"and i1 {finite['a']}, {finite['b']}")
    vanishes = e(f"or i1 {zero['a']}, {zero['b']}")
    ab = e("fmul double %a, %b")
    total = e(f"fadd double {ab}, %c")
    # Finite factors: c itself if c is not finite; else the product if c is zero and it is not.
    bare = e.either(vanishes, "double", total, ab)
    finite_factors = e.either(finite["c"], "double", bare, "%c")
    value = e.either(factors, "double", finite_factors, total)
    everything = e(f"and i1 {factors}, {finite['c']}")
    special = e(f"xor i1 {everything}, true")
    any_zero = e(f"or i1 {vanishes}, {zero['c']}")
    return e(f"or i1 {special}, {any_zero}"), value


HELPERS = {"fma.f32": _F32, "fma.f64": _f64()}
"""Definitions by name; the symbol of `x` is `@sb.x`."""
