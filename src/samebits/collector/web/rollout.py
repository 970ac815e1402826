"""The page of the rollout: how often each build desyncs, drawn, and one build beside another."""

from __future__ import annotations

import math
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from samebits.collector.problem import CollectorError
from samebits.collector.rollout.counts import Rate, compare, rates
from samebits.collector.web.access import holder_of, service_of
from samebits.collector.web.pages import page

WIDTH = 1000
"""Units of a row's chart, from no session to the highest rate of its simulation."""


@dataclass(frozen=True, slots=True)
class Row:
    """A build on a target, with the places of its rate and interval in the chart."""

    of: Rate
    rate: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Simulation:
    """A simulation's builds, the latest first, and the highest end of an interval."""

    name: str
    rows: list[Row]
    builds: list[str]
    top: float


def rollout(request: Request) -> Response:
    """`GET /rollout`: how often sessions of each build desync; with `simulation`, `a` and `b`
    also whether build `b` does so more often than `a`."""
    holder_of(request, "read")
    database, given = service_of(request).database, request.query_params
    simulation, a, b = (given.get(name, "") for name in ("simulation", "a", "b"))
    said = _compared(request, simulation, a, b) if simulation and a and b else ""
    return page(
        "rollout", "Rollout", simulations=_drawn(rates(database)), percent=percent, said=said,
        asked=simulation, a=a, b=b, width=WIDTH,
    )  # fmt: skip


def percent(rate: float) -> str:
    """A rate as text, in percent, with two digits that count where it is small.

    >>> [percent(rate) for rate in (0.0, 0.0123, 0.000012345, 1.0)]
    ['0 %', '1.23 %', '0.0012 %', '100.00 %']
    """
    of_hundred = 100 * rate
    if not 0 < of_hundred < 0.1:
        return f"{of_hundred:.2f} %" if of_hundred else "0 %"
    return f"{of_hundred:.{1 - math.floor(math.log10(of_hundred))}f} %"


def _drawn(found: list[Rate]) -> list[Simulation]:
    groups: dict[str, list[Rate]] = {}
    for rate in found:
        groups.setdefault(rate.simulation, []).append(rate)
    return [_simulation(name, group) for name, group in groups.items()]


def _simulation(name: str, group: list[Rate]) -> Simulation:
    top = max(rate.high for rate in group)

    def place(value: float) -> int:
        return round(WIDTH * value / top) if top else 0

    rows = [Row(rate, place(rate.rate), place(rate.low), place(rate.high)) for rate in group]
    return Simulation(name, rows, list(dict.fromkeys(rate.build for rate in group)), top)


def _compared(request: Request, simulation: str, a: str, b: str) -> str:
    try:
        answer, _ = compare(service_of(request).database, simulation, a, b)
    except CollectorError as problem:
        return str(problem)
    return answer.words(a, b)
