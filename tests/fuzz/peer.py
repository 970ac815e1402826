"""Mutated messages at peers of an exported library, watched by sanitizers: `make fuzz-peer`."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from random import Random

from samebits.backend.llvm import engine
from samebits.net.events import Broken
from tests.support.runs.driven_peer import driven, sanitized
from tests.support.runs.exported import small
from tests.unit.export.test_export_peer import mutated, recorded, told_by_python, without_reasons


def main(count: int, seed: int) -> None:
    """Play `count` matches with a message changed, and compare with what Python's core says."""
    compiler = shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        sys.exit("there is no compiler with sanitizers: apt-get install gcc")
    random = Random(seed)
    recorders = [recorder for n in range(4) for recorder in recorded(n)]
    broken = 0
    with tempfile.TemporaryDirectory() as folder:
        command = sanitized(Path(folder), small(), engine.host_target(), compiler)
        for n in range(count):
            recorder = random.choice(recorders)
            calls = mutated(recorder.calls[: random.randrange(100, 600)], random)
            python = told_by_python(recorder, calls)
            found = driven(command, recorder.ticket, calls, recorder.window)
            if without_reasons(found.outputs) != without_reasons(python):
                sys.exit(f"case {n} of seed {seed}: the languages differ")
            broken += any(isinstance(e, Broken) for output in python for e in output.events)
    print(f"{count} matches with a wrong message, {broken} ended by it: both languages alike")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
