"""Public names: what `from samebits import *` gives, and what it leaves alone."""

from __future__ import annotations

import builtins

import samebits as sb
from samebits import float64


def test_a_star_import_shadows_no_builtin() -> None:
    assert [name for name in sb.__all__ if hasattr(builtins, name)] == []


def test_what_it_leaves_out_is_public() -> None:
    left = {"abs", "all", "any", "max", "min", "round"}
    assert left <= {*dir(sb)}
    assert all(callable(getattr(sb, name)) for name in left)


def test_builtins_mean_the_same_in_kernels() -> None:
    @sb.kernel
    def ours(x: float64, y: float64) -> float64:
        return sb.max(sb.abs(x), sb.min(y, 0.0)) + sb.round(x)

    @sb.kernel
    def pythons(x: float64, y: float64) -> float64:
        return max(abs(x), min(y, 0.0)) + round(x)

    for x, y in ((-0.0, 0.0), (2.5, -0.0), (float("nan"), 1.0), (-1e300, 7.0)):
        assert repr(ours(x, y)) == repr(pythons(x, y))
