"""Side a under an option of a whole build, and whether a processor that flushes explains a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from samebits.diagnosis.before.planted import agreement
from samebits.diagnosis.builds.hypotheses import ENVIRONMENT, OPTIONS, Option
from samebits.diagnosis.frame.search import silent
from samebits.errors import SamebitsError
from samebits.sides.side import Side, parse_side
from samebits.sim.sources import InputSource


def side_of(option: Option, a: Side) -> Side:
    """Side a, built or run so. Raises SamebitsError."""
    own, new = a.spec, parse_side(option.words, a.simulation).spec
    spec = replace(
        own,
        target=new.target,
        opt=option.opt,
        options={**own.options, **new.options},
        environment=new.environment or own.environment,
    )
    return Side(option.words, a.simulation, spec)


def flushing_gives_all(a: Side, source: InputSource, known: Mapping[int, int], frame: int) -> bool:
    """Whether a processor that flushes gives all hashes that are known: such a difference heals as
    one that was made between two frames does."""
    option = next(each for each in OPTIONS if each.story.hazard == ENVIRONMENT)
    try:
        return agreement(side_of(option, a), source, known, frame, silent).whole
    except SamebitsError:
        return False
