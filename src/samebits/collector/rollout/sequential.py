"""A sequential test of two builds' desync rates, which may be asked as often as one likes.

In each period, which is one hour on one target, builds a and b have so many sessions and desyncs.
Given both numbers of sessions and all desyncs together, those of b are hypergeometric if the rates
are alike, whatever the rate is and however it changes from period to period: Fisher's exact test.
With odds `exp(x)` times as high they are Fisher's noncentral hypergeometric. The likelihood ratio
of both, multiplied over periods and mixed over x > 0, is a nonnegative martingale if the rates are
alike, and shrinks if b's is lower: by Ville's inequality it ever reaches 1/e with probability e at
most. So does the mirror image for x < 0; each has half of the error. This holds for looks between
periods, not within one that goes on.

Robbins, Statistical methods related to the law of the iterated logarithm, Ann. Math. Stat. 41
(1970); Johari, Koomen, Pekelis, Walsh, Peeking at A/B tests, KDD 2017, for mixtures in practice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp, lgamma, log

ERROR = 0.05
"""The probability that builds that are alike are ever called better or worse."""
_STEPS = tuple(0.1 * k for k in range(1, 41))
"""The mixture's log odds ratios: up to exp(4), 55 times as many."""
_SPREAD = 1.0
"""The deviation of the half normal distribution by which they are weighted."""


@dataclass(frozen=True, slots=True)
class Period:
    """What two builds did in one hour on one target: desyncs of so many sessions."""

    sessions_a: int
    desyncs_a: int
    sessions_b: int
    desyncs_b: int


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether b is `better` or `worse` than a, or there is `not enough data`; the most evidence for
    each that there was, as the factor by which it is likelier than alike."""

    verdict: str
    better: float
    worse: float

    def words(self, a: str, b: str) -> str:
        """The answer as a line."""
        return (
            f"{b} beside {a}: {self.verdict} (evidence {self.worse:.3g} for worse, "
            f"{self.better:.3g} for better; {2 / ERROR:g} decides; an hour counts once it is over)"
        )


def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def _log_sum(values: Sequence[float]) -> float:
    top = max(values)
    return top + log(sum(exp(value - top) for value in values))


def _log_ratios(period: Period, steps: Sequence[float]) -> list[float]:
    """The log likelihood ratio of each log odds ratio to 0."""
    n, m = period.sessions_b, period.sessions_a
    total = period.desyncs_a + period.desyncs_b
    low, high = max(0, total - m), min(total, n)
    if low == high:
        return [0.0] * len(steps)
    counts = range(low, high + 1)
    terms = [_log_choose(n, k) + _log_choose(m, total - k) for k in counts]
    plain = _log_sum(terms)
    return [
        x * period.desyncs_b
        - (_log_sum([t + x * k for t, k in zip(terms, counts, strict=True)]) - plain)
        for x in steps
    ]


def compared(periods: Iterable[Period], error: float = ERROR) -> Answer:
    """Ask of all periods so far, in order of time."""
    weights = [-0.5 * (x / _SPREAD) ** 2 for x in _STEPS]
    whole = _log_sum(weights)
    sums = {1: [w - whole for w in weights], -1: [w - whole for w in weights]}
    most = {1: 0.0, -1: 0.0}
    for period in periods:
        for sign, found in sums.items():
            ratios = _log_ratios(period, [sign * x for x in _STEPS])
            sums[sign] = [a + b for a, b in zip(found, ratios, strict=True)]
            most[sign] = max(most[sign], _log_sum(sums[sign]))
    verdict = "not enough data"
    if max(most.values()) >= log(2 / error):
        verdict = "worse" if most[1] > most[-1] else "better"
    return Answer(verdict, exp(min(most[-1], 700.0)), exp(min(most[1], 700.0)))
