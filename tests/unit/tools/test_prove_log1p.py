"""The margin of float64 log1p is proven where squares of its arguments underflow."""

from __future__ import annotations

import pytest
from tools.prove.rounding.cells import variable
from tools.prove.rounding.claims import log1p_f64


@pytest.mark.parametrize("exponent", [-900, -700, -539, -300, -60])
def test_tiny_arguments_are_proven(exponent: int, monkeypatch: pytest.MonkeyPatch) -> None:
    low = 2.0**exponent
    cells = [variable(low, low * 1.5), variable(-low * 1.5, -low)]
    monkeypatch.setattr(log1p_f64, "INDICES", [])
    monkeypatch.setattr(log1p_f64, "scaling", lambda _: None)
    monkeypatch.setattr(log1p_f64, "near_zero", lambda _: cells)
    monkeypatch.setattr(log1p_f64, "_tiny", lambda _: None)
    proof = log1p_f64.log1p()
    assert proof.cells >= 2
    assert not proof.failures
