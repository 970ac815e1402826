"""Fuzz what keeps kernels inside their arrays: `python -m tests.fuzz.bounds.run`, until stopped or
for `--programs 200000`. `--fault` injects an unsound rule first; `--faults` has each found.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from contextlib import suppress

from tests.fuzz.bounds.check import REGRESSION, small
from tests.fuzz.bounds.faults import FAULTS
from tests.fuzz.bounds.judge import Tally
from tests.fuzz.bounds.search import find_faults
from tests.fuzz.bounds.workers import run, shares
from tests.fuzz.regression import write_regression

LINE_EVERY = 2000
"""Programs between two lines of progress."""


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.bounds.run", description=__doc__)
    limit = parser.add_mutually_exclusive_group()
    limit.add_argument("--seconds", type=float, help="stop after this long")
    limit.add_argument("--programs", type=int, help="stop after this many programs")
    parser.add_argument("--seed", type=int, help="seed of the first program (default: the time)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--keep", action="store_true", help="report findings without shrinking")
    parser.add_argument("--fault", choices=[*FAULTS], help="inject this into the passes")
    parser.add_argument("--faults", action="store_true", help="inject each, from two seeds")
    parser.add_argument("--beside", action="store_true", help="stop when the parent process has")
    arguments = parser.parse_args()
    if arguments.seed is None:
        arguments.seed = time.time_ns() // 1_000_000
    return arguments


class Session:
    """One search, what it covered, and how it says so."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        self.total = Tally()
        self.start = time.monotonic()
        self._kinds: set[str] = set()
        self._said = 0
        self._parent = os.getppid() if arguments.beside else None

    def heard(self, tally: Tally) -> bool:
        """Take in what a unit gave; whether to go on."""
        self.total.add(tally)
        for found in tally.found:
            print(f"bounds: seed {found.seed}, call {found.call}, O{found.opt}: {found.text}",
                  flush=True)  # fmt: skip
            if found.kind not in self._kinds and not self.arguments.keep:
                self._kinds.add(found.kind)
                failure = small(found, self.arguments.fault)
                print(failure.program.source, failure.inputs, sep="\n", flush=True)
                if self.arguments.fault is None:
                    print(f"shrunk to {write_regression(failure, form=REGRESSION)}", flush=True)
        if self.total.programs - self._said >= LINE_EVERY:
            self._said = self.total.programs
            self.say()
        if self._parent is not None and os.getppid() != self._parent:
            return False
        seconds = self.arguments.seconds
        return seconds is None or time.monotonic() - self.start < seconds

    def say(self) -> None:
        total = self.total
        traps = sum(n for kind, n in total.traps.items() if kind != "none")
        print(
            f"bounds: {total.programs} programs, {total.calls} calls, {traps} traps, "
            f"{total.endless} calls left out, {total.refused} programs refused, "
            f"{len(total.found)} findings",
            flush=True,
        )

    def run(self) -> int:
        """0 where all agreed, 1 where something did not, 2 where nothing was compared."""
        given = self.arguments
        work = shares(given.seed, given.programs)
        with suppress(KeyboardInterrupt):
            run(work, given.jobs, fault=given.fault, heard=self.heard)
        self.say()
        if self.total.found:
            return 1
        if not self.total.calls:
            print("nothing was compared", file=sys.stderr)
            return 2
        return 0


def main() -> int:
    arguments = _arguments()
    if arguments.faults:
        return find_faults(arguments.programs or 20_000, arguments.jobs)
    return Session(arguments).run()


if __name__ == "__main__":
    sys.exit(main())
