"""What a wide value is: three scalars that hold any number of up to 64 bits, and what is none.

`mantissa` (uint64, its top bit set), `exponent` (int32) and `kind` (int32) are the finite number
±mantissa × 2^(exponent − 63), which lies from 2^exponent to 2^(exponent + 1). `kind` holds the sign
and the class in bits of their own; of zeros, infinities and NaN the mantissa and the exponent are
zero, and NaN has no sign, so that equal values are equal scalars.
"""

from __future__ import annotations

NEGATIVE = 1
"""The sign bit of a kind."""
FINITE = 2
"""The class of a finite number that is not zero; zeros have no bit but that of the sign."""
INFINITE = 4
NAN = 8
TOP_BIT = 1 << 63
"""The least mantissa; as a tail, half a unit."""

NEAREST, ZERO, UP, DOWN = 0, 1, 2, 3
"""Roundings. Rounding `UP + sign` is the one that goes away from zero."""
KEPT, FLUSHED_BEFORE, FLUSHED_AFTER = 0, 1, 2
"""What becomes of a subnormal result: kept, or a zero by its value before or after rounding."""
