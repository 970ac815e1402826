"""A library that rounds some results otherwise is found by the calls that show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from tests.support.runs.reports_of_runs import SIMULATION, report, side, source

from samebits.bits import from_canonical
from samebits.desync.format import PROGRAM
from samebits.desync.record import ReportRequest, record_report
from samebits.diagnosis.builds.built_side import BuiltSide
from samebits.diagnosis.builds.compilers import search as search_module
from samebits.diagnosis.builds.hypotheses import story_of
from samebits.diagnosis.builds.other_library import OtherLibrary
from samebits.diagnosis.builds.search import BuildSearch
from samebits.diagnosis.builds.theirs import Theirs
from samebits.diagnosis.builds.watched_calls import WatchedCalls
from samebits.diagnosis.clock import spent
from samebits.diagnosis.driver import diagnose_report
from samebits.hazards.edit.other_results import (
    OtherResult,
    functions_called,
    observed,
    with_other_results,
)
from samebits.ir.verify import verify
from samebits.sides.input_stream import InputStream
from samebits.sides.words import read_words

KERNELS = SIMULATION.program.kernels
PLAIN = report("mine", None).known


def with_results(results: Sequence[OtherResult], words: str = "opt=0") -> BuiltSide:
    rewrite = partial(with_other_results, results=tuple(results))
    return BuiltSide("theirs", SIMULATION, read_words(words), rewrite=rewrite)


def test_the_math_functions_of_the_users_own_functions_go_through_the_host() -> None:
    calls = WatchedCalls()
    module, names = observed(KERNELS, calls.ticks)
    verify(module)
    assert names == functions_called(KERNELS)
    assert [name.rpartition(".")[2] for name in names] == ["sin"]


def found_of(results: Sequence[OtherResult]) -> tuple[OtherLibrary, int | None]:
    known = record_report(with_results(results), source(), ReportRequest(None, None)).known
    assert known != PLAIN
    end = spent() + 60
    search = OtherLibrary(SIMULATION.program, InputStream(source()), known, {}, end)
    return search, search.search()


def sines_of_init(*motes: int, steps: int = 1) -> list[OtherResult]:
    """Results of `sin(float32(i))`, which init calls."""
    (name,) = functions_called(KERNELS)
    return [OtherResult(name, (int(np.float32(i).view(np.uint32)),), steps) for i in motes]


def test_a_result_is_steps_further_from_zero() -> None:
    patterns: list[list[int]] = []
    for some in ([], sines_of_init(5, steps=2)):
        made = record_report(with_results(some), source(), ReportRequest(range(1), None))
        state = made.state(0)
        assert state is not None
        memory = from_canonical(SIMULATION.program.state, state)
        patterns.append(memory["motes"]["vel"][0].view(np.uint32).tolist())
    plain, theirs = patterns
    assert [b - a for a, b in zip(plain, theirs, strict=True)] == [2 * (i == 5) for i in range(24)]


def test_one_result_and_two_are_found() -> None:
    for wanted in (sines_of_init(5), sines_of_init(7, steps=-1), sines_of_init(3, 11)):
        search, parting = found_of(wanted)
        assert parting is None
        assert set(search.results()) == set(wanted)


def test_three_in_one_frame_are_too_many_for_hashes_and_not_for_states() -> None:
    wanted = sines_of_init(2, 6, 9)
    built = with_results(wanted)
    made = record_report(built, source(), ReportRequest(range(4), None))
    states = {n - 1: state for n in made.states if (state := made.state(n)) is not None}
    end = spent() + 60
    alone = OtherLibrary(SIMULATION.program, InputStream(source()), made.known, {}, end)
    assert alone.search() == -1
    assert alone.results() == ()
    beside = OtherLibrary(SIMULATION.program, InputStream(source()), made.known, states, end)
    assert beside.search() is None
    assert set(beside.results()) == set(wanted)


def test_other_results_have_the_same_bits_in_every_execution() -> None:
    results = sines_of_init(4, 8)
    natively, evaluated = (
        record_report(with_results(results, words), source(), ReportRequest(None, None)).known
        for words in ("opt=3", "evaluate")
    )
    assert natively == evaluated != PLAIN


def test_nothing_is_certain_of_a_library_that_is_not_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(search_module, "compilers", lambda: ())
    theirs = record_report(with_results(sines_of_init(5)), source(), ReportRequest(None, None))
    parts = {key: data for key, data in theirs.parts.items() if key.topic != PROGRAM}
    found = diagnose_report(source(), side(), replace(theirs, parts=parts))
    assert found.causes[0].holds
    assert found.certainty == "likely"
    assert {"libm", "libm-ulp"} & {cause.hazard for cause in found.causes}


def test_compilers_are_asked_too_where_a_library_is_all_that_gives_the_hashes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Results that are off where one wants them give a compiler's hashes as well."""
    asked: list[list[str]] = []

    def compiled(self: BuildSearch) -> None:
        asked.append([build.story.hazard for build in self.whole])
        self._note(replace(self.whole[0], story=story_of(["order"]), hazards=("order",), sure=True))  # pyright: ignore[reportPrivateUsage]

    monkeypatch.setattr(BuildSearch, "_compiled", compiled)
    known = record_report(with_results(sines_of_init(5)), source(), ReportRequest(None, None)).known
    search = BuildSearch(side(), source(), Theirs(known), -1)
    search.run()
    assert asked == [["libm-ulp"]]
    assert search.best is search.whole[0]
    assert [build.story.hazard for build in search.whole][:2] == ["order", "libm-ulp"]


def test_what_no_library_does_is_not_found_to_be_one() -> None:
    theirs = report("theirs", None, text="opt=0,hazard=changed-operation#0")
    end = spent() + 60
    search = OtherLibrary(SIMULATION.program, InputStream(source()), theirs.known, {}, end)
    assert search.search() is not None
    assert search.results() == ()
