"""Token buckets of keys."""

from __future__ import annotations

import pytest

from samebits.collector.intake import rates as rates_module
from samebits.collector.intake.rates import Rates


def test_a_bucket_has_its_burst_and_then_its_rate() -> None:
    rates = Rates(rate=2, burst=3)
    assert [rates.wait("a", 0.0) for _ in range(4)] == [0, 0, 0, 0.5]
    assert rates.wait("a", 0.25) == pytest.approx(0.25)
    assert rates.wait("a", 0.5) == 0
    assert rates.wait("b", 0.5) == 0
    assert [rates.wait("a", 100.0) for _ in range(4)] == [0, 0, 0, 0.5]


def test_a_clock_that_goes_back_gives_nothing() -> None:
    rates = Rates(rate=1, burst=1)
    assert rates.wait("a", 10.0) == 0
    assert rates.wait("a", 5.0) == 1


def test_many_names_take_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates_module, "_MOST", 100)
    rates = Rates(rate=0.001, burst=2)
    for n in range(1000):
        rates.wait(str(n), float(n))
    assert len(rates.names) <= 100
    assert rates.wait("999", 999.0) == 0
    assert rates.wait("999", 999.0) > 0, "the youngest is remembered"
