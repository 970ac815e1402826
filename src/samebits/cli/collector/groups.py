"""`samebits collector groups` and `resolve`: the causes of a team's desyncs."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from rich.text import Text

from samebits.cli.collector.serve import opened
from samebits.cli.consoles import console
from samebits.cli.exit_status import SAME
from samebits.cli.printing import columns_table

MOST = 1000
"""Most groups that are listed."""
_SHOWN = ("id", "state", "simulation", "title", "place", "targets", "count", "last seen")


def show(
    folder: str, database: str | None, simulation: str | None, everything: bool, as_json: bool
) -> int:
    """Print the groups."""
    with opened(folder, database) as found:
        from sqlalchemy import select

        from samebits.collector.database.tables import groups

        query = select(groups).order_by(groups.c.last_seen.desc(), groups.c.id.desc()).limit(MOST)
        if simulation is not None:
            query = query.where(groups.c.simulation == simulation)
        if not everything:
            query = query.where(groups.c.state == "open")
        with found.reading() as connection:
            rows: list[dict[str, Any]] = [dict(row) for row in connection.execute(query).mappings()]
    if as_json:
        print(json.dumps(rows, indent=2))
        return SAME
    table = columns_table(*_SHOWN)
    for row in rows:
        at = datetime.fromtimestamp(row["last_seen"], UTC)
        state = row["state"]
        if row["resolved_in"]:
            state += f" in {row['resolved_in']}" if state == "resolved" else " again"
        values = (row["id"], state, row["simulation"], row["title"], row["place"], row["targets"],
                  f"{row['count']:,}", f"{at:%Y-%m-%d %H:%M}")  # fmt: skip
        table.add_row(*(Text(str(value)) for value in values))
    console().print(table)
    return SAME


def resolve(folder: str, database: str | None, group: int, version: str) -> int:
    """Call a group resolved."""
    with opened(folder, database) as found:
        from samebits.collector.grouping.groups import resolve as resolve_in

        resolve_in(found, group, version)
    print(f"group {group} is resolved in {version}, until that version or a later one reports it")
    return SAME
