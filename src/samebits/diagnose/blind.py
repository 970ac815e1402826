"""A side whose operations cannot be seen: a hazard that acts everywhere stands in for it.

Owns which programs are tried. What comes of one is looked at like any other side's.
"""

from __future__ import annotations

from samebits.diagnose.causes import Progress
from samebits.diagnose.drafts import guarded
from samebits.diagnose.experiment import Experiment
from samebits.diagnose.hazards import HAZARDS
from samebits.diagnose.plant import ways_among
from samebits.diagnose.rewriting import rewritten
from samebits.errors import HazardError
from samebits.sim.program import Program

WAYS_OF_ONE = 6
"""Ways of one hazard that are tried."""


def stand_in(program: Program, experiment: Experiment, progress: Progress) -> Program | None:
    """`program` with a hazard at all of its places, if that gives the first of the other hashes;
    None where none does. The library's own functions have none of it."""
    for number, hazard in enumerate(HAZARDS):
        progress(f"{hazard.title} everywhere", number, len(HAZARDS))
        for way in ways_among(program.kernels, hazard.name)[:WAYS_OF_ONE]:
            try:
                kernels = rewritten(guarded(program.kernels), way.parts)
            except HazardError:  # nothing of the IR does it
                continue
            planted = program.with_kernels(kernels)
            if experiment.run(planted, 1).whole:
                return planted
    return None
