"""Flags that change bits: what each stands for, what it is made of, and what to write instead."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

STRICT = "compile with -ffp-contract=off -fno-fast-math last on the line"


@dataclass(frozen=True, slots=True)
class FlagRow:
    """Flags that begin with `prefix`: the hazards that they let happen, and what they are."""

    prefix: str
    hazards: tuple[str, ...]
    title: str
    remedy: str = STRICT


ROWS = (
    FlagRow("-ffp-contract", ("fma",), "fused multiply-add"),
    FlagRow("-mfma", ("fma",), "fused multiply-add"),
    FlagRow("-march=", ("fma", "estimate"), "instructions of a newer processor"),
    FlagRow("-mavx512", ("fma", "estimate"), "instructions of a newer processor"),
    FlagRow("-fassociative-math", ("order", "algebra"), "reassociation or SIMD reduction order"),
    FlagRow("-freciprocal-math", ("reciprocal", "algebra"), "a multiplication by the reciprocal"),
    FlagRow("-mrecip", ("estimate",), "a processor's reciprocal estimate"),
    FlagRow("-ffinite-math-only", ("nan", "min-max"), "no NaN and no infinity is expected"),
    FlagRow("-fno-honor-nans", ("nan", "min-max"), "no NaN is expected"),
    FlagRow("-fno-signed-zeros", ("signed-zero", "order"), "signed zeros not kept"),
    FlagRow("-fno-trapping-math", (), "comparisons and conversions moved"),
    FlagRow("-fno-math-errno", ("libm", "libm-ulp", "estimate"), "other math functions"),
    FlagRow("-funsafe-math-optimizations",
            ("order", "reciprocal", "estimate", "algebra", "signed-zero", "libm", "libm-ulp"),
            "fast math"),
    FlagRow("-ffast-math",
            ("order", "reciprocal", "estimate", "algebra", "signed-zero", "nan", "min-max", "fma",
             "libm", "libm-ulp"), "fast math"),
    FlagRow("-Ofast",
            ("order", "reciprocal", "estimate", "algebra", "signed-zero", "nan", "min-max", "fma",
             "libm", "libm-ulp"), "fast math"),
    FlagRow("-mfpmath=387", ("x87", "double-rounding"), "x87 extended precision",
            "compile with -msse2 -mfpmath=sse"),
    FlagRow("-m32", ("x87", "double-rounding"), "x87 extended precision",
            "compile with -msse2 -mfpmath=sse"),
    FlagRow("-fexcess-precision=", ("x87", "double-rounding"), "extended precision kept"),
    FlagRow("-mdaz-ftz", ("flush",), "subnormal numbers flushed to zero",
            "link without -ffast-math, -Ofast and -mdaz-ftz"),
    FlagRow("-fsingle-precision-constant", ("constant", "narrower"), "constants as floats",
            "leave it out, and write 0.1f where a float is meant"),
    FlagRow("-frounding-math", (), "rounding modes respected", "give it on both sides"),
    FlagRow("-D", (), "another source: a macro", "define it alike on both sides"),
    FlagRow("-U", (), "another source: a macro", "define it alike on both sides"),
    FlagRow("-I", (), "another source: other headers", "use the same headers"),
    FlagRow("-funsigned-char", (), "plain char without a sign", "write signed char or int8_t"),
    FlagRow("-fsigned-char", (), "plain char with a sign", "write signed char or int8_t"),
    FlagRow("-std=", ("fma",), "another language version", "give one -std on both sides"),
)  # fmt: skip
"""What flags stand for, the first row that fits."""

PARTS: Mapping[str, tuple[str, ...]] = {
    "-Ofast": ("-O3", "-ffast-math"),
    "-ffast-math": (
        "-funsafe-math-optimizations", "-ffinite-math-only", "-fno-math-errno",
        "-fno-rounding-math", "-fno-signaling-nans", "-fcx-limited-range",
        "-fexcess-precision=fast",
    ),
    "-funsafe-math-optimizations": (
        "-fassociative-math -fno-signed-zeros -fno-trapping-math",
        "-freciprocal-math", "-fno-signed-zeros", "-fno-trapping-math",
    ),
    "-mrecip": ("-mrecip=div", "-mrecip=sqrt", "-mrecip=vec-div", "-mrecip=vec-sqrt"),
}  # fmt: skip
"""What flags are short for. Words that stand together act together alone."""


def row_of(flag: str) -> FlagRow | None:
    """What a flag stands for; None where it is known to change no bits, or not known."""
    return next((row for row in ROWS if flag.startswith(row.prefix)), None)
