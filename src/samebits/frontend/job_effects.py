"""The effect of a parallel job on each field: written, or reached at other iterations' indices.

The own-index rule holds for each field; two fields may be the same memory, and then it is a
question of both. Knows nothing of addresses.
"""

from __future__ import annotations

from dataclasses import dataclass

from samebits.errors import CompileError
from samebits.frontend.compile import compile_kernel, link
from samebits.frontend.core.own_index import OwnRange, is_own
from samebits.ir.analysis.output import first_output
from samebits.ir.analysis.points_to import Memory
from samebits.lang.calls.tracing import IN_JOBS
from samebits.lang.jobs import ELEMENT, JobKernel


@dataclass(frozen=True, slots=True)
class Reach:
    """Parameters of a job's kernel: those whose memory its iterations write, and those that an
    iteration may touch where it is not its own."""

    written: frozenset[str]
    elsewhere: frozenset[str]


def reach(kernel: JobKernel) -> Reach:
    """The reach of a parallel job's kernel; `unsafe_parallel` is left out. Raises CompileError."""
    unit = compile_kernel(kernel, kernel.signature.resolve(()))
    inner = kernel.made_of.get(ELEMENT)
    if kernel.by_calls and isinstance(inner, JobKernel):
        kernel, unit = inner, compile_kernel(inner, inner.signature.resolve(()))
    assert kernel.own is not None
    own = OwnRange(*kernel.own, {})
    memory = Memory(unit.function, lambda symbol: unit.calls[symbol].written)
    written = {use.origin.region.root for use in memory.uses if use.writes}
    whole = {use.origin.region.root for use in memory.uses if not use.origin.inside}
    # Where a field is written, every access to it is the iteration's own, or has a check.
    other = {
        access.region.root
        for access in memory.accesses
        if access.region.root not in written and not is_own(unit.function, access.op, own)
    }
    return Reach(frozenset(written), frozenset(whole | other))


def refuse_output(kernel: JobKernel) -> None:
    """Raise CompileError if a job's kernel, or one that it calls, prints or traces."""
    unit = compile_kernel(kernel, kernel.signature.resolve(()))
    functions = link(unit).functions
    found = first_output(unit.function, functions.__getitem__)
    if found is not None:
        message, note, fix = IN_JOBS
        raise CompileError(message, span=found.span, note=note, fix=fix)
