# ruff: noqa: E501
"""The head of every C file: small functions whose meaning C leaves open."""

_INTS = (("i8", "int8_t", 8, True), ("u8", "uint8_t", 8, False), ("i16", "int16_t", 16, True),
         ("u16", "uint16_t", 16, False), ("i32", "int32_t", 32, True), ("u32", "uint32_t", 32, False),
         ("i64", "int64_t", 64, True), ("u64", "uint64_t", 64, False))  # fmt: skip


def _of(name: str, t: str, bits: int, signed: bool) -> str:
    u, most = f"uint{bits}_t", bits - 1
    low = f"(-{1 << most}.0)" if signed else "0.0"
    high = f"{1 << (most if signed else bits)}.0"
    least = f"INT{bits}_MIN" if signed else "0"
    greatest = f"INT{bits}_MAX" if signed else f"UINT{bits}_MAX"
    under = f"({low} - 1.0)" if signed and bits < 64 else low
    floored = (
        f"{{ {t} q = ({t})(b == -1 ? ({t})(0 - ({u})a) : a / b); "
        "return b != -1 && a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q; }"
        if signed
        else "{ return a / b; }"
    )
    rest = (
        f"{{ {t} r = b == -1 ? 0 : a % b; return r != 0 && (r < 0) != (b < 0) ? r + b : r; }}"
        if signed
        else "{ return a % b; }"
    )
    return f"""\
SB {t} sb_floordiv_{name}({t} a, {t} b) {floored}
SB {t} sb_mod_{name}({t} a, {t} b) {rest}
SB {t} sb_shl_{name}({t} a, {t} b) {{ return b < 0 || b >= {bits} ? 0 : ({t})(({u})a << b); }}
SB {t} sb_shr_{name}({t} a, {t} b) {{ return b < 0 || b >= {bits} ? (a < 0 ? ({t})-1 : 0) : ({t})(a >> b); }}
SB {t} sb_rotl_{name}({t} a, {t} b) {{ unsigned n = (unsigned)b & {most}; return ({t})((({u})a << n) | (({u})a >> (({bits} - n) & {most}))); }}
SB {t} sb_rotr_{name}({t} a, {t} b) {{ unsigned n = (unsigned)b & {most}; return ({t})((({u})a >> n) | (({u})a << (({bits} - n) & {most}))); }}
SB {t} sb_clz_{name}({t} a) {{ return ({t})(a == 0 ? {bits} : __builtin_clzll((uint64_t)({u})a) - {64 - bits}); }}
SB {t} sb_ctz_{name}({t} a) {{ return ({t})(a == 0 ? {bits} : __builtin_ctzll((uint64_t)({u})a)); }}
SB {t} sb_popcount_{name}({t} a) {{ return ({t})__builtin_popcountll((uint64_t)({u})a); }}
SB {t} sb_abs_{name}({t} a) {{ return a < 0 ? ({t})(0 - ({u})a) : a; }}
SB {t} sb_min_{name}({t} a, {t} b) {{ return a < b ? a : b; }}
SB {t} sb_max_{name}({t} a, {t} b) {{ return a > b ? a : b; }}
SB {t} sb_to_{name}(double x) {{ return x != x ? 0 : x <= {under} ? {least} : x >= {high} ? {greatest} : ({t})x; }}
"""


def _of_float(name: str, t: str, u: str, suffix: str, nan: str) -> str:
    i = u.removeprefix("u")
    return f"""\
SB {t} sb_min_{name}({t} a, {t} b) {{ return a != a ? a : b != b ? b : a < b ? a : b < a ? b : __builtin_signbit(a) ? a : b; }}
SB {t} sb_max_{name}({t} a, {t} b) {{ return a != a ? a : b != b ? b : a > b ? a : b > a ? b : __builtin_signbit(a) ? b : a; }}
SB {u} sb_bits_{name}({t} a) {{ {u} r; memcpy(&r, &a, sizeof r); return a != a ? {nan} : r; }}
SB {t} sb_from_{name}({u} a) {{ {t} r; memcpy(&r, &a, sizeof r); return r; }}
SB {t} sb_product_error_{name}({t} a, {t} b) {{ {t} p = a * b; return __builtin_fma{suffix}(a, b, -p); }}
typedef {i} sb_signed_{name};
"""


HEAD = (
    """\
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#define SB static inline __attribute__((unused))
"""
    + "".join(_of(*row) for row in _INTS)
    + _of_float("f32", "float", "uint32_t", "f", "0x7fc00000u")
    + _of_float("f64", "double", "uint64_t", "", "0x7ff8000000000000ull")
)
