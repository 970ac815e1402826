"""`docs/targets.md`: what was compared on which target, how much of it, and how it came out."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from importlib import metadata

from tools.prove_targets import functions, programs, simulations, vectors
from tools.prove_targets.finding import Finding
from tools.prove_targets.machine import Runner

from samebits.backend.llvm import host_target, llvm_version
from samebits.modes import HIGH, LOW

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
        return not self.failures and not any(row.differing for row in self.rows.values())

    def state(self, target: str, check: str) -> str:
        """A cell: a count, and what is not as it must be."""
        key = target, check
        row = self.rows.get(key)
        if row is None:
            return "not run"
        said = [f"{row.count:,}", f"{len(row.differing):,} differ" if row.differing else "same"]
        if key in self.failures:
            said.append(f"{len(self.failures[key])} failed")
        return f"{said[0]} {UNITS.get(check, 'frames')}: {', '.join(said[1:])}"

    def complaints(self) -> list[str]:
        """Everything that differs or failed, one line each."""
        found: list[str] = []
        for (target, check), row in self.rows.items():
            found += [f"{target}, {check}: {text}" for text in row.differing]
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


def text(tallies: Tallies, rows: Sequence[Runner], note: str | None = None) -> str:
    """The whole page. `note` says what is missing in an unfinished one."""
    versions = [
        llvm_version(), f"ziglang {metadata.version('ziglang')}",
        f"Python {platform.python_version()}", f"NumPy {metadata.version('numpy')}",
    ]  # fmt: skip
    parts = [
        INTRODUCTION.format(
            programs=programs.CHECK, vectors=vectors.CHECK, functions=functions.CHECK,
            inputs=functions.INPUTS, library=functions.LIBRARY_INPUTS[HIGH],
            lower=functions.LIBRARY_INPUTS[LOW],
            names=", ".join(f"`{n}`" for n in functions.FUNCTIONS),
        ),
        f"{date.today().isoformat()}; reference: {host_target().name} compiled on this processor, "
        f"{platform.machine()} {platform.system()}; {', '.join(versions)}.\n",
    ]  # fmt: skip
    if note:
        parts.append(f"{note}\n")
    lines = ["| target | runs on | what was compared | count and outcome |", "|---|---|---|---|"]
    for check in (check for name, check in tallies.rows if name == "evaluate"):
        cell = tallies.state("evaluate", check)
        lines.append(f"| evaluate | the reference interpreter | {check}, one of "
                     f"{programs.EVALUATED_EVERY} | {cell} |")  # fmt: skip
    for row in rows:
        where = _version(row.what)
        if row.reason is not None:
            lines.append(f"| {row.target.name} | {where} | | not run: {row.reason} |")
            continue
        for check in CHECKS:
            cell = tallies.state(row.target.name, check)
            lines.append(f"| {row.target.name} | {where} | {check} | {cell} |")
    parts.append("\n".join(lines) + "\n")
    complaints = tallies.complaints()
    if complaints:
        shown = [f"- {line}" for line in complaints[:NAMED]]
        if len(complaints) > NAMED:
            shown.append(f"- and {len(complaints) - NAMED} more")
        parts.append("## What differs or failed\n\n" + "\n".join(shown) + "\n")
    return "\n".join(parts)
