"""`python -m tools.prove_diagnose.foreign`: other compilers' builds, diagnosed and counted.

Writes the section on foreign builds of docs/results/diagnosis-quality.md. Exit status 0 where what
is promised is kept, 1 where it is not, 130 after Ctrl-C.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from tools import scratch
from tools.prove_diagnose import versions
from tools.prove_diagnose.foreign import evidence, report
from tools.prove_diagnose.foreign.case import LEFT_OUT, SUBJECTS
from tools.prove_diagnose.foreign.compilers import BUILDS, PACKAGES, missing
from tools.prove_diagnose.foreign.judge import Limits, Verdict, tried_until
from tools.prove_diagnose.report import into
from tools.prove_diagnose.subjects import ROOT

PAGE = ROOT / "docs" / "results" / "diagnosis-quality.md"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tools.prove_diagnose.foreign",
        epilog=f"Debian packages that all builds need: {' '.join(PACKAGES)}",
    )
    parser.add_argument("--cases", type=int, default=150, help="how many (150)")
    parser.add_argument("--first", type=int, default=0, help="from which on (0)")
    parser.add_argument("--seed", type=int, default=1, help="which ones (1)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=1e9, help="after which no case begins")
    parser.add_argument("--builds", nargs="+", choices=BUILDS, help="only these")
    parser.add_argument("--subjects", nargs="+", choices=SUBJECTS, help="only these")
    parser.add_argument("--forms", nargs="+", choices=evidence.FORMS, help="only these")
    parser.add_argument("--keep", type=Path, help="a folder in which the evidence stays")
    parser.add_argument("--judged", type=Path, default=ROOT / "src",
                        help="the folder of the samebits that is judged (this one)")  # fmt: skip
    parser.add_argument("--truths", action="store_true", help="tell the truths, diagnose nothing")
    parser.add_argument("--results", type=Path, help="a file that verdicts are added to, in JSON")
    parser.add_argument("--known", type=Path, nargs="+", help="such files: write the page of them")
    parser.add_argument("--out", type=Path, default=PAGE, help="the page with the section")
    parser.add_argument("--no-page", action="store_true", help="print the tables alone")
    return parser.parse_args()


def main() -> int:
    given = _arguments()
    if given.known:
        rows = [Verdict(**json.loads(row)) for file in given.known for row in file.open()]
        return _told(sorted(rows, key=lambda v: v.number), given)
    found: list[Verdict] = []
    version = versions.commit(given.judged)
    with scratch.folder() as folder:
        try:
            for verdict in _tried(given, folder):
                verdict.version = version
                found.append(verdict)
                print(
                    report.line(verdict) if not given.truths else report.known(verdict), flush=True
                )
                if given.results is not None:
                    with given.results.open("a") as file:
                        print(json.dumps(vars(verdict)), file=file)
        except KeyboardInterrupt:
            print(report.summary(found))
            return 130
    if given.truths:
        return 0
    return _told(sorted(found, key=lambda v: v.number), given)


def _tried(given: argparse.Namespace, folder: Path) -> Iterator[Verdict]:
    """The verdicts, as they come."""
    end = time.monotonic() + given.seconds
    wanted = given.builds or tuple(BUILDS)
    builds = tuple(n for n in wanted if not missing(BUILDS[n].compiler))
    for name in wanted:
        if name not in builds:
            print(f"{name}: left out, {missing(BUILDS[name].compiler)}")
    for name, why in LEFT_OUT.items():
        print(f"{name}: left out, {why}")
    limits = Limits(
        builds, tuple(given.subjects or ()), tuple(given.forms or evidence.FORMS), folder,
        given.keep and given.keep.resolve(), given.judged.resolve(), given.truths,
    )  # fmt: skip
    numbers = range(given.first, given.first + given.cases)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(given.jobs, context) as pool:
        for verdict in pool.map(partial(tried_until, end, seed=given.seed, limits=limits), numbers):
            if verdict is not None:
                yield verdict


def _told(rows: Sequence[Verdict], given: argparse.Namespace) -> int:
    print(report.summary(rows))
    print(report.by(rows, "build", lambda v: v.build))
    print(report.by(rows, "evidence", lambda v: v.form))
    if rows and not given.no_page:
        into(given.out, report.section(rows, given.seed), report.MARKS)
        print(f"{given.out} written")
    return 0 if report.kept(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
