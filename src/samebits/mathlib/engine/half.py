"""The conversions between floats and the bits of a half in `samebits.math`."""

from __future__ import annotations

from samebits.lang.half_words import f16_to_f32 as f16_to_f32
from samebits.lang.half_words import f16_to_f64 as f16_to_f64
from samebits.lang.half_words import f32_to_f16 as f32_to_f16
from samebits.lang.half_words import f64_to_f16 as f64_to_f16
