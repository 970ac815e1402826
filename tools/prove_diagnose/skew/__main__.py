"""`python -m tools.prove_diagnose.skew`: versions with drawn edits, diagnosed and counted.

Writes the section on version skew of docs/results/diagnosis-quality.md. Exit status 0 where what is
promised is kept, 1 where it is not, 130 after Ctrl-C.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from tools import scratch
from tools.prove_diagnose import versions
from tools.prove_diagnose.report import into
from tools.prove_diagnose.skew import report
from tools.prove_diagnose.skew.judge import Verdict, tried_until

PAGE = Path(__file__).parents[3] / "docs" / "results" / "diagnosis-quality.md"
MOST_CASES = 25
"""Cases of one process: compiled code stays with it."""


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.prove_diagnose.skew")
    parser.add_argument("--cases", type=int, default=400, help="how many (400)")
    parser.add_argument("--first", type=int, default=0, help="from which on (0)")
    parser.add_argument("--seed", type=int, default=1, help="which ones (1)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=1e9, help="after which no case begins")
    parser.add_argument("--results", type=Path, help="a file that verdicts are added to, in JSON")
    parser.add_argument("--known", type=Path, nargs="+", help="such files: write the page of them")
    parser.add_argument("--out", type=Path, default=PAGE, help="the page with the section")
    return parser.parse_args()


def main() -> int:
    given = _arguments()
    if given.known:
        rows = [Verdict(**json.loads(row)) for file in given.known for row in file.open()]
        return _told(sorted(rows, key=lambda v: v.number), given)
    found: list[Verdict] = []
    version = versions.commit(PAGE.parent)
    with scratch.folder():
        try:
            for verdict in _tried(given):
                verdict.version = version
                found.append(verdict)
                print(report.line(verdict), flush=True)
                if given.results is not None:
                    with given.results.open("a") as file:
                        print(json.dumps(vars(verdict)), file=file)
        except KeyboardInterrupt:
            print(report.summary(found))
            return 130
    return _told(sorted(found, key=lambda v: v.number), given)


def _tried(given: argparse.Namespace) -> Iterator[Verdict]:
    """The verdicts, as they come."""
    end = time.monotonic() + given.seconds
    numbers = range(given.first, given.first + given.cases)
    context = multiprocessing.get_context("spawn")
    # A ProcessPoolExecutor with max_tasks_per_child can deadlock in Python 3.11 (gh-115634).
    with context.Pool(given.jobs, maxtasksperchild=MOST_CASES) as pool:
        for verdict in pool.imap(partial(tried_until, end, seed=given.seed), numbers):
            if verdict is not None:
                yield verdict


def _told(rows: Sequence[Verdict], given: argparse.Namespace) -> int:
    print(report.summary(rows))
    if rows:
        into(given.out, report.section(rows, given.seed), report.MARKS)
        print(f"{given.out} written")
    return 0 if report.kept(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
