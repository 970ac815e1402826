"""A frame of the other side is evaluated once, however many ways are held against it."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.runs.traced_frames import TracedFrame
from tests.support.simulations.traced_simulation import TRACED

from samebits.diagnosis.cause.observations import FrameObservations, values_of
from samebits.hazards.catalogue import HAZARDS
from samebits.hazards.expressions import Sites
from samebits.hazards.variants import ways_of
from samebits.trace.instances import Instance, environment
from samebits.trace.model import Model
from samebits.trace.observer import Frames


def test_a_frame_is_evaluated_once_for_all_ways() -> None:
    frame = TracedFrame(TRACED, 5, "push")
    place, _ = next(frame.ops("add"))
    sites = Sites(frame.program.kernels.functions[place.function])
    asked: list[int] = []

    def frame_at(number: int) -> Frames:
        asked.append(number)
        return Frames.of(Model.of(frame.program), *frame.before)

    seen = FrameObservations(place, 0, frame_at, values_of(sites, place))
    ways = [way for hazard in HAZARDS for way in ways_of(hazard, sites, place)]
    told = [seen.refutes(way, 3) for way in ways]
    assert len(ways) > 4
    assert True in told
    assert asked == [3]


def test_the_differing_frame_is_not_evaluated_again(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = TracedFrame(TRACED, 5, "push")
    place, _ = next(frame.ops("add"))
    sites = Sites(frame.program.kernels.functions[place.function])
    given = Frames.of(Model.of(frame.program), *frame.before)
    runs: list[Frames] = []

    def counted(frames: Frames, *args: Any) -> list[Instance]:
        runs.append(frames)
        return environment(frames, *args)

    monkeypatch.setattr("samebits.diagnosis.cause.observations.environment", counted)
    values = values_of(sites, place)
    seen = FrameObservations(place, 0, lambda number: None if number else given, values)
    ways = [way for hazard in HAZARDS for way in ways_of(hazard, sites, place)]
    seen.of(ways[0].site)
    assert True in [seen.refutes(way, 0) for way in ways]
    assert len(runs) == 1
