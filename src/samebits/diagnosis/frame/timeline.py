"""How two sides drift apart from the differing frame on, frame by frame.

Owns which frames are looked at.
"""

from __future__ import annotations

from samebits.diagnosis.frame.examine import FirstFrame
from samebits.diagnosis.frame.state_diff import differences
from samebits.diagnosis.report.findings import TimelineFact
from samebits.sides.run import SideRun
from samebits.sim.inputs import Inputs
from samebits.types import StructType

BEFORE = 12
"""Frames that are shown from before."""
AFTER = 120


def timeline(
    t: StructType, found: FirstFrame, a: SideRun, b: SideRun, inputs: tuple[Inputs, Inputs]
) -> tuple[TimelineFact, ...]:
    """A row a frame, from some before the differing one to `AFTER` behind it, or to a trap.

    `inputs` are each side's, from the differing frame on. Leaves both sides elsewhere.
    """
    if found.a.before is None or found.b.before is None:
        return ()
    start = max(0, found.frame - BEFORE)
    rows = [TimelineFact(frame, 0, None) for frame in range(start, found.frame)]
    a.restore(found.a.before)
    b.restore(found.b.before)
    for k in range(min(AFTER, len(inputs[0]), len(inputs[1]))):
        done = [run.advance(given[k : k + 1]) for run, given in zip((a, b), inputs, strict=True)]
        if any(advance.trap is not None for advance in done):
            break
        rows.append(differences(t, a.save(), b.save(), most=0).timeline(found.frame + k))
    return tuple(rows)
