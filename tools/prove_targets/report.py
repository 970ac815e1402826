"""docs/results/targets.md: what was compared on which target, how much of it, how it came out."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import metadata

from tools.prove_targets import functions, programs, simulations, vectors
from tools.prove_targets.finding import Finding
from tools.prove_targets.ledger import Cell, Run, combined

from samebits.backend.llvm.engine import host_target, llvm_version
from samebits.modes import HIGH, LOW
from samebits.runtime.emulation.calls import Runner

CHECKS = (*(run.check for run in simulations.RUNS), programs.CHECK, vectors.CHECK, functions.CHECK)
"""In the table's order."""
UNITS = {programs.CHECK: "programs", vectors.CHECK: "vectors", functions.CHECK: "results"}
"""What is counted; frames where nothing stands here."""
NAMED = 50
"""Differences and failures that are written out."""

INTRODUCTION = """\
# Targets, compared

Made by `make prove-targets`: what ran on each target and was compared, bit by bit, with what the
reference target gave (TestFloat's vectors: with their own results). All code is compiled with every
optimisation; the reference's own row is a second compilation of it.

- **examples**: the hash after every frame of a replay, or of the example's own script, and the
  last state;
- **{programs}**: programs of the differential fuzzer, many in one module, each called with three
  sets of inputs: results, memory, traps and their places;
- **{vectors}**: Berkeley TestFloat's files, but for conversions out of range, where C and IEEE 754
  leave the result open;
- **{functions}**: {inputs:,} special values and random bit patterns for each of
  {names}; {library:,} (MEDIUM and LOW: {lower:,}) for every function of the library (`accuracy.md`
  says which target gave each one's bits); float32 and float64 each.

Memory crosses in the target's byte order: each scalar is turned round by its type where that is not
this processor's.
"""


@dataclass
class Tallies:
    """All findings so far, added up by target and check."""

    rows: dict[tuple[str, str], Finding] = field(default_factory=dict[tuple[str, str], Finding])
    failures: dict[tuple[str, str], list[str]] = field(
        default_factory=dict[tuple[str, str], list[str]]
    )

    def add(self, found: Finding) -> None:
        key = found.target, found.check
        row = self.rows.setdefault(key, Finding(*key))
        row.count += found.count
        row.seconds += found.seconds
        row.differing += found.differing
        row.agreed |= found.agreed
        if found.failure is not None:
            self.failures.setdefault(key, []).append(found.failure)

    @property
    def same(self) -> bool:
        """Whether something was compared everywhere, and nothing differed or failed."""
        return bool(self.rows) and not self.complaints()

    def complaints(self) -> list[str]:
        """Everything that differs or failed, one line each."""
        found: list[str] = []
        for (target, check), row in self.rows.items():
            found += [f"{target}, {check}: {text}" for text in row.differing]
            if not row.count and (target, check) not in self.failures:
                found.append(f"{target}, {check}: nothing was compared")
        for (target, check), texts in self.failures.items():
            found += [f"{target}, {check}: failed: {text.splitlines()[0]}" for text in texts]
        return found


@cache
def _version(program: str) -> str:
    if program == "wasmtime":
        return f"wasmtime {metadata.version('wasmtime')}"
    if not program.startswith("qemu-") or shutil.which(program) is None:
        return program
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    found = re.search(r"version (\S+)", said.stdout)
    return f"{program} {found.group(1)}" if found else program


def made_with() -> str:
    """What a run's code was compiled and run with."""
    return ", ".join([
        f"reference {host_target().name} compiled on this processor",
        f"{platform.machine()} {platform.system()}", llvm_version(),
        f"ziglang {metadata.version('ziglang')}", f"Python {platform.python_version()}",
        f"NumPy {metadata.version('numpy')}",
    ])  # fmt: skip


def text(runs: Sequence[Run], rows: Sequence[Runner]) -> str:
    """The whole page."""
    cells = combined(runs)
    parts = [
        INTRODUCTION.format(
            programs=programs.CHECK, vectors=vectors.CHECK, functions=functions.CHECK,
            inputs=functions.INPUTS, library=functions.LIBRARY_INPUTS[HIGH],
            lower=functions.LIBRARY_INPUTS[LOW],
            names=", ".join(f"`{n}`" for n in _functions(runs)),
        ),
        *_table(cells, rows),
        *_runs(runs),
    ]  # fmt: skip
    complaints = [
        f"- {cell.target}, {cell.check}: {said}"
        for cell in cells.values()
        for said in (*cell.differing, *(f"failed: {t.splitlines()[0]}" for t in cell.failures))
    ]
    if complaints:
        more = len(complaints) - NAMED
        shown = complaints[:NAMED] + ([f"- and {more} more"] if more > 0 else [])
        parts.append("## What differs or failed\n\n" + "\n".join(shown) + "\n")
    return "\n".join(parts)


def _functions(runs: Sequence[Run]) -> Sequence[str]:
    """The functions of the latest run that had any: there may be more by now."""
    return next((run.functions for run in reversed(runs) if run.functions), ())


def _table(cells: dict[tuple[str, str], Cell], rows: Sequence[Runner]) -> Iterator[str]:
    heads = [f"{check}, {UNITS.get(check, 'frames')}" for check in CHECKS]
    lines = [f"| target | runs on | {' | '.join(heads)} |", "|---|---|" + "---|" * len(CHECKS)]
    named = [("evaluate", f"the reference interpreter, one of {programs.EVALUATED_EVERY}", None)]
    named += [(row.target.name, _version(row.what), row.reason) for row in rows]
    for name, where, reason in named:
        if reason is not None:
            lines.append(f"| {name} | {where} | not run: {reason} |" + " |" * (len(CHECKS) - 1))
            continue
        found = [_state(cells.get((name, check))) for check in CHECKS]
        lines.append(f"| {name} | {where} | {' | '.join(found)} |")
    yield "\n".join(lines) + "\n"


def _state(cell: Cell | None) -> str:
    """A count, and what is not as it must be."""
    if cell is None:
        return ""
    same = "same" if cell.count else "compared"
    said = [f"{len(cell.differing):,} differ" if cell.differing else same]
    if cell.failures:
        said.append(f"{len(cell.failures)} failed")
    return f"{cell.count:,} {', '.join(said)}"


def _runs(runs: Sequence[Run]) -> Iterator[str]:
    yield "## Runs\n\nPrograms of the fuzzer add up over runs; of all else the latest counts.\n"
    lines: list[str] = []
    for run in runs:
        checks = ", ".join(dict.fromkeys(cell.check for cell in run.cells))
        seeds = f" (seeds {run.seeds[0]:,} to {run.seeds[1]:,})" if run.seeds else ""
        stopped = "; stopped before its end" if run.stopped else ""
        lines.append(
            f"- {run.date}, commit {run.commit}: {checks}{seeds}{stopped}; {run.made_with}"
        )
    yield "\n".join(lines) + "\n"
