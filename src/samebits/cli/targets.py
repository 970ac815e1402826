"""`samebits targets`: what can be verified here, as a table or as JSON."""

from __future__ import annotations

import json

from rich.text import Text

from samebits.cli.consoles import console
from samebits.cli.exit_status import SAME
from samebits.cli.printing import JSON_FORMAT, columns_table
from samebits.verify.executions import all_rows


def run(as_json: bool) -> int:
    """Print every row, and why it cannot run here if it cannot; return the exit status."""
    rows = all_rows()
    if as_json:
        facts = [
            {"name": r.name, "what": r.what, "runs": r.reason is None, "reason": r.reason}
            for r in rows
        ]
        print(json.dumps({"format": JSON_FORMAT, "targets": facts}, indent=2))
        return SAME
    table = columns_table("target", "runs here", "what")
    for row in rows:
        runs = Text("yes", "green") if row.reason is None else Text(f"no: {row.reason}", "dim")
        table.add_row(row.name, runs, row.what)
    console().print(table)
    return SAME
