"""The sense of a run's rows, counted by SQL over the store: a table, and what is not the same.

Owns what counts as proven: a replay whose rows all came to an end, none of which differs from the
replay's own hashes or from another row, and of which something was compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from samebits.farm.rows import (
    CRASHED,
    DAMAGED,
    DIFFERS,
    FAILED,
    HUNG,
    LOST,
    MEMORY,
    NOT_COMPARED,
    RAN,
    REFUSED,
    SAME,
    Key,
    Row,
)
from samebits.farm.store import Store

WORST = (DIFFERS, CRASHED, FAILED, HUNG, MEMORY, LOST, REFUSED, DAMAGED, NOT_COMPARED, SAME)
"""Results, the worst first: a replay's is that of its worst row."""
DIFFERENCES = (DIFFERS, CRASHED, FAILED)
"""Results that prove something wrong; others than these and `same` are proofs that lack
something."""
_RAN = f"result IN {RAN}"
MOST_TOLD = 200
"""Most replays that are told one by one."""


@dataclass(frozen=True, slots=True)
class Line:
    """The rows of one program on one target, by one way to run it. `results` are counts."""

    simulation: str
    version: str
    program: str
    target: str
    how: str
    rows: int
    frames: int
    seconds: float
    results: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Finding:
    """A replay of one program that is not the same everywhere, or not proven to be."""

    path: str
    simulation: str
    version: str
    result: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """All that the rows say. `replays` counts replays by result, once for each program; `changed`
    are replays that two programs of one simulation run to other bits, as (path, frames)."""

    lines: tuple[Line, ...]
    replays: Mapping[str, int]
    findings: tuple[Finding, ...]
    changed: tuple[str, ...]
    changes: int

    @property
    def result(self) -> str:
        """The worst of `DIFFERENCES` that a replay has; else `incomplete`, or `same`."""
        found = {result for result, count in self.replays.items() if count}
        for result in DIFFERENCES:
            if result in found:
                return result
        return "same" if found == {SAME} else "incomplete"


def summarise(store: Store, keys: Sequence[Key] | None = None) -> Summary:
    """A summary of the rows of some keys, or of all that the store has."""
    mine = "rows" if keys is None else _selected(store, keys)
    counts = ", ".join(f"count(*) FILTER (result = '{each}')" for each in WORST)
    seconds = "sum(round(seconds * 1e6)::BIGINT)::BIGINT / 1e6"  # the same in any order
    counted = store.query(
        "SELECT any_value(simulation), any_value(version), program, target, how, count(*), "
        f"sum(frames)::BIGINT, {seconds}, {counts} FROM {mine} "
        "GROUP BY program, target, how ORDER BY 1, 2, 3, 4, 5"
    )
    store.sql.execute(f"CREATE OR REPLACE TEMP TABLE verdicts AS {_verdicts(mine)}")
    replays = dict(store.query("SELECT result, count(*) FROM verdicts GROUP BY result"))
    lines = tuple(
        Line(*_eight(values), {r: n for r, n in zip(WORST, values[8:], strict=True) if n})
        for values in counted
    )
    return Summary(
        lines,
        {result: replays[result] for result in WORST if result in replays},
        tuple(_findings(store, mine)),
        *(_changed(store, mine) if len({line.program for line in lines}) > 1 else ((), 0)),
    )


def _eight(values: tuple[Any, ...]) -> tuple[Any, Any, Any, Any, Any, Any, Any, Any]:
    one, two, three, four, five, six, seven, eight = values[:8]
    return one, two, three, four, five, six, seven, eight


def _selected(store: Store, keys: Sequence[Key]) -> str:
    """A table of the rows of some keys."""
    store.want(keys)
    store.query(
        "CREATE OR REPLACE TEMP TABLE mine AS SELECT rows.* FROM rows "
        "SEMI JOIN wanted USING (replay, program, target, fingerprint, asked)"
    )
    return "mine"


def _verdicts(mine: str) -> str:
    """A query for the result of each replay of each program: that of its worst row, but for rows
    whose runs are not one, which differ, and for several that are, which are the same."""
    worst = " ".join(f"WHEN bool_or(result = '{each}') THEN '{each}'" for each in WORST[1:-2])
    return (
        "SELECT replay, program, asked, fingerprint, CASE "
        f"WHEN bool_or(result = '{DIFFERS}') THEN '{DIFFERS}' "
        f"WHEN min(run) FILTER ({_RAN}) <> max(run) FILTER ({_RAN}) THEN '{DIFFERS}' {worst} "
        f"WHEN bool_or(result = '{SAME}') OR count(*) FILTER ({_RAN}) > 1 THEN '{SAME}' "
        f"ELSE '{NOT_COMPARED}' END AS result "
        f"FROM {mine} GROUP BY replay, program, asked, fingerprint"
    )


def _findings(store: Store, mine: str) -> list[Finding]:
    order = " ".join(f"WHEN '{each}' THEN {n}" for n, each in enumerate(WORST))
    store.sql.execute(
        f"CREATE OR REPLACE TEMP TABLE told AS SELECT *, CASE result {order} END AS rank "
        f"FROM verdicts WHERE result <> '{SAME}' ORDER BY rank, replay, program LIMIT {MOST_TOLD}"
    )
    found = store.query(
        f"SELECT told.result, m.* FROM {mine} AS m JOIN told USING (replay, program, asked, "
        "fingerprint) ORDER BY told.rank, m.path, m.replay, m.program, m.asked, m.fingerprint, "
        "m.target"
    )
    rows = [(values[0], Row(*values[1:])) for values in found]
    groups = groupby(
        rows, key=lambda each: (each[1].replay, each[1].program, each[1].asked, each[1].fingerprint)
    )
    return [_finding(list(members)) for _, members in groups]


def _finding(members: Sequence[tuple[str, Row]]) -> Finding:
    result, first = members[0]
    return Finding(
        first.path, first.simulation, first.version, result, tuple(row for _, row in members)
    )


def _changed(store: Store, mine: str) -> tuple[tuple[str, ...], int]:
    """Replays whose bits two programs of a simulation don't share, the first ones; how many."""
    grouped = (
        f"SELECT any_value(path) AS path FROM {mine} WHERE {_RAN} "
        "GROUP BY replay, simulation, target, asked, fingerprint HAVING min(run) <> max(run) "
        "AND count(DISTINCT program) > 1"
    )
    found = store.query(
        f"SELECT path, count(*) OVER () FROM (SELECT DISTINCT path FROM ({grouped})) "
        "ORDER BY path LIMIT 20"
    )
    return tuple(each[0] for each in found), int(found[0][1]) if found else 0
