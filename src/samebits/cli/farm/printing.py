"""A run of a farm as a table on stdout."""

from __future__ import annotations

import sys
from pathlib import Path

from rich.text import Text

from samebits.cli.consoles import console
from samebits.cli.printing import columns_table
from samebits.farm.run import Outcome
from samebits.farm.summary import Summary
from samebits.farm.told import finding_lines, headline, one_line, shown_path

_STYLES = {"same": "green", "differs": "bold red", "crashed": "bold red", "failed": "bold red"}
_MOST_PRINTED = 20
"""Findings that are printed; --json and --html have more."""


def print_run(outcome: Outcome, summary: Summary) -> None:
    """Print what was found; what is wrong with files goes to stderr."""
    out = console()
    out.print(Text(headline(outcome, summary), "bold"), soft_wrap=True)
    out.print()
    table = columns_table("simulation", "target", "run", "replays", "frames", "results")
    several = len({line.program for line in summary.lines}) > 1
    for line in summary.lines:
        name = f"{line.simulation} {line.version}" + f" {line.program[:8]}" * several
        parts = [Text(f"{n:,} {r}", _STYLES.get(r, "bold yellow")) for r, n in line.results.items()]
        table.add_row(
            name, line.target, line.how or "not run", f"{line.rows:,}", f"{line.frames:,}",
            Text(", ").join(parts),
        )  # fmt: skip
    out.print(table)
    rate = f", {outcome.made / outcome.seconds:,.1f} a second" if outcome.seconds else ""
    out.print(
        f"\n{outcome.made:,} rows made in {outcome.seconds:,.1f} s{rate * bool(outcome.made)}; "
        f"{outcome.known:,} were known",
        soft_wrap=True,
    )
    for finding in summary.findings[:_MOST_PRINTED]:
        out.print()
        out.print(
            Text(finding.result, _STYLES.get(finding.result, "bold yellow")).append(
                f"  {shown_path(finding.path)}, {finding.simulation} {finding.version}", "bold"
            ),
            soft_wrap=True,
        )
        for line in finding_lines(finding):
            out.print(f"  {line}", soft_wrap=True, markup=False)
    bad = sum(n for result, n in summary.replays.items() if result != "same")
    if bad > _MOST_PRINTED:
        out.print(f"\n{bad - min(bad, _MOST_PRINTED):,} more: --json and --html have the first 200")
    if summary.changes:
        first = ", ".join(one_line(Path(path).name) for path in summary.changed[:3])
        out.print(
            f"\nversions run {summary.changes:,} replay{'s' * (summary.changes != 1)} to other "
            f"bits, such as {first}",
            soft_wrap=True,
        )
    for path, error in outcome.entries.unread[:_MOST_PRINTED]:
        sys.stderr.write(f"not read: {shown_path(path)}: {one_line(error)}\n")
    if len(outcome.entries.unread) > _MOST_PRINTED:
        sys.stderr.write(f"{len(outcome.entries.unread):,} files cannot be read\n")
    if outcome.others:
        sys.stderr.write(f"{outcome.others:,} replays of other simulations left out\n")
    if outcome.stopped:
        sys.stderr.write(f"{outcome.stopped}\n")
