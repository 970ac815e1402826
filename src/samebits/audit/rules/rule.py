"""The rules of an audit, one row each: what is found, why it matters, what to do instead.

Knows no file format and no instruction set.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Level(Enum):
    """Whether a finding fails an audit (error), or is told alone (note)."""

    ERROR = "error"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class AuditRule:
    """One thing to find."""

    code: str
    """AU and three digits; the first is the group's: 1 instructions, 2 environment, 3 libraries,
    4 flags, 5 sources."""
    name: str
    why: str
    """One sentence: what differs, and between what."""
    instead: str
    level: Level = Level.ERROR


_NOTE = Level.NOTE
RULES: tuple[AuditRule, ...] = (
    AuditRule(
        "AU101", "fused",
        "a fused operation rounds a product and a sum once, where other builds round twice",
        "compile with -ffp-contract=off as the last of such flags (MSVC: /fp:precise, from 17.0)",
    ),
    AuditRule(
        "AU102", "x87",
        "x87 registers keep 64 bits of significand, and round again when they are stored",
        "compile with -msse2 -mfpmath=sse (MSVC: /arch:SSE2)",
    ),
    AuditRule(
        "AU103", "estimate",
        "estimates of 1/x and 1/sqrt(x) have other bits on each maker's processors",
        "divide, and use sqrt; compile without -ffast-math and -mrecip",
    ),
    AuditRule(
        "AU104", "flush",
        "the instruction makes subnormals 0 whatever the control register says",
        "use scalar floats there (-mfpu=vfpv3 on 32-bit ARM), or -fno-tree-vectorize",
    ),
    AuditRule(
        "AU105", "relaxed-simd",
        "each WebAssembly engine chooses the result of relaxed SIMD",
        "compile with -mno-relaxed-simd",
    ),
    AuditRule(
        "AU106", "own-rounding",
        "bfloat16, matrix and hexadecimal instructions round in ways of their own",
        "compile for a processor without them, or keep them out of the simulation",
    ),
    AuditRule(
        "AU201", "control-register",
        "rounding, flushing or precision change for all that runs after it in this thread",
        "leave the register alone, or save and restore it around the code that needs it",
    ),
    AuditRule(
        "AU202", "fast-math-constructor",
        "loading this file makes the whole process flush subnormals",
        "link without -ffast-math and -Ofast (-mno-daz-ftz from GCC 13 on)",
    ),
    AuditRule(
        "AU301", "libm",
        "each C library rounds its math functions otherwise, glibc by processor too",
        "use a correctly rounded library, as samebits' own, in place of libm",
    ),
    AuditRule(
        "AU302", "vector-math",
        "vector math and BLAS libraries choose code, and so bits, by processor",
        "compile with -fno-builtin and without -ffast-math; write the loop out",
    ),
    AuditRule(
        "AU303", "environment",
        "the function changes rounding or flushing of its thread",
        "leave the environment alone, or restore it before the simulation goes on",
    ),
    AuditRule(
        "AU304", "random",
        "each C library has other random numbers, and some are of the system",
        "keep a generator of your own in the simulation's state",
    ),
    AuditRule(
        "AU305", "clock",
        "clocks differ in each run; a program needs them, a simulation's step must not",
        "count frames with a fixed step",
        _NOTE,
    ),
    AuditRule(
        "AU306", "sort",
        "the order of equal elements after qsort is the C library's choice",
        "compare a number of the elements' own last, or use a stable sort",
        _NOTE,
    ),
    AuditRule(
        "AU307", "long-double",
        "long double has 53, 64, 106 or 113 bits of significand, by platform",
        "use double",
    ),
    AuditRule(
        "AU308", "linked-math",
        "the file holds a C library's math function, which other platforms' files hold otherwise",
        "link a correctly rounded library, as samebits' own, before it",
    ),
    AuditRule(
        "AU401", "contraction",
        "the compiler may fuse a product and a sum, and others do not",
        "-ffp-contract=off; `samebits audit --safe-flags` has the set of each compiler",
    ),
    AuditRule(
        "AU402", "fast-math",
        "the compiler may reorder, estimate, or leave out signed zeros, NaN and infinity",
        "compile without it, or put -fno-fast-math last",
    ),
    AuditRule(
        "AU403", "flush-at-link",
        "linking so adds code that makes the whole process flush subnormals",
        "link without it; -mno-daz-ftz from GCC 13 on",
    ),
    AuditRule(
        "AU404", "x87-flags",
        "x87 registers keep 64 bits of significand, and round again when they are stored",
        "-msse2 -mfpmath=sse (MSVC: /arch:SSE2)",
    ),
    AuditRule(
        "AU405", "native",
        "the same command makes other code on another machine",
        "name the processor: -march=x86-64-v2, or -target with zig cc",
    ),
    AuditRule(
        "AU406", "contraction-elsewhere",
        "the same command fuses on a processor that can: ARM64, RISC-V, POWER, x86 with FMA",
        "-ffp-contract=off",
        _NOTE,
    ),
    AuditRule(
        "AU407", "single-constants",
        "constants without a suffix become float",
        "write 0.1f where float is meant",
    ),
    AuditRule(
        "AU408", "relaxed-simd-flags",
        "the compiler may use relaxed SIMD, whose results each engine chooses",
        "compile with -mno-relaxed-simd",
    ),
    AuditRule(
        "AU501", "argument-order",
        "C and C++ leave the order of arguments to the compiler: GCC and Clang differ",
        "give each call a line and a name of its own",
    ),
    AuditRule(
        "AU502", "unordered-iteration",
        "the order of an unordered container is the library's, and may follow a seed",
        "go through a sorted copy of the keys, or use an ordered container",
    ),
    AuditRule(
        "AU503", "address-order",
        "addresses differ in each run, and so does the order of what is sorted by them",
        "sort by a number of the objects' own",
    ),
    AuditRule(
        "AU504", "library-distribution",
        "the standard leaves the algorithms of distributions to the library; engines are fixed",
        "keep the engine, std::mt19937, and write the distribution",
    ),
    AuditRule(
        "AU505", "library-random",
        "each C library has other random numbers, and some are of the system",
        "keep a generator of your own in the simulation's state",
    ),
    AuditRule(
        "AU506", "float-to-int",
        "out of the integer's range x86, ARM64 and WebAssembly give other numbers",
        "clamp before the conversion",
        _NOTE,
    ),
    AuditRule(
        "AU507", "long-double-source",
        "long double has 53, 64, 106 or 113 bits of significand, by platform",
        "use double",
    ),
    AuditRule(
        "AU508", "double-constant",
        "the expression is computed in double, where -fsingle-precision-constant computes in float",
        "write 0.1f",
        _NOTE,
    ),
)  # fmt: skip
"""Rules, in the order in which findings are shown."""

BY_CODE = {rule.code: rule for rule in RULES}
