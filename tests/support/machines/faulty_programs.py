"""Emulated rows whose programs are wrong on purpose: they crash, hang, or answer nonsense."""

from __future__ import annotations

import sys
from pathlib import Path

from samebits.backend.targets.table import TARGETS
from samebits.runtime.emulation.machines import EmulatedProgram
from samebits.runtime.emulation.remote import MAGIC
from samebits.runtime.work_folders import folder_of
from samebits.sim.emulation import EmulatedExecution
from samebits.sim.execution import Execution
from samebits.sim.simulation import Simulation
from samebits.verify.executions import Row, all_rows
from tests.support.limits import HANG_SECONDS

NATIVE = next(
    row for row in all_rows() if row.name.endswith("-O3") and not row.reason and not row.emulated
)


def faulty(tmp_path: Path, name: str, body: str) -> Row:
    """An emulated row whose driver is wrong on purpose."""
    path = tmp_path / f"{name}.py"
    path.write_text(
        "import os, signal, struct, sys, time\n"
        "get, put = sys.stdin.buffer, sys.stdout.buffer\n"
        f"def reply(value): put.write(struct.pack('<2Q', {MAGIC}, value)); put.flush()\n"
        "reply(8)\n" + body
    )

    class Faulty(EmulatedProgram):
        def __init__(self) -> None:
            self.target = TARGETS["aarch64"]
            self.traps = ()
            folder_of(Faulty)
            self._command = [sys.executable, str(path)]

    def make(simulation: Simulation) -> Execution:
        limit = 1.5 if name in ("hang", "late") else HANG_SECONDS
        return EmulatedExecution(simulation.program, Faulty(), limit=limit)

    return Row(name, name, "", make, emulated=True)


SERVE = """
while True:
    what, a, b = struct.unpack('<3Q', get.read(24))
    if what == 1: reply(4096)
    if what == 2: get.read(b); reply(b)
    if what == 3: reply(b); put.write(bytes(b)); put.flush()
    if what == 4: {call}
"""
