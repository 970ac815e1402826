"""The C file of an exported library that writes desync reports."""

from __future__ import annotations

from samebits.backend.objects import TrapSite
from samebits.backend.targets.table import Target
from samebits.desync.format import TOPICS, input_block
from samebits.export.header import c_string, places
from samebits.export.interface import Interface
from samebits.export.report_facts import (
    contents_members,
    machine_around_device,
    run_around_seed,
    trap_members,
)
from samebits.export.templates import render
from samebits.version import __version__


def report_text(interface: Interface, sites: tuple[TrapSite, ...], target: Target) -> str:
    """The C file for a library for `target`, compiled beside the one that its header describes."""
    run_before, run_after = run_around_seed(interface)
    machine_before, machine_after = machine_around_device(target)
    traps = trap_members(interface, sites)
    return render(
        "report.c",
        **places(interface),
        REPORT_BLOCK=input_block(interface.simulation.header(0)),
        MACHINE_BEFORE=c_string(machine_before),
        MACHINE_AFTER=c_string(machine_after),
        RUN_BEFORE=c_string(run_before),
        RUN_AFTER=c_string(run_after),
        CONTENTS=c_string(contents_members()),
        LIBRARY=c_string(f"samebits {__version__}"),
        TRAP_FACTS="\n".join(f"    {c_string(trap)}," for trap in traps),
        TOPICS=", ".join(map(c_string, TOPICS)),
    )
