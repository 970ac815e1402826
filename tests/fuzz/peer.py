"""Mutated messages at peers of an exported library, watched by sanitizers: `make fuzz-peer`.

Where there is Node, at those of its WebAssembly module too.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from random import Random

from samebits.backend.llvm import engine
from samebits.net.events import Broken
from tests.support.runs.driven_peer import NODE, Conversation, driven, sanitized, scripted
from tests.support.runs.exported import made, small
from tests.support.runs.peer_conversations import (
    mutated,
    recorded,
    told_by_python,
    without_reasons,
)

AT_ONCE = 100
"""Matches that one process of Node plays."""


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
        module = made(small(), Path(folder) / "wasm", "wasm32") / "wasm32" / "small_match.mjs"
        for first in range(0, count, AT_ONCE):
            cases = list[Conversation]()
            expected = list[list[tuple[object, ...]]]()
            for n in range(first, min(count, first + AT_ONCE)):
                recorder = random.choice(recorders)
                calls = mutated(recorder.calls[: random.randrange(100, 600)], random)
                python = told_by_python(recorder, calls)
                found = driven(command, recorder.ticket, calls, recorder.window)
                cases.append(Conversation(recorder.ticket, calls, recorder.window))
                expected.append(without_reasons(python))
                if without_reasons(found.outputs) != expected[-1]:
                    sys.exit(f"case {n} of seed {seed}: the languages differ")
                broken += any(isinstance(e, Broken) for output in python for e in output.events)
            for n, found in enumerate(scripted(module, small(), cases) if NODE else ()):
                if without_reasons(found.outputs) != expected[n]:
                    sys.exit(f"case {first + n} of seed {seed}: WebAssembly differs")
    forms = "C, WebAssembly and Python" if NODE else "C and Python"
    print(f"{count} matches with a wrong message, {broken} ended by it: {forms} alike")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
