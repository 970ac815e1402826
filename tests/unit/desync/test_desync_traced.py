"""The trace in a report is followed on another machine, by the program in it or by one's own."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from tests.support.folders import SIMULATIONS
from tests.support.runs.desync_files import SMALL, evaluated, followed, states, with_part

from samebits.desync.format import TRACE, Key
from samebits.desync.reader import report_from_bytes
from samebits.desync.record import ReportRequest, record_report
from samebits.desync.report import Report
from samebits.desync.writer import report_bytes
from samebits.errors import TraceError
from samebits.frame_trace.model import Model
from samebits.frame_trace.record import Trace, record
from samebits.sides.side import parse_side
from samebits.sim.load import load_simulation
from samebits.sim.sources import PlayerSource

FRAME = 12


@cache
def traced(players: str = "push") -> Report:
    source = PlayerSource(SMALL, players, 1, 20)
    report = record_report(evaluated(), source, ReportRequest(range(10, 14), FRAME))
    return report_from_bytes(report_bytes(report), "a.desync")


def the_same(found: Trace, wanted: Trace) -> bool:
    return (
        np.array_equal(found.numbers, wanted.numbers)
        and np.array_equal(found.values, wanted.values)
        and found.after == wanted.after
        and (found.trap is None) == (wanted.trap is None)
    )


@pytest.mark.parametrize("players", ["push", "crash"])
def test_every_operation_comes_back(players: str) -> None:
    report = traced(players)
    model = Model.of(SMALL.program)
    inputs = report.inputs_array(FRAME)
    assert inputs is not None
    wanted = record(model, states(players, 1, 12)[FRAME], inputs)
    assert len(wanted) > 50
    assert (wanted.trap is not None) == (players == "crash")
    assert the_same(followed(report), wanted)
    assert the_same(followed(report, SMALL), wanted)
    assert report.trace_is_faithful


def reported(side: str) -> Report:
    source = PlayerSource(SMALL, "push", 1, 20)
    report = record_report(parse_side(side, SMALL), source, ReportRequest(range(3, 6), 4))
    return report_from_bytes(report_bytes(report))


def test_a_hazard_shows_in_the_trace_and_not_in_the_program() -> None:
    plain, injected = reported("evaluate"), reported("evaluate,hazard=fma@small_simulation.py:59")
    assert injected.program_text == plain.program_text
    assert injected.trace_is_faithful
    one, other = followed(plain), followed(injected)
    assert other.after == injected.state(5) != plain.state(5)
    changed = np.flatnonzero(one.values != other.values)
    event = int(np.searchsorted(other.starts, changed[0], "right")) - 1
    assert other.instance(event).op.span.line == 59


def test_code_that_no_evaluation_stands_for_has_a_trace_that_is_not_believed() -> None:
    report = reported("opt=0,fpenv=flush+up")
    found = followed(report)
    assert found.after != report.state(5)
    assert not report.trace_is_faithful


def test_it_is_followed_where_the_files_lie_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "small_simulation.py"
    path.write_text((SIMULATIONS / "small_simulation.py").read_text())
    other = load_simulation(str(path))
    assert other is not SMALL
    found = followed(traced(), other)
    assert {place.function for place in found.model.numbering.places} == {"small_simulation.step"}


def test_a_trace_that_is_none_is_reported() -> None:
    with pytest.raises(TraceError, match="these bytes are not a trace"):
        followed(with_part(traced(), Key(TRACE, FRAME), b"nothing"))
    data = bytearray(traced().parts[Key(TRACE, FRAME)])
    data[-1] ^= 1
    with pytest.raises(TraceError, match="the trace is damaged"):
        followed(with_part(traced(), Key(TRACE, FRAME), bytes(data)))


def test_a_trace_of_another_program_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "small_simulation.py"
    path.write_text((SIMULATIONS / "small_simulation.py").read_text().replace("0.999", "0.998"))
    with pytest.raises(TraceError, match="it is of another program"):
        followed(traced(), load_simulation(str(path)))
