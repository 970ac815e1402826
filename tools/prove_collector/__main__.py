"""`make prove-collector`: 200 reports a second for a minute, kills, and a million reports.

Exit status 0 where every acknowledged report is there once and whole, and pages are fast enough.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tools.prove_collector.load import Found, under_load
from tools.prove_collector.million import fill, page_times

MOST_MS = 100.0
"""Milliseconds that the list's median may take."""


def told(name: str, found: Found) -> bool:
    """Print what a run found; whether all is there."""
    good = len(found.acknowledged)
    print(
        f"{name}: {good:,} acknowledged in {found.seconds:.1f} s ({good / found.seconds:.0f} a "
        f"second) by {found.attempts:,} requests, {1000 * found.processor / max(good, 1):.1f} ms "
        f"of a processor each, {found.kills} kills; {found.lost} lost, {found.doubled} doubled, "
        f"{found.unwhole} not whole, {len(found.refused)} refused",
        flush=True,
    )
    return not (found.lost or found.doubled or found.unwhole or found.refused)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.prove_collector", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--rate", type=float, default=200.0)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--reports", type=int, default=1_000_000)
    given = parser.parse_args()
    is_good = True
    with tempfile.TemporaryDirectory() as folder:
        if given.seconds:
            found = under_load(Path(folder, "steady"), given.seconds, given.rate, 0)
            is_good &= told("steady", found)
            found = under_load(Path(folder, "killed"), given.seconds, given.rate, given.kills)
            is_good &= told("killed", found)
        if given.reports:
            many = Path(folder, "many")
            many.mkdir()
            fill(many, given.reports, max(1, given.reports // 100))
            print(f"{given.reports:,} reports, {given.reports // 100:,} groups", flush=True)
            for name, median, longest in page_times(many, given.reports - 1):
                print(f"  {name}: median {median:.1f} ms, longest {longest:.1f} ms", flush=True)
                is_good &= name != "list" or median <= MOST_MS
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
