"""A slip in a constant of the other machine's program is found by its hashes."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
from tests.support.folders import SIMULATIONS

from samebits.desync.format import PROGRAM
from samebits.desync.record import ReportRequest, record_report
from samebits.desync.report import Report
from samebits.diagnosis.builds.built_side import BuiltSide
from samebits.diagnosis.builds.other_numbers import OtherNumbers, other_values
from samebits.diagnosis.clock import spent
from samebits.diagnosis.driver import diagnose_report
from samebits.hazards.edit.other_constants import constants_of, with_constants
from samebits.sides.input_stream import InputStream
from samebits.sides.side import parse_side
from samebits.sides.words import read_words
from samebits.sim.load import load_simulation
from samebits.sim.sources import PlayerSource

RING = load_simulation(str(SIMULATIONS / "ported_simulation.py"))


SOURCE = PlayerSource(RING, "sway", 1, 40)


def report_of(old: float, new: float) -> Report:
    """Hashes alone of a program that has another number."""
    places = [each for each in constants_of(RING.program.kernels) if abs(each.value - old) < 1e-6]
    assert places
    rewrite = partial(with_constants, values={each.place: new for each in places})
    built = BuiltSide("theirs", RING, read_words("opt=0"), rewrite=rewrite)
    theirs = record_report(built, SOURCE, ReportRequest(None, None))
    parts = {key: data for key, data in theirs.parts.items() if key.topic != PROGRAM}
    return replace(theirs, parts=parts)


def searched(old: float, new: float) -> tuple[list[tuple[float, float]], int | None] | None:
    """The numbers found, beside those in whose places they are, and the first frame without."""
    known = report_of(old, new).known
    own = record_report(parse_side("", RING), SOURCE, ReportRequest(None, None)).known
    frame = min(n for n in known if known[n] != own[n])
    search = OtherNumbers(RING.program, InputStream(SOURCE), known, frame, spent() + 60)
    found = search.search()
    if found is None:
        return None
    pairs = [(round(each.value, 6), found[0].value) for each in found[0].places]
    return pairs, found[1]


@pytest.mark.parametrize(("old", "new"), [(0.995, 0.985), (30.5, 35.0)])
def test_a_slip_in_a_number_is_likely_with_its_line(old: float, new: float) -> None:
    found = diagnose_report(SOURCE, parse_side("", RING), report_of(old, new))
    assert found.causes[0].hazard == "changed-constant"
    assert found.causes[0].holds
    assert f"`{old}` is `{new:g}` there" in found.causes[0].title
    assert found.certainty == "likely"
    assert found.fields
    assert found.operation is not None
    assert f"{old}" in found.operation.place.source


def test_a_number_that_no_slip_gives_is_not_named() -> None:
    assert searched(0.995, 0.985) == ([(0.995, 0.985)], None)
    assert searched(0.995, 0.8251637) is None


def test_slips_are_digits_factors_and_signs() -> None:
    values = list(other_values(0.98))
    for slip in (-0.98, 0.89, 0.9, 0.95, 1.96, 0.098, 1 / 0.98, 1.0, 0.0):
        assert any(abs(each - slip) < 1e-12 for each in values), slip
    assert 0.98 not in values
    assert len(values) == len(set(values)) < 64
    assert 3.14 in list(other_values(3.1415926535))


def test_numbers_of_which_a_loop_would_not_end_are_passed_over() -> None:
    """Angles are wrapped in a loop, by π with a sign or a factor too."""
    game = load_simulation("examples/classic_control/acrobot.py")
    source = PlayerSource(game, "random", 1, 12)
    own = record_report(parse_side("", game), source, ReportRequest(None, None)).known
    known = {frame: value ^ (frame >= 4) for frame, value in own.items()}
    search = OtherNumbers(game.program, InputStream(source), known, 4, spent() + 60)
    assert search.search() is None
