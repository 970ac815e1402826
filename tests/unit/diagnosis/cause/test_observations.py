"""A frame of the other side is evaluated once, however many variants are held against it."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.runs.traced_frames import TracedFrame
from tests.support.simulations.traced_simulation import TRACED

from samebits.diagnosis.cause.observations import FrameObservations, values_of
from samebits.frame_trace.instances import Instance, instances_in
from samebits.frame_trace.model import Model
from samebits.frame_trace.observer import FrameInput
from samebits.hazards.catalogue import EXPRESSION_HAZARDS
from samebits.hazards.expressions import Sites
from samebits.hazards.site_variants import variants_of


def test_a_frame_is_evaluated_once_for_all_ways() -> None:
    frame = TracedFrame(TRACED, 5, "push")
    place, _ = next(frame.ops("add"))
    sites = Sites(frame.program.kernels.functions[place.function])
    asked: list[int] = []

    def frame_at(number: int) -> FrameInput:
        asked.append(number)
        return FrameInput.of(Model.of(frame.program), *frame.before)

    seen = FrameObservations(place, 0, frame_at, values_of(sites, place))
    variants = [each for row in EXPRESSION_HAZARDS for each in variants_of(row, sites, place)]
    told = [seen.refutes(variant, 3) for variant in variants]
    assert len(variants) > 4
    assert True in told
    assert asked == [3]


def test_the_differing_frame_is_not_evaluated_again(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = TracedFrame(TRACED, 5, "push")
    place, _ = next(frame.ops("add"))
    sites = Sites(frame.program.kernels.functions[place.function])
    given = FrameInput.of(Model.of(frame.program), *frame.before)
    runs: list[FrameInput] = []

    def counted(frames: FrameInput, *args: Any) -> list[Instance]:
        runs.append(frames)
        return instances_in(frames, *args)

    monkeypatch.setattr("samebits.diagnosis.cause.observations.instances_in", counted)
    values = values_of(sites, place)
    seen = FrameObservations(place, 0, lambda number: None if number else given, values)
    variants = [each for row in EXPRESSION_HAZARDS for each in variants_of(row, sites, place)]
    seen.of(variants[0].site)
    assert True in [seen.refutes(variant, 0) for variant in variants]
    assert len(runs) == 1
