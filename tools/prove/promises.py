"""The promises of MEDIUM and LOW: ULP by function and type, and for LOW on which inputs.

The docstrings of the functions say the same to users. MEDIUM promises its error everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from tools.prove.inputs import Arguments

Keep = Callable[..., Any]
"""Which inputs are meant, as a mask."""


@dataclass(frozen=True)
class Where:
    """Inputs on which an error is promised."""

    text: str
    keep: Keep

    def choose(self, arguments: Arguments) -> Arguments:
        """Those of a block that are meant."""
        with np.errstate(all="ignore"):
            mask = self.keep(*arguments)
        return tuple(np.ascontiguousarray(a[mask]) for a in arguments)


@dataclass(frozen=True)
class Promise:
    """ULP at most."""

    medium: float
    low: float
    where: Where | None = None


def _up_to(limit: float, text: str) -> Where:
    return Where(f"|x| ≤ {text}", lambda x: abs(x) <= limit)


def _below(limit: float, text: str) -> Where:
    return Where(f"|x| < {text}", lambda x: abs(x) < limit)


def _between(low: float, high: float) -> Where:
    return Where(f"{low:g} < x < {high:g}", lambda x: (low < x) & (x < high))


def _normal(x: Any) -> Any:
    return abs(x) >= np.finfo(x.dtype).tiny


def _results(low: float, high: float, text: str, limit: float = np.inf) -> Where:
    """Of pow, by the result's logarithm to base 2; `limit` is that of |y| for x < 0."""

    def keep(x: Any, y: Any) -> Any:
        exponent = y.astype(np.float64) * np.log2(np.abs(x).astype(np.float64))
        inside = (exponent >= low) & (exponent <= high)
        return _normal(x) & inside & ((x > 0) | (abs(y) <= limit))

    return Where(f"normal x, {text}", keep)


def _whole_powers(where: Where, text: str, limit: float) -> Where:
    """As of pow, for |n| ≤ limit."""
    return Where(text, lambda x, n: where.keep(x, n) & (abs(n.astype(np.float64)) <= limit))


def _roots(low: float, high: float, text: str) -> Where:
    """Of rootn, by the result's logarithm to base 2."""

    def keep(x: Any, n: Any) -> Any:
        n = n.astype(np.float64)
        exponent = np.log2(np.abs(x).astype(np.float64)) / n
        return _normal(x) & (abs(n) >= 2) & (exponent >= low) & (exponent <= high)

    return Where(f"normal x, |n| ≥ 2{text}", keep)


def _larger(low: int, high: int) -> Where:
    def keep(x: Any, y: Any) -> Any:
        larger = np.maximum(abs(x), abs(y))
        return (larger >= 2.0**low) & (larger <= 2.0**high)

    return Where(f"2^{low} ≤ max(|x|, |y|) ≤ 2^{high}", keep)


NORMAL = Where("normal x", _normal)
AWAY_FROM_LIMITS = Where(
    "neither (0, 0) nor tiny nor huge",
    lambda y, x: (
        (np.maximum(abs(x), abs(y)) >= 2.0**-1021) & (np.maximum(abs(x), abs(y)) <= 2.0**1022)
    ),
)
EXP2_F32 = Where("-126 ≤ x < 127.5", lambda x: (x >= -126) & (x < 127.5))
ACOSH_F32 = Where("x < 2^62", lambda x: x < 2.0**62)
HALF_TURNS_F32 = _up_to(2.0**21, "2^21")
HALF_TURNS_F64 = _up_to(2.0**50, "2^50")
TURNS_F32 = _up_to(1600.0, "1600")
TURNS_F64 = _up_to(2.0**20, "2^20")
POW_F32 = _results(-126, 127.4, "2^-126 ≤ result ≤ 2^127.4, x > 0 or |y| ≤ 2^22", limit=2.0**22)
POWN_F32 = _whole_powers(POW_F32, "normal x, |n| ≤ 2^22, 2^-126 ≤ result ≤ 2^127.4", 2.0**22)
POW_F64 = _results(-132.8, 132.8, "1e-40 ≤ result ≤ 1e40")

ROOTN_F64 = _roots(-132.8, 132.8, ", 1e-40 ≤ result ≤ 1e40")
PROMISES: dict[str, dict[str, Promise]] = {
    "exp": {"float32": Promise(0.81, 150, _between(-87.3, 88.3)), "float64": Promise(0.8, 10)},
    "exp2": {"float32": Promise(0.9, 60, EXP2_F32), "float64": Promise(0.8, 10)},
    "exp10": {"float32": Promise(1.0, 250, _between(-37.9, 38.3)), "float64": Promise(0.8, 10)},
    "expm1": {"float32": Promise(0.51, 100), "float64": Promise(0.5, 40)},
    "log": {"float32": Promise(0.51, 30, NORMAL), "float64": Promise(0.5, 6)},
    "log2": {"float32": Promise(0.52, 30, NORMAL), "float64": Promise(0.5, 8)},
    "log10": {"float32": Promise(0.52, 30, NORMAL), "float64": Promise(0.5, 6)},
    "log1p": {"float32": Promise(0.51, 30), "float64": Promise(0.5, 6)},
    "exp2m1": {"float32": Promise(0.51, 20), "float64": Promise(0.5, 40)},
    "exp10m1": {"float32": Promise(0.51, 20), "float64": Promise(0.5, 40)},
    "log2p1": {"float32": Promise(0.52, 30), "float64": Promise(0.5, 8)},
    "log10p1": {"float32": Promise(0.52, 30), "float64": Promise(0.5, 8)},
    "sin": {"float32": Promise(0.5, 40, TURNS_F32), "float64": Promise(1.0, 6, TURNS_F64)},
    "cos": {"float32": Promise(0.5, 40, TURNS_F32), "float64": Promise(1.0, 6, TURNS_F64)},
    "sincos": {"float32": Promise(0.5, 40, TURNS_F32), "float64": Promise(1.0, 6, TURNS_F64)},
    "tan": {"float32": Promise(0.5, 157, TURNS_F32), "float64": Promise(0.5, 64, TURNS_F64)},
    "sinpi": {
        "float32": Promise(0.5, 19, HALF_TURNS_F32),
        "float64": Promise(1.0, 6, HALF_TURNS_F64),
    },
    "cospi": {
        "float32": Promise(0.5, 19, HALF_TURNS_F32),
        "float64": Promise(1.0, 6, HALF_TURNS_F64),
    },
    "asin": {"float32": Promise(0.5, 30), "float64": Promise(0.5, 60)},
    "acos": {"float32": Promise(0.5, 27), "float64": Promise(0.5, 60)},
    "atan": {"float32": Promise(0.5, 75), "float64": Promise(0.5, 300)},
    "atan2": {"float32": Promise(0.5, 80), "float64": Promise(0.5, 300, AWAY_FROM_LIMITS)},
    "tanpi": {
        "float32": Promise(0.5, 160, _up_to(2.0**20, "2^20")),
        "float64": Promise(0.5, 64, HALF_TURNS_F64),
    },
    "asinpi": {"float32": Promise(0.5, 40), "float64": Promise(0.5, 60)},
    "acospi": {"float32": Promise(0.5, 30), "float64": Promise(0.5, 60)},
    "atanpi": {"float32": Promise(0.5, 80), "float64": Promise(0.5, 300)},
    "atan2pi": {"float32": Promise(0.5, 80), "float64": Promise(0.5, 300, AWAY_FROM_LIMITS)},
    "sinh": {"float32": Promise(0.51, 100, _below(87.0, "87")), "float64": Promise(0.5, 40)},
    "cosh": {"float32": Promise(0.51, 100, _below(87.0, "87")), "float64": Promise(0.5, 40)},
    "tanh": {"float32": Promise(0.51, 20), "float64": Promise(0.5, 40)},
    "asinh": {"float32": Promise(0.51, 20, _below(2.0**62, "2^62")), "float64": Promise(0.5, 8)},
    "acosh": {"float32": Promise(0.51, 20, ACOSH_F32), "float64": Promise(0.5, 10)},
    "atanh": {"float32": Promise(0.51, 20), "float64": Promise(0.5, 8)},
    "pow": {
        "float32": Promise(0.55, 560, POW_F32),
        "float64": Promise(0.5, 575, POW_F64),
    },
    "powr": {"float32": Promise(0.5, 560, POW_F32), "float64": Promise(0.5, 575, POW_F64)},
    "pown": {"float32": Promise(0.5, 560, POWN_F32), "float64": Promise(0.5, 575, POW_F64)},
    "rootn": {
        "float32": Promise(0.5, 250, _roots(-np.inf, np.inf, "")),
        "float64": Promise(0.5, 450, ROOTN_F64),
    },
    "compound": {"float32": Promise(0.5, 0.5), "float64": Promise(0.5, 0.5)},
    "cbrt": {"float32": Promise(0.51, 250, NORMAL), "float64": Promise(0.5, 8, NORMAL)},
    "rsqrt": {"float32": Promise(0.51, 2), "float64": Promise(0.5, 14, NORMAL)},
    "hypot": {
        "float32": Promise(0.51, 2, _larger(-50, 63)),
        "float64": Promise(0.5, 2.5, _larger(-480, 510)),
    },
}
"""A function without a row has HIGH's kernel for every precision."""


def promised(function: str, type_name: str, precision: str) -> float | None:
    """ULP at most; None where nothing is said."""
    promise = PROMISES.get(function, {}).get(type_name)
    if precision == "HIGH":
        return 0.5
    return promise and (promise.low if precision == "LOW" else promise.medium)


def where(function: str, type_name: str, precision: str) -> Where | None:
    """On which inputs; None for all."""
    promise = PROMISES.get(function, {}).get(type_name)
    return promise.where if promise and precision == "LOW" else None
