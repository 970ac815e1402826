"""`make prove-diagnose`: differences injected and diagnosed, and how often each part is right.

Writes the section of docs/results/diagnosis-quality.md: how often frame, field, line, operation and
cause were right.

Exit status 0 where what is promised is kept, 1 where it is not, 2 for bad usage, 130 after Ctrl-C.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from multiprocessing.connection import wait
from pathlib import Path

from tools import scratch
from tools.prove_diagnose import goals, injections, ledger, report
from tools.prove_diagnose.draw import draw, hazard_of
from tools.prove_diagnose.entry import Entry
from tools.prove_diagnose.judge import Verdict
from tools.prove_diagnose.worker import MOST_CASES, Task, Worker

PAGE = Path(__file__).parents[2] / "docs" / "results" / "diagnosis-quality.md"
SECONDS = 900.0
"""After which a case is given up, and counts as wrong."""


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.prove_diagnose", description=__doc__)
    parser.add_argument("--cases", type=int, default=520, help="how many (520)")
    parser.add_argument("--seed", type=int, default=1, help="which ones (1)")
    parser.add_argument("--only", metavar="hazard=NAME[,NAME]", help="cases of these hazards only")
    parser.add_argument("--case", type=int, nargs="+", help="these only, and write no page")
    parser.add_argument("--wrong", action="store_true", help="those that were not right before")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--reuse", action="store_true", help="take earlier runs' draws")
    parser.add_argument("--fresh", action="store_true", help="forget what earlier runs found")
    parser.add_argument("--no-goals", action="store_true", help="leave time and memory alone")
    parser.add_argument("--results", type=Path, default=ledger.FILE, help="what runs found")
    parser.add_argument("--out", type=Path, default=PAGE, help="the page with the section")
    arguments = parser.parse_args()
    if arguments.only is not None:
        what, _, names = arguments.only.partition("=")
        arguments.only = tuple(names.split(","))
        unknown = [name for name in arguments.only if name not in injections.NAMES]
        if what != "hazard" or unknown:
            parser.error(f"--only takes hazard= and some of {', '.join(injections.NAMES)}")
    return arguments


class _Proof:
    def __init__(self, arguments: argparse.Namespace) -> None:
        self._arguments = arguments
        self.seed: int = arguments.seed
        self.code = ledger.digest()
        self.entries = {} if arguments.fresh else ledger.read(arguments.results)
        self._tasks = self._plan()
        self._start = time.monotonic()
        self._workers: list[Worker] = []

    @property
    def numbers(self) -> list[int]:
        """The cases that were asked for."""
        chosen = self._arguments
        if chosen.case:
            return list(chosen.case)
        return [
            n
            for n in range(chosen.cases)
            if chosen.only is None or hazard_of(n, self.seed) in chosen.only
        ]

    def _plan(self) -> Iterator[Task]:
        for number in self.numbers:
            earlier = self.entries.get((self.seed, number))
            if self._arguments.wrong:
                if earlier is None or earlier.verdict is None or earlier.verdict.right:
                    continue
            elif earlier is not None and earlier.digest == self.code and not self._arguments.case:
                continue
            reused = self._arguments.reuse and earlier is not None and earlier.verdict is not None
            yield Task(number, self.seed, earlier.case if reused and earlier else None)

    def run(self) -> None:
        """Try every case. Raises KeyboardInterrupt. No process is left, either way."""
        try:
            self._workers = [Worker() for _ in range(self._arguments.jobs)]
            for place in range(len(self._workers)):
                self._next(place)
            while busy := [w for w in self._workers if w.task is not None]:
                ready = wait([w.pipe for w in busy], timeout=1.0)
                for worker in busy:
                    late = time.monotonic() - worker.since > SECONDS
                    if worker.pipe in ready or late:
                        self._take(self._workers.index(worker), late and worker.pipe not in ready)
        finally:
            for worker in self._workers:
                worker.end()

    def _next(self, place: int) -> None:
        worker = self._workers[place]
        task = next(self._tasks, None)
        if task is None:
            return
        if worker.done >= MOST_CASES:
            worker.end()
            worker = self._workers[place] = Worker()
        worker.give(task)

    def _take(self, place: int, late: bool) -> None:
        worker = self._workers[place]
        task = worker.task
        assert task is not None
        try:
            if late:
                raise EOFError
            self._add(worker.take())
        except EOFError:
            status = worker.end()
            what = f"given up after {SECONDS:.0f} s" if late else f"died with status {status}"
            case = task.known or draw(task.number, task.seed, 0)
            self._add(Entry(case, verdict=Verdict(failure=f"the process {what}")))
            self._workers[place] = Worker()
        self._next(place)

    def _add(self, entry: Entry) -> None:
        entry.digest = self.code
        self.entries[self.seed, entry.case.number] = entry
        ledger.write(self.entries, self._arguments.results)
        number = sum(e.digest == self.code for e in self.entries.values())
        print(
            f"{time.monotonic() - self._start:6.0f} s {number:4} {report.line(entry)}", flush=True
        )

    def found(self) -> list[Entry]:
        """The entries of the cases asked for that this code gave."""
        every = [self.entries.get((self.seed, n)) for n in self.numbers]
        return [entry for entry in every if entry is not None and entry.digest == self.code]


def main() -> int:
    arguments = _arguments()
    proof = _Proof(arguments)
    if not proof.numbers:
        print("no case is chosen: nothing would be tried", file=sys.stderr)
        return 2
    stopped = False
    with scratch.folder():
        try:
            proof.run()
        except KeyboardInterrupt:
            stopped = True
    entries = proof.found()
    print(report.summary(entries))
    partial = arguments.case or arguments.only or arguments.wrong
    if partial or stopped:
        return 130 if stopped else 0 if report.kept(entries) else 1
    goal = None if arguments.no_goals else goals.measured()
    report.into(arguments.out, report.section(entries, proof.seed, proof.code, goal))
    print(f"{arguments.out} written")
    return 0 if report.kept(entries) and (goal is None or goal.kept) else 1


if __name__ == "__main__":
    sys.exit(main())
