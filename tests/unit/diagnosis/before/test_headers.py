"""What two sides tell of themselves is compared before anything is searched, and what differs is
planted first: then fields are known even of hashes alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.support.runs.reports_of_runs import FRAMES, SIMULATION, report, side, source

from samebits.desync.record import ReportRequest, record_report
from samebits.desync.report import Report
from samebits.diagnosis.before.headers import Header, compared
from samebits.diagnosis.before.planted import PLANTINGS
from samebits.diagnosis.driver import diagnose, diagnose_report, diagnose_reports
from samebits.diagnosis.report.findings import Diagnosis
from samebits.diagnosis.report.text import as_lines
from samebits.sim.sources import PlayerSource


def hashes(text: str = "opt=0") -> Report:
    """What a side reports of the whole run: hashes alone."""
    return report("theirs", None, text=text)


def of_machine(given: Report, **facts: Any) -> Report:
    return replace(given, machine=replace(given.machine, **facts))


def beside(b: Report) -> Diagnosis:
    return diagnose_report(source(), side(), b)


def seeded(seed: int, frames: range | None = None) -> Report:
    played = PlayerSource(SIMULATION, "push", seed, FRAMES)
    return replace(record_report(side(), played, ReportRequest(frames)), name="theirs")


OPTIONS = {
    "precision": ("precision=LOW", [("precision", "HIGH", "LOW")], "precision LOW"),
    "mode": (
        "mode=DETERMINISTIC,contract=on",
        [("mode", "STRICT", "DETERMINISTIC"), ("contract", "off", "on")],
        "mode DETERMINISTIC and contract on",
    ),
    "denormals": ("denormals=flush", [("denormals", "keep", "flush")], "denormals flush"),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_an_option_of_the_other_side_is_planted_first(name: str) -> None:
    words, headers, expression = OPTIONS[name]
    found = beside(hashes(f"opt=0,{words}"))
    assert [(each.name, each.a, each.b) for each in found.headers] == headers
    first = found.causes[0]
    assert (first.hazard, first.expression, first.scope) == (name, expression, "everywhere")
    assert first.holds
    assert found.frame is not None
    assert first.frames_compared == FRAMES - found.frame
    assert found.certainty == "certain"
    assert found.fields  # of hashes alone: those of the run that gives them


def test_the_options_of_one_source_are_the_cause_of_two_reports() -> None:
    words = "opt=0,mode=DETERMINISTIC,contract=on"
    mine, theirs = (report(name, range(12), text=text) for name, text in (
        ("ours", "opt=0"), ("theirs", words),
    ))  # fmt: skip
    found = diagnose_reports(mine, theirs)
    assert (found.causes[0].hazard, found.certainty) == ("mode", "likely")


@pytest.mark.parametrize(("environment", "word"), [
    ("flushes subnormal results (FTZ)", 0x9F80),
    ("flushes subnormal results (FTZ), flushes subnormal operands (DAZ)", 0x9FC0),
])  # fmt: skip
def test_the_floating_point_environment_of_another_machine_is_planted(
    environment: str, word: int
) -> None:
    words = "ftz" if word == 0x9F80 else "flush"
    b = hashes(f"opt=0,fpenv={words}")
    found = beside(of_machine(b, environment=environment, registers=(("mxcsr", word),)))
    names = [each.name for each in found.headers]
    assert names == ["floating-point environment", "FP word mxcsr"]
    assert (found.causes[0].hazard, found.certainty) == ("floating-point environment", "certain")
    assert [(each.path, each.b.text) for each in found.fields] == [("faint", "0.0")]


def test_another_seed_is_the_cause_and_nothing_else_is_looked_for() -> None:
    found = beside(seeded(2))
    assert (found.frame, found.certainty) == (-1, "certain")
    assert [(each.name, each.a, each.b) for each in found.headers] == [("seed", "1", "2")]
    assert [each.hazard for each in found.causes] == ["seed"]
    assert found.fields
    assert found.operation is None
    found = diagnose_reports(report("ours", None), seeded(2))
    assert ([each.hazard for each in found.causes], found.certainty) == (["seed"], "likely")


def test_an_option_that_explains_some_frames_alone_is_possible_at_most() -> None:
    b = hashes("opt=0,precision=LOW,hazard=fma@drift,from=9")
    found = beside(b)
    assert [each.name for each in found.headers] == ["precision"]
    assert found.certainty == "possible"
    first = found.causes[0]
    assert (first.hazard, first.frames_same) == ("precision", 10)  # init, and frames 0 to 8


def test_what_cannot_be_planted_is_told_as_a_suspect() -> None:
    b = of_machine(hashes(), samebits="0.0.1", llvm="LLVM 9", fingerprint="sb1-" + "0" * 25)
    b = replace(b, header=replace(b.header, version="2", digest="ab" * 16, tick_rate=30))
    found = beside(b)
    assert found.same
    assert [each.name for each in found.headers] == [
        "version", "digest", "tick rate", "samebits", "LLVM", "fingerprint",
    ]  # fmt: skip
    assert all(each.meaning for each in found.headers)
    said = [text for _, text in as_lines(found)]
    assert "  version  a 1, b 2" in said
    assert not PLANTINGS.keys() & {each.name for each in found.headers}


def test_of_two_sides_here_the_words_are_compared() -> None:
    a, b = side(), side("opt=0,precision=LOW,denormals=flush")
    found = diagnose(SIMULATION, source(), a, b)
    assert [each.name for each in found.headers] == ["precision", "denormals"]


def test_what_a_side_does_not_tell_is_no_difference() -> None:
    header = SIMULATION.header(1)
    assert compared(Header(header), Header(header, hashes().machine, "pdp11")) == ()
