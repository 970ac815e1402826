"""Hazards of programs that a diagnosis tries."""

from __future__ import annotations

from samebits.diagnosis.cause.inquiry import PROGRAM_HAZARDS_OF
from samebits.hazards.catalogue import PROGRAM_HAZARDS


def test_every_program_hazard_is_tried_but_the_one_that_reruns_alone_show() -> None:
    tried = {name for row in PROGRAM_HAZARDS_OF.values() for name in row}
    assert tried == {hazard.name for hazard in PROGRAM_HAZARDS} - {"host"}
