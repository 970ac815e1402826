"""A proxy for a side that cannot be traced: side a with one hazard injected everywhere.

Owns which programs are tried, and how well they do. What comes of one is looked at like any other
side's.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from samebits.diagnosis.clock import spent
from samebits.diagnosis.frame.search import Progress
from samebits.diagnosis.frame.state_diff import differences
from samebits.errors import HazardError
from samebits.frame_trace.model import Model
from samebits.frame_trace.record import Trace, record
from samebits.hazards.apply import rewritten
from samebits.hazards.catalogue import EXPRESSION_HAZARDS
from samebits.hazards.edit.function_editor import guarded
from samebits.hazards.injection import variants_among

VARIANTS_OF_ONE = 6
"""Ways of one hazard that are tried."""
MOST_SECONDS = 3.0
"""Of the processor, for all of them."""
ENOUGH = 0.5
"""The part of the differing scalars that a hazard has to explain before it serves as proxy."""


@dataclass(frozen=True, eq=False)
class Proxy:
    """A trace of side a's program with a hazard at all of its places, and how many of the
    `differing` scalars it gives the other side's bits."""

    trace: Trace
    explained: int
    differing: int


def proxy_trace(
    a: Trace, after: bytes, progress: Progress, among: Collection[str] | None = None
) -> Proxy | None:
    """What comes nearest to the state `after` that the other side left, of a frame whose trace is
    `a`; None where no hazard explains enough. Those `among` are tried, or all. The library's own
    functions have none of it."""
    t = a.model.state
    differing = differences(t, a.after, after, most=0).differing
    best: Proxy | None = None
    end = spent() + MOST_SECONDS
    tried = [each for each in EXPRESSION_HAZARDS if among is None or each.name in among]
    for number, hazard in enumerate(tried):
        progress(f"{hazard.title} everywhere", number, len(tried))
        for variant in variants_among(a.model.module, hazard.name)[:VARIANTS_OF_ONE]:
            if spent() > end:
                break
            try:
                kernels = rewritten(guarded(a.model.module), variant.parts)
            except HazardError:  # nothing of the IR does it
                continue
            model = Model(kernels, a.model.step, t, a.model.input, a.model.module)
            trace = record(model, a.frame_input.memory, a.frame_input.inputs)
            explained = differing - differences(t, trace.after, after, most=0).differing
            if best is None or explained > best.explained:
                best = Proxy(trace, explained, differing)
            if explained == differing:
                return best
    enough = best is not None and best.explained > ENOUGH * differing
    return best if enough else None
