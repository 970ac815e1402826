"""`python -m tools.prove_diagnose.sessions`: sessions in which something goes wrong, diagnosed.

Writes the section on sessions of docs/results/diagnosis-quality.md. Exit status 0 where what is
promised is kept, 1 where it is not, 130 after Ctrl-C.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from tools import scratch
from tools.prove_diagnose import versions
from tools.prove_diagnose.report import into
from tools.prove_diagnose.sessions import report
from tools.prove_diagnose.sessions.judge import Verdict, tried_until
from tools.prove_diagnose.subjects import ROOT

PAGE = ROOT / "docs" / "results" / "diagnosis-quality.md"
CASES = 184
MOST_CASES = 30
"""Cases of one process, about: compiled code stays with it."""


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.prove_diagnose.sessions")
    parser.add_argument("--cases", type=int, default=CASES, help=f"how many ({CASES})")
    parser.add_argument("--first", type=int, default=0, help="from which on (0)")
    parser.add_argument("--seed", type=int, default=1, help="which ones (1)")
    parser.add_argument("--case", type=int, nargs="+", help="these only, and write no page")
    parser.add_argument("--keep", type=Path, help="a folder for the cases' files")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=1e9, help="after which no case begins")
    parser.add_argument("--results", type=Path, help="a file that verdicts are added to, in JSON")
    parser.add_argument("--known", type=Path, nargs="+", help="such files: write the page of them")
    parser.add_argument("--out", type=Path, default=PAGE, help="the page with the section")
    return parser.parse_args()


def main() -> int:
    given = _arguments()
    os.chdir(ROOT)
    if given.known:
        rows = [Verdict(**json.loads(row)) for file in given.known for row in file.open()]
        return _told({v.number: v for v in rows}.values(), given)
    found: list[Verdict] = []
    version = versions.commit(ROOT)
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
    return _told(found, given)


def _tried(given: argparse.Namespace) -> Iterator[Verdict]:
    """The verdicts, as they come; of some cases at a time, each in processes of their own."""
    end = time.monotonic() + given.seconds
    numbers = given.case or range(given.first, given.first + given.cases)
    context = multiprocessing.get_context("spawn")
    trial = partial(tried_until, end, given.seed, given.keep)
    for some in batched(numbers, MOST_CASES * given.jobs):
        with ProcessPoolExecutor(given.jobs, context) as pool:
            for verdict in pool.map(trial, some):
                if verdict is not None:
                    yield verdict


def batched(numbers: Sequence[int], most: int) -> Iterator[Sequence[int]]:
    """The numbers, at most so many at a time."""
    for first in range(0, len(numbers), most):
        yield numbers[first : first + most]


def _told(found: Iterable[Verdict], given: argparse.Namespace) -> int:
    rows = sorted(found, key=lambda v: v.number)
    print(report.summary(rows))
    if rows and not given.case:
        into(given.out, report.section(rows, given.seed), report.MARKS)
        print(f"{given.out} written")
    return 0 if report.kept(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
