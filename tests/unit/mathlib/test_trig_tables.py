"""The tables of sine and of 2/π hold what their docstrings say, computed anew with MPFR."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import gmpy2
import pytest
from gmpy2 import mpfr, mpz

from samebits.mathlib.float32 import sin_cos_f32_table as f32
from samebits.mathlib.float64 import sin_cos_f64_table as f64

FRACTION_BITS = 2000


def two_over_pi() -> mpz:
    """The bits of 2/π after the point."""
    with gmpy2.context(precision=FRACTION_BITS + 60):
        return mpz(gmpy2.floor(2 / gmpy2.const_pi() * mpfr(2) ** FRACTION_BITS))


def exact(x: float) -> mpz:
    """x·2^FRACTION_BITS, which must be whole."""
    numerator, denominator = x.as_integer_ratio()
    whole, rest = divmod(mpz(numerator) << FRACTION_BITS, denominator)
    assert rest == 0
    return whole


def lowest(x: float) -> int:
    """The place of the lowest one in `exact(x)`."""
    return int(gmpy2.bit_scan1(exact(x)) or 0)


def test_float32_rows_are_two_over_pi_without_whole_turns() -> None:
    for i in range(6):
        high, rest, low = (getattr(f32, f"{name}_{i}") for name in ("HIGH", "REST", "LOW"))
        left, top = two_over_pi(), 0
        if i > 0:
            least = int(getattr(f32, f"FROM_{i}"))
            assert least == 1 << (42 + 18 * (i - 1))
            top = least.bit_length() - 1 - 25  # floats from `least` on are multiples of 2^(top+2)
            left %= mpz(1) << (FRACTION_BITS - top)
        for part, bits in ((high, 29), (rest, 24)):
            assert exact(part).bit_length() - lowest(part) <= bits
        assert exact(high) + exact(rest) <= left
        assert abs(left - exact(high) - exact(rest) - exact(low)) <= mpz(1) << (
            FRACTION_BITS - top - 106
        )


def test_float64_pairs_are_the_sines_of_the_steps() -> None:
    pairs = f64.SIN_STEPS.data.tolist()
    assert len(pairs) == 1024
    with gmpy2.context(precision=300):
        for i in range(512):
            quarters = mpfr((0, 1, 0, -1)[i // 128])
            sine = gmpy2.sin(gmpy2.const_pi() * i / 256) if i % 128 else quarters
            high = float(sine)
            assert pairs[2 * i : 2 * i + 2] == [high, float(sine - high)]


@pytest.mark.parametrize("module", [f32, f64], ids=["float32", "float64"])
def test_the_tools_make_the_tables_again(module: ModuleType) -> None:
    file = Path(module.__file__ or "")
    tool = Path(__file__).parents[3] / "tools" / "math" / file.name
    made = subprocess.run([sys.executable, tool], check=True, capture_output=True, encoding="utf-8")
    assert made.stdout == file.read_text(encoding="utf-8")
