"""Of another machine's hashes alone, builds are planted until one gives them; certain is one that
no other hazard equals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from tests.support.runs.reports_of_runs import SIMULATION, report, side, source

from samebits.desync.record import ReportRequest, record_report
from samebits.desync.report import Report
from samebits.diagnosis.builds import board_plans, search
from samebits.diagnosis.builds.board_run import INIT, BoardRun, Point, Settings
from samebits.diagnosis.builds.built_side import BuiltSide
from samebits.diagnosis.builds.decode import Decoder
from samebits.diagnosis.builds.hypotheses import (
    BENEATH,
    FORMS,
    KIN,
    OPTIONS,
    SINGLE,
    are_kin,
    rows,
)
from samebits.diagnosis.builds.search import BuildSearch
from samebits.diagnosis.builds.tell import tell_builds
from samebits.diagnosis.builds.theirs import Theirs
from samebits.diagnosis.clock import OutOfTime, spent
from samebits.diagnosis.driver import diagnose, diagnose_report
from samebits.diagnosis.frame.search import silent
from samebits.diagnosis.report.findings import IN_PLACES, Diagnosis
from samebits.fpmodel.evaluate import Arithmetic
from samebits.fpmodel.softfloat import FLOAT32, FLOAT64
from samebits.fpmodel.tree import Constant, Node, Operand, written
from samebits.hazards.catalogue import EXPRESSION_HAZARDS, by_name
from samebits.hazards.catalogue.expressions.double_rounding import DOUBLE
from samebits.hazards.edit.single_constants import with_single_constants
from samebits.hazards.injection import switches_of
from samebits.hazards.switchboard import switchboard
from samebits.ir.grammar import Module, Op, walk
from samebits.ir.refs import is_own
from samebits.sides.input_stream import InputStream
from samebits.sides.side import parse_side
from samebits.sides.words import read_words
from samebits.sim.load import load_simulation
from samebits.sim.sources import PlayerSource

KERNELS = SIMULATION.program.kernels


def hashes(words: str) -> Report:
    return report("theirs", None, text=f"opt=0,{words}")


def hashes_of(built: BuiltSide) -> Mapping[int, int]:
    return record_report(built, source(), ReportRequest(None, None)).known


def beside(words: str) -> Diagnosis:
    return diagnose_report(source(), side(), hashes(words))


def searched(words: str, seconds: float = 60.0) -> BuildSearch:
    theirs, mine = hashes(words), side()
    frame = min(n for n in theirs.known if theirs.known[n] != report("mine", None).known[n])
    found = BuildSearch(mine, source(), Theirs(theirs.known), frame, seconds=seconds)
    with closing(found):
        found.run()
    return found


def board_of(*hazards: str, known: Mapping[int, int]) -> BoardRun:
    board = switchboard(KERNELS, switches_of(KERNELS, hazards, FORMS))
    return BoardRun(SIMULATION.program, board, InputStream(source()), known)


def test_one_hazard_everywhere_is_found_with_fields_and_line() -> None:
    words = "hazard=fma#0"
    found, live = beside(words), diagnose(SIMULATION, source(), side(), side(f"opt=0,{words}"))
    first = found.causes[0]
    assert (first.hazard, first.scope, found.certainty) == ("fma", "everywhere", "certain")
    assert first.holds
    assert found.fields == live.fields
    assert found.operation is not None
    assert live.operation is not None
    assert found.operation.place == live.operation.place
    assert any(words in note for note in found.notes)


def test_a_hazard_in_some_places_is_found_with_these() -> None:
    places = sorted({switch.place for switch in switches_of(KERNELS, ["fma"], {})})
    assert len(places) > 2
    for place in places[:4]:
        theirs = hashes(f"hazard=fma@{place.function}#{place.op}#0")
        if theirs.known == report("mine", None).known:
            continue
        found = diagnose_report(source(), side(), theirs)
        first = found.causes[0]
        if found.certainty == "certain":
            assert (first.hazard, first.scope) == ("fma", IN_PLACES)
            told, *spots = first.evidence[1].splitlines()
            assert told == "it acts at"
            assert [spot.split()[0] for spot in spots] == [place.function], "one place"
        else:
            assert found.certainty == "likely"
            assert "fma" in [cause.hazard for cause in found.causes]


def test_a_list_that_a_build_gives_is_not_called_strange() -> None:
    words = "hazard=fma#0"
    theirs = replace(hashes(words), is_bare=True)
    found = diagnose_report(source(), side(), theirs)
    assert found.causes[0].holds
    assert not any("is of this run" in note for note in found.notes)
    assert found.timeline


def test_what_gives_a_frame_alone_is_shown_before_what_does_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = board_of("fma", known={0: 7})
    assert len(run.board.switches) > 2

    def hash_after(self: BoardRun, point: Point, frame: int, settings: Settings) -> int:
        return 7 if settings[0] or (settings[1] and settings[2]) else 0

    monkeypatch.setattr(BoardRun, "hash_after", hash_after)
    every = run.off()
    every[:] = 1
    assert run.needed_in(0, every).nonzero()[0].tolist() == [0]
    every[0] = 0
    assert run.needed_in(0, every).nonzero()[0].tolist() == [1, 2]


def test_hazards_that_act_together_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Among a few that are known: each with each of all takes a quarter of a minute."""
    some = ("fma", "reciprocal", "constant", "x87")
    for module in (search, board_plans):
        monkeypatch.setattr(module, "SINGLE", some)
        monkeypatch.setattr(module, "ACROSS_CALLS", ())
    few = [row for row in rows() if set(row.hazards) <= set(some)]
    assert len(few) > 2
    monkeypatch.setattr(board_plans, "rows", lambda: few)
    monkeypatch.setattr(BuildSearch, "_compiled", BuildSearch.close)
    found = searched("hazard=fma#0,hazard=constant#0")
    assert {"fma", "constant"} in [set(build.hazards) for build in found.whole]


def test_what_another_hazard_gives_too_is_not_certain() -> None:
    found = beside("hazard=double-rounding#0")
    assert found.causes
    others = [text for text in found.causes[0].evidence if "tells it from" in text]
    assert (found.certainty == "certain") == (not others)


@pytest.mark.parametrize("has_init", [False, True])
def test_a_hash_of_init_is_asked_for_where_frame_0_is_not_explained(has_init: bool) -> None:
    out = diagnose_report(source(), side(), hashes("hazard=fma#0"), seconds=0.0)
    out.frame, mine = 0, report("mine", None).known
    known = {0: mine[0] ^ 1} | ({-1: mine[-1]} if has_init else {})
    tell_builds(
        out, side(), source(), Theirs(known), partial(diagnose, SIMULATION, source()), silent, 1.0
    )
    assert out.certainty == "unknown"
    assert any("`init HASH`" in note for note in out.notes) != has_init


def test_no_build_that_is_known_is_said_so() -> None:
    found = diagnose_report(source(), side(), hashes("hazard=changed-operation#0"), seconds=2.5)
    assert found.certainty != "certain"
    assert any("builds that are known were tried" in note for note in found.notes)


def test_the_search_ends_with_its_time() -> None:
    found = searched("hazard=fma#0", seconds=0.0)
    assert (found.whole, found.finished, found.tried) == ([], False, 0)


def test_a_switchboard_has_the_bits_of_what_it_stands_for() -> None:
    plain = report("mine", None).known
    run = board_of("fma", known=plain)
    assert run.parting(Point(INIT, b""), run.off()) is None
    for number, switch in enumerate(run.board.switches):
        for form, variant in enumerate(switch.variants, 1):
            settings = run.off()
            settings[number] = form
            built = BuiltSide("one", SIMULATION, side("opt=0").spec, variants=(variant,))
            with_it = hashes_of(built)
            run.known = with_it
            assert run.parting(Point(INIT, b""), settings) is None
            run.known = plain
            assert (run.parting(Point(INIT, b""), settings) is None) == (with_it == plain)


@pytest.mark.parametrize("every", [1, 7])
def test_settings_are_read_off_the_hashes(every: int) -> None:
    run = board_of("fma", known={})
    draws = np.random.default_rng(5)
    for _ in range(3):
        settings = run.off()
        for number, switch in enumerate(run.board.switches):
            settings[number] = draws.integers(len(switch.variants) + 1)
        forms = [int(form) for form in settings]
        chosen = zip(run.board.switches, forms, strict=False)
        on = tuple(switch.variants[form - 1] for switch, form in chosen if form)
        built = BuiltSide("some", SIMULATION, side("opt=0").spec, variants=on)
        known = hashes_of(built)
        run.known = {frame: known[frame] for frame in known if frame % every == 0}
        found = Decoder(run, 10_000, spent() + 60).decode()
        assert found.parting is None
        left = zip(forms, found.left, strict=False)
        assert all(form in some for form, some in left), "what is so is never refuted"


def test_hashes_of_every_tenth_frame_show_a_line_that_acts_in_a_manner_of_its_own() -> None:
    """A compiler fuses the first product of each sum, and the second of one line, as GCC does."""
    arena = load_simulation("examples/arena/arena.py")
    runs, kernels = PlayerSource(arena, "circle", 1, 120), arena.program.kernels
    board = switchboard(kernels, switches_of(kernels, ["fma"], FORMS))
    run = BoardRun(arena.program, board, InputStream(runs), {})
    on = tuple(
        switch.variants[2 if switch.place.function == "arena.steer" else 0]
        for switch in board.switches
        if switch.place.function != "arena.steer" or len(switch.variants) > 2
    )
    built = BuiltSide("theirs", arena, read_words("opt=0"), variants=on)
    known = record_report(built, runs, ReportRequest(None, None)).known
    run.known = {frame: known[frame] for frame in known if frame % 10 == 9}
    found = Decoder(run, 1_000, spent() + 60).decode()
    assert found.parting is None
    assert run.parting(Point(INIT, b""), found.settings) is None


def test_small_functions_in_the_place_of_their_calls_have_the_same_bits() -> None:
    arena = load_simulation("examples/arena/arena.py")
    plain = BuiltSide("plain", arena, read_words("opt=0"))
    within = replace(plain, text="inlined", inlined=True)
    calls = [len(list(calls_of(side.plain.kernels))) for side in (plain, within)]
    assert calls[0] > calls[1]
    runs = PlayerSource(arena, "duel", 1, 120)
    made = [record_report(side, runs, ReportRequest(None, None)).known for side in (plain, within)]
    assert made[0] == made[1]


def calls_of(kernels: Module) -> Iterator[Op]:
    for name, function in kernels.functions.items():
        if is_own(name):
            yield from (s for s in walk(function.body) if isinstance(s, Op) and s.opcode == "call")


def test_constants_without_an_f_are_doubles_in_c() -> None:
    x, half = Operand("x0"), Constant("0.1")
    strict = Arithmetic(FLOAT32, FLOAT32)
    tree = Node("mul", (x, half))
    found = {
        written(variant): arithmetic.working
        for variant, arithmetic, note in DOUBLE.variants(tree, strict)
        if "lack an f" in note
    }
    assert found == {"x0 * float64(0.1)": FLOAT64}


def test_calls_return_floats_where_all_else_is_computed_in_double() -> None:
    call = Node("call", (Operand("x1"),), "cos")
    tree = Node("add", (Operand("x0"), Node("mul", (call, Operand("x2")))))
    variants = DOUBLE.variants(tree, Arithmetic(FLOAT32, FLOAT32))
    found = [written(variant) for variant, _, _ in variants]
    assert found[:2] == ["x0 + cos(x1) * x2", "x0 + float32(cos(x1)) * x2"]
    assert len(found) == len(set(found))


def test_a_decoder_stops_when_its_time_is_over() -> None:
    run = board_of("fma", known=hashes("hazard=fma#0").known)
    with pytest.raises(OutOfTime):
        Decoder(run, 100, 0.0).decode()


def test_rows_name_hazards() -> None:
    for row in rows():
        assert len({by_name(name).name for name in row.hazards}) > 1
        assert all((row.title, row.practice, row.remedy))
    assert len(rows()) > 10
    assert set(BENEATH) | set(FORMS) <= set(SINGLE)
    assert sorted(SINGLE) == sorted(hazard.name for hazard in EXPRESSION_HAZARDS)
    assert all(are_kin(name, name) for group in KIN for name in group)
    assert not are_kin("fma", "libm")
    assert all(option.story.title for option in OPTIONS)


def test_literals_that_are_floats_are_found_everywhere_and_from_frame_0_on() -> None:
    planets = load_simulation("examples/outer_planets/outer_planets.py")
    runs = PlayerSource(planets, "steady", 1, 20)
    for start in (None, 0):
        spec = replace(read_words("opt=0"), start=start)
        theirs = BuiltSide("theirs", planets, spec, rewrite=with_single_constants)
        known = record_report(theirs, runs, ReportRequest(None, None)).known
        mine = record_report(parse_side("opt=0", planets), runs, ReportRequest(None, None)).known
        frame = min(n for n in known if known[n] != mine[n])
        found = BuildSearch(parse_side("opt=0", planets), runs, Theirs(known), frame, seconds=20.0)
        found.run()
        assert found.whole
        assert found.whole[0].side.text.startswith("every literal a float32")
