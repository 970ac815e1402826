"""`make prove-targets`: compare every target that can run here, and write docs/results/targets.md.

Exit status 0 where all is the same, 1 where something differs or failed, 2 for bad usage, 130
where all was the same until Ctrl-C, which ends every process that was started and writes what was
compared until then.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from multiprocessing.connection import wait
from pathlib import Path

from tools import scratch
from tools.prove import identical, subject
from tools.prove_targets import ledger, programs, report, vectors
from tools.prove_targets.finding import Finding
from tools.prove_targets.worker import KINDS, Task, Worker

from samebits.runtime.emulation.calls import Runner, runners

PAGE = Path(__file__).parents[2] / "docs" / "results" / "targets.md"


def _arguments(known: Sequence[Runner]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.prove_targets", description=__doc__)
    parser.add_argument("--programs", type=int, default=20_000, help="generated programs (20,000)")
    parser.add_argument("--batch", type=int, default=100, help="programs in one module (100)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first program")
    parser.add_argument("--targets", nargs="+", metavar="NAME", help="these only")
    parser.add_argument("--checks", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--seconds", type=float, help="start no program on a target past this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--fresh", action="store_true", help="forget what earlier runs found")
    parser.add_argument("--results", type=Path, help="what runs found")
    parser.add_argument("--out", type=Path, default=PAGE, help="the page to write")
    arguments = parser.parse_args()
    names = [runner.target.name for runner in known]
    for name in arguments.targets or ():
        if name not in names:
            parser.error(f"there is no target '{name}'; the targets are {', '.join(names)}")
        reason = next(runner.reason for runner in known if runner.target.name == name)
        if reason is not None:
            parser.error(f"target '{name}' cannot run here: {reason}")
    for name in ("programs", "batch", "jobs"):
        if getattr(arguments, name) < 1:
            parser.error(f"--{name} {getattr(arguments, name)}: nothing would be compared")
    if arguments.checks == ["vectors"] and (missing := vectors.missing()):
        parser.error(f"nothing would be compared: {missing}")
    return arguments


class _Proof:
    def __init__(self, arguments: argparse.Namespace) -> None:
        self._arguments = arguments
        self.rows = [
            row for row in runners() if row.target.name in (arguments.targets or [row.target.name])
        ]
        self._names = tuple(row.target.name for row in self.rows if row.reason is None)
        self.tallies = report.Tallies()
        self._spent: dict[str, float] = defaultdict(float)
        self._start = time.monotonic()
        self._tasks = self._plan()
        self._workers: list[Worker] = []

    def _plan(self) -> Iterator[Task]:
        """The shorter checks first, a target at a time; then batches of programs."""
        for kind in ("examples", "vectors", "functions"):
            if kind in self._arguments.checks and not (kind == "vectors" and vectors.missing()):
                yield from (Task(kind, (name,)) for name in self._names)
        if "programs" not in self._arguments.checks:
            return
        first, last = self._arguments.seed, self._arguments.seed + self._arguments.programs
        step = self._arguments.batch
        for start in range(first, last, step):
            targets = tuple(name for name in self._names if not self._over(name))
            if not targets:
                return
            yield Task("programs", targets, tuple(range(start, min(start + step, last))))

    def _over(self, name: str) -> bool:
        limit = self._arguments.seconds
        return limit is not None and self._spent[name] > limit

    def run(self) -> None:
        """Do everything. Raises KeyboardInterrupt. No process is left, either way."""
        try:
            self._workers = [Worker() for _ in range(self._arguments.jobs)]
            for worker in self._workers:
                self._next(worker)
            while busy := [w for w in self._workers if w.current is not None]:
                for pipe in wait([w.pipe for w in busy]):
                    self._take(next(w for w in busy if w.pipe is pipe))
        finally:
            for worker in self._workers:
                worker.end()

    def _next(self, worker: Worker) -> None:
        task = next(self._tasks, None)
        if task is not None:
            worker.give(task)

    def _take(self, worker: Worker) -> None:
        task = worker.current
        assert task is not None
        try:
            found = worker.take()
        except EOFError:
            # What it had is lost; the others go on.
            status = worker.end()
            what = f"seeds {task.seeds[0]} to {task.seeds[-1]}" if task.seeds else task.kind
            text = f"{what}: the process died with status {status}"
            self._add(Finding("this process", task.kind, failure=text))
            fresh = self._workers[self._workers.index(worker)] = Worker()
            self._next(fresh)
            return
        if found is None:
            self._next(worker)
        else:
            self._add(found)

    def _add(self, found: Finding) -> None:
        before = len(self.tallies.complaints())
        self.tallies.add(found)
        self._spent[found.target] += found.seconds
        for line in self.tallies.complaints()[before:] if not found.same else ():
            print(f"\n{line}", flush=True)
        row = self.tallies.rows[found.target, found.check]
        done = f"{found.target}, {found.check}: {row.count:,} compared"
        print(f"\r{time.monotonic() - self._start:6.0f} s  {done:<70.70}", end="", flush=True)

    def seeds(self) -> tuple[int, int] | None:
        """The first program's seed and the last one's, as far as any target came."""
        counts = [
            row.count
            for (name, check), row in self.tallies.rows.items()
            if check == programs.CHECK and name in self._names
        ]
        first = self._arguments.seed
        return (first, first + max(counts) - 1) if any(counts) else None


def main() -> int:
    arguments = _arguments(runners())
    proof = _Proof(arguments)
    stopped = False
    with scratch.folder():
        try:
            proof.run()
        except KeyboardInterrupt:
            stopped = True
    tallies = proof.tallies
    if not tallies.rows:
        print("\nnothing was compared, and nothing written", file=sys.stderr)
        return 130 if stopped else 2
    made_with = report.made_with()
    run = ledger.run_of(tallies.rows.values(), tallies.failures, made_with, proof.seeds(), stopped)
    kept = arguments.results or (
        ledger.FILE if arguments.out == PAGE else arguments.out.with_suffix(".json")
    )
    earlier = [] if arguments.fresh else ledger.read(kept)
    runs = ledger.useful([*earlier, run])
    ledger.write(runs, kept)
    arguments.out.write_text(report.text(runs, runners()))
    agreed = {t: row.agreed for (t, check), row in tallies.rows.items() if row.agreed}
    if agreed and arguments.out == PAGE:
        digests = {name: loop.digest() for name, loop in subject.library_loops().items()}
        identical.keep(agreed, digests)
    print(f"\n{arguments.out} written")
    for line in itertools.islice(tallies.complaints(), report.NAMED):
        print(line)
    return 1 if not tallies.same else 130 if stopped else 0


if __name__ == "__main__":
    sys.exit(main())
