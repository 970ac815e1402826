"""A database with as many reports as are wanted, and how long its pages take."""

from __future__ import annotations

import hashlib
import io
import statistics
import time
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from starlette.requests import Request

from samebits.collector.database.engine import Database
from samebits.collector.database.tables import groups, reports
from samebits.collector.grouping.facts import Facts
from samebits.collector.intake.keys import new_key
from samebits.collector.operate.logs import Log
from samebits.collector.settings import Settings
from samebits.collector.web import pages
from samebits.collector.web.service import Service

AT_ONCE = 10_000
BEGIN = 1_700_000_000
TIMES = 50
"""How often each page is asked for."""


def fill(folder: Path, count: int, causes: int) -> None:
    """Enter reports, each in one of `causes` groups."""
    database = Database(folder)
    with database.writing() as connection:
        connection.execute(groups.insert(), [_group(n, count // causes) for n in range(causes)])
    for first in range(0, count, AT_ONCE):
        rows = [_report(n, causes) for n in range(first, min(first + AT_ONCE, count))]
        with database.writing() as connection:
            connection.execute(reports.insert(), rows)
            database.count(connection, reports=len(rows), diagnosed=len(rows))
    database.close()


def _group(number: int, count: int) -> dict[str, Any]:
    texts: dict[str, Any] = dict.fromkeys((each.name for each in fields(Facts)), "x")
    texts.update(number=number, line=str(number))
    facts = Facts(**texts)
    return {
        "signature": facts.signature, "simulation": f"game{number % 7}", "cause": "fma",
        "title": "fused multiply-add", "certainty": "certain", "operation": "add",
        "place": f"step{number}, game.py:{number}", "source": "", "targets": "x86-64 Linux",
        "remedy": "", "state": "open" if number % 3 else "resolved", "resolved_in": "",
        "count": count, "first_seen": BEGIN, "last_seen": BEGIN + number * 7919 % 100_000,
        "example": number + 1,
    }  # fmt: skip


def _report(number: int, causes: int) -> dict[str, Any]:
    return {
        "digest": hashlib.sha256(str(number).encode()).hexdigest(), "kind": "report",
        "size": 100_000, "received": BEGIN + number, "key": "k", "match": "", "attempts": 1,
        "state": "diagnosed", "leased": 0, "holder": "", "run": str(number // 2),
        "simulation": f"game{number % 7}", "version": "1", "build": "", "machine": "AMD EPYC",
        "target": "x86-64 Linux", "told": "frame 9", "group": number % causes + 1,
    }  # fmt: skip


def page_times(folder: Path, last: int, times: int = TIMES) -> Iterator[tuple[str, float, float]]:
    """Pages, each with the median and the longest time in milliseconds, without the network. `last`
    is the number of the last report."""
    service = Service.open(Settings(folder, workers=0, rate=1e9, burst=1e9), Log(open_null()))
    try:
        key = new_key(service.database, "load", ["read"])
        digest = hashlib.sha256(str(last).encode()).hexdigest()
        asked: tuple[tuple[str, Any, str, dict[str, str]], ...] = (
            ("list", pages.listed, "", {}),
            ("list, further on", pages.listed, f"before={BEGIN + 50_000}.1", {}),
            ("search", pages.listed, "q=step11", {}),
            ("group", pages.group, "", {"number": "5"}),
            ("report", pages.report, "", {"digest": digest}),
        )
        for name, page, query, path in asked:
            took: list[float] = []
            for _ in range(times):
                request = _request(service, key, query, path)
                begin = time.perf_counter()
                assert page(request).status_code == 200
                took.append(1000 * (time.perf_counter() - begin))
            yield name, statistics.median(took), max(took)
    finally:
        service.close()


def open_null() -> Any:
    """Where logs go that nobody reads."""
    return io.StringIO()


def _request(service: Service, key: str, query: str, path: dict[str, str]) -> Request:
    class App:
        class state:  # noqa: N801
            pass

    App.state.service = service  # pyright: ignore[reportAttributeAccessIssue]
    return Request({
        "type": "http", "method": "GET", "path": "/", "query_string": query.encode(),
        "headers": [(b"authorization", f"Bearer {key}".encode())], "path_params": path, "app": App,
    })  # fmt: skip
