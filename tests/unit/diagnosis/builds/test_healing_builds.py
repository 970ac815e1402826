"""A build whose difference heals is no changed state of which nothing is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import samebits as sb
from samebits import float32, uint64
from samebits.desync.format import HASHES
from samebits.desync.record import ReportRequest, record_report
from samebits.diagnosis.builds.compilers import search as search_module
from samebits.diagnosis.builds.search import BuildSearch
from samebits.diagnosis.builds.whole_programs import WholePrograms
from samebits.diagnosis.driver import diagnose_report
from samebits.sides.side import parse_side
from samebits.sim.sources import PlayerSource

ODD, PLAIN = 9.0, 8.0


@sb.struct
class State:
    part: float32
    twice: float32
    count: float32


@sb.struct
class Input:
    whole: float32


@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.count = 0.0


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    state.part = inputs[0].whole / 11.0
    state.twice = state.part + state.part
    state.count += 1.0


def once(frame: int, player: int, seed: int) -> dict[str, float]:
    """A number whose part rounds otherwise, in one frame."""
    return {"whole": ODD if frame == 20 else PLAIN}


PARTS = sb.Simulation(
    name="parts",
    version="1",
    state=State,
    input=Input,
    players=1,
    init=init,
    step=step,
    scripts={"once": once},
)


def test_a_build_that_gives_all_hashes_is_told_where_its_difference_heals(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(search_module, "compilers", lambda: ())
    eleventh = np.float32(1) / np.float32(11)
    assert np.float32(ODD) * eleventh != np.float32(ODD) / np.float32(11)
    assert np.float32(PLAIN) * eleventh == np.float32(PLAIN) / np.float32(11)
    source = PlayerSource(PARTS, "once", 1, 60)
    theirs = record_report(
        parse_side("hazard=reciprocal", PARTS), source, ReportRequest(None, None)
    )
    parts = {key: data for key, data in theirs.parts.items() if key.topic == HASHES}
    found = diagnose_report(source, parse_side("", PARTS), replace(theirs, parts=parts))
    assert (found.frame, found.causes[0].hazard) == (20, "reciprocal")
    assert [field.path for field in found.fields] == ["part", "twice"]


@pytest.mark.skipif(
    not any(each.family == "gcc" for each in search_module.compilers()),
    reason="there is no gcc here",
)
def test_what_a_compiler_makes_that_heals_is_told_where_no_hazard_gives_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(BuildSearch, "_decode", lambda *_: None)
    for trial in ("with_other_number", "with_other_library", "by_option", "rewritten"):
        monkeypatch.setattr(WholePrograms, trial, lambda *_: None)
    source = PlayerSource(PARTS, "once", 1, 60)
    theirs = record_report(
        parse_side("hazard=reciprocal", PARTS), source, ReportRequest(None, None)
    )
    parts = {key: data for key, data in theirs.parts.items() if key.topic == HASHES}
    found = diagnose_report(source, parse_side("", PARTS), replace(theirs, parts=parts))
    assert found.frame == 20
    assert "as C, built by gcc" in found.causes[0].evidence[0]
    assert [field.path for field in found.fields] == ["part", "twice"]
