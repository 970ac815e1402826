"""What is tried first, and what is not tried at all, in the search for a build."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from tests.support.folders import SIMULATIONS

from samebits.desync.record import ReportRequest, record_report
from samebits.diagnosis.builds import search as search_module
from samebits.diagnosis.builds.board_plans import BoardPlan
from samebits.diagnosis.builds.board_run import Settings
from samebits.diagnosis.builds.boards import Boards
from samebits.diagnosis.builds.built_side import BuiltSide
from samebits.diagnosis.builds.compilers.plans import STAGES, STAGES_OF_ITS_BITS, Stage
from samebits.diagnosis.builds.decode import Decoded, Decoder
from samebits.diagnosis.builds.hypotheses import FORMS
from samebits.diagnosis.builds.search import BuildSearch
from samebits.diagnosis.builds.theirs import Theirs
from samebits.diagnosis.builds.whole_programs import WholePrograms
from samebits.diagnosis.report.findings import Place
from samebits.hazards.injection import switches_of
from samebits.sides.input_stream import InputStream
from samebits.sides.side import parse_side
from samebits.sides.words import read_words
from samebits.sim.load import load_simulation
from samebits.sim.sources import PlayerSource


def tried(
    monkeypatch: pytest.MonkeyPatch,
    file: str,
    script: str,
    theirs: str,
    architecture: str = "",
    slow: Callable[..., None] | None = None,
) -> tuple[list[str | Sequence[Stage]], BuildSearch]:
    """The hazards whose boards are tried, and the compilers' stages, in order; of a run that has
    the hazard `theirs`, or of hashes of none."""
    game = load_simulation(str(SIMULATIONS / file))
    source = PlayerSource(game, script, 1, 40)
    known = {0: 1}
    frame = 0
    if theirs:
        own, other = (
            record_report(parse_side(words, game), source, ReportRequest(None, None)).known
            for words in ("", f"hazard={theirs}")
        )
        known, frame = dict(other), min(n for n in other if other[n] != own[n])
    order: list[str | Sequence[Stage]] = []
    decode = BuildSearch._decode  # pyright: ignore[reportPrivateUsage]

    def decoded(self: BuildSearch, plan: BoardPlan, climbs: bool = False) -> None:
        if len(plan.names) == 1 and not plan.inlined and not plan.library:
            order.append(plan.hazards[0])
        if slow is not None:
            slow(self, plan, climbs)
        elif theirs:
            decode(self, plan, climbs)

    def compiled(self: BuildSearch, stages: Sequence[Stage] = STAGES) -> None:
        order.append(stages)

    monkeypatch.setattr(BuildSearch, "_decode", decoded)
    monkeypatch.setattr(BuildSearch, "_compiled", compiled)
    search = BuildSearch(
        parse_side("", game), source, Theirs(known, architecture=architecture), frame
    )
    search.run()
    return order, search


def test_compilers_of_32_bits_come_first_for_a_machine_that_has_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    order, _ = tried(monkeypatch, "ported_simulation.py", "sway", "", "i686")
    assert order[:3] == [STAGES_OF_ITS_BITS, "double-rounding", "x87"]
    assert STAGES in order
    order, _ = tried(monkeypatch, "ported_simulation.py", "sway", "", "x86_64")
    assert STAGES_OF_ITS_BITS not in order
    assert order[0] == "fma"


def test_compilers_do_not_wait_for_all_hazards_of_a_heavy_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    every, _ = tried(monkeypatch, "ported_simulation.py", "sway", "", "x86_64")
    now = [0.0]

    def slow(self: BuildSearch, plan: BoardPlan, climbs: bool = False) -> None:
        now[0] += 0.9

    monkeypatch.setattr(search_module, "spent", lambda: now[0])
    order, _ = tried(monkeypatch, "ported_simulation.py", "sway", "", "x86_64", slow)
    at = order.index(STAGES)
    assert at < every.index(STAGES)
    assert order[:at] == every[:at]
    assert order[at + 1] == every[at], "what was left goes on"


@pytest.mark.parametrize("known", [{0: 1}, {0: 1, 1: 2}])
def test_a_library_that_gives_no_hash_is_looked_for_once(
    known: dict[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    times: list[int] = []

    def none(self: WholePrograms) -> None:
        times.append(1)

    monkeypatch.setattr(WholePrograms, "with_other_library", none)
    monkeypatch.setattr(BuildSearch, "_compiled", lambda self, stages=(): None)
    game = load_simulation(str(SIMULATIONS / "ported_simulation.py"))
    source, side = PlayerSource(game, "sway", 1, 5), parse_side("", game)
    boards = Boards(side, InputStream(source), known)
    for _ in range(2):
        BuildSearch(side, source, Theirs(known), 0, boards=boards).gives_all(())
    assert times == [1]


def test_x87_is_no_rival_where_doubles_are_none_but_in_programs_of_doubles(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    order, search = tried(monkeypatch, "ported_simulation.py", "sway", "fma")
    assert {build.hazards for build in search.whole} == {("fma",)}
    assert "double-rounding" in order
    assert "x87" not in order
    order, search = tried(monkeypatch, "wide_simulation.py", "gusts", "fma")
    assert {build.hazards for build in search.whole} == {("fma",)}
    assert "x87" in order


def test_kin_are_tried_on_the_lines_of_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the sets of its own board are never tried."""
    game = load_simulation(str(SIMULATIONS / "ported_simulation.py"))
    source = PlayerSource(game, "sway", 1, 40)
    kernels = BuiltSide("", game, read_words("opt=0")).plain.kernels
    fused = next(
        each.variants[0]
        for each in switches_of(kernels, ("fma",), FORMS, False)
        if "middle +=" in Place.of(each.variants[0].site.op.span).source
    )
    theirs = BuiltSide("", game, read_words("opt=0"), variants=(fused,))
    known, own = (
        record_report(side, source, ReportRequest(None, None)).known
        for side in (theirs, parse_side("", game))
    )
    solved = Decoder.decode

    def decode(self: Decoder, start: Settings | None = None) -> Decoded:
        found = solved(self, start)
        is_fused = self.run.board.switches[0].variants[0].hazard.name == "fma"
        return found if is_fused else replace(found, parting=0, solved=0)

    monkeypatch.setattr(Decoder, "decode", decode)
    search = BuildSearch(
        parse_side("", game), source, Theirs(known), min(n for n in known if known[n] != own[n])
    )
    search.run()
    assert {("fma",), ("double-rounding",)} <= {build.hazards for build in search.whole}
