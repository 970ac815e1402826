"""States tell more than hashes: settings that leave them are climbed to, many hazards at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from tests.support.runs.reports_of_runs import SIMULATION, report, side, source

from samebits.desync.format import HASHES, Key
from samebits.desync.record import ReportRequest, record_report
from samebits.desync.report import Report
from samebits.diagnosis.builds import search
from samebits.diagnosis.builds.board_run import INIT, BoardRun, Point
from samebits.diagnosis.builds.built_side import BuiltSide
from samebits.diagnosis.builds.climb import Climb
from samebits.diagnosis.builds.decode import Decoder
from samebits.diagnosis.builds.hypotheses import CLIMBED, FORMS
from samebits.diagnosis.builds.search import BuildSearch
from samebits.diagnosis.builds.theirs import Theirs
from samebits.diagnosis.clock import spent
from samebits.diagnosis.driver import diagnose_report
from samebits.diagnosis.frame.state_diff import differences
from samebits.hazards.catalogue import EXPRESSION_HAZARDS
from samebits.hazards.edit.parted_sincos import parted_sincos
from samebits.hazards.injection import switches_of
from samebits.hazards.switchboard import switchboard
from samebits.ir.grammar import Function, Op, walk
from samebits.ir.refs import is_own
from samebits.sides.input_stream import InputStream
from samebits.sides.words import read_words
from samebits.sim.load import load_simulation
from samebits.sim.simulation import Simulation
from samebits.sim.sources import PlayerSource

KERNELS = SIMULATION.program.kernels
PLAIN = report("mine", None).known
ARENA = load_simulation("examples/arena/arena.py")
FAST = ("fma", "order", "reciprocal", "algebra")


def board_of(*hazards: str, simulation: Simulation, runs: PlayerSource) -> BoardRun:
    kernels = simulation.program.kernels
    board = switchboard(kernels, switches_of(kernels, hazards, FORMS))
    return BoardRun(simulation.program, board, InputStream(runs), {})


def drawn(run: BoardRun, simulation: Simulation, seed: int) -> BuiltSide:
    """A side with some form of every second switch, drawn."""
    draws = np.random.default_rng(seed)
    on = tuple(
        switch.variants[draws.integers(len(switch.variants))]
        for switch in run.board.switches
        if draws.random() < 0.5
    )
    return BuiltSide("drawn", simulation, side("opt=0", simulation).spec, variants=on)


def theirs_of(built: BuiltSide, runs: PlayerSource, frames: range) -> Theirs:
    made = record_report(built, runs, ReportRequest(frames, None))
    states = {n - 1: made.state(n) for n in made.states}
    return Theirs(made.known, {n: state for n, state in states.items() if state is not None})


def first_of(theirs: Theirs, plain: Mapping[int, int]) -> int:
    return min(n for n in theirs.known if theirs.known[n] != plain[n])


@pytest.mark.parametrize("seed", range(8))
def test_settings_that_leave_the_states_are_found(seed: int) -> None:
    hazards = "fma", "double-rounding", "order"
    run = board_of(*hazards, simulation=SIMULATION, runs=source())
    theirs = theirs_of(drawn(run, SIMULATION, seed), source(), range(12))
    first = first_of(theirs, PLAIN)
    settings = Climb(run, theirs.states, first, spent() + 60).climb()
    assert settings is not None
    compared = 0
    for n in range(first + 1, 12):
        point = run.point(n, theirs.states[n - 1])
        assert run.state_after(point, n, settings) == theirs.states[n]
        compared += run.state_after(point, n, run.off()) != theirs.states[n]
    assert compared


def test_states_that_no_setting_leaves_are_not_said_to_be_left() -> None:
    run = board_of("fma", simulation=SIMULATION, runs=source())
    built = BuiltSide("other", SIMULATION, read_words("opt=0,hazard=changed-operation#0"))
    theirs = theirs_of(built, source(), range(12))
    first = first_of(theirs, PLAIN)
    assert Climb(run, theirs.states, first, spent() + 5).climb() is None
    assert Climb(run, {}, first, spent() + 5).climb() is None


def test_what_hashes_alone_do_not_tell_states_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of the places of four hazards: no few of them give the first hash."""
    runs = PlayerSource(ARENA, "duel", 1, 30)
    run = board_of(*FAST, simulation=ARENA, runs=runs)
    theirs = theirs_of(drawn(run, ARENA, 1), runs, range(20))
    mine = side("opt=0", ARENA)
    first = first_of(theirs, record_report(mine, runs, ReportRequest(None, None)).known)
    run.known = theirs.known
    end = spent() + 60
    settings = Climb(run, theirs.states, first, end).climb()
    assert settings is not None
    assert Decoder(run, 1_000, end).decode(settings).parting is None
    assert Decoder(run, 1_000, end).decode().parting is not None

    def nothing(*_: object) -> tuple[()]:
        return ()

    for name in ("_singles", "_for_all", "_compiled"):
        monkeypatch.setattr(BuildSearch, name, nothing)
    monkeypatch.setattr(search, "together", nothing)
    found = BuildSearch(mine, runs, theirs, first, seconds=30.0)
    found.run()
    assert found.whole


def test_hazards_that_are_climbed_together_exist() -> None:
    names = {hazard.name for hazard in EXPRESSION_HAZARDS}
    assert all(set(some) <= names and len(some) > 1 for some in CLIMBED)


def test_sin_and_cos_in_the_place_of_sincos_have_its_bits() -> None:
    pendulum = load_simulation("examples/pendulum/pendulum.py")
    made = parted_sincos(pendulum.program.kernels)

    def called(functions: Mapping[str, Function]) -> set[str]:
        return {
            str(s.attr).rpartition(".")[2]
            for name, f in functions.items() if is_own(name)
            for s in walk(f.body) if isinstance(s, Op) and s.opcode == "call"
        }  # fmt: skip

    assert "sincos" in called(pendulum.program.kernels.functions)
    assert "sincos" not in called(made.functions)
    runs = PlayerSource(pendulum, "rough", 1, 60)
    plain, parted = (
        record_report(each, runs, ReportRequest(None, None)).known
        for each in (side("opt=0", pendulum), BuiltSide("parted", pendulum, read_words("opt=0")))
    )
    assert plain == parted
    assert parted_sincos(KERNELS) is KERNELS, "nothing to part"


def test_another_librarys_sine_is_found_where_the_source_has_sincos() -> None:
    pendulum = load_simulation("examples/pendulum/pendulum.py")
    runs = PlayerSource(pendulum, "rough", 3, 200)
    theirs = BuiltSide("theirs", pendulum, read_words("opt=0,hazard=libm#0"))
    known = record_report(theirs, runs, ReportRequest(None, None)).known
    base = BuiltSide("base", pendulum, read_words("opt=0")).program
    board = switchboard(base.kernels, switches_of(base.kernels, ["libm"], FORMS))
    run = BoardRun(base, board, InputStream(runs), known)
    assert run.parting(Point(INIT, b""), run.off()) is not None
    found = Decoder(run, 1_000, spent() + 60).decode()
    assert found.parting is None
    functions = {s.place.function for n, s in enumerate(board.switches) if found.settings[n]}
    assert "pendulum.accelerate" in functions


def test_a_library_that_is_built_otherwise_is_found() -> None:
    kernels = SIMULATION.program.kernels
    within = switches_of(kernels, ["fma"], {}, library=True)
    theirs = tuple(s.variants[0] for s in within if not is_own(s.place.function))
    assert theirs
    assert not any(not is_own(s.place.function) for s in switches_of(kernels, ["fma"], {}))
    built = BuiltSide("library", SIMULATION, side("opt=0").spec, variants=theirs)
    known = record_report(built, source(), ReportRequest(None, None)).known
    if known == PLAIN:
        return  # the exact phase decides either way
    first = min(n for n in known if known[n] != PLAIN[n])
    found = BuildSearch(side(), source(), Theirs(known), first, seconds=30.0)
    found.run()
    assert found.whole


def test_the_fields_are_those_of_the_first_known_frame_where_init_has_no_hash() -> None:
    words = "opt=0,hazard=constant#0"
    whole = report("theirs", None, text=words)
    assert whole.known[INIT] != PLAIN[INIT], "for this the test needs a difference in init"
    listed = report_of_facts_without_init(whole)
    found = diagnose_report(source(), side(), listed)
    assert found.frame == 0
    assert found.causes[0].holds
    after = [record_report(each, source(), ReportRequest(range(1), None)).state(1)
             for each in (side(), side(words))]  # fmt: skip
    mine, theirs = after
    assert mine is not None
    assert theirs is not None
    assert found.differing == differences(SIMULATION.program.state, mine, theirs).differing


def report_of_facts_without_init(whole: Report) -> Report:
    """The hashes of frames alone, as a list has them."""
    parts = {key: data for key, data in whole.parts.items() if key.topic != HASHES}
    data = whole.parts[Key(HASHES, 0)]
    return replace(whole, parts={**parts, Key(HASHES, 1): data[8:]}, is_bare=True)
