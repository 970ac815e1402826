"""Rates of desyncs by build, and the test that may be asked at any time."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from tests.support.collectors import running

from samebits.collector.database.engine import Database
from samebits.collector.problem import CollectorError
from samebits.collector.rollout.counts import add, compare, rates
from samebits.collector.rollout.intervals import wilson
from samebits.collector.rollout.sequential import ERROR, Period, compared


def test_wilson_intervals_are_those_of_the_formula() -> None:
    low, high = wilson(10, 100)
    assert (low, high) == (pytest.approx(0.05522914), pytest.approx(0.17436566))
    assert wilson(0, 10) == (0.0, pytest.approx(0.27753279))
    assert wilson(10, 10) == (pytest.approx(0.72246721), 1.0)
    assert wilson(0, 0) == (0.0, 1.0)


def drawn(rng: random.Random, sessions: int, rate: float) -> int:
    return sum(rng.random() < rate for _ in range(sessions))


def answers(seed: int, rate_a: float, rate_b: float, hours: int = 30) -> str:
    """What is answered if one asks after every hour, with a tenth of the sessions on b."""
    rng = random.Random(seed)
    periods: list[Period] = []
    for _ in range(hours):
        base = rng.choice((0.5, 1.0, 2.0))  # both change from hour to hour
        a, b = drawn(rng, 200, base * rate_a), drawn(rng, 20, base * rate_b)
        periods.append(Period(200, a, 20, b))
    return compared(periods).verdict


def test_builds_that_are_alike_are_seldom_told_apart_however_often_one_asks() -> None:
    """The answer remembers the most evidence that there was, as somebody does who asks each
    hour and stops at the first answer."""
    runs = 150
    wrong = sum(answers(seed, 0.02, 0.02) != "not enough data" for seed in range(runs))
    assert wrong <= 2 * ERROR * runs


def test_a_build_that_is_worse_or_better_is_found() -> None:
    assert [answers(seed, 0.02, 0.15) for seed in range(5)] == ["worse"] * 5
    assert [answers(seed, 0.25, 0.01) for seed in range(5)] == ["better"] * 5


def test_evidence_is_a_martingale_where_builds_are_alike() -> None:
    """Its mean over all that can happen in a period is 1, exactly."""
    from math import comb

    n, m, total = 7, 30, 5
    whole = sum(comb(n, k) * comb(m, total - k) for k in range(total + 1))
    mean = 0.0
    for k in range(total + 1):
        found = compared([Period(m, total - k, n, k)], error=0.0001)
        # The most evidence that there was is 1 at least; what it came to is asked of one period.
        mean += (
            comb(n, k) * comb(m, total - k) / whole * min(found.worse, evidence(m, total - k, n, k))
        )
    assert mean == pytest.approx(1.0, abs=1e-9)


def evidence(m: int, a: int, n: int, b: int) -> float:
    """The mixture's likelihood ratio of one period, from its definition."""
    from math import comb, exp

    steps = [0.1 * k for k in range(1, 41)]
    weights = [exp(-0.5 * x * x) for x in steps]
    total = a + b
    low, high = max(0, total - m), min(total, n)
    ratio = 0.0
    for x, weight in zip(steps, weights, strict=True):
        terms = {k: comb(n, k) * comb(m, total - k) for k in range(low, high + 1)}
        given = sum(t * exp(x * k) for k, t in terms.items())
        ratio += weight * exp(x * b) * sum(terms.values()) / given
    return ratio / sum(weights)


def test_evidence_is_the_ratio_that_is_defined() -> None:
    found = compared([Period(100, 1, 50, 9)])
    assert found.worse == pytest.approx(evidence(100, 1, 50, 9))
    assert found.better == 1.0


def batch(number: str, build: str, count: int, bad: int) -> dict[str, object]:
    return {
        "id": f"batch-00{number}", "simulation": "arena", "build": build,
        "target": "x86-64 Linux", "sessions": count, "desyncs": bad,
    }  # fmt: skip


def test_a_build_is_no_worse_for_running_on_worse_targets(tmp_path: Path) -> None:
    database = Database(tmp_path)
    try:
        counts = {("1.0", "aarch64"): (2500, 42), ("1.0", "x86-64"): (2600, 10),
                  ("1.1", "aarch64"): (2300, 2), ("1.1", "wasm32"): (2700, 90),
                  ("1.1", "x86-64"): (2500, 4)}  # fmt: skip
        for k, ((build, target), (count, bad)) in enumerate(counts.items()):
            add(database, {**batch(str(k), build, count, bad), "target": target}, now=7200.0)
        answer, both = compare(database, "arena", "1.0", "1.1")
        assert both[0].rate < both[1].rate
        assert answer.verdict == "better"
    finally:
        database.close()


def test_a_batch_counts_once(tmp_path: Path) -> None:
    database = Database(tmp_path)
    try:
        assert add(database, batch("1", "1.0", 100, 1), now=7200.0)
        assert not add(database, batch("1", "1.0", 100, 1), now=7300.0)
        assert add(database, batch("2", "1.0", 50, 0), now=10800.0)
        found = rates(database)
        assert [(r.build, r.sessions, r.desyncs) for r in found] == [("1.0", 150, 1)]
        with pytest.raises(CollectorError, match=r"'1\.1' of 'arena' has reported no sessions"):
            compare(database, "arena", "1.0", "1.1")
        add(database, batch("3", "1.1", 150, 60), now=10800.0)
        answer, both = compare(database, "arena", "1.0", "1.1")
        assert answer.verdict == "worse"
        assert [r.desyncs for r in both] == [1, 60]
        answer, both = compare(database, "arena", "1.0", "1.1", now=14399.9)
        assert (answer.verdict, [r.desyncs for r in both]) == ("not enough data", [1, 60])
    finally:
        database.close()


@pytest.mark.parametrize(
    "change",
    [{"id": "x"}, {"sessions": -1}, {"desyncs": 101}, {"sessions": True}, {"build": ""},
     {"target": "a\nb"}, {"sessions": 10**9}],
)  # fmt: skip
def test_batches_that_are_none_are_refused(tmp_path: Path, change: dict[str, object]) -> None:
    with running(tmp_path) as collector:
        body = json.dumps({**batch("1", "1.0", 100, 1), **change})
        assert collector.ask("POST", "/sessions", body, "send").status == 400
        assert collector.ask("POST", "/sessions", "[" * 4000, "send").status == 400
        assert rates(collector.service.database) == []
