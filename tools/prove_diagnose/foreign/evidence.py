"""The evidence of a foreign build: what the other machine's team has, as files.

Forms: `list`, hashes as text; `hashes`, a report of hashes alone; `states`, a report with the
states around the first difference; `dump`, the bytes of one state beside the list.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from tools.prove_diagnose.foreign.compilers import Compiler
from tools.prove_diagnose.foreign.truth import Truth

from samebits.bits import from_canonical, xxh64
from samebits.desync.format import HASHES, PROGRAM, STATES, TREES, Key
from samebits.desync.machine import Machine
from samebits.desync.record import ReportRequest, record_report
from samebits.desync.report import Report
from samebits.desync.writer import write_report
from samebits.sides.side import parse_side
from samebits.sim.simulation import Simulation
from samebits.sim.sources import InputSource
from samebits.version import __version__

FORMS = ("hashes", "states", "list", "dump")
BEFORE, BEHIND = 3, 24
"""Frames before and behind the first difference that a report holds in detail; it ends there."""


def written(
    form: str, simulation: Simulation, source: InputSource, truth: Truth, compiler: Compiler,
    folder: Path,
) -> list[str]:  # fmt: skip
    """Write the files; the words that follow a simulation and its replay on the command line."""
    if form in ("hashes", "states"):
        path = folder / "theirs.desync"
        report = _report(form, simulation, source, truth, compiler)
        write_report(report, path, force=True)
        return [str(path)]
    path = folder / "theirs.txt"
    lines = [f"{n} {xxh64(state):016x}" for n, state in enumerate(truth.states[1:])]
    path.write_text("\n".join(lines) + "\n")
    if form == "list":
        return [str(path)]
    frame = 0 if truth.frame is None else truth.frame
    dump = folder / "theirs.bin"
    state = simulation.state_type
    dump.write_bytes(from_canonical(state, truth.states[frame + 1]).tobytes())
    return [str(path), "--state", f"{'init' if frame < 0 else frame}={dump}"]


def _report(
    form: str, simulation: Simulation, source: InputSource, truth: Truth, compiler: Compiler
) -> Report:
    frames = len(truth.states) - 1
    asked = None
    if form == "states":
        at = 0 if truth.frame is None else max(0, truth.frame)
        asked = range(max(0, at - BEFORE), min(frames, at + BEHIND))
    plain = record_report(parse_side("", simulation), source, ReportRequest(asked))
    hashes = np.array([xxh64(s) for s in truth.states[: plain.frames + 1]], "<u8").tobytes()
    parts: dict[Key, bytes] = {}
    for key, data in plain.parts.items():
        if key.topic == PROGRAM:
            continue
        if key.topic == HASHES:
            parts[key] = hashes[8 * key.number : 8 * key.number + len(data)]
        elif key.topic == STATES:
            parts[key] = truth.states[key.number]
        elif key.topic == TREES:
            tree = plain.tree.hashes(truth.states[key.number])
            parts[key] = tree.astype("<u8").tobytes()
        else:
            parts[key] = data
    machine = Machine(
        architecture=compiler.architecture, system="Linux", libc="", processor="", cpu="",
        features=(), samebits=__version__, llvm="", python="", numpy="", fingerprint="",
        workers=1, registers=(), environment="",
    )  # fmt: skip
    contents = replace(plain.contents, side="a C port", program=0, init="", step="")
    return Report(machine, plain.header, contents, parts)
